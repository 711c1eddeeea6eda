"""Episodes with other names: changed everywhere alike, at random, and never to a name that was held out."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from episodes import DONE, FAR, PICK, REPLANNED, TEXT, episode, write_episode, write_run

from homie.data.examples.renaming import random_name, renamed_copies
from homie.data.options import TrainingOptions
from homie.data.training_examples import make_dataset
from homie.kernel.actions import Ability
from homie.kernel.errors import BadInput
from homie.kernel.knowledge import Knowledge, RememberedThing
from homie.kernel.types import ErrorCode, Feedback, Subtask


def options(run: Path, out: Path, **more: object) -> TrainingOptions:
    return TrainingOptions.build(**{"sources": [run], "out": out, "prompt_settings": {"images": False}, **more})


def test_names_of_the_task_are_changed_everywhere_alike():
    for other in renamed_copies(episode(REPLANNED), 8, seed=1):
        apple, fridge = other.steps[-2].subtask.target, other.steps[-2].subtask.destination
        assert other.text == f"put the {apple} in the {fridge}" != TEXT
        for step, before in zip(other.steps, episode(REPLANNED).steps, strict=True):
            assert step.input.task == other.text
            assert str(step.subtask) == str(before.subtask).replace("apple", apple).replace("fridge", fridge)
            assert [str(item.subtask) for item in step.history] == [
                str(earlier.subtask) for earlier in other.steps[: len(step.history)]
            ]
            assert step.subtask.action == before.subtask.action and step.feedback.code is before.feedback.code


def test_sentences_are_changed_and_what_the_task_does_not_name_is_not():
    shut = Feedback("fail", ErrorCode.L3, "apple is inside fridge, and the green box is near", about=("fridge",))
    steps = ((PICK, shut), *DONE)
    for other in renamed_copies(episode(steps, text="take the apple"), 8, seed=2):
        feedback = other.steps[1].input.feedback
        apple = other.steps[0].subtask.target
        assert feedback.message == f"{apple} is inside fridge, and the green box is near" and feedback.about == (
            "fridge",
        )
        assert apple != "apple"
    assert list(renamed_copies(episode(((PICK, FAR),), text="bring me that"), 8, seed=2)) == []


def test_objects_that_were_seen_are_changed_though_the_task_does_not_name_them():
    knowledge = Knowledge(
        remembered=(
            RememberedThing("shelf", "kitchen"),
            RememberedThing("sugar box", "kitchen", "shelf"),
            RememberedThing("plum", "kitchen", "shelf"),
        )
    )
    plain = episode(((Subtask("Pick", "plum"), DONE[0][1]), *DONE), text="clear the shelf")
    steps = tuple(replace(step, input=step.input.model_copy(update={"knowledge": knowledge})) for step in plain.steps)
    unchanged = []
    for other in renamed_copies(replace(plain, steps=steps), 20, seed=1):
        shelf, box, plum = (item.name for item in other.steps[0].input.knowledge.remembered)
        assert other.steps[0].subtask.target == plum and shelf == "shelf" and other.text == "clear the shelf"
        unchanged.append((box == "sugar box", plum == "plum"))
    assert {(False, False), (True, False), (False, True)} <= set(unchanged)


def test_made_up_names_are_plain_words_of_many_sorts():
    names = [random_name(random.Random(number), ("apple",)) for number in range(4000)]
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)?", name) for name in names)
    assert len(set(names)) > 800 and "apple" in names and any(name.startswith("apple ") for name in names)
    two = sum(" " in name for name in names) / len(names)
    assert 0.28 < two < 0.39, "a third has two words"


def test_what_is_explained_of_models_and_actions_keeps_its_words():
    """A task about an arm does not rename the arm of a model, nor what an action is for."""
    able = {"octo": Ability(("Pick",), about="takes the apple with one arm")}
    reported = {"actions": ("apple", "End"), "abilities": able, "explanations": {"apple": "what an apple does"}}
    plain = episode()
    steps = tuple(replace(step, input=step.input.model_copy(update=reported)) for step in plain.steps)
    (*others,) = renamed_copies(replace(plain, steps=steps), 8, seed=1)
    assert others
    for step in (step for other in others for step in other.steps):
        assert {name: getattr(step.input, name) for name in reported} == reported


def test_it_is_drawn_at_random_with_a_seed():
    first, again, other = ([each.text for each in renamed_copies(episode(), 6, seed)] for seed in (3, 3, 4))
    assert first == again != other and len(set(first)) > 3
    assert any("apple" in text for text in first + other), "some names stay, beside others that do not"


def test_a_data_set_has_them_as_further_versions(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    plain = make_dataset(options(run, tmp_path / "plain"), "sft").splits["train"]
    more = make_dataset(options(run, tmp_path / "more", rename=4), "sft")
    lines = [json.loads(line) for line in (tmp_path / "more/train/metadata.jsonl").read_text().splitlines()]
    assert more.recipe.renamed == 4 and plain.lines < len(lines) <= 5 * plain.lines
    assert len({line["id"] for line in lines}) == len(lines)
    assert "made-up names" in (tmp_path / "more/README.md").read_text()


def test_what_was_said_with_end_is_taught_with_the_names_of_its_version(tmp_path):
    ending = {"report": "success", "answer": "the apple is in the fridge"}
    *others, end = episode().steps
    run = write_run(tmp_path / "run", [])
    write_episode(run / "episodes/a-0", replace(episode(), steps=(*others, replace(end, **ending))), seed=0)
    (bare,) = ends_of(write_run(tmp_path / "silent", ["a-0"]), tmp_path / "bare")
    (first, *versions) = ends_of(run, tmp_path / "said", rename=4)
    assert json.loads(first[1])["subtask"] == {"action": "End", **ending}
    assert first[1].replace(', "report": "success", "answer": "the apple is in the fridge"', "") == bare[1]
    assert versions
    for question, text in versions:
        apple, fridge = json.loads(text)["subtask"]["answer"].removeprefix("the ").split(" is in the ")
        assert f"put the {apple} in the {fridge}" in question


def ends_of(run: Path, out: Path, **more: object) -> list[tuple[str, str]]:
    """The questions and answers of a data set of a run in which the answer is End."""
    make_dataset(options(run, out, **more), "sft")
    lines = [json.loads(line) for line in (out / "train/metadata.jsonl").read_text().splitlines()]
    pairs = [(line["prompt"][-1]["content"][0]["text"], line["completion"][0]["content"][0]["text"]) for line in lines]
    return [(question, text) for question, text in pairs if json.loads(text)["subtask"]["action"] == "End"]


def test_pictures_have_no_other_names(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    for wrong in ({"prompt_settings": {}}, {"form": "emmoe", "prompt_settings": {}}):
        with pytest.raises(BadInput, match="give --prompt images=false"):
            make_dataset(options(run, tmp_path / "out", rename=2, **wrong), "sft")
    assert not (tmp_path / "out").exists()
