"""Plans to be written: one instruction in two worlds that differ in a door, so that only the picture decides the plan.

A truth is used only if it reaches its goal in both ways in which a judge may execute it: by ideal skills in every order
that its graph allows, and by motion in its own order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from homie.bench.authoring.errand_templates import SURFACES
from homie.bench.authoring.house import House
from homie.bench.authoring.orders import orders
from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from homie.kernel.world import thresholds
from suites.questions.making.chore_questions import CHANGED, DIFFERENT, PLANNING
from suites.questions.making.picture_contents import Sight
from suites.questions.making.question_unit import Candidate, Keep, Refusal, Unit
from suites.questions.question import PlanTask
from suites.questions.rollout import OBJECTS, PICTURES, carry_out, open_scene, start_of
from suites.questions.written_plans import SKILLS, written_plan

HOW = (
    "The pictures show what the robot sees straight ahead, to its left, behind it and to its right. It stands before "
    f"the {{container}}, with one hand, which is empty; doors and drawers take an empty hand. Its skills are {SKILLS}. "
    "Before it does something to a thing or a place it has to be there. Write all steps that are needed from here, and "
    "none that is not, in one line, as in `1-go_to(cup), 2-pick(cup)`; an underscore stands for a blank in a name."
)
"""Text of a plan question after the instruction."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Task of a plan question.

    Attributes:
        blocks: Sequences of subtasks that directly follow each other, by label; `open` comes first and `close` last, if
            present.
        goal: The conditions of the goal.
    """

    template: str
    text: str
    blocks: Mapping[str, tuple[Subtask, ...]]
    goal: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The true plan of a question.

    Attributes:
        steps: The steps in one of their orders.
        before: For each step, the steps that precede it in all orders.
        orders: All orders, as indices of steps.
    """

    steps: tuple[Subtask, ...]
    before: tuple[tuple[int, ...], ...]
    orders: tuple[tuple[int, ...], ...]


def plan_questions(seed: int, rooms: int, size: int, source: str, keep: Keep) -> Iterator[Unit | Refusal]:
    """The plan questions of a house, for one piece of furniture that opens."""
    lot = random.Random(f"plans {seed}")
    scene: dict[str, Any] = {"seed": seed, "rooms": rooms, "objects": OBJECTS}
    with open_scene(scene, "ideal", PICTURES) as session:
        house = House(session.world_state())
    names = [name for name in house.furniture if house.container(name) == name and _is_unique(house, name)]
    if not names:
        return
    container = lot.choice(sorted(names))
    try:
        with open_scene({**scene, "opened": [container]}, "ideal", PICTURES) as session:
            if not session.call("Go to", container).feedback.ok:
                return
            scene["start"] = start_of(session.world_state())
        scenes = {"shut": scene, "open": {**scene, "opened": [container]}}
        shown = {name: _shown(where, container, size) for name, where in scenes.items()}
    except BadInput:  # the furniture cannot stand open there
        return
    if not _differ(shown, container):
        return
    pictures = {name: tuple(keep(sight.picture) for sight in sights) for name, sights in shown.items()}
    for assignment in _assignments(house, container, lot):
        plans = {name: _plan(assignment, where, is_open=name == "open") for name, where in scenes.items()}
        problem = next((problem for plan, task in plans.values() if (problem := unsound(task, plan))), "")
        if problem:
            yield Refusal(problem)
            continue
        text = f"{assignment.text} {HOW.format(container=_called(house, container))}"
        candidates = [
            Candidate(text, "plan", pictures[name], written_plan(plan.steps), task=task)
            for name, (plan, task) in plans.items()
        ]
        yield Unit(PLANNING, assignment.template, source, tuple(candidates))


def _is_unique(house: House, name: str) -> bool:
    """Whether the furniture's kind is unique in the house, so that a plan can name it."""
    return house.spoken(name) == _called(house, name)


def _called(house: House, name: str) -> str:
    return house.state.things[name].kind.replace("_", " ")


def _shown(scene: Mapping[str, Any], container: str, size: int) -> list[Sight]:
    """The views of the robot at the start."""
    with open_scene(scene, "ideal", f"{size}x{size}") as session:
        frames, world = session.observe().frames, session.world_state()
    return [Sight(frame, world) for frame in frames.values()]


