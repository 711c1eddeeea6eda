"""Tasks from the steps of an errand: goal, key paths and the expert's subtasks; and the version of a task on which its
expert was played."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import islice

from homie.bench.authoring import END, Route, orders
from homie.bench.suite.suite import Task
from suites.authoring.homie_100.houses import GeneratedHouse
from suites.authoring.homie_100.script import Step
from suites.authoring.homie_100.words import ANY_WILL_DO, Goal, arrival_goal, block, place, stay_goal
from suites.authoring.states_script import UnsuitedHouse

MOST_PATHS = 200
LONGEST = 19
"""Most subtasks of an expert, End included: a round in reserve of EMMOE's 20."""


@dataclass(frozen=True)
class Plan:
    """A plan of the second hand, and what it is an example of.

    Attributes:
        unseen: It is wrong, yet the world ends as it should; only the key paths reveal it.
    """

    why: str
    subtasks: list[str]
    unseen: bool = False


@dataclass(frozen=True)
class Draft:
    """A task without its text."""

    goal: Goal
    keypaths: list[list[str]]
    expert: list[str]
    never: list[list[str]] = field(default_factory=list)
    slots: dict[str, str] = field(default_factory=dict)
    right: list[Plan] = field(default_factory=list)
    wrong: list[Plan] = field(default_factory=list)


def subtasks_of(house: GeneratedHouse, steps: list[Step]) -> list[str]:
    """Return the subtasks of steps, in their order."""
    route = Route(house)
    for step in steps:
        match step.kind:
            case "carry":
                route.carry(step.item, step.where)
            case "open":
                route.open(step.where)
            case "close":
                route.close(step.where)
            case "close all":
                route.close_all()
                for name in house.furniture:
                    route.close(name)
            case "take":
                route.pick(step.item)
            case "visit":
                route.visit(step.where)
    return [*route.subtasks, END]


def needed_containers(house: GeneratedHouse, step: Step) -> set[str]:
    """Return the containers that a step needs open."""
    if step.kind == "open":
        return {step.where}
    if step.kind not in ("carry", "take"):
        return set()
    return {name for name in (house.container(step.item), house.container(step.where)) if name}


def explicit(house: GeneratedHouse, steps: list[Step]) -> list[Step]:
    """Replace each `close all` by a close for every container that it covers."""
    unfolded: list[Step] = []
    for step in steps:
        if step.kind != "close all":
            unfolded.append(step)
            continue
        touched = [name for other in steps for name in sorted(needed_containers(house, other))]
        stand_open = [name for name in house.furniture if house.stands_open(name)]
        unfolded += [
            Step("close", where=name, exact=name in stand_open) for name in dict.fromkeys([*touched, *stand_open])
        ]
    return unfolded


# ---------------------------------------------------------------- goals


def goal_of(house: GeneratedHouse, steps: list[Step], called: dict[str, str]) -> Goal:
    """Return the condition that holds after the steps."""
    goals: list[Goal] = []
    for step in steps:
        match step.kind:
            case "carry":
                goals.append(arrival_goal(house, step.item, step.where, _names(house, step, called)[0]))
            case "close":
                goals.append({"closed": _names(house, step, called)[0]})
            case "open" if not _closed_later(steps, step):
                goals.append({"open": _names(house, step, called)[0]})
            case "close all":
                goals.append({"closed": "everything"})
            case "stay" | "never":
                goals.append(stay_goal(house, step.item))
            case "take":
                goals.append({"held": step.item})
    moves = [step for step in steps if step.kind not in ("stay", "never", "bar")]
    if moves and moves[-1].kind == "visit":
        goals.append({"robot_in": moves[-1].where})
    once = [goal for number, goal in enumerate(goals) if goal not in goals[:number]]
    return once[0] if len(once) == 1 else {"all": once}


def _names(house: GeneratedHouse, step: Step, called: dict[str, str]) -> tuple[str, str]:
    """Return the names of the place of a step in goals and in key paths."""
    if step.where not in house.furniture and step.where not in house.objects:
        return "", ""
    if step.exact or house.stands_open(step.where):
        return step.where, house.word(step.where)
    name = called.get(step.where, "")
    return (name, name) if name else place(house, step.where)


def _closed_later(steps: list[Step], step: Step) -> bool:
    return any(other.kind == "close all" or (other.kind == "close" and other.where == step.where) for other in steps)


# ---------------------------------------------------------------- key paths


def visits(house: GeneratedHouse, room: str) -> list[str]:
    """Return the nodes that bring the robot into a room: to the room, or to any furniture that is in it."""
    inside = [name for name in house.furniture if house.room(name) == room]
    return [f"[Go to, {house.word(name)}]" for name in (room, *inside)]


