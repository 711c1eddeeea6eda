"""Whatever a planner writes, the checks answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_world import home, stage

from error_detection import code_order, paper_order
from homie.kernel.actions import ACTIONS, action_of
from homie.kernel.interfaces import CheckQuestion, ErrorCheck
from homie.kernel.types import Check, Decision, ErrorCode, Subtask

NAMES = ("apple", "fridge", "drawer", "brown table", "kitchen", "bowl", "banana", "cabinet_1", "lamp", "spaceship", "")


def questions() -> st.SearchStrategy[CheckQuestion]:
    def build(action: str, target: str, destination: str, model: str, held: str, at: str) -> CheckQuestion:
        world = home()
        world.at = at
        if held:
            world.things[held].place = "hand"
        scene = stage(world=world)
        subtask = Subtask(action, target, destination)
        observation = scene.executor.robot.observe()
        words = destination or target
        return CheckQuestion(
            decision=Decision((subtask,), model=model),
            subtask=subtask,
            action=action_of(action),
            entity=scene.locator.resolve(words, action_of(action), observation) if words else None,
            inventory=(held,) if held else (),
            observation=observation,
            world=scene.locator,
            actions=ACTIONS,
            models=scene.executor.skills.models,
            skilled=scene.executor.skills.choose(model, action) is not None,
        )

    words = st.sampled_from(NAMES) | st.text(max_size=20)
    return st.builds(
        build,
        st.sampled_from(ACTIONS) | st.text(max_size=10),
        words,
        words,
        st.sampled_from(["", "text", "M3"]) | st.text(max_size=5),
        st.sampled_from(["", "apple_1", "bowl_1"]),
        st.sampled_from(["kitchen", "fridge_1", "table_1", "bed_1"]),
    )


def first_code(checks: Sequence[ErrorCheck], question: CheckQuestion) -> Check | None:
    return next((result for check in checks if (result := check(question)).code is not None), None)


@pytest.mark.parametrize("checks", [paper_order, code_order], ids=["paper", "code"])
@given(question=questions())
@settings(max_examples=150, deadline=None)
def test_always_a_check_with_a_sentence(checks: Sequence[ErrorCheck], question: CheckQuestion) -> None:
    for check in checks:
        result = check(question)
        assert (result.code is None) == (result.message == "")
        assert "\n" not in result.message or "\n" in str(question.subtask) + question.decision.model


@given(question=questions())
@settings(max_examples=150, deadline=None)
def test_what_passes_can_be_executed(question: CheckQuestion) -> None:
    """The executor needs an entity and a skill for everything that no check objects to, in both orders."""
    for checks in (paper_order, code_order):
        if first_code(checks, question) is None:
            assert question.entity is not None
            assert question.skilled
            assert question.subtask.action in question.actions


@given(question=questions())
@settings(max_examples=150, deadline=None)
def test_the_paper_is_the_stricter_of_the_two(question: CheckQuestion) -> None:
    """Whatever the official order refuses the paper's order refuses too; only their codes differ."""
    if first_code(code_order, question) is not None:
        assert first_code(paper_order, question) is not None


@given(st.text(min_size=1), st.text())
def test_actions_are_in_lower_case_in_sentences(action: str, item: str) -> None:
    for code in (ErrorCode.L1, ErrorCode.D2, ErrorCode.L4):
        assert action.lower() in code.filled(action=action, item=item)
