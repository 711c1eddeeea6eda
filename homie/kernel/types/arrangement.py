"""Poses of objects and openings of doors, to detect side effects of a subtask on anything but its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from homie.kernel.types.geometry import Array


@dataclass(frozen=True, slots=True)
class Lying:
    """Position and tilt of a loose object.

    Attributes:
        holder: The furniture or container that it is on or in; "" for the floor or if not known.
        middle: Its centre (3,) in the odometry frame, m.
        upright: Vertical component of the unit vector along its own upright axis; None if not known: then it is never
            judged to be knocked over.
    """

    holder: str
    middle: Array
    upright: float | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Known state of doors, drawers and loose objects at one moment.

    Attributes:
        openings: Openings of doors and drawers as fractions of their ranges, by the entity that has them.
        things: Loose objects by entity, without the held object.
        seen: Time (s) at which each entity of both kinds was last seen; empty if all of it is always known.
    """

    openings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    things: Mapping[str, Lying] = field(default_factory=dict)
    seen: Mapping[str, float] = field(default_factory=dict)