def paths_of(house: GeneratedHouse, steps: list[Step], called: dict[str, str]) -> list[list[str]]:
    """Return every order of the steps that reaches the goal. Raises UnsuitedHouse where there are too many."""
    steps = [step for step in explicit(house, steps) if step.kind not in ("stay", "never")]
    blocks: dict[str, list[str]] = {}
    after: dict[str, set[str]] = {}
    barred: set[str] = set()
    rooms = [step.where for step in steps if step.kind == "visit"]
    for number, step in enumerate(steps):
        label = str(number)
        before = {str(n) for n, other in enumerate(steps[:number]) if other.kind != "bar"}
        if step.kind == "bar":
            barred = set(blocks)
            continue
        after[label] = set(barred)
        name = _names(house, step, called)[1]
        match step.kind:
            case "carry":
                blocks[label] = block(house, step.item, step.where, name)
                opened = {str(n) for n, other in enumerate(steps[:number]) if other.kind == "open"}
                earlier = {str(n) for n, other in enumerate(steps[:number]) if other.item == step.item}
                after[label] |= (opened | earlier) & set(blocks)
            case "open":
                blocks[label] = [f"[Open, {name}]"]
            case "close":
                blocks[label] = [f"[Close, {name}]"]
                users = {
                    str(n)
                    for n, other in enumerate(steps)
                    if step.where in needed_containers(house, other) and str(n) != label
                }
                after[label] |= users - {label}
            case "take":
                blocks[label] = [f"[Pick, {house.word(step.item)}]"]
                after[label] |= before & set(blocks)
            case "visit":
                blocks[label] = [f"visit {step.where}"]
                after[label] |= before & set(blocks)
    after = {label: needs - {label} for label, needs in after.items()}
    paths = list(islice(orders(blocks, after), MOST_PATHS + 1))
    for room in rooms:
        paths = [
            [node if entry == f"visit {room}" else entry for entry in path]
            for path in paths
            for node in visits(house, room)
        ]
    if len(paths) > MOST_PATHS or not paths:
        raise UnsuitedHouse("too many orders")
    return paths


def spellings(house: GeneratedHouse, steps: list[Step]) -> list[dict[str, str]]:
    """Return the names of places in goals and key paths where any of a kind will do but several objects go to the same:
    one piece after the other by its name. Elsewhere no special names."""
    carries = [step for step in steps if step.kind == "carry"]
    shared = {
        carry.where
        for carry in carries
        if carry.where in house.furniture
        and house.furniture[carry.where].kind in ANY_WILL_DO
        and house.container(carry.where)
        and not carry.exact
        and sum(other.where == carry.where for other in carries) > 1
    }
    if not shared:
        return [{}]
    (where,) = shared
    return [{where: name} for name in house.of_kind(house.furniture[where].kind)]


def make_draft(house: GeneratedHouse, steps: list[Step]) -> Draft:
    """Build the task of doing these steps. Raises UnsuitedHouse."""
    expert = subtasks_of(house, steps)
    if len(expert) > LONGEST:
        raise UnsuitedHouse("too long")
    _check_visits(house, steps)
    calls = spellings(house, steps)
    goals = [goal_of(house, steps, called) for called in calls]
    paths = [path for called in calls for path in paths_of(house, steps, called)]
    never = [
        block(house, step.item, step.where, _names(house, step, {})[1])[1] for step in steps if step.kind == "never"
    ]
    still = [step.item for step in steps if step.kind == "stay"]
    ends = dict.fromkeys((step.where, _names(house, step, {})[1]) for step in steps if step.kind == "carry")
    never += [block(house, item, where, name)[1] for item in still for where, name in ends]
    return Draft(goals[0] if len(goals) == 1 else {"any": goals}, paths, expert, [[node] for node in never])


def _check_visits(house: GeneratedHouse, steps: list[Step]) -> None:
    """Raise UnsuitedHouse if the robot may already be in a room that it is sent to: not going there would be right."""
    rooms, fresh = {house.state.robot.room}, True
    for step in explicit(house, steps):
        if step.kind == "bar":
            fresh = True
        elif step.kind == "visit":
            if step.where in rooms:
                raise UnsuitedHouse("is there already")
            rooms, fresh = {step.where}, True
        elif step.kind not in ("stay", "never"):
            room = house.room(step.item if step.kind == "take" else step.where)
            rooms = {room} if fresh or step.kind == "take" else {*rooms, room}
            fresh = False


def fingerprint(task: Task) -> str:
    """Return a hash that changes with all on which the expert's success depends; not when scenes get a further
    setting."""
    parts = task.model_dump_json(include={"scene", "goal", "expert"}, by_alias=True, exclude_defaults=True)
    return hashlib.sha256(parts.encode()).hexdigest()[:16]
