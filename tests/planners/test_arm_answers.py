"""Plans of arm actions as models write them: with the name of the action, or as EmbodiedBench asks for them."""

from __future__ import annotations

import json

import pytest

from homie.kernel.types import END, PlannerInput, Subtask
from planners.llm.answers import Layout
from planners.llm.prompting.prompt import Prompt
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import Unreadable, read

ACTIONS = ("Move", "End")
SEVEN = [54, 90, 49, 0, 60, 90, 1]
WRITTEN = "[54, 90, 49, 0, 60, 90, 1]"


@pytest.mark.parametrize(
    "plan",
    [
        [{"action": "Move", "target": WRITTEN}, {"action": "End"}],
        [{"action": "Move", "target": SEVEN}, {"action": "End"}],
        [{"action": WRITTEN}, {"action": "End"}],
        [{"action": SEVEN}, {"action": "End"}],
        [SEVEN, "End"],
        [WRITTEN, "End"],
    ],
)
def test_a_plan_of_numbers_is_read(plan):
    said = {"visual_state_description": "a", "reasoning_and_reflection": "b", "language_plan": "c"}
    decision = read(json.dumps({**said, "executable_plan": plan}), Layout("plan"), ACTIONS)
    assert decision.subtasks == (Subtask("Move", WRITTEN), END)


def test_wrong_numbers_are_for_the_checks_and_no_target_of_other_actions():
    text = json.dumps({"executable_plan": [{"action": "Move", "target": "[540, 1]"}]})
    assert read(text, Layout("plan"), ACTIONS).subtasks == (Subtask("Move", "[540, 1]"),)
    with pytest.raises(Unreadable, match="is not one name"):
        read(text.replace("Move", "Pick"), Layout("plan"), ("Pick", "End"))


def test_the_prompt_for_an_arm_tells_the_list_of_things():
    given = PlannerInput(
        task="Put the star into the container.",
        round=1,
        views={},
        detections=(),
        inventory=(),
        history=(),
        feedback=None,
        actions=ACTIONS,
        models=("arm",),
        listing=("object 1: red star at [51, 36, 18]", "object 2: teal container at [40, 67, 17]"),
    )
    prompt = Prompt(PromptSettings(template="arm", images=False))
    request, _ = prompt.request(given)
    text = "".join(str(part) for message in request.messages for part in message.parts)
    for words in (
        "object 1: red star at [51, 36, 18]",
        "Put the star into the container.",
        "[x, y, z, roll, pitch, yaw",
    ):
        assert words in text
