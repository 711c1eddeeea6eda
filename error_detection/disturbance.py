"""Side effects of a subtask on other objects: a drawer that the arm has caught, a mug that fell over.

Planners see them after successes and failures alike: nobody else would put them right.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from error_detection import names_for_planners
from homie.kernel.interfaces import Trial
from homie.kernel.support.text import the
from homie.kernel.types import Arrangement, Lying
from homie.kernel.world import thresholds

PUSHED = 0.1
"""Fraction of its range by which a door or drawer has to move: they give way a little where the robot brushes."""

SHIFTED, ELSEWHERE = 0.25, 0.1
"""Metres by which an object has to move on the same holder, and to another one: neighbouring objects are pushed by a
hand's breadth now and then, and a view from another side shifts the estimated position."""

TIPPED = 0.5
"""Change of the height of its upright axis from which on an object has been knocked over."""


def disturbances(trial: Trial) -> str:
    """Describe the known unexpected changes in one sentence for the planner; "" if there are none."""
    arrangement = trial.world.arrangement(trial.observation)
    changes = [*_moved_doors(trial, arrangement), *_moved_things(trial, arrangement)]
    return f"meanwhile {' and '.join(changes)}" if changes else ""


def _moved_doors(trial: Trial, arrangement: Arrangement) -> Iterator[str]:
    for entity, openings in arrangement.openings.items():
        previous = trial.before.openings.get(entity)
        if entity == trial.entity and trial.action.target == "opens":
            continue
        if previous is None or len(previous) != len(openings) or not _is_observed(entity, trial, arrangement):
            continue
        if max(abs(opening - before) for opening, before in zip(openings, previous, strict=True)) > PUSHED:
            widest = max(openings)
            state = "open" if thresholds.is_open(widest) else "closed" if thresholds.is_closed(widest) else "ajar"
            yield f"{_name(entity, trial)} has been moved: it is {state} now"


def _moved_things(trial: Trial, arrangement: Arrangement) -> Iterator[str]:
    is_expected = trial.entity in trial.before.things or trial.action.target == "opens"
    excluded = {trial.held, trial.world.held(trial.observation), *((trial.entity,) if is_expected else ())}
    for entity, lying_after in arrangement.things.items():
        lying_before = trial.before.things.get(entity)
        if lying_before is None or not _is_observed(entity, trial, arrangement):
            continue
        if excluded & {entity, *_holders(lying_before, trial.before), *_holders(lying_after, arrangement)}:
            continue
        is_tipped = (
            lying_before.upright is not None
            and lying_after.upright is not None
            and abs(lying_after.upright - lying_before.upright) > TIPPED
        )
        is_shifted = np.linalg.norm(lying_after.middle - lying_before.middle) > (
            SHIFTED if lying_after.holder == lying_before.holder else ELSEWHERE
        )
        # Only then: a name lasts for the rest of the episode, and an object that no planner knows has none.
        if is_tipped or is_shifted:
            location = trial.world.whereabouts(entity, trial.observation)
            change = "knocked over" if is_tipped else "moved"
            yield f"{_name(entity, trial)} has been {change}{f': it is {location} now' if location else ''}"


def _name(entity: str, trial: Trial) -> str:
    """Name an entity for the planner: `the fridge`, `drawer 2`."""
    return the(names_for_planners.name_of(entity, trial.world, trial.observation))


def _holders(lying: Lying, arrangement: Arrangement) -> list[str]:
    """Return what an object is in or on, what that is in or on, and so on outwards."""
    holders = [lying.holder]
    while holders[-1] in arrangement.things and len(holders) <= len(arrangement.things):
        holders.append(arrangement.things[holders[-1]].holder)
    return [holder for holder in holders if holder]


def _is_observed(entity: str, trial: Trial, arrangement: Arrangement) -> bool:
    """Return whether an entity has been observed since the subtask began: else its state after it is unknown."""
    return not arrangement.seen or arrangement.seen.get(entity, -np.inf) > trial.before.seen.get(entity, -np.inf)