def _differ(shown: Mapping[str, Sequence[Sight]], container: str) -> bool:
    """Whether the pictures show the furniture shut and open, in worlds that are otherwise equal."""
    shut, wide = shown["shut"][0], shown["open"][0]
    for sight, holds in ((shut, thresholds.is_closed), (wide, thresholds.is_open)):
        mine = [joint.fraction for joint in sight.world.joints.values() if joint.receptacle == container]
        if not all(map(holds, mine)) or not sight.shows(container):
            return False
    same = all(shut.world.objects[name].at == item.at for name, item in wide.world.objects.items())
    changed = np.abs(shut.picture.astype(int) - wide.picture.astype(int)).max(axis=-1) > DIFFERENT
    return same and bool(changed.mean() >= CHANGED)


def _assignments(house: House, container: str, lot: random.Random) -> Iterator[Assignment]:
    """Tasks at the container: to store one object or two, to take one out."""
    place = _called(house, container)
    free = sorted(
        name
        for name, item in house.objects.items()
        if item.relation == "on" and item.at in house.furniture and _is_unique(house, name)
    )
    opening, closing = (Subtask("Open", place),), (Subtask("Close", place),)
    shut = {"closed": container}
    for number in (1, 2):
        if len(free) >= number:
            things = lot.sample(free, number)
            words = " and the ".join(_called(house, thing) for thing in things)
            carries = {thing: _carry(_called(house, thing), place) for thing in things}
            yield Assignment(
                f"plan_store_{number}",
                f"Put the {words} into the {place}, and leave the {place} closed.",
                {"open": opening, **carries, "close": closing},
                (*({"in": [thing, container]} for thing in things), shut),
            )
    inside = sorted(n for n, item in house.objects.items() if item.at == container and _is_unique(house, n))
    surfaces = sorted(n for n, item in house.furniture.items() if item.kind in SURFACES and _is_unique(house, n))
    if inside and surfaces:
        thing, to = lot.choice(inside), lot.choice(surfaces)
        words, there = _called(house, thing), _called(house, to)
        moves = (Subtask("Pick", words), Subtask("Go to", there), Subtask("Put", words, there))
        yield Assignment(
            "plan_take_out",
            f"Take the {words} out of the {place} and put it on the {there}. In the end the {place} has to be closed.",
            {"open": opening, thing: moves, "close": (Subtask("Go to", place), *closing)},
            ({"at": [thing, to]}, shut),
        )


def _carry(thing: str, place: str) -> tuple[Subtask, ...]:
    return Subtask("Go to", thing), Subtask("Pick", thing), Subtask("Go to", place), Subtask("Put", thing, place)


def truth_of(blocks: Mapping[str, Sequence[Subtask]]) -> Plan:
    """The plan of blocks: `open` precedes all others, `close` follows them, the others are in any order."""
    numbers: dict[str, list[str]] = {}
    steps: list[Subtask] = []
    for label, block in blocks.items():
        numbers[label] = [str(len(steps) + index) for index in range(len(block))]
        steps += block
    between = [label for label in blocks if label not in ("open", "close")]
    after = {label: [other for other in ("open",) if other in blocks] for label in between}
    after["close"] = [label for label in blocks if label != "close"]
    every = tuple(tuple(int(number) for number in order[:-1]) for order in orders(numbers, after))
    before = tuple(
        tuple(other for other in range(len(steps)) if all(o.index(other) < o.index(step) for o in every))
        for step in range(len(steps))
    )
    return Plan(tuple(steps), before, every)


def _plan(assignment: Assignment, scene: Mapping[str, Any], *, is_open: bool) -> tuple[Plan, PlanTask]:
    """The truth of an assignment in one of the worlds: furniture that is open is not opened."""
    plan = truth_of({label: block for label, block in assignment.blocks.items() if not (is_open and label == "open")})
    return plan, PlanTask(scene=scene, goal={"all": list(assignment.goal)}, before=plan.before)


def unsound(task: PlanTask, plan: Plan) -> str:
    """Why a truth cannot be used, "" if it reaches its whole goal in every way."""
    for order in plan.orders:
        ideal = carry_out(task, [plan.steps[number] for number in order], "ideal")
        if not ideal.done or ideal.reached < ideal.conditions:
            return "plans that do not reach their goal by ideal skills"
    by_motion = carry_out(task, plan.steps, "classical")
    if not by_motion.done or by_motion.reached < by_motion.conditions:
        return "plans that do not reach their goal by motion"
    return ""
