"""What stands in the lines and cards of data sets, to the letter, and what is said of lines that are none."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from episodes import DONE, REPLANNED, episode, write_run

from homie.data.card import prompt_options
from homie.data.card_parts import license_of
from homie.data.data_set_checks import validate
from homie.data.episode_counts import Statistics
from homie.data.examples.forms import ChatForm, OfficialForm
from homie.data.examples.pairs import pairs
from homie.data.examples.rewriting_cache import Rewritings
from homie.data.options import TrainingOptions
from homie.data.read_data_set import read_lines
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, Subtask
from homie.runtime.assembly import load_prompts

LISTS = ("actions", "models", "arguments")


def test_every_field_of_a_line():
    writer = load_prompts({"images": False, "examples": 0})
    form, played = ChatForm(writer, seed=0), replace(episode(REPLANNED, name="run/a-0"), task="tidy")
    line = next(iter(form.lines("sft", played, 2)))
    assert line.counts == "Go to" and line.pictures == ()
    fields = {name: value for name, value in line.fields.items() if name not in ("prompt", "completion", *LISTS)}
    assert fields == {"id": "run_a-0_subtask2_v2", "episode": "run/a-0", "task": "tidy", "step": 2, "version": 2}
    assert all(message["role"] in ("system", "user", "assistant") for message in line.fields["prompt"])
    (answer,) = line.fields["completion"]
    assert answer["role"] == "assistant" and answer["content"][0]["type"] == "text"
    assert set(answer["content"][0]) == {"type", "text"} and len(answer["content"]) == 1
    arguments = dict(zip(line.fields["actions"], line.fields["arguments"], strict=True))
    assert arguments["Put"] == ["target", "destination"] and arguments["End"] == []
    pair = next(iter(form.lines("dpo", played)))
    fields = {
        name: value for name, value in pair.fields.items() if name not in ("prompt", "chosen", "rejected", *LISTS)
    }
    assert fields == {
        "id": "run_a-0_subtask1-replan",
        "episode": "run/a-0",
        "task": "tidy",
        "step": 1,
        "version": 0,
        "kind": "replan",
    }
    assert pair.counts == "replan" and set(pair.fields) == {*fields, "prompt", "chosen", "rejected", *LISTS}
    official = next(iter(OfficialForm().lines("sft", played)))
    assert set(official.fields) == {"id", "conversations"} and official.fields["id"] == "run_a-0_subtask2"
    assert [turn["from"] for turn in official.fields["conversations"]] == ["human", "gpt"]
    assert official.counts == "Go to"
    preferred = next(iter(OfficialForm().lines("dpo", played)))
    assert set(preferred.fields) == {"prompt", "chosen", "rejected"} and preferred.counts == "replan"


@pytest.mark.parametrize("form", ["chat", "emmoe"])
def test_the_column_of_pictures_is_that_of_the_form(tmp_path, form):
    run = write_run(tmp_path / "run", ["a-0"])
    make_dataset(TrainingOptions.build(sources=[run], out=tmp_path / "set", keep="all", form=form), "sft")
    line = next(read_lines(tmp_path / "set", "train"))
    column = {"chat": "images_file_names", "emmoe": "image"}[form]
    assert len(line[column]) == 4 and all(name.endswith(".png") for name in line[column])
    recipe = json.loads((tmp_path / "set/data.json").read_text())["recipe"]
    assert recipe["form"] == form and recipe["sources"] == [
        {"name": "run", "kind": "run", "planner": "rule", "seed": "0", "versions": ""}
    ]


def test_made_up_names_of_actions_by_every_seed():
    """Each of them stands for its own action."""
    steps = (
        Subtask(action, "cup", "box" if action == "Put" else "") for action in ("Go to", "Pick", "Put", "Open", "Close")
    )
    acts = tuple((subtask, SUCCESS) for subtask in steps)
    names: dict[str, set[str]] = {}
    for seed in range(60):
        for pair in pairs(episode(acts), str(seed)):
            if pair.kind == "action":
                names.setdefault(pair.chosen.subtask.action, set()).add(pair.rejected.subtask.action)
    assert names == {
        "Go to": {"Move", "Navigate to", "Walk to", "Find"},
        "Pick": {"Fetch", "Grab", "Take", "Lift"},
        "Put": {"Place", "Drop", "Insert", "Leave"},
        "Open": {"Pull", "Unlock", "Uncover", "Slide"},
        "Close": {"Push", "Shut", "Lock", "Cover"},
    }


def test_outcomes_are_counted_by_what_is_known():
    total = Statistics()
    for outcome, acts in ((True, DONE), (False, DONE), (None, DONE), (None, DONE[:2])):
        total.add(replace(episode(acts), done=outcome, house="h", split="test"))
    report = total.report()
    assert report["outcomes"] == {"done": 1, "not done": 1, "said End": 1, "no End": 1}
    assert (report["houses"], report["splits"], report["longest"], report["mean_length"]) == (1, {"test": 4}, 5, 4.25)
    assert (report["subtasks"], report["failed"], report["error_codes"], report["pictures"]) == (17, 0, {}, 0)
    assert (report["analyses"], report["left_out"]) == (17, {})
    empty = Statistics().report()
    assert (empty["mean_length"], empty["longest"], empty["episodes"]) == (0.0, 0, 0)


def test_how_a_model_is_asked_is_said_by_the_settings_that_differ():
    settings = {"template": "t", "reasks": 2, "reading": "lax", "leniencies": [], "images": False, "examples": 0}
    assert prompt_options({**settings, "memory": None}) == "--template t --set images=false --set examples=0"


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlicense: mit\n---\nwords", "mit"),
        ("---\nlicense: [mit]\n---\n", "unknown"),
        ("---\n: : {\n---\n", "unknown"),
        ("---\nname: x\n---\n", "unknown"),
        ("words", "unknown"),
        ("---\nlicense: ''\n---\n", "unknown"),
    ],
)
def test_the_licence_of_a_card(card, licence):
    assert license_of(card) == licence


class Backwards:
    """A rewriter that turns texts round."""

    def rewrite(self, text: str, names: tuple[str, ...], number: int) -> tuple[str, ...]:
        return tuple(f"{text[::-1]} {version}" for version in range(number))


def test_a_torn_line_of_other_words_is_gone_before_the_next(tmp_path):
    path = tmp_path / "words.jsonl"
    with Rewritings(path, Backwards(), 2) as words:
        assert list(words("abc", ["a"])) == ["cba 0", "cba 1"]
    with path.open("ab") as file:
        file.write(b'{"text": "tor')
    with Rewritings(path, Backwards(), 1) as words:
        assert list(words("abc", ["a"])) == ["cba 0"] and words.asked == 0, "what is known is not asked for"
        assert list(words("xy", ())) == ["yx 0"] and words.asked == 1
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"text": "abc", "names": ["a"], "versions": ["cba 0", "cba 1"], "asked": 2},
        {"text": "xy", "names": [], "versions": ["yx 0"], "asked": 1},
    ]
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))  # as an editor may leave it
    with Rewritings(path, Backwards(), 1) as words:
        assert list(words("xy", ())) == ["yx 0"] and list(words("z", ())) == ["z 0"] and words.asked == 1
    assert len(path.read_text().splitlines()) == 3


def test_more_versions_than_the_file_has_are_asked_for(tmp_path):
    path = tmp_path / "words.jsonl"
    path.write_text('{"text": "abc", "names": ["a"], "versions": ["cab"]}\n')
    for number in (1, 0):
        with Rewritings(path, Backwards(), 2) as words:
            assert list(words("abc", ["a"])) == ["cba 0", "cba 1"] and words.asked == number


@pytest.mark.parametrize(
    "content",
    [
        '{"text": 3}\n',
        '{"text": "a", "names": "b", "versions": "abc"}\n',
        '{"text": "a", "names": [], "versions": []}\n\n',
        "my only notes, without an end of line",
        '{"notes": 1}',
    ],
)
def test_a_file_of_another_kind_is_not_written_over(tmp_path, content):
    path = tmp_path / "words.jsonl"
    path.write_text(content)
    with pytest.raises(BadInput, match=r"words\.jsonl, .* is not a rewritten text: choose another --rewritings\.$"):
        Rewritings(path, Backwards(), 1)
    assert path.read_text() == content


def test_a_set_that_lacks_a_line_or_has_one_of_another_form(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"], REPLANNED)
    for form in ("chat", "emmoe"):
        out = tmp_path / form
        make_dataset(TrainingOptions.build(sources=[run], out=out, keep="all", form=form), "dpo")
        file = out / ("train/metadata.jsonl" if form == "chat" else "train.json")
        assert list(validate(out)) == []
        intact = file.read_text()
        lines = intact.splitlines(keepends=True)
        file.write_text("".join(lines[:-1]))
        problems = [problem.what for problem in validate(out)]
        assert any(f"it has {len(lines) - 1} lines, {len(lines)} were written" in problem for problem in problems), (
            problems
        )
        file.write_text(intact.replace('"rejected"', '"refused"', 1))
        assert any("it is not a line of this form: KeyError: 'rejected'" in each.what for each in validate(out))
        file.write_text(intact.replace("{", "[", 1).replace("}", "]", 1) if form == "chat" else intact)
        if form == "chat":
            file.write_text("[3]\n")
            assert any("is not a line of a data set" in each.what for each in validate(out))


def test_form_and_settings_that_exclude_each_other(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])

    def make_set(**options: Any) -> None:
        make_dataset(TrainingOptions.build(sources=[run], out=tmp_path / "set", keep="all", **options), "sft")

    with pytest.raises(BadInput, match=r"^The form emmoe has the words of EMMOE: leave the settings of the prompt out"):
        make_set(form="emmoe", prompt_settings={"images": False})
    for options in ({"form": "emmoe"}, {}, {"prompt_settings": {"images": True}}):
        with pytest.raises(BadInput, match="Pictures show things by no other names"):
            make_set(rename=1, **options)
    make_set(rename=1, prompt_settings={"images": False})
    text = (tmp_path / "set/README.md").read_text()
    assert "Up to 1 further versions of each episode have made-up names" in text and "language model" not in text
    versions = {line["version"] for line in read_lines(tmp_path / "set", "train")}
    assert versions == {0, 1}
