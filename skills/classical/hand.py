"""What a manipulation skill knows of the thing in its hand, and the poses for taking and leaving things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from homie.types import Array, Box, Pose, Surface
from skills.classical.motion import gripper_rotation

FINGER_REACH = 0.03
"""Metres that the finger pads extend beyond the gripper frame's origin."""

PALM = 0.045
"""Half height of the hand behind the fingers, m."""

FINGER_THICKNESS = 0.02
MAX_OPENING = 0.10


@dataclass(slots=True)
class Hand:
    """Memory that Pick leaves for Put: how the object sits in the gripper. Shared by one set of skills.

    pitch, roll: of the gripper when it took the object. drop: metres from the gripper frame down to the object's
    underside. half: half extents of the object's box. top: metres from the gripper frame up to its top.
    """

    pitch: float = 0.0
    roll: float = 0.0
    drop: float = 0.05
    top: float = 0.05
    half: tuple[float, float, float] = (0.04, 0.04, 0.05)

    @property
    def radius(self) -> float:
        """Of its footprint, m."""
        return float(np.hypot(self.half[0], self.half[1]))

    def drop_at(self, pitch: float) -> float:
        """`drop` when the hand is turned to another pitch and the object tilts with it."""
        tilt = abs(pitch - self.pitch)
        return self.drop * float(np.cos(tilt)) + min(self.half[:2]) * float(np.sin(tilt))

    def tilts(self, pitches: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """Pitches to put it down with, and what they cost: a tall thing should stand, a small one may lie anyhow."""
        dear = 0.4 if max(self.half) < 0.05 else 1.5
        others = [pitch for pitch in pitches if abs(pitch - self.pitch) > 0.1]
        return ((self.pitch, 0.0), *((pitch, dear * abs(pitch - self.pitch)) for pitch in others))


@dataclass(frozen=True, slots=True)
class Grasp:
    """One way to take a box: gripper pose, direction of approach, opening, and a cost of how much it is liked."""

    pose: Pose
    yaw: float
    pitch: float
    roll: float
    opening: float
    cost: float

    @property
    def approach(self) -> Array:
        """Unit vector (3,) along the fingers."""
        return self.pose.rotation[:, 0]

    def backed(self, distance: float, lift: float = 0.0) -> Pose:
        """The same pose, `distance` metres before the object and `lift` metres higher."""
        return Pose(self.pose.position - distance * self.approach + np.array([0, 0, lift]), self.pose.rotation)


def grasps(box: Box, others: Sequence[Box], access: Array | None, clearance: float) -> list[Grasp]:
    """Ways to take an upright box on a surface, best first.

    others: boxes that the open fingers must not hit. access: way out (2,) if the thing stands in a compartment,
    then only hands that fit through the front and under `clearance` metres are offered.
    """
    found: list[Grasp] = []
    hx, hy, hz = box.half
    bottom, top = box.center[2] - hz, box.center[2] + hz
    pitches = (0.25, 0.6, 0.0) if access is not None else (0.7, 0.95, 0.45, 1.25, np.pi / 2)
    for closing, half in ((0.0, hx), (np.pi / 2, hy)):
        rim = half > 0.046
        if rim and min(hx, hy) <= 0.046:
            continue
        opening = MAX_OPENING if rim else min(MAX_OPENING, 2 * half + 0.03)
        for pitch in pitches:
            for side in (0.0, np.pi):
                yaw = box.yaw + closing + np.pi / 2 + side
                for twist in (0.0, 0.3, -0.3) if pitch < 1.5 and not rim else (0.0,):
                    cost = 0.15 * abs(pitch - pitches[0]) + abs(twist) + (0.3 if pitch > 1.5 else 0.0)
                    found += _at(box, bottom, top, yaw + twist, pitch, opening, rim, closing, cost, access, clearance)
    return sorted((g for g in found if not _hits(g, others)), key=lambda g: g.cost)


def _at(
    box: Box,
    bottom: float,
    top: float,
    yaw: float,
    pitch: float,
    opening: float,
    rim: bool,
    closing: float,
    cost: float,
    access: Array | None,
    clearance: float,
) -> Iterator[Grasp]:
    if access is not None:
        inward = float(np.arctan2(-access[1], -access[0]))
        off = abs(float(np.remainder(yaw - inward + np.pi, 2 * np.pi) - np.pi))
        if off > 0.8:
            return
        cost += 0.4 * off
    tip = FINGER_REACH * np.sin(pitch) + 0.012 * np.cos(pitch)
    palm = PALM * np.cos(pitch) - 0.06 * np.sin(pitch)
    low = bottom + max(tip, palm) + 0.006
    wanted = top - 0.025 if pitch > 0.5 else box.center[2]
    z = max(low, min(wanted, top - 0.012)) if low < top + 0.02 else low
    if z > top + 0.005 and pitch < 0.5:
        return
    position = np.array([box.center[0], box.center[1], z])
    if rim:  # one finger inside, one outside a hollow thing
        if pitch < 0.9:
            return
        edge = (box.half[0] if closing == 0.0 else box.half[1]) - 0.012
        direction = box.yaw + closing
        for sign in (1.0, -1.0):
            moved = position + sign * edge * np.array([np.cos(direction), np.sin(direction), 0.0])
            moved[2] = max(low, top - 0.02)
            yield Grasp(Pose(moved, gripper_rotation(yaw, pitch)), yaw, pitch, 0.0, 0.07, cost + 0.2)
        return
    yield Grasp(Pose(position, gripper_rotation(yaw, pitch)), yaw, pitch, 0.0, opening, cost)


def _hits(grasp: Grasp, others: Sequence[Box]) -> bool:
    """Whether an open finger would stand in another thing."""
    side = grasp.pose.rotation[:, 1]
    reach = grasp.opening / 2 + FINGER_THICKNESS / 2
    for sign in (1.0, -1.0):
        finger = grasp.pose.position + sign * reach * side
        for other in others:
            apart = abs(finger[2] - other.center[2]) > other.half[2] + FINGER_REACH
            if not apart and other.distance(finger[:2]) < FINGER_THICKNESS / 2 + 0.004:
                return True
    return False


def places(surface: Surface, others: Sequence[Box], hand: Hand) -> list[tuple[float, Array]]:
    """Free spots (cost, point (3,) on the surface) for the thing in the hand, best first: roomy, and near the front."""
    level = surface.center[2]
    others = [other for other in others if -0.05 < other.center[2] - other.half[2] - level < 0.30]
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    need = hand.radius + 0.015
    room_x = max(surface.half_x - min(need, surface.half_x * 0.6), 0.0)
    room_y = max(surface.half_y - min(need, surface.half_y * 0.6), 0.0)
    found: list[tuple[float, Array]] = []
    count_x, count_y = max(1, int(room_x / 0.04)), max(1, int(room_y / 0.04))
    for u in np.linspace(-room_x, room_x, 2 * count_x + 1):
        for v in np.linspace(-room_y, room_y, 2 * count_y + 1):
            point = surface.center + np.array([c * u - s * v, s * u + c * v, 0.0])
            free = min((other.distance(point[:2]) for other in others), default=1.0) - hand.radius
            if free < 0.015:
                continue
            cost = 0.6 * max(0.0, 0.08 - free) / 0.08
            if surface.access is not None:
                depth = float((surface.center[:2] - point[:2]) @ surface.access) + _extent(surface)
                cost += abs(depth - 0.16)
            else:
                cost += 0.4 * float(np.hypot(u, v))
            found.append((cost, point))
    found.sort(key=lambda pair: pair[0])
    return found


def _extent(surface: Surface) -> float:
    """Half length of a surface along its way out."""
    assert surface.access is not None
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    along = abs(float(surface.access @ np.array([c, s])))
    return surface.half_x * along + surface.half_y * (1.0 - along)
