"""Numbered actions: all actions that can be tried in a scene, as a list from which a planner chooses by number.

world, actions --listed--> `0: find the apple`, ..., `put down the object in hand in the fridge`, ..., `end the task`

The list is privileged: it names all objects of the scene, including unseen ones, as in EB-ALFRED.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from homie.kernel.actions import Action, ActionTable, action_of
from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Locator, OwnList, WorldState
from homie.kernel.robot.graph_moves import MOVES
from homie.kernel.types import END, END_FAILURE, END_SUCCESS, HELD, Choice, SentTo, Subtask, is_interaction
from homie.kernel.world.furniture import kinds
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from homie.kernel.world.snapshot import WorldSnapshot

BY_STATE: Mapping[str, str] = {"off": "on"}
"""States of objects by the results of actions, where these are named differently."""
SAID: Mapping[str, str] = {"Go to": "find", "Pick": "pick up", "Put": "put down"}
"""Verbs of the list for actions: those of EB-ALFRED if it has the action."""
NAVIGATE = "navigate to"
"""Verb for Go to if its targets are furniture only, as in EB-Habitat."""
COLOURED = frozenset(use.kind for use in kinds(lambda use: use.told_by_colour))
"""Furniture that planners distinguish by colour, not by number."""
ENDING = Choice("end the task", END)
"""Last action of the list for a task that is not a question."""
REPORTS = (
    Choice("end the task and report that it is done", END_SUCCESS),
    Choice("end the task and report that it is not done", END_FAILURE),
)
"""Last actions of the list for a task with a report by the planner."""


def numbered_actions(
    executor: Executor,
    ends: Sequence[Choice] = (ENDING,),
    sent_to: SentTo = "things",
    options: Sequence[Subtask] = (),
) -> tuple[Choice, ...]:
    """Return the numbered actions at the start of an episode, with the planner's names: actions of the available
    skills, and the ends. A robot with a list of its own (`OwnList`) provides it.

    Raises BadInput for a robot without world state; for a locator other than `background`, because the list contains
    names of the scene, which sensors do not know; for skills that lack the required moves on a graph; and for
    impossible options.

    Args:
        ends: Last actions of the list (`endings`); none if the planner cannot end the episode.
        sent_to: Kind of targets of Go to, or that the moves of a graph replace it.
        options: Interactions of the list; all possible ones if empty.
    """
    robot, locator = executor.robot, executor.locator
    if isinstance(robot, OwnList) and (robot_choices := robot.choices()):
        return (*robot_choices, *ends)
    if not isinstance(robot, WorldState):
        raise BadInput(
            "numbered actions are those of a simulated world, and this robot has no world state: play the suite in a"
            " simulator."
        )
    if locator.name != "background":
        raise BadInput(
            f"numbered actions name the things of a scene, and --targets {locator.name} knows only what was seen: use"
            " --targets background."
        )
    world = robot.snapshot()
    locator.name_all(_natural_order(world.things))
    available = [action for action in executor.actions if executor.skills.choose("", action) is not None]
    if sent_to == "points" and (missing := [move for move in MOVES if move not in available]):
        raise BadInput(
            f"the robot is sent from point to point, and no skill has {', '.join(missing)}: give --skills a set that"
            " moves on a graph, such as ideal-graph,ideal,ideal-people."
        )
    planner_name = partial(_planner_name, locator)
    actions = list_actions(world, available, executor.skills.table, planner_name, sent_to, options)
    if unknown := [option for option in options if option not in {choice.subtask for choice in actions}]:
        all_choices = [
            str(choice.subtask)
            for choice in list_actions(world, available, executor.skills.table, planner_name, sent_to)
        ]
        phrases = ", ".join(f"{option}{did_you_mean(str(option), all_choices, ' (', ')')}" for option in unknown)
        raise BadInput(
            f"its options have what its scene or the skills have not: {phrases}. Options are"
            ' written by the names of the scene, "[Pick, mug_2]"; the suite says by which skills they can be tried.'
        )
    return (*actions, *ends)


def _planner_name(locator: Locator, name: str) -> str:
    return locator.called(name) or name


def endings(answers: Sequence[str]) -> tuple[Choice, ...]:
    """Return the last actions of a list.

    >>> [choice.name for choice in endings(("red", "green"))]
    ['answer: red', 'answer: green']
    """
    return tuple(Choice(f"answer: {answer}", Subtask(END.action, answer)) for answer in answers) or (ENDING,)


def list_actions(
    world: WorldSnapshot,
    actions: Iterable[str],
    table: ActionTable,
    planner_name: Callable[[str], str],
    sent_to: SentTo = "things",
    options: Sequence[Subtask] = (),
) -> tuple[Choice, ...]:
    """Return the list for a world without its ends: for each action all its targets, ordered by name.

    Args:
        world: Initial world.
        actions: Names of the available actions.
        table: Properties of actions.
        planner_name: Function that returns the name of an object as planners see it.
        sent_to: Kind of targets of Go to. With `points` the moves come first.
        options: Interactions of the list, in any order; all possible ones if empty.
    """
    names = [name for name in actions if name != END.action]
    if sent_to == "points":
        names = [*(name for name in names if name in MOVES), *(name for name in names if name not in MOVES)]
    return tuple(
        choice
        for action in (action_of(name, table) for name in names)
        for choice in _choices(action, world, planner_name, sent_to)
        if not options or choice.subtask in options or not is_interaction(choice.subtask)
    )


def _choices(
    action: Action, world: WorldSnapshot, planner_name: Callable[[str], str], sent_to: SentTo
) -> Iterator[Choice]:
    """Yield an action with each of its targets; alone if it takes none."""
    if not action.arguments:
        yield Choice(action.name, Subtask(action.name))
        return
    for name in _candidates(action, world, sent_to):
        yield Choice(_choice_text(action, name, world, planner_name, sent_to), _subtask(action, name))


def _candidates(action: Action, world: WorldSnapshot, sent_to: SentTo) -> list[str]:
    """Return the possible targets of an action, whether or not it would succeed."""
    if action.name in PERSON_VERBS:
        return _natural_order(world.people)
    match action.result:
        case "":
            return _natural_order(world.things)  # only the skill knows
        case "reached" if sent_to == "points":
            return []
        case "reached" if sent_to == "furniture":
            return _natural_order(name for name, thing in world.fixed.items() if thing.receives)
        case "reached":
            return [*_natural_order(world.rooms), *_natural_order(world.things)]
        case "held":
            return _natural_order(world.objects)
        case "placed":
            containers = (name for name, thing in world.objects.items() if thing.receives == "in")
            return _natural_order([*containers, *(name for name, thing in world.fixed.items() if thing.receives)])
        case "open" | "closed":
            return _natural_order({joint.receptacle for joint in world.joints.values()})
    state, verb = BY_STATE.get(action.result, action.result), VERBS.get(action.name)
    names = (name for name, thing in world.things.items() if state in thing.states)
    return _natural_order(name for name in names if verb is None or world.things[name].kind in verb.kinds)


def _subtask(action: Action, name: str) -> Subtask:
    if "destination" in action.arguments:
        return Subtask(action.name, HELD, name)
    return Subtask(action.name, name)


def _choice_text(
    action: Action, name: str, world: WorldSnapshot, planner_name: Callable[[str], str], sent_to: SentTo
) -> str:
    verb = SAID.get(action.name, action.name.lower())
    if action.result == "reached" and sent_to == "furniture":
        verb = NAVIGATE
    thing = f"the {world.rooms[name].kind if name in world.rooms else planner_name(name)}{_distinction(name, world)}"
    if "destination" not in action.arguments:
        return f"{verb} {thing}"
    preposition = "to" if name in world.people else "on" if world.things[name].receives == "on" else "in"
    return f"{verb} the {HELD} {preposition} {thing}"


def _distinction(name: str, world: WorldSnapshot) -> str:
    """Return colour and room for furniture of which there are several and which is distinguished by colour; else ""."""
    piece = world.fixed.get(name)
    if (
        piece is None
        or piece.kind not in COLOURED
        or [fixture.kind for fixture in world.fixed.values()].count(piece.kind) < 2
    ):
        return ""
    room = world.rooms.get(piece.room or "")
    return f" ({', '.join([piece.colour, *([f'in the {room.kind}'] if room else [])])})"


def _natural_order(names: Iterable[str]) -> list[str]:
    """Sort names naturally: cabinet_2 before cabinet_10."""
    return sorted(names, key=lambda name: tuple(_pieces(name)))


def _pieces(name: str) -> Iterator[tuple[str, int]]:
    for letters, digits in re.findall(r"(\D*)(\d*)", name):
        yield letters, int(digits or 0)
