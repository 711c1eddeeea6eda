"""Dimensions of a gripper and working distances of an arm, for choosing grasps and base poses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingers:
    """Dimensions of a gripper around its frame, m, for choosing grasps. The defaults are the Fetch's.

    Args:
        reach: Extent of the finger pads beyond the origin of the gripper frame.
        half_height: Half the height of a finger, perpendicular to the closing direction.
        thickness: Thickness of a finger in the closing direction, with a small margin.
        tip: Thickness of the fingertip, without margin: it has to fit under the rim of a plate.
        palm_face: Distance of the palm's front behind the origin.
        palm_half: Half the height of the palm at its front.
        palm_width: Half the width of the palm.
        palm_behind: Distance behind the origin at which the hand is thickest.
        thickest: Half the height of the hand there.
        room: Gap between each open finger and the widest object that they can enclose.
        clearance: Gap that a grasp leaves between the hand and the supporting surface: more than the error of the arm.
    """

    reach: float = 0.03
    half_height: float = 0.012
    thickness: float = 0.02
    tip: float = 0.014
    palm_face: float = 0.033
    palm_half: float = 0.034
    palm_width: float = 0.064
    palm_behind: float = 0.06
    thickest: float = 0.045
    room: float = 0.004
    clearance: float = 0.006


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Distances at which the base should stand for actions of the arm. The defaults are the Fetch's.

    Args:
        distances: Distances (m) from the centre of the base to an object to pick, best first.
        spots: The same to the spot where an object is put down.
        handles: The same to the middle of the path of a handle.
        switches: The same to a switch to press.
        aside: Direction (rad) in which the arm reaches out, relative to straight ahead: -pi/2 is to the right.
        level: Position of the hand in the base frame (m) while it carries an object that must not tilt.
    """

    distances: tuple[float, ...] = (0.72, 0.64, 0.80, 0.56, 0.88, 0.96)
    spots: tuple[float, ...] = (0.72, 0.62, 0.82, 0.92, 1.0)
    handles: tuple[float, ...] = (0.72, 0.62, 0.82, 0.92)
    switches: tuple[float, ...] = (0.72, 0.80, 0.64, 0.88, 0.96)
    aside: float = 0.0
    level: tuple[float, float, float] = (0.5, 0.0, 0.95)
