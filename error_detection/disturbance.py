"""What a subtask has changed in addition to its target: a drawer that the arm has caught, a mug that fell over.

Planners see it, with a success and with a failure alike: nobody else would put it right.
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
"""Fraction of its range that a door or drawer has to be moved by: they give way a little where the robot brushes."""

SHIFTED, ELSEWHERE = 0.25, 0.1
"""Metres that a thing has to be moved by where it still lies on the same, and where it lies on something else: what
stands beside is pushed by a hand's breadth now and then, and a look from another side shifts what is seen."""

TIPPED = 0.5
"""Change of the height of its upright axis by which a thing has been knocked over."""


def disturbances(trial: Trial) -> str:
    """What is known to have changed unexpectedly, in one sentence for the planner; "" where nothing is."""
    arrangement = trial.world.arrangement(trial.observation)
    changes = [*_moved_doors(trial, arrangement), *_moved_things(trial, arrangement)]
    return f"meanwhile {' and '.join(changes)}" if changes else ""


def _moved_doors(trial: Trial, arrangement: Arrangement) -> Iterator[str]:
    for entity, openings in arrangement.openings.items():
        previous = trial.before.openings.get(entity)
        if entity == trial.entity and trial.action.target == "opens":
            continue
        if previous is None or len(previous) != len(openings) or not _looked_at(entity, trial, arrangement):
            continue
        if max(abs(opening - before) for opening, before in zip(openings, previous, strict=True)) > PUSHED:
            widest = max(openings)
            state = "open" if thresholds.is_open(widest) else "closed" if thresholds.is_closed(widest) else "ajar"
            yield f"{_named(entity, trial)} has been moved: it is {state} now"


def _moved_things(trial: Trial, arrangement: Arrangement) -> Iterator[str]:
    is_expected = trial.entity in trial.before.things or trial.action.target == "opens"
    spared = {trial.held, trial.world.held(trial.observation), *((trial.entity,) if is_expected else ())}
    for entity, lies in arrangement.things.items():
        lay = trial.before.things.get(entity)
        if lay is None or not _looked_at(entity, trial, arrangement):
            continue
        if spared & {entity, *_holders(lay, trial.before), *_holders(lies, arrangement)}:
            continue
        is_tipped = lay.upright is not None and lies.upright is not None and abs(lies.upright - lay.upright) > TIPPED
        is_shifted = np.linalg.norm(lies.middle - lay.middle) > (SHIFTED if lies.holder == lay.holder else ELSEWHERE)
        # Only then: a name is for the rest of the episode, and a thing that no planner knows has none.
        if is_tipped or is_shifted:
            location = trial.world.whereabouts(entity, trial.observation)
            change = "knocked over" if is_tipped else "moved"
            yield f"{_named(entity, trial)} has been {change}{f': it is {location} now' if location else ''}"


def _named(entity: str, trial: Trial) -> str:
    """`the fridge`, `drawer 2`."""
    return the(names_for_planners.named(entity, trial.world, trial.observation))


def _holders(lying: Lying, arrangement: Arrangement) -> list[str]:
    """What a thing is in or on, what that is in or on, and so on outwards."""
    holders = [lying.holder]
    while holders[-1] in arrangement.things and len(holders) <= len(arrangement.things):
        holders.append(arrangement.things[holders[-1]].holder)
    return [holder for holder in holders if holder]


def _looked_at(entity: str, trial: Trial, arrangement: Arrangement) -> bool:
    """Whether it is known how it is after the subtask: where it was not seen again, nothing is."""
    return not arrangement.seen or arrangement.seen.get(entity, -np.inf) > trial.before.seen.get(entity, -np.inf)
