"""Conformance kit for locators: their answers for existing names, and for one that does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from homie.kernel.actions import ACTION_TABLE, HOUSEHOLD
from homie.kernel.interfaces import Locator, Robot
from homie.kernel.knowledge import Knowledge
from homie.kernel.registry import path_of
from homie.kernel.types import Detection, Goal, Observation, in_sight
from homie.testing.violations import NotConforming, gathered, settle

NOWHERE = "no such thing 4711"
GO, PICK = ACTION_TABLE["Go to"], ACTION_TABLE["Pick"]


def check_locator(
    locator: Locator, robot: Robot, names: Sequence[str], detections: Sequence[Detection] = (), *, view: bool = True
) -> None:
    """Check a locator against `homie.kernel.interfaces.Locator`, in a world in which some names are known to exist.

    Names must resolve to an entity or None; an entity must have a goal with a finite position, and a distance. The
    queries of error detection must return values of the right type without side effects, and every name in a planner's
    input must resolve.

    Args:
        locator: Locator, made for the robot.
        robot: Robot; it is reset, but not moved.
        names: Names of objects that exist in its world.
        detections: Detections in the robot's views, for a locator that uses them.
        view: Whether to give it pictures.

    Raises:
        NotConforming: Lists every violation.
    """
    if not isinstance(locator, Locator):
        raise NotConforming([f"{path_of(locator)} is not a homie.Locator: give one that is made for the robot."])
    violations: list[str] = []
    if not isinstance(locator.name, str) or not locator.name:
        violations.append("`name` must be the name under which it is registered.")
    robot.reset(seed=0)
    seen = robot.observe(dict.fromkeys((*robot.views, *locator.cameras)) if view else ())
    violations += gathered("reset", partial(locator.reset, seed=0))
    violations += gathered("update", partial(locator.update, seen, detections))
    violations += gathered("due", partial(_due, locator, seen))
    violations += gathered("resolve or held", partial(_unknown, locator, seen))
    violations += gathered("knowledge or arranged", partial(_planner_names, locator, detections, seen))
    for name in names:
        sentences = gathered("a question", partial(_entity, locator, name, seen))
        violations += [f"'{name}': {sentence}" for sentence in sentences]
    settle(violations)


def _unknown(locator: Locator, seen: Observation) -> Iterator[str]:
    for action in HOUSEHOLD[:-1]:
        if (entity := locator.resolve(NOWHERE, action, seen)) is not None:
            yield f"resolve('{NOWHERE}') for {action.name} must be None (is {entity!r})."
    held: object = locator.held(seen)
    if held is not None and not isinstance(held, str):
        yield f"held must be an entity or None (is {held!r})."


def _due(locator: Locator, seen: Observation) -> Iterator[str]:
    cameras_due: object = locator.due(seen)
    if cameras_due is not None and not isinstance(cameras_due, tuple):
        yield f"due must be the cameras to look through, a tuple, or None (is {cameras_due!r})."


def _planner_names(locator: Locator, detections: Sequence[Detection], seen: Observation) -> Iterator[str]:
    known: object = locator.knowledge(1)
    if not isinstance(known, Knowledge):
        yield f"knowledge must be a homie.kernel.knowledge.Knowledge (is {known!r})."
        return
    named = [(detection.called, "arranged") for detection in in_sight(locator.arranged(detections))]
    places = [*known.rooms, *(doorway.name for doorway in known.doorways)]
    named += [(name, "knowledge") for name in (*places, *(item.name for item in known.remembered))]
    for name, source in dict.fromkeys(named):
        if locator.resolve(name, GO, seen) is None:
            yield f"planners get the name '{name}' ({source}), so resolve must understand it."


def _entity(locator: Locator, name: str, seen: Observation) -> Iterator[str]:
    entity: object = locator.resolve(name, GO, seen)
    if not isinstance(entity, str):
        yield f"resolve must give its entity (gave {entity!r})."
        return
    if locator.resolve(entity, GO, seen) != entity:
        yield f"the exact name '{entity}' must mean itself: feedback names entities like that."
    for question in (locator.opens, locator.pickable, locator.is_spot, locator.has_place):
        if not isinstance(answer := question(entity), bool | np.bool_):
            yield f"{question.__name__} must be true or false (is {answer!r})."
    container: object = locator.closed_container(entity)
    if container is not None and not isinstance(container, str):
        yield f"closed_container must be an entity or None (is {container!r})."
    if not np.isfinite(metres := locator.distance(entity, seen)) or metres < 0.0:
        yield f"distance must be metres (is {metres})."
    answers_before = _answers(locator, entity, seen)
    goal: object = locator.goal(entity, GO, seen)
    if not isinstance(goal, Goal) or np.shape(goal.position) != (3,) or not np.isfinite(goal.position).all():
        yield "goal must be a Goal with a finite position (3,)."
    if locator.pickable(entity):
        locator.goal(entity, PICK, seen)
    after = _answers(locator, entity, seen)
    for member, first in answers_before.items():
        if first is not None and not isinstance(first, bool | np.bool_):
            yield f"{member} must be true, false or None (is {first!r})."
        if after[member] != first:
            yield f"goal and questions must change nothing: {member} was {first!r}, then {after[member]!r}."


def _answers(locator: Locator, entity: str, seen: Observation) -> dict[str, object]:
    """Return the answers to all queries about an entity, by query."""
    states = {f"state '{state}'": locator.state(entity, state, seen) for state in ("open", "closed")}
    is_placed = locator.placed(None, entity, seen)
    return {
        "arrived": locator.arrived(entity, seen),
        "holds": locator.holds(entity, seen),
        "placed": is_placed,
        **states,
    }
