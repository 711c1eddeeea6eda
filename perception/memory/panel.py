"""Estimate of a door or a drawer: geometry when closed, current opening, and the space that it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, Articulation, Box, planar_rotation
from perception.scan import Points

HINGE_RANGE = 1.92
"""Assumed range (rad) of a door (110 degrees, as of cabinet hinges): the true range cannot be seen."""
SLIDE_RANGE = 0.34
"""Assumed range (m) of a drawer."""
SHUT_ANGLE = 0.14
SHUT_GAP = 0.04
"""Opening (rad, m) up to which it is reported as closed: less than what Close has to achieve, so that a planner sees a
door left ajar."""
PASSABLE_ANGLE = 0.65
PASSABLE_GAP = 0.16
"""Opening (rad, m) from which the arm can reach in: a little less than `thresholds.LETS_IN`, since measured openings
may be too small."""
AROUND, TURNED = 0.08, 0.2
"""Distance (m) and angle (rad) beyond the assumed range within which points may be of a door or drawer."""
MOST = 0.6
"""Share of some points there from which they are of the door or drawer."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Handle bar: centre (3,), unit vector along the bar (3,), visible length (m)."""

    center: Array
    axis: Array
    length: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Estimate of a door or drawer: its geometry when closed, and its current opening.

    Attributes:
        origin: (2,), point on the hinge axis, or the middle of a drawer's closed front.
        along: Unit vector (2,) from the origin to the free edge when closed.
        outward: Unit vector (2,), normal of the closed front.
        bar: Handle when closed.
        width: Visible width (m) of the front.
        front: Box of the front when closed.
        opening: Current opening, rad or m.
        spacing: Pixel spacing (m) of the look that the geometry is from.
        bar_now: Handle when last seen completely.
    """

    kind: Literal["hinge", "slide"]
    origin: Array
    along: Array
    outward: Array
    bar: Bar
    width: float
    front: Box
    opening: float
    spacing: float
    bar_now: Bar | None = None

    @property
    def turn(self) -> float:
        """Sign of the opening rotation about z: 1 or -1."""
        cross = float(self.along[0] * self.outward[1] - self.along[1] * self.outward[0])
        return 1.0 if cross > 0 else -1.0

    @property
    def is_closed(self) -> bool:
        return self.opening < (SHUT_ANGLE if self.kind == "hinge" else SHUT_GAP)

    @property
    def fully_closed(self) -> bool:
        """Whether it is closed within measurement accuracy, so that its position is that of the closed state."""
        return abs(self.opening) < (0.05 if self.kind == "hinge" else 0.015)

    @property
    def passable(self) -> bool:
        """Whether it is open far enough to reach in."""
        return self.opening > (PASSABLE_ANGLE if self.kind == "hinge" else PASSABLE_GAP)

    @property
    def state(self) -> Literal["open", "ajar", "closed"]:
        """State in words: closed, open far enough to reach in, or in between."""
        return "closed" if self.is_closed else "open" if self.passable else "ajar"

    @property
    def normal(self) -> Array:
        """Outward normal (2,) of the front in its current position."""
        if self.kind == "slide":
            return self.outward
        normal: Array = planar_rotation(self.turn * max(0.0, self.opening)) @ self.outward
        return normal

    @property
    def yaw(self) -> float:
        """Yaw (rad) of the front in its current position."""
        return self.front.yaw + (self.turn * max(0.0, self.opening) if self.kind == "hinge" else 0.0)

    @property
    def range(self) -> float:
        return max(HINGE_RANGE if self.kind == "hinge" else SLIDE_RANGE, self.opening)

    @property
    def occupied(self) -> Box:
        """Box of the door, or of the drawer as far as it is pulled out, in its current position."""
        if self.kind == "hinge":
            return self.articulation().panel or self.front
        pulled = 0.5 * max(0.0, self.opening)
        center = self.front.center + pulled * np.array([*self.outward, 0.0])
        return replace(self.front, center=center, half=self.front.half + np.array([pulled, 0.0, 0.0]))

    def sweeps(self, points: Points) -> bool:
        """Whether most of the points (n, 3) lie where the door or drawer can be."""
        return float(self.swept(points).mean()) > MOST

    def swept(self, points: Points) -> NDArray[np.bool_]:
        """Return which of the points (n, 3) lie where the door or drawer can be."""
        offsets = points[:, :2] - self.origin
        ahead, aside = offsets @ self.outward, offsets @ self.along
        in_place: NDArray[np.bool_]
        in_height = np.abs(points[:, 2] - self.front.center[2]) < self.front.half[2] + AROUND
        if self.kind == "slide":
            in_depth = np.abs(ahead - self.range / 2) < self.range / 2 + AROUND
            in_place = in_height & in_depth & (np.abs(aside) < self.width / 2 + AROUND)
        else:
            in_sector = np.abs(np.arctan2(ahead, aside) - self.range / 2) < self.range / 2 + TURNED
            in_place = in_height & in_sector & (np.hypot(ahead, aside) < self.width + AROUND)
        return in_place

    def articulation(self) -> Articulation:
        """Convert to the articulation of a goal."""
        opening = max(0.0, self.opening)
        if self.kind == "slide":
            axis = np.array([*self.outward, 0.0])
            center = self.bar.center + opening * axis if self.bar_now is None else self.bar_now.center
            origin = np.array([*self.origin, center[2]])
            panel = replace(self.front, center=self.front.center + opening * axis)
            return Articulation("slide", origin, axis, center, self.bar.axis, axis, opening, self.range, panel)
        rotation = planar_rotation(self.turn * opening)
        center = np.array([*(self.origin + rotation @ (self.bar.center[:2] - self.origin)), self.bar.center[2]])
        if self.bar_now is not None:
            center = self.bar_now.center
        middle = self.front.center
        front = np.array([*(self.origin + rotation @ (middle[:2] - self.origin)), middle[2]])
        return Articulation(
            kind="hinge",
            axis_point=np.array([*self.origin, 0.0]),
            axis=np.array([0.0, 0.0, self.turn]),
            handle=center,
            handle_axis=np.array([*(rotation @ self.bar.axis[:2]), self.bar.axis[2]]),
            outward=np.array([*(rotation @ self.outward), 0.0]),
            opening=opening,
            range=self.range,
            panel=replace(self.front, center=front, yaw=self.yaw),
        )
