"""Things, furniture and maps by their numbers, askew so that no two ways to take them are equally good."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from homie.kernel.robot.reach import Fingers
from homie.kernel.types import Array, Box, OccupancyGrid, Pose, Solid, Surface, rotation_z
from skills.motion.motions import gripper_rotation

NARROW = Fingers(
    reach=0.04,
    half_height=0.01,
    thickness=0.015,
    tip=0.009,
    palm_face=0.02,
    palm_half=0.03,
    palm_width=0.05,
    palm_behind=0.07,
    thickest=0.05,
    room=0.006,
)
"""A hand of another shape."""
TOP = Surface(np.array([1.0, 2.0, 0.7]), 0.3, 0.5, 0.4)
OUT = np.array([math.cos(0.4), math.sin(0.4)])
SHELF = replace(TOP, half_x=0.16, clearance=0.35, access=OUT)

CAN = Box(np.array([1.05, 2.1, 0.76]), np.array([0.033, 0.031, 0.06]), 0.3, "can")
BOTTLE = Box(np.array([1.05, 2.1, 0.82]), np.array([0.036, 0.034, 0.12]), -0.2, "bottle")
BRICK = Box(np.array([1.0, 2.0, 0.735]), np.array([0.028, 0.06, 0.035]), 0.5, "brick")
MUG = Box(np.array([0.98, 2.05, 0.742]), np.array([0.049, 0.041, 0.042]), 0.63, "mug")
CARD = Box(np.array([1.0, 2.0, 0.71]), np.array([0.03, 0.045, 0.01]), 0.2, "card")
CRATE = Box(np.array([1.0, 2.0, 0.75]), np.array([0.09, 0.07, 0.05]), 0.2, "crate")


def beside(box: Box, x: float, y: float, half: tuple[float, float, float]) -> Box:
    """A neighbour that stands on the same board, x and y metres away."""
    low = box.center[2] - box.half[2]
    return Box(np.array([box.center[0] + x, box.center[1] + y, low + half[2]]), np.array(half), 0.1, "neighbour")


def block(box: Box) -> Solid:
    """A solid as large as a box."""
    return Solid("box", box.half, Pose(box.center, rotation_z(box.yaw)))


def bowl(center: Array) -> tuple[Solid, ...]:
    """Bottom and walls of a bowl, 54 mm high."""
    parts = [Solid("cylinder", np.array([0.05, 0.05, 0.004]), Pose(center - [0.0, 0.0, 0.023], np.eye(3)))]
    for angle in np.arange(14) * 2 * np.pi / 14:
        lean = rotation_z(float(angle)) @ gripper_rotation(0.0, 0.6)
        at = center + 0.061 * np.array([math.cos(angle), math.sin(angle), 0.0])
        parts.append(Solid("box", np.array([0.003, 0.016, 0.03]), Pose(at, lean)))
    return tuple(parts)


BOWL = Box(np.array([1.0, 2.0, 0.727]), np.array([0.079, 0.078, 0.027]), 0.1, "bowl")


def board(center: Array, yaw: float) -> tuple[Solid, Solid]:
    """A board 30 cm long with a handle at its end."""
    turn = rotation_z(yaw)
    handle = center + turn @ np.array([0.2, 0.01, 0.0])
    return (
        Solid("box", np.array([0.15, 0.1, 0.03]), Pose(center, turn)),
        Solid("box", np.array([0.05, 0.015, 0.012]), Pose(handle, turn)),
    )


BOARD = Box(np.array([1.05, 2.0, 0.73]), np.array([0.2, 0.1, 0.03]), 0.3, "board")


def plate(center: Array) -> tuple[Solid, ...]:
    """Foot and rim of a plate, 25 mm high and 24 cm wide."""
    parts = [Solid("cylinder", np.array([0.06, 0.06, 0.005]), Pose(center - [0.0, 0.0, 0.0075], np.eye(3)))]
    for angle in np.arange(12) * 2 * np.pi / 12:
        lean = rotation_z(float(angle)) @ gripper_rotation(0.0, -0.25)
        at = center + np.array([0.09 * math.cos(angle), 0.09 * math.sin(angle), 0.003])
        parts.append(Solid("box", np.array([0.032, 0.03, 0.002]), Pose(at, lean)))
    return tuple(parts)


PLATE = Box(np.array([1.0, 2.0, 0.7125]), np.array([0.121, 0.12, 0.0125]), 0.1, "plate")


def rooms(*, door: bool = True) -> OccupancyGrid:
    """Two rooms of 3 m by 3 m side by side with a doorway 1 m wide, a table in the right one, a corner unseen."""
    picture = np.zeros((60, 120), dtype=bool)
    picture[[0, -1], :] = picture[:, [0, -1]] = True
    picture[:, 60] = True
    if door:
        picture[8:28, 60] = False
    picture[26:40, 84:98] = True
    unknown = np.zeros_like(picture)
    unknown[44:, 90:] = True
    return OccupancyGrid(picture, unknown, np.array([-1.0, -0.5]), 0.05)
