"""Model of a remembered loose object, and the names of objects and furniture."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from homie.kernel.types import Array, NamedThing
from perception.colours import colour_of, possible_colours
from perception.localise import Patch, object_box
from perception.memory.clouds import Cloud, inside

HOLLOW = frozenset({"bowl", "mug", "cup", "basket", "pot", "pan", "plate"})
"""Kinds that objects are put into, not onto."""

FARTHER, MOVED_SHARE = 1.5, 0.15
"""Multiple of the distance of the nearest look from which a network's outlines are much rougher, and share of the
points of such a look near the known box below which the object has been moved."""


@dataclass(slots=True)
class Identity:
    """Names of an entity.

    Attributes:
        entity: Unique name in the memory.
        rgb: Colour in the closest look.
        called: All names by the detector, since a planner may use any of them (`gray table` from afar, `white table`
            from near).
    """

    entity: str
    kind: str
    rgb: tuple[int, int, int] = (0, 0, 0)
    called: set[str] = field(default_factory=set)

    def best_name(self, room: str) -> NamedThing:
        """Return its name for matching words, with its best known colour."""
        return NamedThing(self.entity, self.kind, colour_of(self.rgb) or None, (), room)

    def detector_names(self, room: str) -> NamedThing:
        """Return its names for matching words: all names by the detector."""
        return NamedThing(self.entity, self.kind, None, tuple(sorted(self.called)), room)

    def names_by_colour(self, room: str) -> NamedThing:
        """Return its names for matching words, with every colour that is possible under light and shade."""
        colours = possible_colours(self.rgb)
        return NamedThing(self.entity, self.kind, None, tuple(f"{colour} {self.kind}" for colour in colours), room)


class LooseObject:
    """Object that can be picked up. Its points are from all looks since it was last moved."""

    def __init__(self, identity: Identity, patch: Patch, stamp: float) -> None:
        self.identity = identity
        self.container: str | None = None
        self.missed = self.unreported = 0
        self._cloud = Cloud(0.004, 4000)
        self._restart(patch, stamp)

    def _restart(self, patch: Patch, stamp: float) -> None:
        self._cloud.clear()
        self._cloud.add(patch.points, patch.level)
        self._eyes = [patch.eye]
        self._shown_area = patch.area
        self.spacing = patch.spacing
        self.identity.rgb = patch.rgb
        self._measure(stamp)

    def _measure(self, stamp: float) -> None:
        """Estimate the box from all points, with the viewpoint that showed most of the top."""
        points = self._cloud.points
        view_offsets = np.array(self._eyes) - points.mean(axis=0)
        bearings = np.arctan2(view_offsets[:, 1], view_offsets[:, 0])
        turn_angle = float(np.abs(np.angle(np.exp(1j * (bearings - bearings[0])))).max())
        steepest = self._eyes[int(np.argmax(view_offsets[:, 2] / np.linalg.norm(view_offsets, axis=1)))]
        self.box = object_box(points, self.spacing, steepest, complete=turn_angle < 1.0)
        self.seen, self.missed = stamp, 0

    def update(self, patch: Patch, stamp: float) -> None:
        """Update with a look. From another side its points are added, from the same side they replace the old ones.

        Otherwise an object that is pushed a little would grow with every push. An object that was seen much better
        before, or is half occluded now, keeps its box as long as the look agrees with it.
        """
        if not self._agrees(patch, 0.006 + 0.5 * patch.spacing, 0.9):
            if patch.spacing > 1.6 * self.spacing and self._agrees(patch, 0.015 + patch.spacing, 0.8):
                self.seen, self.missed = stamp, 0
            else:
                self._restart(patch, stamp)
        elif patch.spacing > 1.6 * self.spacing:
            self.seen, self.missed = stamp, 0
        elif self._view_angle_change(patch.eye) > 0.5 and patch.spacing > 0.6 * self.spacing:
            self._cloud.add(patch.points, patch.level)
            self._eyes = [*self._eyes[-7:], patch.eye]
            self.spacing = min(self.spacing, patch.spacing)
            self._measure(stamp)
        elif patch.area > 0.8 * self._shown_area:
            self._restart(patch, stamp)
        else:
            self.seen, self.missed = stamp, 0

    def update_roughly(self, patch: Patch, stamp: float) -> None:
        """Update with a network's look, whose outlines include neighbouring surfaces: the nearest look is best, and one
        from farther away only shows whether the object has been moved."""
        share = MOVED_SHARE if patch.spacing > FARTHER * self.spacing else 0.5
        if patch.spacing < 1.15 * self.spacing or not self._agrees(patch, 0.015 + patch.spacing, share):
            self._restart(patch, stamp)
        else:
            self.seen, self.missed = stamp, 0

    def _agrees(self, patch: Patch, margin: float, share: float) -> bool:
        """Whether more than a share of a look's points are in the box expanded by a margin."""
        return float(np.mean(inside(patch.points, self.box, margin))) > share

    def _view_angle_change(self, eye: Array) -> float:
        """Return the angle (rad) between the previous and the current view direction."""
        previous_offset, current_offset = self._eyes[-1] - self.box.center, eye - self.box.center
        return abs(
            float(
                np.arctan2(
                    previous_offset[0] * current_offset[1] - previous_offset[1] * current_offset[0],
                    previous_offset[:2] @ current_offset[:2],
                )
            )
        )

    def move(self, center: Array, stamp: float) -> None:
        """Set a new position that is known without a look."""
        self.box = replace(self.box, center=center)
        self._cloud.clear()
        self._shown_area = 0.0
        self.spacing = np.inf
        self.seen, self.missed = stamp, 0

    @property
    def eye(self) -> Array:
        """Camera position of the last look, (3,)."""
        return self._eyes[-1]

    @property
    def hollow(self) -> bool:
        return self.identity.kind in HOLLOW
