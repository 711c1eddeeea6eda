"""Candidate grasps of an upright box, or of the rim of a hollow one, with a two-finger gripper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from homie.kernel.robot.reach import Fingers
from homie.kernel.types import Array, Box, Pose, Solid
from skills.motion.motions import gripper_rotation, wrap

FINGERS = Fingers()
"""The default finger geometry."""
BEFORE_PALM = 0.004
"""Gap (m) kept between the palm and the object between the fingers: a palm that pushes a tall object topples it."""
ROUND, UNSURE = 0.75, 1.0
"""Ratio of shorter to longer side from which a footprint could belong to a round object: among objects that fit between
the fingers, cans, mugs and fruit do, and boxes are flatter. And the cost of a grasp that relies on this: it ranks after
all others from about the same place."""
LEAST_HOLD = 0.018
"""Minimum length (m) of an object's side that the fingers must cover."""

LEAST_OUT = 0.02
"""Minimum distance (m) of a part's middle from all other parts for it to count as a handle."""

SPARE = ((0.03, 0.0), (0.012, 0.2))
"""Finger opening (m) in excess of an object's width, and its cost: the small one is for objects with close
neighbours."""
RIM_OPENINGS = ((0.07, 0.0), (0.03, 0.25))
"""Openings (m) for a rim and their costs: there is room for the contents of a bowl between the inner finger and the
rim."""

EAR = 10.0
"""Cost per metre by which the object is longer in the direction of a rim grasp: a mug has its ear there, which gives
way."""

SIDEWAYS_OVER = 0.04
"""Height (m) above a grasp from the side at which the hand enters over the edge of the supporting surface."""

LEAST_RIM = 0.03
"""Minimum height (m) of an object for a finger to fit inside its rim."""

OVER_RIM = 0.022
"""Clearance (m) between a rim and the fingers that pass over its near side: the arm may be a centimetre off."""

DOWN = np.pi / 2
"""Pitch (rad) of a hand whose fingers point straight down."""

ROOM_ABOVE = 0.45
"""Minimum clearance (m) of a compartment for the hand and the wrist above it to fit in pointing down."""

FROM_ABOVE = (0.7, 0.95, 0.45, 1.25, np.pi / 2)
STANDING = (0.35, 0.5, 0.7, 0.95, 1.25)
"""Pitches for a tall object, which has to fit into compartments in the hand that grasped it."""
TALL = 0.08
"""Half height (m) from which an object is tall."""
THROUGH_FRONT = (0.25, 0.6, 0.0, 0.95)
RIM = (0.95, 0.7, 1.25, np.pi / 2)
"""Pitches of the hand (rad below the horizon), best first."""

MOST_SIDEWAYS = 0.8
"""Angle (rad) between the hand and the way into a compartment above which the hand does not fit."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A gripper: its maximum opening (m) and its finger geometry."""

    opening: float
    fingers: Fingers


@dataclass(frozen=True, slots=True)
class Grasp:
    """A candidate grasp: gripper pose, its yaw and pitch (rad), opening (m), and a cost, lower is better.

    Attributes:
        over: Height (m) above the pose at which the hand may enter sideways without a finger touching the object; with
            straight_down it must enter there, and descends.
        roll: Rotation of the hand about its fingers, rad: a quarter turn for a hand that closes from above and below.
        under: Length (m) of the last, level segment of the approach, on which a finger slides under the rim of a plate.
    """

    pose: Pose
    yaw: float
    pitch: float
    opening: float
    cost: float
    over: float = SIDEWAYS_OVER
    straight_down: bool = False
    roll: float = 0.0
    under: float = 0.0

    @property
    def approach(self) -> Array:
        """Unit vector (3,) along the fingers."""
        return self.pose.rotation[:, 0]

    @property
    def beside(self) -> Pose:
        """The pose at which the level segment of the approach begins, before the rim of a plate."""
        level = np.array([np.cos(self.yaw), np.sin(self.yaw), 0.0])
        return Pose(self.pose.position - self.under * level, self.pose.rotation)

    def retreat_pose(self, distance: float, lift: float = 0.0) -> Pose:
        """Return the pose moved back from the object by `distance` metres and up by `lift` metres."""
        return Pose(self.pose.position - distance * self.approach + np.array([0, 0, lift]), self.pose.rotation)


