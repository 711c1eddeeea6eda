"""The shape of a hand and the places from which an arm works, as data for whoever chooses grasps and standpoints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingers:
    """The shape of a gripper around its frame, m, for whoever chooses grasps. The usual values are the Fetch's.

    Args:
        reach: How far the finger pads extend beyond the origin of the gripper frame.
        half_height: Half the height of a finger, across the direction in which they close.
        thickness: Of a finger, in that direction, with a little room.
        tip: The same of its tip, without: what has to fit under the rim of a plate.
        palm_face: Where the palm ends, behind the origin.
        palm_half: Half the height of the palm there.
        palm_width: Half its width.
        palm_behind: Where, behind the origin, the hand is thickest.
        thickest: Half the height of the hand there.
        room: Between each open finger and the widest thing that they go round.
        clearance: What a grasp leaves between the hand and what the thing stands on: more than the arm may be off.
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
    """Where a base should stand for what the arm does, for whoever chooses places. The usual values are the Fetch's.

    Args:
        distances: Metres from the base's centre to what is taken, best first.
        spots: The same to where something is put down.
        handles: The same to the middle of the way of a handle.
        switches: The same to a switch that is pressed.
        aside: Direction (rad) in which the arm reaches out, from straight ahead: -pi/2 to the right.
        level: Where the hand is, in the base frame (m), while something is carried that must not tilt.
    """

    distances: tuple[float, ...] = (0.72, 0.64, 0.80, 0.56, 0.88, 0.96)
    spots: tuple[float, ...] = (0.72, 0.62, 0.82, 0.92, 1.0)
    handles: tuple[float, ...] = (0.72, 0.62, 0.82, 0.92)
    switches: tuple[float, ...] = (0.72, 0.80, 0.64, 0.88, 0.96)
    aside: float = 0.0
    level: tuple[float, float, float] = (0.5, 0.0, 0.95)
