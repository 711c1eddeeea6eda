"""Poses of things and openings of doors, to detect what a subtask has changed other than its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from homie.kernel.types.geometry import Array


@dataclass(frozen=True, slots=True)
class Lying:
    """Where a loose thing is: what it is in or on ("" for the floor, and where that is not known), its middle (3,) in
    the odometry frame, m, and the height of the unit vector along its own upright axis (None where that is not known:
    it cannot be said to have been knocked over then)."""

    holder: str
    middle: Array
    upright: float | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What is known at one moment.

    Attributes:
        openings: How far doors and drawers are open as fractions of their ranges, by the entity that has them.
        things: Loose things by entity, without the held object.
        seen: When each was seen last (s), of either; nothing where all of it is known at any time.
    """

    openings: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    things: Mapping[str, Lying] = field(default_factory=dict)
    seen: Mapping[str, float] = field(default_factory=dict)
