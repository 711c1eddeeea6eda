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
from homie.testing.violations import NotConforming, collect_violations, settle

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
    observation = robot.observe(dict.fromkeys((*robot.views, *locator.cameras)) if view else ())
    violations += collect_violations("reset", partial(locator.reset, seed=0))
    violations += collect_violations("update", partial(locator.update, observation, detections))
    violations += collect_violations("due", partial(_check_due, locator, observation))
    violations += collect_violations("resolve or held", partial(_check_unknown_name, locator, observation))
    violations += collect_violations(
        "knowledge or arranged", partial(_check_planner_names, locator, detections, observation)
    )
    for name in names:
        sentences = collect_violations("a question", partial(_check_entity, locator, name, observation))
        violations += [f"'{name}': {sentence}" for sentence in sentences]
    settle(violations)


def _check_unknown_name(locator: Locator, observation: Observation) -> Iterator[str]:
    for action in HOUSEHOLD[:-1]:
        if (entity := locator.resolve(NOWHERE, action, observation)) is not None:
            yield f"resolve('{NOWHERE}') for {action.name} must be None (is {entity!r})."
    held: object = locator.held(observation)
    if held is not None and not isinstance(held, str):
        yield f"held must be an entity or None (is {held!r})."


def _check_due(locator: Locator, observation: Observation) -> Iterator[str]:
    cameras_due: object = locator.due(observation)
    if cameras_due is not None and not isinstance(cameras_due, tuple):
        yield f"due must be the cameras to look through, a tuple, or None (is {cameras_due!r})."


def _check_planner_names(locator: Locator, detections: Sequence[Detection], observation: Observation) -> Iterator[str]:
    planner_knowledge: object = locator.knowledge(1)
    if not isinstance(planner_knowledge, Knowledge):
        yield f"knowledge must be a homie.kernel.knowledge.Knowledge (is {planner_knowledge!r})."
        return
    names_with_source = [(detection.called, "arranged") for detection in in_sight(locator.arranged(detections))]
    places = [*planner_knowledge.rooms, *(doorway.name for doorway in planner_knowledge.doorways)]
    names_with_source += [
        (name, "knowledge") for name in (*places, *(item.name for item in planner_knowledge.remembered))
    ]
    for name, source in dict.fromkeys(names_with_source):
        if locator.resolve(name, GO, observation) is None:
            yield f"planners get the name '{name}' ({source}), so resolve must understand it."


def _check_entity(locator: Locator, name: str, observation: Observation) -> Iterator[str]:
    entity: object = locator.resolve(name, GO, observation)
    if not isinstance(entity, str):
        yield f"resolve must give its entity (gave {entity!r})."
        return
    if locator.resolve(entity, GO, observation) != entity:
        yield f"the exact name '{entity}' must mean itself: feedback names entities like that."
    for question in (locator.opens, locator.pickable, locator.is_spot, locator.has_place):
        if not isinstance(answer := question(entity), bool | np.bool_):
            yield f"{question.__name__} must be true or false (is {answer!r})."
    container: object = locator.closed_container(entity)
    if container is not None and not isinstance(container, str):
        yield f"closed_container must be an entity or None (is {container!r})."
    if not np.isfinite(metres := locator.distance(entity, observation)) or metres < 0.0:
        yield f"distance must be metres (is {metres})."
    answers_before = _answers(locator, entity, observation)
    goal: object = locator.goal(entity, GO, observation)
    if not isinstance(goal, Goal) or np.shape(goal.position) != (3,) or not np.isfinite(goal.position).all():
        yield "goal must be a Goal with a finite position (3,)."
    if locator.pickable(entity):
        locator.goal(entity, PICK, observation)
    answers_after = _answers(locator, entity, observation)
    for member, first in answers_before.items():
        if first is not None and not isinstance(first, bool | np.bool_):
            yield f"{member} must be true, false or None (is {first!r})."
        if answers_after[member] != first:
            yield f"goal and questions must change nothing: {member} was {first!r}, then {answers_after[member]!r}."


def _answers(locator: Locator, entity: str, observation: Observation) -> dict[str, object]:
    """Return the answers to all queries about an entity, by query."""
    states = {f"state '{state}'": locator.state(entity, state, observation) for state in ("open", "closed")}
    is_placed = locator.placed(None, entity, observation)
    return {
        "arrived": locator.arrived(entity, observation),
        "holds": locator.holds(entity, observation),
        "placed": is_placed,
        **states,
    }
