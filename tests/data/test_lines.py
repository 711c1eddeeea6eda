"""The lines of training data, field by field: whose they are, what is asked, and what is taught or preferred."""

from __future__ import annotations

import json

import pytest
from episodes import REPLANNED, TEXT, write_run

from homie.data.options import TrainingOptions
from homie.data.read_data_set import format_line, read_lines
from homie.data.training_examples import make_dataset


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("lines") / "run", ["a-0"], REPLANNED)


def lines(run, out, purpose, **more):
    make_dataset(TrainingOptions.build(sources=[run], out=out, **more), purpose)
    return list(read_lines(out, "train"))


def subtask_and_model(message):
    """The subtask and the model of an answer."""
    (only,) = message
    assert only["role"] == "assistant"
    (part,) = only["content"]
    assert part["type"] == "text"
    answer = json.loads(part["text"])
    subtask = answer["subtask"]
    return [value for value in subtask.values() if value], answer.get("model")


HEAD = {"id", "episode", "task", "step", "version", "actions", "models", "arguments", "prompt"}
LISTS = {
    "actions": ["Go to", "Pick", "Put", "Open", "Close", "End"],
    "models": ["nomad", "pixnav", "rt1x", "octo"],
    "arguments": [["target"], ["target"], ["target", "destination"], ["target"], ["target"], []],
}


def test_conversations(run, tmp_path):
    examples = lines(run, tmp_path / "set", "sft", prompt_settings={"images": False})
    assert [line["id"] for line in examples] == [f"run_a-0_subtask{number}" for number in (2, 3, 4, 5, 6)]
    for number, line in enumerate(examples, 2):
        assert set(line) == HEAD | {"completion"}
        assert (line["episode"], line["task"], line["step"], line["version"]) == ("run/a-0", TEXT, number, 0)
        assert {name: line[name] for name in LISTS} == LISTS
        assert [message["role"] for message in line["prompt"]] == ["system", "user"]
        assert TEXT in line["prompt"][1]["content"][0]["text"]
    assert [subtask_and_model(line["completion"]) for line in examples[:3]] == [
        (["Go to", "apple"], "nomad"),
        (["Pick", "apple"], "rt1x"),
        (["Go to", "fridge"], "nomad"),
    ]
    assert subtask_and_model(examples[4]["completion"])[0] == ["End"]


def test_preferences(run, tmp_path):
    examples = lines(run, tmp_path / "set", "dpo", prompt_settings={"images": False})
    assert all(set(line) == HEAD | {"chosen", "rejected", "kind"} for line in examples)
    assert [line["id"] for line in examples[:4]] == [
        "run_a-0_subtask1-replan",
        "run_a-0_subtask2-order",
        "run_a-0_subtask2-action",
        "run_a-0_subtask2-model",
    ]
    replan, order, action, model = examples[:4]
    assert (subtask_and_model(replan["chosen"]), subtask_and_model(replan["rejected"])) == (
        (["Go to", "apple"], "nomad"),
        (["Pick", "apple"], "rt1x"),
    )
    assert (subtask_and_model(order["chosen"]), subtask_and_model(order["rejected"])) == (
        (["Go to", "apple"], "nomad"),
        (["Pick", "apple"], "rt1x"),
    )
    (name, target), planner = subtask_and_model(action["rejected"])
    assert subtask_and_model(action["chosen"]) == (["Go to", "apple"], "nomad")
    assert target == "apple" and planner == "nomad" and name not in LISTS["actions"]
    assert subtask_and_model(model["rejected"]) == (["Go to", "apple"], "pixnav"), "another that goes to places"
    assert {line["kind"] for line in examples if line["step"] == 6} == set(), "nothing is preferred to End"


def test_versions_have_numbers(run, tmp_path):
    examples = lines(run, tmp_path / "set", "sft", prompt_settings={"images": False}, rename=3)
    assert examples[5]["id"] == "run_a-0_subtask2_v1" and examples[5]["version"] == 1
    assert {line["version"] for line in examples} <= {0, 1, 2, 3}


def test_pictures_are_named_in_their_order(run, tmp_path):
    examples = lines(run, tmp_path / "set", "sft")
    for line in examples:
        parts = [part["type"] for message in line["prompt"] for part in message["content"]]
        assert parts.count("image") == len(line["images_file_names"]) == 4
        assert all((tmp_path / "set/train" / name).is_file() for name in line["images_file_names"])
    assert len({name for line in examples for name in line["images_file_names"]}) == 20, "each round has its own"


def test_the_form_of_emmoe(run, tmp_path):
    taught = lines(run, tmp_path / "sft", "sft", form="emmoe")
    assert [line["id"] for line in taught] == [f"run_a-0_subtask{number}" for number in (2, 3, 4, 5, 6)]
    for line in taught:
        assert set(line) == {"id", "image", "conversations"} and len(line["image"]) == 4
        assert [turn["from"] for turn in line["conversations"]] == ["human", "gpt"]
        assert line["conversations"][0]["value"].startswith(f"Task: {TEXT}\n")
    assert "Subtask: [Go to, apple]\nModel: NoMaD" in taught[0]["conversations"][1]["value"]
    pairs = lines(run, tmp_path / "dpo", "dpo", form="emmoe")
    assert all(set(pair) == {"prompt", "chosen", "rejected"} for pair in pairs)
    assert pairs[0]["prompt"].startswith(f"Task: {TEXT}\nInventory: None\nHistorical")
    assert [(pair["chosen"], pair["rejected"]) for pair in pairs[1:4]] == [
        ("Subtask: [Go to, apple]\nModel: NoMaD", "Subtask: [Pick, apple]\nModel: RT-1-X"),
        ("Subtask: [Go to, apple]\nModel: NoMaD", "Subtask: [Move, apple]\nModel: NoMaD"),
        ("Subtask: [Go to, apple]\nModel: NoMaD", "Subtask: [Go to, apple]\nModel: PixNav"),
    ]


@pytest.mark.parametrize("purpose", ["sft", "dpo"])
@pytest.mark.parametrize("form", ["chat", "emmoe"])
def test_a_line_is_shown_to_people_part_by_part(run, tmp_path, purpose, form):
    first = lines(run, tmp_path / "set", purpose, form=form)[0]
    text = format_line(first)
    blocks = [block.partition("]")[0].removeprefix("[") for block in text.split("\n\n") if block.startswith("[")]
    answers = ["completion"] if purpose == "sft" else ["chosen", "rejected"]
    expected = {
        "chat": ["system", "user", *answers],
        "emmoe": ["human", "gpt"] if purpose == "sft" else ["prompt", *answers],
    }
    assert blocks == expected[form]
    if form == "chat":
        assert text.startswith(str(first["id"]))
    elif purpose == "sft":
        assert text.endswith(f"pictures: {', '.join(first['image'])}")
