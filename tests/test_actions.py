"""The table of actions and what they take, down to the skills; history and inventory hold what really happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest
from homie_tiny import TinyRobot
from text_world import Stage, TextLocator, TextSkill, World, home, stage

from error_detection import code_order, paper_order
from homie.kernel.actions import (
    ACTION_TABLE,
    ARGUMENTS,
    Action,
    action_of,
    action_table,
    arguments_of,
    canonical_action,
    entity_words,
    format_arguments,
    listed_actions,
    misfit,
)
from homie.kernel.errors import BadInput
from homie.kernel.executor import Executor
from homie.kernel.interfaces import ErrorCheck, Kinematics, Planner, Skill, SkillSet
from homie.kernel.look_and_detect import Senses
from homie.kernel.robot.body import RobotSpec
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import Decision, EpisodeResult, ErrorCode, Goal, Observation, PlannerInput, Subtask
from homie.runtime.assembly import LoadedSkills
from planners.llm.answer_formats import Layout
from planners.llm.prompting.schemas import decision_schema
from planners.llm.reading import UnreadableAnswer, read

Happening = Callable[[World], None]


class Reciter(Planner):
    """Says its subtasks one by one and keeps its input."""

    name = "reciter"

    def __init__(self, *subtasks: Subtask) -> None:
        self._subtasks = (*subtasks, Subtask("End"))
        self.inputs: list[PlannerInput] = []

    def reset(self, task: str, *, seed: int) -> None:
        """It is used once."""

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.inputs.append(planner_input)
        return Decision((self._subtasks[len(self.inputs) - 1],))


class Mishap(TextSkill):
    """The skills of the text world; after the n-th start something happens to the world."""

    def __init__(self, world: World, happens: dict[int, Happening]) -> None:
        super().__init__(world, ("Go to", "Pick", "Put", "Open", "Close"))
        self._happens = happens
        self._starts = 0

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().start(subtask, goal, observation)
        self._starts += 1
        self._happens.get(self._starts, lambda world: None)(self.world)


def play(
    *subtasks: Subtask, happens: dict[int, Happening] | None = None, checks: Sequence[ErrorCheck] = paper_order
) -> tuple[EpisodeResult, list[PlannerInput], Stage]:
    world = home()
    world.at = "kitchen_counter_1"
    staged = stage(world=world, checks=checks)
    staged.executor.skills = SkillTable({"text": dict.fromkeys(ARGUMENTS, Mishap(world, happens or {}))})
    planner = Reciter(*subtasks)
    return staged.play("tidy up", planner), planner.inputs, staged


def move_to(place: str, name: str = "apple_1") -> Happening:
    def move(world: World) -> None:
        world.things[name].place = place

    return move


POUR = Action(name="Pour", arguments=("target", "destination"))
WAIT = Action(name="Wait", arguments=())
PICK, PUT = Subtask("Pick", "apple"), Subtask("Put", "apple", "kitchen counter")


# ---------------------------------------------------------------- the hand


def test_the_inventory_is_what_is_in_the_hand_not_what_was_asked_for() -> None:
    """The gripper closed on the lemon, and nobody saw the skill fail."""

    def other(world: World) -> None:
        world.things["apple_1"].place, world.things["lemon_1"].place = "kitchen_counter_1", "hand"

    result, inputs, _ = play(PICK, PUT, happens={1: other})
    assert inputs[1].inventory == ("lemon",)
    assert inputs[1].feedback is not None and inputs[1].feedback.message == "None, but what is in the hand is the lemon"
    assert inputs[2].feedback is not None and inputs[2].feedback.message.endswith("what is in the hand is the lemon")
    assert [item.feedback.ok for item in result.history] == [True, False, True]


def test_what_was_lost_on_the_way_is_no_longer_in_the_inventory() -> None:
    _, inputs, _ = play(PICK, Subtask("Go to", "sink"), PUT, happens={2: move_to("kitchen")})
    assert inputs[1].inventory == ("apple",) and inputs[2].inventory == ()
    assert inputs[2].feedback is not None
    assert inputs[2].feedback.ok and inputs[2].feedback.message == "None, but apple is no longer in the hand"


def test_a_name_that_means_the_thing_in_the_hand_is_kept() -> None:
    result, inputs, _ = play(Subtask("Pick", "red apple"), PUT)
    assert inputs[1].inventory == ("red apple",)
    assert [str(item) for item in result.history[:2]] == [
        "(1) [Pick, red apple](success)",
        "(2) [Put, apple, kitchen counter](success)",
    ]
    assert inputs[2].feedback is not None and inputs[2].feedback.message == "None"


def test_the_order_of_the_official_code_puts_what_is_held_and_the_history_says_what_it_was() -> None:
    result, inputs, staged = play(PICK, Subtask("Put", "lemon", "kitchen counter"), checks=code_order)
    assert staged.world.things["apple_1"].place == "kitchen_counter_1"
    assert str(result.history[1]) == "(2) [Put, apple, kitchen counter](success)"
    assert inputs[2].feedback is not None and inputs[2].feedback.message == "None, but what was put is the apple"


def test_the_default_order_puts_nothing_that_was_called_otherwise() -> None:
    result, inputs, staged = play(PICK, Subtask("Put", "lemon", "kitchen counter"))
    assert staged.world.held() == "apple_1" and inputs[2].inventory == ("apple",)
    assert str(result.history[1]) == "(2) [Put, lemon, kitchen counter](fail)"


# ---------------------------------------------------------------- the table


def test_what_an_action_is_done_to_and_what_it_takes() -> None:
    assert [arguments_of(action) for action in ("Pick", "Put", "End", "Dance")] == [
        ("target",), ("target", "destination"), (), ("target",)
    ]  # fmt: skip
    assert arguments_of("Pick", {}) == arguments_of("Pick", {"Pick": ["target"]}) == ("target",)  # type: ignore[dict-item]
    both = ("target", "destination")
    assert (
        entity_words(Subtask("Put", "cup", "table"), both) == "table"
        and entity_words(Subtask("Put", "cup"), both) == "cup"
    )
    assert (
        entity_words(Subtask("Pick", "cup", "table"), ("target",)) == "cup" and entity_words(Subtask("Wait"), ()) == ""
    )
    assert [format_arguments(arguments) for arguments in ((), ("target",), both)] == [
        "no target", "a target", "a target and a destination"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("own", "able", "listed"),
    [
        ((), (), ("End",)),
        ((), ("Close", "Put", "Open", "Pick", "Go to"), ("Go to", "Pick", "Put", "Open", "Close", "End")),
        ((), ("Wave", "Pick", "End"), ("Pick", "Wave", "End")),
        (("End", "Move"), ("Move", "Wave"), ("Move", "Wave", "End")),
    ],
)
def test_what_is_listed(own, able, listed) -> None:  # type: ignore[no-untyped-def]
    assert listed_actions(own, [action for action in able if action != "End"]) == tuple(dict.fromkeys(listed))


def test_a_listed_action_is_named_exactly() -> None:
    assert canonical_action("GO_to") == canonical_action(" go  to ") == "Go to" and canonical_action("goto") is None


def test_a_skill_set_adds_its_actions_to_the_table() -> None:
    table = action_table([[POUR], [WAIT, POUR]])
    assert (table["Pour"], table["Wait"], table["Put"]) == (POUR, WAIT, ACTION_TABLE["Put"])
    assert action_of("Pour", table) is POUR and action_of("Pour") == Action(name="Pour")


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"name": "Wipe", "arguments": ("cloth",)}, "'Wipe' cannot take"),
        ({"name": "Wipe", "hand": "wet"}, "'Wipe' has the hand 'wet': it is one of '', 'empty', 'full'"),
        (
            {"name": "Pick", "arguments": ("target", "destination")},
            "'Pick' takes a target, and a skill set declares a target and a dest",
        ),
        ({"name": "Go to"}, "'Go to' has words=.*, and a skill set declares words=.*: give it another name"),
    ],
)
def test_what_a_skill_set_cannot_declare(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        action_table([[Action(**declared)]])


@pytest.mark.parametrize(
    ("subtask", "message"),
    [
        (
            Subtask("Pick", "banana", "bowl"),
            "Pick takes a target, so 'bowl' in [Pick, banana, bowl] is one name too many",
        ),
        (Subtask("Put", "bowl"), "Put takes a target and a destination, and [Put, bowl] does not have that"),
        (Subtask("End", "table"), "End takes no target, so 'table' in [End, table] is one name too many"),
        (Subtask("Open"), "Open takes a target, and [Open] does not have that"),
        (Subtask("Put", "bowl", "table"), ""),
        (Subtask("End"), ""),
    ],
)
def test_what_does_not_fit_is_said(subtask: Subtask, message: str) -> None:
    assert misfit(subtask, ARGUMENTS[subtask.action]) == message


class Own(TextSkill):
    """Actions of a package: their input is kept."""

    def __init__(self, world: World) -> None:
        super().__init__(world, ("Pour", "Wait"))
        self.goals: list[Goal] = []

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self.goals.append(goal)
        super().start(Subtask("Go to"), Goal(self.world.at, "", goal.position), observation)


@pytest.mark.parametrize("checks", [paper_order, code_order], ids=["paper", "code"])
def test_an_action_of_a_package_gets_what_it_takes(checks: Sequence[ErrorCheck]) -> None:
    world = home()
    own = Own(world)
    skill_table = SkillTable(
        {"own": dict.fromkeys(own.actions, own)},
        table=action_table([[POUR, WAIT]]),
    )
    staged = stage(world=world, checks=checks)
    old = staged.executor
    staged.executor = Executor(old.senses, skill_table, checks, old.execution, actions=skill_table.actions(old.robot))
    planner = Reciter(
        Subtask("Wait"), Subtask("Pour", "mug", "bowl"), Subtask("Wait", "mug"), Subtask("Pour", "mug", "x")
    )
    result = staged.play("pour", planner)
    assert planner.inputs[0].arguments["Wait"] == ()
    assert [goal.name for goal in own.goals] == ["", "bowl_1"], "what is done is done to the destination"
    codes = [item.feedback.code for item in result.history]
    assert codes == [None, None, "F1", "F2", None]


class Kitchen(SkillSet):
    """What a package brings."""

    name = "kitchen"
    actions = ("Pour", "Wait")
    own_actions: ClassVar[tuple[Action, ...]] = (POUR, WAIT)

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        return [Own(home())]


def test_what_a_skill_set_declares_reaches_the_schema_and_the_reading_of_answers() -> None:
    robot = TinyRobot()
    skill_table = LoadedSkills({"kitchen": Kitchen()}, {}, None).bind(robot)
    actions, table = skill_table.actions(robot), skill_table.arguments
    variants = decision_schema("json", actions, (), table)["properties"]["subtask"]["anyOf"]  # type: ignore[index]
    shapes = {tuple(variant["properties"]["action"]["enum"]): tuple(variant["properties"])[1:] for variant in variants}
    assert shapes[("Wait",)] == () and shapes[("End",)] == ("report", "answer")
    assert shapes[("Pour",)] == ("target", "destination")
    for answer, subtask in (
        ('{"subtask": {"action": "Wait"}}', Subtask("Wait")),
        ('{"subtask": {"action": "Pour", "target": "milk", "destination": "bowl"}}', Subtask("Pour", "milk", "bowl")),
        ('{"subtask": "Pour the milk into the bowl"}', Subtask("Pour", "milk", "bowl")),
    ):
        assert read(answer, Layout("json"), actions, (), table).subtasks == (subtask,)
    for answer in ('{"subtask": {"action": "Wait", "target": "a"}}', '{"subtask": {"action": "Pour", "target": "a"}}'):
        with pytest.raises(UnreadableAnswer, match="takes"):
            read(answer, Layout("json"), actions, (), table)


# ---------------------------------------------------------------- what is true afterwards


class DoorsSeen(TextLocator):
    """A locator that sees whether doors are open, by the two words that there are for it."""

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        return {"open": not self.world.furniture[entity].closed, "closed": self.world.furniture[entity].closed}[state]


def swing(closed: bool) -> Happening:
    """The door of the fridge moves by itself."""

    def move(world: World) -> None:
        world.furniture["fridge_1"].closed = closed

    return move


@pytest.mark.parametrize(
    ("action", "happening", "code"),
    [
        ("Open", swing(True), ErrorCode.E1),
        ("Close", swing(False), ErrorCode.E1),
        ("Open", swing(False), None),
        ("Close", swing(True), None),
    ],
)
def test_a_door_that_does_not_stay_as_it_was_left_is_a_failure(
    action: str, happening: Happening, code: ErrorCode | None
) -> None:
    """The skill calls it a success each time."""
    world = home()
    world.at = "fridge_1"
    staged = stage(world=world)
    skill = Mishap(world, dict.fromkeys(range(1, 4), happening))
    senses = Senses(staged.executor.robot, staged.executor.senses.detector, DoorsSeen(world))
    skill_table = SkillTable({"text": dict.fromkeys(ARGUMENTS, skill)})
    staged.executor = Executor(senses, skill_table, paper_order, staged.executor.execution)
    result = staged.play("see to the fridge", Reciter(Subtask(action, "fridge")))
    assert result.history[0].feedback.code is code