def grasps(
    box: Box,
    others: Sequence[Box],
    access: Array | None,
    *,
    room: float = np.inf,
    parts: Sequence[Solid] = (),
    opening: float = 0.10,
    fingers: Fingers = FINGERS,
) -> list[Grasp]:
    """Return grasps of an upright box on a surface, best first.

    Args:
        others: Boxes that the open fingers must not hit.
        access: Direction (2,) out of the compartment if the object stands in one; then only hands that fit through the
            front are offered.
        room: Free height (m) above the supporting surface.
        parts: The solids that make up the object, if known. A box that does not fit between the fingers, or only from
            straight above in a compartment, is grasped by its rim, unless its parts show that it has none.
        opening: Maximum opening of the gripper, m.
        fingers: Finger geometry.
    """
    pitches_from_above = STANDING if box.half[2] > TALL else FROM_ABOVE
    in_front = (*THROUGH_FRONT, *((DOWN,) if room >= ROOM_ABOVE else ()))
    pitches = pitches_from_above if access is None else in_front
    tool = Tool(opening, fingers)
    ways = [*_side_grasps(box, pitches, parts, tool), *_straight_in(box, pitches, parts, access, tool)]
    side_grasps = fitting(ways, others, access, fingers)
    if not side_grasps and (by_handle := fitting(_handle_grasps(box, pitches, parts, tool), others, access, fingers)):
        return by_handle
    if 2 * box.half[2] < LEAST_RIM or any(access is None or grasp.pitch < DOWN for grasp in side_grasps):
        return side_grasps
    rim_candidates = (grasp for grasp in _rim_grasps(box, tool) if _rim_is_graspable(grasp, parts, fingers))
    rim = fitting(rim_candidates, others, access, fingers)
    return sorted([*side_grasps, *rim], key=lambda grasp: grasp.cost)


def fitting(candidates: Iterable[Grasp], others: Sequence[Box], access: Array | None, fingers: Fingers) -> list[Grasp]:
    """Return the grasps, sorted by cost, that fit through the front of a compartment and keep the fingers clear of
    obstacles."""
    chosen = [grasp for grasp in candidates if not touches(grasp, others, fingers)]
    if access is None:
        return sorted(chosen, key=lambda grasp: grasp.cost)
    inward = float(np.arctan2(-access[1], -access[0]))

    def aside(grasp: Grasp) -> float:
        return 0.0 if grasp.pitch >= DOWN else abs(wrap(grasp.yaw - inward))

    chosen = [grasp for grasp in chosen if aside(grasp) <= MOST_SIDEWAYS]
    return sorted(chosen, key=lambda grasp: grasp.cost + 0.4 * aside(grasp))


def _side_grasps(box: Box, pitches: Sequence[float], parts: Sequence[Solid], tool: Tool) -> Iterator[Grasp]:
    """Yield grasps with the fingers on two opposite sides that are narrow enough."""
    top, fingers = box.center[2] + box.half[2], tool.fingers
    for closing_yaw, half, depth in ((box.yaw, *box.half[:2]), (box.yaw + np.pi / 2, *box.half[1::-1])):
        if half > tool.opening / 2 - fingers.room:
            continue
        for pitch in pitches:
            low = _lowest_height(box, pitch, fingers)
            height = max(low, min(top - 0.025 if pitch > 0.5 else box.center[2], top - 0.012))
            if pitch < 0.5 and height > top + 0.005:
                continue
            middle = np.array([box.center[0], box.center[1], height])
            for side in (np.pi / 2, -np.pi / 2):
                for twist in (0.0, 0.3, -0.3) if pitch < 1.5 else (0.0,):
                    cost = 0.15 * abs(pitch - pitches[0]) + abs(twist) + (0.3 if pitch > 1.5 else 0.0)
                    yaw = closing_yaw + side + twist
                    back = _palm_back(box, parts, Pose(middle, gripper_rotation(yaw, pitch)), yaw, pitch, fingers)
                    if _extent(box, yaw) + fingers.reach * np.cos(pitch) - back < LEAST_HOLD:
                        continue
                    # Along the object, not along a hand twisted against it, or a finger would come down on the object.
                    approach_yaw = yaw - twist
                    position = middle - back / np.cos(twist) * np.array(
                        [np.cos(approach_yaw), np.sin(approach_yaw), 0.0]
                    )
                    pose = Pose(position, gripper_rotation(yaw, pitch))
                    width = 2 * (half * np.cos(twist) + depth * np.sin(abs(twist)))
                    lift = top - (height - _tip(pitch, fingers)) + OVER_RIM if pitch >= DOWN else SIDEWAYS_OVER
                    for spare, opening_cost in SPARE:
                        opening = min(tool.opening, width + spare)
                        yield Grasp(pose, yaw, pitch, opening, cost + opening_cost, lift, pitch >= DOWN)


