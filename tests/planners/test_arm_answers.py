"""Plans of arm actions as models write them: with the name of the action, or as EmbodiedBench asks for them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from homie.kernel.actions import Ability
from homie.kernel.errors import BadInput
from homie.kernel.types import END, PlannerInput, Subtask
from planners.llm.answer_formats import Layout
from planners.llm.prompting.answering import write_answer
from planners.llm.prompting.examples import load_examples
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import UnreadableAnswer, read
from skills.discrete_actions.arm_actions import ArmAction

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
    analysis = {"visual_state_description": "a", "reasoning_and_reflection": "b", "language_plan": "c"}
    decision = read(json.dumps({**analysis, "executable_plan": plan}), Layout("plan"), ACTIONS)
    assert decision.subtasks == (Subtask("Move", WRITTEN), END)


def test_wrong_numbers_are_for_the_checks_and_no_target_of_other_actions():
    text = json.dumps({"executable_plan": [{"action": "Move", "target": "[540, 1]"}]})
    assert read(text, Layout("plan"), ACTIONS).subtasks == (Subtask("Move", "[540, 1]"),)
    with pytest.raises(UnreadableAnswer, match="is not one name"):
        read(text.replace("Move", "Pick"), Layout("plan"), ("Pick", "End"))


GIVEN = PlannerInput(
    task="Put the star into the container.",
    round=1,
    views={},
    detections=(),
    inventory=(),
    history=(),
    feedback=None,
    actions=ACTIONS,
    models=("arm", "other"),
    abilities={"arm": Ability(("Move",), about="moves the gripper along planned ways"), "other": Ability(("Pick",))},
    listing=("object 1: red star at [51, 36, 18]", "object 2: teal container at [40, 67, 17]"),
)


def texts(**settings: object) -> tuple[str, str]:
    """System message and question of the prompt for an arm."""
    prompt = Prompt(PromptSettings.model_validate({"template": "arm", "images": False, **settings}))
    system, user = prompt.request(GIVEN)[0].messages
    return "\n".join(map(str, system.parts)), "\n".join(map(str, user.parts))


def test_the_prompt_for_an_arm_tells_the_list_of_things_and_what_each_model_does():
    system, user = texts()
    assert "object 1: red star at [51, 36, 18]\nobject 2: teal container at [40, 67, 17]\nTask: Put the star" in user
    assert "[x, y, z, roll, pitch, yaw" in system and "red star" not in system
    assert "- arm (Move) moves the gripper along planned ways." in system and "- other (Pick)." in system


def test_the_fixed_part_for_an_arm_is_long_enough_for_caches_and_its_examples_are_answers_that_are_read():
    """Its poses are in the workspace, its plans are of a model that can move, and a grip that failed is among them."""
    system, _ = texts()
    assert len(system) / 4 > 1024, "about four characters a token"
    examples = load_examples("poses", None).all
    assert len(examples) == len(Prompt(PromptSettings(template="arm")).fitting(GIVEN))
    for example in examples:
        reading = read(example.answer("plan", GIVEN.models, GIVEN.abilities), Layout("plan"), ACTIONS, GIVEN.models)
        assert (reading.subtasks, reading.model) == (tuple(example.steps()), "arm")
        for step in example.steps():
            assert step == END or str(ArmAction.read(step.target)) == step.target
        assert f"Task: {example.task}\nInventory: {example.inventory}\nHistory: {example.history}" in system
    slipped = next(example for example in examples if example.inventory == "None" and "(12)" in example.history)
    assert "fail" not in slipped.history and "inventory is None" in slipped.analysis
    assert any("Unable to move" in example.feedback for example in examples)
    assert [example for example in examples if END in example.steps() and len(example.subtasks) > 1] == [], (
        "End after a look"
    )


# ---------------------------------------------------------------- embodiedbench-arm

POSES = Layout("poses")
NUMBERED = replace(GIVEN, listing=("object 1: [51, 36, 18]", "object 2: [40, 67, 17]"))


def prompt_texts(**settings: object) -> tuple[str, str]:
    prompt = Prompt(PromptSettings.model_validate({"template": "embodiedbench-arm", "images": False, **settings}))
    system, user = prompt.request(NUMBERED)[0].messages
    return "\n".join(map(str, system.parts)), "\n".join(map(str, user.parts))


def test_poses_are_lists_of_numbers_and_an_empty_plan_ends() -> None:
    reply = {"visual_state_description": "a", "reasoning_and_reflection": "b", "language_plan": "c"}
    assert read(json.dumps({**reply, "executable_plan": [SEVEN, SEVEN]}), POSES, ACTIONS).subtasks == (
        Subtask("Move", WRITTEN),
        Subtask("Move", WRITTEN),
    )
    ended = read(json.dumps({**reply, "executable_plan": []}), POSES, ACTIONS)
    assert (ended.subtasks, ended.leniencies) == ((END,), ())
    with pytest.raises(UnreadableAnswer, match=r"Step 2 of the plan: .*\[x, y, z, roll, pitch, yaw, gripper\]"):
        read(json.dumps({**reply, "executable_plan": [SEVEN, {"pose": SEVEN}]}), POSES, ACTIONS)


def test_the_prompt_by_poses_has_numbers_alone_and_examples_that_are_read() -> None:
    system, user = prompt_texts()
    assert "object 1: [51, 36, 18]\nobject 2: [40, 67, 17]\nTask: Put the star" in user
    assert "model" not in system and "Inventory" not in system + user
    examples = load_examples("tables", None).all
    assert prompt_texts(examples=2)[0].count("Example ") == 2 < len(examples) == system.count("Example ")
    for example in examples:
        answer = example.answer("poses", GIVEN.models, GIVEN.abilities)
        reading = read(answer, POSES, ACTIONS)
        assert (reading.subtasks, reading.leniencies) == (tuple(example.steps()), ())
        assert answer in system
        assert all(step == END or str(ArmAction.read(step.target)) == step.target for step in example.steps())


def test_what_is_no_pose_cannot_be_written_as_one() -> None:
    with pytest.raises(BadInput, match=r"\[Pick, apple\] is none: use another one"):
        write_answer("poses", [Subtask("Pick", "apple")])


def test_places_and_numbers_in_the_picture_are_settings() -> None:
    picture = {"front": np.zeros((500, 500, 3), np.uint8)}
    prompt = Prompt(PromptSettings(template="embodiedbench-arm", names=False))
    request, _ = prompt.request(replace(NUMBERED, views=picture))
    words = "".join(part for message in request.messages for part in message.parts if isinstance(part, str))
    assert "Objects:" not in words and "[51, 36, 18]" not in words
    assert "carry their numbers" not in words
    marked = Prompt(PromptSettings(template="embodiedbench-arm", boxes=True)).request(replace(NUMBERED, views=picture))
    assert "carry their numbers" in str(marked[0].messages[0].parts[0])
