"""What must hold for every pair and every line, whatever the episode was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from episodes import DONE, FAR, PUT, episode
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.data.examples.analyses import add_analyses
from homie.data.examples.forms import ChatForm, OfficialForm
from homie.data.examples.pairs import OTHER_ACTIONS, pairs, teachable
from homie.kernel.actions import ACTIONS
from homie.kernel.types import SUCCESS, Subtask
from homie.runtime.assembly import load_prompts

subtasks = st.one_of(
    st.builds(Subtask, st.sampled_from(("Go to", "Pick", "Open", "Close", "Wipe")), st.sampled_from(("cup", "box"))),
    st.just(PUT),
    st.just(Subtask("End")),
)
acts = st.lists(st.tuples(subtasks, st.sampled_from((SUCCESS, FAR))), max_size=8)
WRITER = load_prompts({"images": False, "examples": 0})


@given(acts, st.sampled_from((None, "0", "1")))
def test_no_pair_prefers_end_or_has_two_equal_answers(attempts, seed):
    sample = episode(attempts)
    for pair in pairs(sample, seed):
        step = sample.steps[pair.step]
        assert pair.chosen != pair.rejected and pair.chosen.subtask.action != "End"
        assert pair.chosen.subtask.action in (*ACTIONS, "Wipe")
        if pair.kind == "replan":
            assert not step.feedback.ok and pair.rejected.subtask == step.subtask
        else:
            assert step.feedback.ok and pair.chosen.subtask == step.subtask
        if pair.kind == "action":
            assert pair.rejected.subtask.action not in step.input.actions
        if pair.kind == "model":
            assert pair.rejected.subtask == step.subtask
            assert step.subtask.action in step.input.abilities[pair.rejected.model].actions


@given(acts)
@settings(max_examples=40)
def test_lines_are_the_same_each_time_and_no_two_answers_are_equal(attempts):
    sample = add_analyses(episode(attempts))
    for form in (ChatForm(WRITER, seed=3), OfficialForm()):
        for purpose in ("sft", "dpo"):
            lines = list(form.lines(purpose, sample))
            assert lines == list(form.lines(purpose, sample))
            if purpose == "sft":
                assert len(lines) == len(teachable(sample))
            assert all(line.fields["chosen"] != line.fields["rejected"] for line in lines if purpose == "dpo")


def test_the_seed_decides_which_names_are_rejected():
    sample = episode(DONE * 4)
    rejected = [{pair.rejected.subtask.action for pair in pairs(sample, seed)} for seed in ("0", "1", None)]
    assert rejected[0] - set(ACTIONS) > {"Move"} or rejected[1] - set(ACTIONS) > {"Move"}
    assert rejected[2] - set(ACTIONS) == {"Move", "Fetch", "Place"}, "without a seed those of the paper"


def test_only_what_the_planner_was_asked_for_teaches():
    sample = episode()
    steps = tuple(replace(step, asked=number != 1) for number, step in enumerate(sample.steps))
    assert teachable(replace(sample, steps=steps)) == (0, 2, 3, 4)


@pytest.mark.parametrize("names", OTHER_ACTIONS.values())
def test_no_other_name_is_in_the_list(names):
    assert not set(names) & set(ACTIONS)


def test_an_analysis_says_what_happened():
    sample = episode(((DONE[1][0], FAR), *DONE))
    bare = replace(sample, steps=tuple(replace(step, analysis="") for step in sample.steps))
    assert [step.analysis for step in add_analyses(bare).steps][:4] == [
        "According to my final task, I should pick the apple first",
        "I failed to pick the apple (Unable to pick, the target is far away), so I should go to the apple",
        "I successfully arrived at the apple, so I should pick the apple next",
        "I successfully picked the apple, so I should go to the fridge next",
    ]
    assert add_analyses(sample) == sample, "what a planner has said stays"