def _straight_in(
    box: Box, pitches: Sequence[float], parts: Sequence[Solid], access: Array | None, tool: Tool
) -> Iterator[Grasp]:
    """Yield grasps straight into a compartment, and across it, of an object with unknown parts that could be round: the
    orientation of its box is meaningless then."""
    radius = float(box.half[:2].min())
    if access is None or parts or radius < ROUND * float(box.half[:2].max()):
        return
    inward = float(np.arctan2(-access[1], -access[0]))
    for grasp in _side_grasps(Box(box.center, np.array([radius, radius, box.half[2]]), inward), pitches, parts, tool):
        yield replace(grasp, cost=grasp.cost + UNSURE)


def _handle_grasps(box: Box, pitches: Sequence[float], parts: Sequence[Solid], tool: Tool) -> Iterator[Grasp]:
    """Yield grasps around a part that protrudes from all others, such as the handle of a board, where the whole object
    does not fit between the fingers."""
    for part in parts:
        other_parts = [Box.around([other], _level_yaw(other)) for other in parts if other is not part]
        handle = Box.around([part], _level_yaw(part))
        if not other_parts or _enclosing_box(other_parts, box.yaw).distance(handle.center) < LEAST_OUT:
            continue
        for grasp in _side_grasps(handle, pitches, [part], tool):
            if not touches(grasp, other_parts, tool.fingers):
                yield grasp


def _level_yaw(part: Solid) -> float:
    """Return the yaw of a solid's own x axis."""
    return float(np.arctan2(*part.pose.rotation[1::-1, 0]))


def _enclosing_box(boxes: Sequence[Box], yaw: float) -> Box:
    """Return an upright box of the given yaw that encloses other boxes."""
    turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
    level = np.concatenate([box.corners() for box in boxes]) @ turn.T
    heights = [box.center[2] + side * box.half[2] for box in boxes for side in (-1.0, 1.0)]
    low, high = np.array([*level.min(axis=0), min(heights)]), np.array([*level.max(axis=0), max(heights)])
    middle = (low + high) / 2
    return Box(np.array([*(middle[:2] @ turn), middle[2]]), (high - low) / 2, yaw)


def _rim_grasps(box: Box, tool: Tool) -> Iterator[Grasp]:
    """Yield grasps of a hollow object from above, with one finger inside and one outside."""
    top, fingers = box.center[2] + box.half[2], tool.fingers
    for rim_yaw, half in ((box.yaw, box.half[0]), (box.yaw + np.pi / 2, box.half[1])):
        for pitch in RIM:
            for sign in (1.0, -1.0):
                edge = sign * (half - 0.012) * np.array([np.cos(rim_yaw), np.sin(rim_yaw), 0.0])
                # Keep the palm above the rim.
                lift = fingers.palm_half * np.cos(pitch) - fingers.palm_face * np.sin(pitch) + BEFORE_PALM
                height = max(_lowest_height(box, pitch, fingers), top - 0.02, top + lift)
                position = np.array([box.center[0], box.center[1], height]) + edge
                entry_height = top - (height - _tip(pitch, fingers)) + OVER_RIM
                for side in (np.pi / 2, -np.pi / 2):
                    pose = Pose(position, gripper_rotation(rim_yaw + side, pitch))
                    for opening, opening_cost in RIM_OPENINGS:
                        ear_cost = EAR * (half - float(np.min(box.half[:2])))
                        cost = 0.2 + 0.15 * abs(pitch - RIM[0]) + opening_cost + ear_cost
                        yield Grasp(pose, rim_yaw + side, pitch, opening, cost, entry_height, True)


