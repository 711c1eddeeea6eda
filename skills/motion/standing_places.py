"""Choice of standing places: base poses from which a whole sequence of gripper poses is reachable."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from homie.kernel.interfaces import Kinematics, ReachBound
from homie.kernel.types import Array, Mask, Pose, Pose2, rotation_z, wrap_angles
from skills.motion.base_path_planning import CostMap
from skills.motion.motions import wrap

BEARINGS = (0.0, 0.35, -0.35, 0.7, -0.7, 1.05, -1.05)
"""Angles (rad) between the base heading and the direction of approach, best first."""
COST_DIGITS = 9
"""Decimals to which costs of candidates are rounded: equal ones tie, and keep their order, on every processor, although
matrix products differ between them in the last bits."""


@dataclass(frozen=True, slots=True)
class StandingPlace:
    """A base pose with the joint values that reach each pose of the sequence, from a raised posture."""

    base: Pose2
    joints: tuple[Array, ...]
    ready: Array


@dataclass(frozen=True, slots=True)
class Reachable:
    """Free floor that can be driven to from where the base is now."""

    costs: CostMap
    mask: Mask
    gaps: NDArray[np.float32]

    @classmethod
    def of(cls, costs: CostMap, base: Pose2) -> Reachable:
        _, labels = cv2.connectedComponents(costs.passable(base.xy).astype(np.uint8), connectivity=8)
        mask: Mask = (labels == labels[costs.cell(base.xy)]) & (costs.clearance >= costs.radius)
        gaps = cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5).astype(np.float32) * costs.resolution
        return cls(costs, mask, gaps)

    def __call__(self, point: Array) -> bool:
        """Whether the robot can stand at a point (2+,)."""
        return self.costs.clear_at(point) >= self.costs.radius and bool(self.mask[self.costs.cell(point)])

    def gap(self, point: Array) -> float:
        """Return the distance (m) from a point (2+,) to the nearest one where the robot can stand."""
        return float(self.gaps[self.costs.cell(point)])


def base_candidates(
    target: Array,
    approach: float | None,
    here: Pose2,
    reachable: Reachable,
    *,
    distances: Sequence[float],
    aside: float = 0.0,
    bearings: Sequence[float] = BEARINGS,
    offsets: Sequence[float] = (0.0,),
) -> list[tuple[float, Pose2]]:
    """Return base poses from which a gripper target (2+,) lies ahead, or in the direction of the arm, with their costs,
    cheapest first.

    Args:
        approach: Yaw of the gripper at the target; None if any yaw will do.
        offsets: Angles added to the heading so that the target need not be straight ahead.
        distances: Metres from the base's centre to the target, best first.
        aside: Direction (rad) in which the arm reaches out, from straight ahead.
    """
    candidates: list[tuple[float, Pose2]] = []
    if approach is None:
        heading = float(np.arctan2(*(target[:2] - here.xy)[::-1]))
        directions = [heading + k * np.pi / 8 for k in range(16)]
        bearings = (0.0,)
    else:
        directions = [approach]
    for direction, bearing, distance, offset in itertools.product(directions, bearings, distances, offsets):
        line = direction - bearing
        xy = target[:2] - distance * np.array([np.cos(line), np.sin(line)])
        if not reachable(xy):
            continue
        turn = abs(wrap(line - aside - here.yaw))
        cost = (
            0.5 * abs(bearing)
            + 1.2 * abs(distance - distances[0])
            + 0.25 * float(np.linalg.norm(xy - here.xy))
            + 0.08 * turn
            + 0.3 * abs(offset)
            + 0.25 * max(0.0, 0.45 - reachable.costs.clear_at(xy))
        )
        candidates.append((round(cost, COST_DIGITS), Pose2(float(xy[0]), float(xy[1]), wrap(line - aside + offset))))
    candidates.sort(key=lambda pair: pair[0])
    return candidates


def solve_sequence(
    kinematics: Kinematics,
    base: Pose2,
    poses: Iterable[Pose],
    q0: Array,
    *,
    max_jump: float = 2.0,
    locked_torso: bool = False,
) -> tuple[Array, ...] | None:
    """Return joint values for each pose (odometry frame) from a base pose, each solved from the one before, or None.

    Args:
        max_jump: Largest joint change (rad) between neighbours after the first; more means the arm would flip over.
        locked_torso: Whether the torso stays where the first pose brings it.
    """
    turn = rotation_z(-base.yaw)
    aims = [(base.inverse(pose.position), turn @ pose.rotation) for pose in poses]
    if isinstance(kinematics, ReachBound) and any(kinematics.out_of_reach(*aim) for aim in aims):
        return None
    joints: list[Array] = []
    q = q0
    for position, rotation in aims:
        locked = locked_torso and bool(joints)
        solution = kinematics.solve(position, rotation, q, locked_torso=locked)
        if not solution.ok:
            return None
        if joints and np.max(np.abs(wrap_angles(solution.q - q))) > max_jump:
            return None
        q = solution.q
        joints.append(q)
    return tuple(joints)


Option: TypeAlias = tuple[float, Pose2, Sequence[Pose]]
"""A cost, a base pose, and the gripper poses (odometry frame) to reach from there in turn."""

PER_PLACE = 12
"""Maximum number of options of about the same base pose that are tried: if these fail, more of them will."""


def same_place(first: Pose2, other: Pose2) -> bool:
    """Whether two base poses are about the same: what failed at one will fail at the other."""
    return bool(np.hypot(first.x - other.x, first.y - other.y) < 0.12 and abs(wrap(first.yaw - other.yaw)) < 0.3)


AnyOption = TypeVar("AnyOption", bound=tuple[float, Pose2, object])


def cheapest(options: Iterable[AnyOption]) -> list[AnyOption]:
    """Return options sorted by cost, not too many from any one place on the floor."""
    counts: Counter[tuple[int, int, int]] = Counter()
    chosen = []
    for option in sorted(options, key=lambda option: option[0]):
        base = option[1]
        place = (round(base.x / 0.1), round(base.y / 0.1), round(base.yaw / 0.3))
        counts[place] += 1
        if counts[place] <= PER_PLACE:
            chosen.append(option)
    return chosen


def first_standing(
    kinematics: Kinematics,
    options: Iterable[Option],
    readies: Sequence[Array],
    margins: Sequence[tuple[float, float]],
    *,
    clearance: Callable[[Pose2, Array], float],
    accept: Callable[[StandingPlace, float, float], bool],
    tries: int = 600,
) -> tuple[StandingPlace, Sequence[Pose]] | None:
    """Return the cheapest option whose pose sequence is reachable and accepted. Options: (cost, base pose, poses),
    sorted.

    The second pose, where the work is done, decides most: it is solved alone first, and the rest only if the arm has
    the `clearance` there.

    Args:
        margins: On the path there and at the poses (m); options that fail with one pair wait for the next.
            accept(standing, margin of the path, margin at the poses) has the last word.
    """
    waiting = _reachable_options(kinematics, itertools.islice(options, tries), readies, clearance)
    for way, margin in margins:
        deferred = []
        for base, poses, ready, free in waiting:
            if free >= margin:
                joints = solve_sequence(kinematics, base, poses, ready)
                if joints is None:
                    continue
                if accept(StandingPlace(base, joints, ready), way, margin):
                    return StandingPlace(base, joints, ready), poses
            deferred.append((base, poses, ready, free))
        waiting = iter(deferred)
    return None


def _reachable_options(
    kinematics: Kinematics,
    options: Iterable[Option],
    readies: Sequence[Array],
    clearance: Callable[[Pose2, Array], float],
) -> Iterator[tuple[Pose2, Sequence[Pose], Array, float]]:
    """Yield the options whose second pose the arm reaches, from each raised posture, with the arm's clearance there."""
    for _, base, poses in options:
        for ready in readies:
            at = solve_sequence(kinematics, base, poses[1:2], ready)
            if at is None:
                break
            yield base, poses, ready, clearance(base, at[0])
