"""Open and Close: doors and drawers opened by their handles, and pushed shut."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from homie.kernel.interfaces import kind_of
from homie.kernel.types import Array, Articulation, FailureReason, Goal, rotation_z
from homie.kernel.world.furniture import opens_otherwise
from skills.classical.articulated import OUTSIDE, MoveArticulation
from skills.classical.pulls import STANDOFF, is_flap, is_sliding_door
from skills.motion.motions import Motion, NotRetryable, Stuck

SHUT_ANGLE, SHUT_GAP = 0.06, 0.015
"""Opening (rad, m) up to which a door or drawer is pushed: about half of what counts as closed (`thresholds.CLOSED`),
since the hand lets go of it and the opening is a measurement."""

FURTHEST = 1.60
"""Opening (rad) to which a hinged door is moved where the robot has room before it: more gains nothing."""

IN_A_CORNER = (1.87, 1.75)
"""Openings (rad) preferred where there is no room between the open door and the obstacle at its other side."""

POCKET = 0.4
"""Distance (m) before a shut door at which the robot should find room once it is open."""

ELBOW = 0.06
"""Additional clearance (m) that it needs there to each side: with less there are few places from which the arm reaches
in."""

WIDE = 1.45
"""Opening (rad) from which a door is not pulled again."""

LEAST = 1.3
"""Minimum opening (rad) that still lets the arm in."""

ALMOST = 0.9
"""Fraction of its range to which a mounted arm pulls a drawer: the environments of such arms require more than half
(LIBERO 0.875), and it need not make room for a base."""

FIST = 0.015
"""Distance (m) beyond the finger pads at which the pushed panel is assumed to be."""

BESIDE_HANDLE = 0.08
"""Distance (m) from a handle at which a panel is pushed."""

BESIDE = 1.4
"""Maximum distance (m) of the robot from the middle of the opened furniture: its contents come next, and pulling a door
moves the robot away from it."""

AROUND = -0.5
"""The value for `sides` where there is no room on the outer side: the arm reaches around the edge of the panel."""


class Open(MoveArticulation):
    """Opens a door or a drawer by its handle."""

    name = "classical/open"
    actions = ("Open",)

    def routine(self) -> Motion:
        yield from super().routine()
        target = self.goal.position[:2]
        if float(np.linalg.norm(target - self.base.xy)) > BESIDE:
            with suppress(Stuck):
                yield from self.navigate(target, tolerance=BESIDE)
                yield from self.turn(float(np.arctan2(*(target - self.base.xy)[::-1])))

    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        return [articulation.handle]

    def grasps_handle(self, articulation: Articulation) -> bool:
        return True

    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        opening, full_range = articulation.opening, articulation.range
        if articulation.kind == "slide":
            return (0.97 * full_range, opening + 0.5 * (full_range - opening))
        if is_flap(articulation):
            return tuple(
                end
                for end in (0.97 * full_range, 0.87 * full_range, 0.6 * full_range, 0.35 * full_range)
                if end > opening + 0.15
            )
        first = () if self.fixed or self._room_before(articulation) else IN_A_CORNER
        aims = [min(end, full_range) for end in (*first, FURTHEST, 1.4, LEAST, 0.8, 0.5)]
        return tuple(end for end in aims if end > opening + 0.15)

    def _room_before(self, articulation: Articulation) -> bool:
        """Whether the base fits between a hinged door at a right angle and what is beside it."""
        panel_rotation = rotation_z(-float(np.sign(articulation.axis[2])) * articulation.opening)
        outward = (panel_rotation @ articulation.outward)[:2]
        panel_direction = (panel_rotation @ (articulation.handle - articulation.axis_point))[:2]
        panel_direction = panel_direction - (panel_direction @ outward) * outward
        panel_direction /= max(float(np.linalg.norm(panel_direction)), 1e-6)
        radius = self.spec.footprint_radius + self.margin
        line = articulation.axis_point[:2] + POCKET * outward
        clearances = (self.costs.clear_at(line + t * panel_direction) for t in np.arange(radius, 3 * radius, 0.02))
        # Space behind a wall is no room before the door.
        return any(room >= radius + ELBOW for room in itertools.takewhile(lambda room: room > 0.0, clearances))

    def is_done(self, articulation: Articulation) -> bool:
        # Wider than `thresholds.OPEN` requires: the arm that reaches in next needs room beside the panel.
        threshold = LEAST - 0.1 if articulation.kind == "hinge" else 0.75 * articulation.range
        return articulation.opening >= min(threshold, 0.9 * articulation.range)

    def wide(self, articulation: Articulation) -> bool:
        """Whether a door is open so far that it no longer obstructs a robot in front of it."""
        if articulation.kind == "slide":
            return articulation.opening >= ALMOST * articulation.range if self.fixed else self.is_done(articulation)
        return self.is_done(articulation) and articulation.opening >= min(WIDE, 0.9 * articulation.range)

    def pick_articulation(self) -> Articulation:
        return min(_articulations_of(self.goal), key=lambda a: a.opening / a.range)


class Close(MoveArticulation):
    """Closes a door or a drawer by pushing with the closed hand; a flap, a lid or a sliding door by its handle."""

    name = "classical/close"
    actions = ("Close",)
    sides = (OUTSIDE, AROUND)

    def contacts(self, articulation: Articulation) -> Sequence[Array]:
        """Return contacts on the panel beside the handle, on the hinge's side, or in its middle; on the bar of a
        drawer; around the bar of an articulation that is moved by its handle."""
        if self.grasps_handle(articulation):
            return [articulation.handle]
        fist = self.spec.fingers.reach + FIST
        if articulation.kind == "slide":
            return [articulation.handle + fist * articulation.outward]
        to_hinge = articulation.axis_point - articulation.handle
        to_hinge = to_hinge - (to_hinge @ articulation.outward) * articulation.outward
        to_hinge[2] = 0.0
        hinge_distance = max(float(np.linalg.norm(to_hinge)), 1e-6)
        on_panel = articulation.handle + (fist - STANDOFF) * articulation.outward
        return [
            on_panel + handle_distance * to_hinge / hinge_distance
            for handle_distance in (BESIDE_HANDLE, 0.5 * hinge_distance)
        ]

    def grasps_handle(self, articulation: Articulation) -> bool:
        return is_flap(articulation) or is_sliding_door(articulation)

    def ends(self, articulation: Articulation) -> tuple[float, ...]:
        opening = articulation.opening
        if self.grasps_handle(articulation):  # the stop is felt through the handle: do not aim beyond it
            return (0.0, 0.35 * opening, 0.6 * opening)
        return (-0.02, 0.35 * opening, 0.6 * opening)

    def is_done(self, articulation: Articulation) -> bool:
        return articulation.opening <= (SHUT_ANGLE if articulation.kind == "hinge" else SHUT_GAP)

    def pick_articulation(self) -> Articulation:
        return max(_articulations_of(self.goal), key=lambda a: a.opening / a.range)


def _articulations_of(goal: Goal) -> Sequence[Articulation]:
    """Return the articulations of a goal. Raises NotRetryable or Stuck if none is known."""
    if goal.articulations:
        return goal.articulations
    if opens_otherwise(kind_of(goal.name)):
        raise NotRetryable(FailureReason.OPENING_UNKNOWN)
    raise Stuck(FailureReason.NO_HANDLE)