def _rim_is_graspable(grasp: Grasp, parts: Sequence[Solid], fingers: Fingers) -> bool:
    """Whether a rim grasp from above has a wall of the object between its fingers, and neither finger a part of the
    object in its way, such as a wall or the bottom of an upside-down bowl."""
    if not parts:
        return True
    boxes = [Box.around([part], _level_yaw(part)) for part in parts]
    finger_offset = (grasp.opening + fingers.thickness) / 2 * grasp.pose.rotation[:, 1]
    tip = float(grasp.pose.position[2] + fingers.reach * grasp.approach[2])

    def within(point: Array) -> bool:
        return any(box.distance(point) == 0.0 and tip < box.center[2] + box.half[2] for box in boxes)

    middle = grasp.pose.position
    has_wall = any(within(middle + part * finger_offset) for part in np.linspace(-0.7, 0.7, 15))
    return has_wall and not within(middle + finger_offset) and not within(middle - finger_offset)


def _extent(box: Box, yaw: float) -> float:
    """Return how far the footprint of a box extends from its middle in a direction, m."""
    return float(np.abs([np.cos(yaw - box.yaw), np.sin(yaw - box.yaw)]) @ box.half[:2])


def _palm_back(box: Box, parts: Sequence[Solid], pose: Pose, yaw: float, pitch: float, fingers: Fingers) -> float:
    """Return the horizontal distance (m) that the gripper has to stay back from a pose over an object's middle so that
    the palm does not touch it.

    The box gives a bound from the part of the palm below the object's top, the parts give one from their extent towards
    the palm. Both are conservative, so the smaller one is used.
    """
    c, s = np.cos(pitch), max(float(np.sin(pitch)), 0.0)
    palm_depth = (float(box.center[2] + box.half[2] - pose.position[2]) - fingers.palm_face * s) / max(float(c), 1e-6)
    if palm_depth < -fingers.palm_half:
        return 0.0
    back = _extent(box, yaw) - fingers.palm_face * c + min(palm_depth, fingers.palm_half) * s
    if parts and c > 0.1:
        approach = -pose.rotation[:, 0]
        reach = max(float(part.reach(approach[None])[0]) for part in parts) - float(approach @ pose.position)
        back = min(back, (reach - fingers.palm_face) / c)
    return float(max(0.0, back + BEFORE_PALM))


def _lowest_height(box: Box, pitch: float, fingers: Fingers) -> float:
    """Return the lowest gripper frame height (m) at which neither fingertips nor palm touch the supporting surface."""
    palm = fingers.thickest * np.cos(pitch) - fingers.palm_behind * np.sin(pitch)
    return float(box.center[2] - box.half[2] + max(_tip(pitch, fingers), palm) + fingers.clearance)


def _tip(pitch: float, fingers: Fingers) -> float:
    """Return the distance (m) from the gripper frame down to the lowest point of the fingers."""
    return float(fingers.reach * np.sin(pitch) + fingers.half_height * np.cos(pitch))


def touches(grasp: Grasp, others: Sequence[Box], fingers: Fingers) -> bool:
    """Whether an open finger would be inside another object."""
    side = grasp.pose.rotation[:, 1]
    reach = grasp.opening / 2 + fingers.thickness / 2
    for sign in (1.0, -1.0):
        finger = grasp.pose.position + sign * reach * side
        for other in others:
            is_apart = abs(finger[2] - other.center[2]) > other.half[2] + fingers.reach
            if not is_apart and other.distance(finger[:2]) < fingers.thickness / 2 + 0.004:
                return True
    return False


def palm_touches(grasp: Grasp, others: Sequence[Box], fingers: Fingers) -> bool:
    """Whether the lower edge of the palm would be inside another object."""
    rotation = grasp.pose.rotation
    edge = grasp.pose.position - fingers.palm_face * rotation[:, 0] - fingers.palm_half * rotation[:, 2]
    points = [edge + lateral * rotation[:, 1] for lateral in np.linspace(-fingers.palm_width, fingers.palm_width, 5)]
    return any(
        abs(point[2] - other.center[2]) < other.half[2] and other.distance(point) == 0.0
        for point in points
        for other in others
    )
