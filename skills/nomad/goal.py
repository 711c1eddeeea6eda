"""Goal adapter of NoMaD: converts a subtask to nodes of the map, a goal image, or nothing (exploration)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homie.kernel.types import Goal, Image, NamedThing, Observation, Subtask
from perception.names import best_matches
from skills.policies.views import best_seen, heading


@dataclass(frozen=True, slots=True)
class NomadGoal:
    """A goal of NoMaD. Without nodes and image it explores.

    Attributes:
        nodes: Nodes of the map; () if the map does not have the place.
        picture: Image (h, w, 3) uint8, if the target is in sight instead.
        heading: Yaw in the odometry frame (rad) in which the robot sees that image straight ahead.
    """

    nodes: tuple[int, ...] = ()
    picture: Image | None = field(default=None, repr=False)
    heading: float = 0.0


def adapt(subtask: Subtask, goal: Goal, observation: Observation, names: Mapping[str, Sequence[int]]) -> NomadGoal:
    """Return the target's nodes if the map (`names`) has it, otherwise the image that shows most of it, otherwise
    neither.

    The map is searched for the target's name, then for the planner's words. If several names match equally well, the
    nodes of all of them are goals, and the first one along the map is used.
    """
    matching_names = [name for name in names if name == goal.name]
    if not matching_names:
        places = [NamedThing(name, name.rstrip("0123456789").rstrip("_ ")) for name in names]
        matching_names = [place.name for place in best_matches(subtask.target, places)]
    if matching_names:
        return NomadGoal(nodes=tuple(sorted({number for name in matching_names for number in names[name]})))
    seen = best_seen(goal, observation)
    if seen is None:
        return NomadGoal()
    frame = observation.frames[seen.view]
    return NomadGoal(picture=frame.rgb, heading=heading(frame))
