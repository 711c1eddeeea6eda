"""Teacher of M3's navigation on a recorded path: the decisions that lead to where the path continues.

poses --(one decision apart)--> nodes --(three decisions ahead)--> the classes whose rollouts end near

A decision moves the base equally far on every robot (`skills.m3.skill`), so paths are measured in decisions, not in
seconds: the teacher's speed does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, wrap_angles
from skills.m3.layout import ANGULAR, LINEAR, STEP, STOP

AHEAD = 3
"""Lookahead in decisions: a single one cannot distinguish a slight bend from none."""
RADIUS = 0.3
"""Weight (m per rad) of a heading error: the offset at arm's length of a base that is turned wrongly."""
WORTH = 0.02
"""Minimum progress (m) of a decision: a base that has missed the end by a little would turn to and fro."""
SPREAD = 0.02
"""Additional end error (m) at which a class counts 1/e of another: several are often nearly as good."""
NEAR = 1.0
"""Distance from the end of the path, in decisions, at which it counts as reached."""

ACTIONS = np.array([(linear, angular) for linear in LINEAR for angular in ANGULAR])
"""Velocities (20, 2) of the classes, m/s and rad/s."""


def nodes(poses: Array) -> NDArray[np.intp]:
    """Return the indices of the poses (n, 3) that are about one decision apart, including the last one."""
    travelled = np.concatenate([[0.0], np.cumsum(count_decisions(poses[:-1], poses[1:]))])
    indices = np.searchsorted(travelled, np.arange(0.0, travelled[-1], 1.0))
    return np.unique(np.append(indices, len(poses) - 1))


def count_decisions(first: Array, second: Array) -> Array:
    """Return the minimum number of decisions (n,) from poses (n, 3) to others: at full speed, turning while driving."""
    driven = np.linalg.norm(second[:, :2] - first[:, :2], axis=1) / (max(LINEAR) * STEP)
    turn_decisions = np.abs(wrap_angles(second[:, 2] - first[:, 2])) / (max(ANGULAR) * STEP)
    return np.asarray(np.maximum(driven, turn_decisions))


def decisions(way: Array, bases: Array) -> Array:
    """Return the quality of each class at each node of a path (n, 3), when the base is at `bases` (n, 3) instead:
    weights (n, 20) that sum to 1.

    `STOP` has all the weight at the last node, at nodes as near to the end, and where no class leads nearer.
    """
    targets = way[np.minimum(np.arange(len(way)) + AHEAD, len(way) - 1)]
    # Near the end fewer are left: three would lead beyond it, and turning on the spot would seem better.
    remaining = np.clip(np.round(count_decisions(bases, targets)).astype(int), 1, AHEAD) - 1
    end_poses = np.stack(
        [roll_out(bases, linear, angular)[remaining, np.arange(len(way))] for linear, angular in ACTIONS], axis=1
    )
    end_errors = np.linalg.norm(end_poses[..., :2] - targets[:, None, :2], axis=2)
    end_errors += RADIUS * np.abs(wrap_angles(end_poses[..., 2] - targets[:, None, 2]))
    end_errors[:, STOP] -= WORTH  # stopping must be beaten by `WORTH`
    stops = end_errors.argmin(axis=1) == STOP
    stops |= count_decisions(bases, np.repeat(way[-1:], len(way), axis=0)) <= NEAR
    stops[-1] = True
    quality = np.exp((end_errors.min(axis=1, keepdims=True) - end_errors) / SPREAD)
    quality[:, STOP] = 0.0
    quality[stops] = np.eye(len(ACTIONS))[STOP]
    return np.asarray(quality / quality.sum(axis=1, keepdims=True))


def goals(bases: Array, target: Array) -> Array:
    """Transform a target (3,) to the base frames at poses (n, 3), x forward, y left: (n, 3)."""
    x, y = (target[:2] - bases[:, :2]).T
    c, s = np.cos(bases[:, 2]), np.sin(bases[:, 2])
    return np.stack([c * x + s * y, -s * x + c * y, np.full(len(bases), target[2])], axis=1)


def roll_out(bases: Array, linear: float, angular: float) -> Array:
    """Return the poses after 1 to `AHEAD` decisions from poses (n, 3): (AHEAD, n, 3)."""
    pose, poses = bases.copy(), []
    for _ in range(AHEAD):
        middle = pose[:, 2] + angular * STEP / 2
        pose[:, 0] += linear * STEP * np.cos(middle)
        pose[:, 1] += linear * STEP * np.sin(middle)
        pose[:, 2] += angular * STEP
        poses.append(pose.copy())
    return np.stack(poses)
