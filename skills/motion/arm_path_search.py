"""Arm paths from one posture to another that avoid obstacles and the robot's own body.

The held object counts as part of the arm. The straight path in joint space is tried first, then paths by raised
postures, then a search (RRT-Connect: Kuffner and LaValle, "An efficient approach to single-query path planning", ICRA
2000).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import Chain
from homie.kernel.types import Array, Pose2
from skills.motion.collision import Solids

STEP = 0.15
"""Joint change (rad) between two postures of a path that are checked."""
ROUNDING = 1e-9
"""Tolerance, in steps: a path of a whole number of steps, as every `LEAP` is, has as many on every processor."""

LIFT_STEP = 0.04
"""The same for a torso and for prismatic joints, m."""

LEAP = 0.45
"""Joint change (rad) by which the search grows towards a random posture; it scales for a torso as `LIFT_STEP` to
`STEP`."""

AROUND = 1.2
"""Margin (rad) around both ends within which the search samples."""

SEARCHES = 350
"""Random postures that a search tries before it gives up: about a second of computation."""

SHORTCUTS = 40

OWN = 0.02
"""Clearance (m) of a planned path from the robot's own body. The arm deviates from it by up to 15 mm: it rounds the
corners of the path, and its joints lag differently."""

FATTER = 0.03
"""Reduction (m) of the radii of the held object's spheres against the robot's own body: they are fatter than the
object, and it is carried close to the chest."""


class Joints:
    """Paths in the joint space of a chain."""

    def __init__(self, chain: Chain) -> None:
        self.nearest = chain.nearest
        self.low, self.high = chain.limits.T
        self._step = np.where(chain.slides, LIFT_STEP, STEP)

    def unroll(self, way: Sequence[Array]) -> list[Array]:
        """Return the postures with the continuous joints of each on the turn nearest to the posture before."""
        turns = [way[0]]
        for target in way[1:]:
            turns.append(self.nearest(target, turns[-1]))
        return turns

    def size(self, displacement: Array) -> float:
        """Return the size of a displacement (n,), rad, with metres scaled as `LIFT_STEP` to `STEP`."""
        return float(np.max(np.abs(displacement) * STEP / self._step))

    def between(self, begin: Array, end: Array) -> list[Array]:
        """Return postures along the straight path in joint space, with both ends."""
        count = max(1, int(np.ceil(self.size(end - begin) / STEP - ROUNDING)))
        return [begin + (end - begin) * (k / count) for k in range(count + 1)]

    def sample(self, rng: np.random.Generator, begin: Array, end: Array) -> Array:
        """Return a random posture around two others."""
        low = np.maximum(np.minimum(begin, end) - AROUND, self.low)
        high = np.minimum(np.maximum(begin, end) + AROUND, self.high)
        return np.asarray(rng.uniform(low, high))


@dataclass(frozen=True, slots=True)
class ArmSpace:
    """Arm postures and their clearances while the base stands at a pose.

    Attributes:
        held: Spheres (n, 4) in the gripper frame, see `Hand`.
    """

    joints: Joints
    kinematics: Kinematics
    solids: Solids
    base: Pose2
    held: Array

    known: dict[bytes, float] = field(default_factory=dict, init=False)
    """Cache of the clearances of postures: paths share them, and each is tried for several margins. A space made of
    this one by `replace` begins with an empty cache: it has other solids, another base, or another held object."""

    def clearance(self, q: Array) -> float:
        """Return the distance (m) between the arm with the held object and the solids, negative inside them."""
        cache_key = q.tobytes()
        if cache_key not in self.known:
            self.known[cache_key] = self._clearance(q)
        return self.known[cache_key]

    def _clearance(self, q: Array) -> float:
        points, radii = self.kinematics.link_points(q), self.kinematics.point_radii
        if len(self.held):
            gripper = self.kinematics.forward(q)
            points = np.vstack([points, gripper.position + self.held[:, :3] @ gripper.rotation.T])
            radii = np.append(radii, self.held[:, 3])
        c, s = math.cos(self.base.yaw), math.sin(self.base.yaw)
        rotated = np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1], points[:, 2]], 1)
        return self.solids.distance(rotated + np.array([self.base.x, self.base.y, 0.0]), radii)

    def own(self, q: Array) -> float:
        """Return the distance (m) between the arm with the held object and the robot itself, less the clearance
        `OWN`."""
        return self.kinematics.self_distance(q, self.held - [0.0, 0.0, 0.0, FATTER]) - OWN

    def clear(self, begin: Array, end: Array, margin: float) -> bool:
        """Whether the straight path in joint space keeps `margin` metres from solids, and out of the robot itself."""
        end = self.joints.nearest(end, begin)
        own_limit = min(0.0, self.own(begin), self.own(end)) - 1e-3
        # From the ends, which are often nearest to an obstacle.
        return all(
            self.clearance(q) >= margin and self.own(q) >= own_limit for q in reversed(self.joints.between(begin, end))
        )

    def find(
        self,
        begin: Array,
        end: Array,
        detours: Sequence[Sequence[Array]],
        margins: Sequence[float],
    ) -> list[Array] | None:
        """Return postures from `begin` (left out) to `end` with clear straight paths between them, or None if none was
        found.

        Args:
            detours: Intermediate postures, tried in order after the straight path.
            margins: Clearances (m), best first. A path whose begin or end is closer to an obstacle than that need not
                keep more than they do.
        """
        end_clearance = min(self.clearance(begin), self.clearance(end)) - 2e-3
        requested = list(dict.fromkeys(min(margin, end_clearance) for margin in margins))
        for margin in requested:
            for detour in ((), *detours):
                way = self.joints.unroll([begin, *detour, end])
                if all(self.clear(a, b, margin) for a, b in itertools.pairwise(way)):
                    return way[1:]
        end = self.joints.nearest(end, begin)
        for margin in requested:
            own_limit = min(0.0, self.own(begin), self.own(end)) - 1e-3

            def free(q: Array, margin: float = margin, own_limit: float = own_limit) -> bool:
                return self.own(q) >= own_limit and self.clearance(q) >= margin

            detour_path = connect(begin, end, free, self.joints)
            if detour_path is not None:
                return detour_path
        return None


def detours(ready: Sequence[Array], carry: Array, end: Array, torso: int) -> list[list[Array]]:
    """Return intermediate postures on the way to `end`, for `ArmSpace.find`: the raised ones and the one for carrying.

    Args:
        torso: Number of leading joints that belong to a torso.
    """
    return [
        # First with the torso at its final position: it is slow.
        *([np.concatenate([end[:torso], posture[torso:]])] for posture in (*ready, carry)),
        *([posture] for posture in (*ready, carry)),
        *([posture, carry] for posture in ready),
        *([carry, posture] for posture in ready),
    ]


def connect(begin: Array, end: Array, free: Callable[[Array], bool], joints: Joints) -> list[Array] | None:
    """Return a path from `begin` (left out) to `end` of postures with free straight paths between them, or None.
    Deterministic.

    Two trees grow towards random postures and towards each other; the path is then shortened.
    """
    rng = np.random.default_rng(0)
    trees: list[tuple[list[Array], list[int]]] = [([begin], [-1]), ([end], [-1])]
    for turn in range(SEARCHES):
        (nodes, parents), (other_nodes, other_parents) = trees[turn % 2], trees[1 - turn % 2]
        target = joints.sample(rng, begin, end)
        nearest_index = _nearest(nodes, target)
        offset = target - nodes[nearest_index]
        leaf = nodes[nearest_index] + offset * min(1.0, LEAP / max(joints.size(offset), 1e-9))
        if not _free_way(nodes[nearest_index], leaf, free, joints):
            continue
        nodes.append(leaf)
        parents.append(nearest_index)
        facing = _nearest(other_nodes, leaf)
        if _free_way(other_nodes[facing], leaf, free, joints):
            branch, other = _trace(nodes, parents, len(nodes) - 1), _trace(other_nodes, other_parents, facing)
            way = [*reversed(branch), *other] if turn % 2 == 0 else [*reversed(other), *branch]
            return _shorten(way, free, joints, rng)[1:]
    return None


def _free_way(begin: Array, end: Array, is_free: Callable[[Array], bool], joints: Joints) -> bool:
    return all(is_free(q) for q in joints.between(begin, end)[1:])


def _nearest(nodes: Sequence[Array], target: Array) -> int:
    return int(np.argmin(np.abs(np.array(nodes) - target).max(axis=1)))


def _trace(nodes: Sequence[Array], parents: Sequence[int], at: int) -> list[Array]:
    """Return the nodes from `at` to the root of its tree."""
    branch = []
    while at >= 0:
        branch.append(nodes[at])
        at = parents[at]
    return branch


def _shorten(
    way: list[Array], is_free: Callable[[Array], bool], joints: Joints, rng: np.random.Generator
) -> list[Array]:
    for _ in range(SHORTCUTS):
        first, last = sorted(rng.choice(len(way), 2, replace=False))
        if last - first > 1 and _free_way(way[first], way[last], is_free, joints):
            way = [*way[: first + 1], *way[last:]]
    return way
