"""The goal adapter of NoMaD: from a subtask to a node of the map, to a goal picture, or to nothing (explore)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homie.kernel.types import Goal, Image, NamedThing, Observation, Subtask
from perception.words.names import best_matches
from skills.policies.views import best_seen, heading


@dataclass(frozen=True, slots=True)
class Wanted:
    """What NoMaD is sent to.

    nodes: of the map; none where the map has no such place. picture: (h, w, 3), where the target is in sight instead.
    heading: yaw (odometry frame) in which the robot sees that picture ahead. Without nodes and picture it explores.
    """

    nodes: tuple[int, ...] = ()
    picture: Image | None = field(default=None, repr=False)
    heading: float = 0.0


def adapt(subtask: Subtask, goal: Goal, observation: Observation, names: Mapping[str, Sequence[int]]) -> Wanted:
    """The target's nodes if the map (`names`) has it, else the picture that shows most of it, else neither.

    The map has the target if it has its name, or what the planner calls it; of names that are equally good all nodes
    count, and the first on the way is taken.
    """
    known = [name for name in names if name == goal.name]
    if not known:
        things = [NamedThing(name, name.rstrip("0123456789").rstrip("_ ")) for name in names]
        known = [thing.name for thing in best_matches(subtask.target, things)]
    if known:
        return Wanted(nodes=tuple(sorted({number for name in known for number in names[name]})))
    seen = best_seen(goal, observation)
    if seen is None:
        return Wanted()
    frame = observation.frames[seen.view]
    return Wanted(picture=frame.rgb, heading=heading(frame))
