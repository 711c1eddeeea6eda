"""What M3's navigation should have decided on a recorded way: the decisions that lead from it to where it went next.

poses --(distinct by a decision)--> nodes --(three decisions ahead)--> the classes whose rollouts end near

A decision moves the base as far on every robot (`skills.m3.skill`), so ways are counted in decisions, not in seconds:
how fast the teacher was does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Array, wrapped
from skills.m3.layout import ANGULAR, LINEAR, STEP, STOP

AHEAD = 3
"""Decisions that are looked ahead: one alone cannot tell a slight bend from none."""
RADIUS = 0.3
"""Metres that a radian counts: what a base that is turned wrongly is off at arm's length."""
WORTH = 0.02
"""Metres that a decision has to bring the base nearer: who has missed the end by a little would turn to and fro."""
SPREAD = 0.02
"""Metres by which a class has to end further off to count 1/e of another: several are often nearly as good."""
NEAR = 1.0
"""Decisions from the end of the way at which it is over."""

ACTIONS = np.array([(linear, angular) for linear in LINEAR for angular in ANGULAR])
"""Velocities (20, 2) of the classes, m/s and rad/s."""


def nodes(poses: Array) -> NDArray[np.intp]:
    """Which of the poses (n, 3) are about a decision apart, the last one with them."""
    travelled = np.concatenate([[0.0], np.cumsum(apart(poses[:-1], poses[1:]))])
    indices = np.searchsorted(travelled, np.arange(0.0, travelled[-1], 1.0))
    return np.unique(np.append(indices, len(poses) - 1))


def apart(first: Array, second: Array) -> Array:
    """Decisions (n,) that it takes at least from poses (n, 3) to others: at full speed, turning while driving."""
    driven = np.linalg.norm(second[:, :2] - first[:, :2], axis=1) / (max(LINEAR) * STEP)
    turn_decisions = np.abs(wrapped(second[:, 2] - first[:, 2])) / (max(ANGULAR) * STEP)
    return np.asarray(np.maximum(driven, turn_decisions))


def decisions(way: Array, bases: Array) -> Array:
    """How good each class is at each node of a way (n, 3), when the base is at `bases` (n, 3) instead: shares (n, 20).

    `STOP` has all of the last node, and of every other that is as good as there, or from which nothing leads nearer.
    """
    targets = way[np.minimum(np.arange(len(way)) + AHEAD, len(way) - 1)]
    # Near the end fewer are left: three would lead beyond it, and turning on the spot would seem better.
    remaining = np.clip(np.round(apart(bases, targets)).astype(int), 1, AHEAD) - 1
    end_poses = np.stack(
        [rolled(bases, linear, angular)[remaining, np.arange(len(way))] for linear, angular in ACTIONS], axis=1
    )
    off = np.linalg.norm(end_poses[..., :2] - targets[:, None, :2], axis=2)
    off += RADIUS * np.abs(wrapped(end_poses[..., 2] - targets[:, None, 2]))
    off[:, STOP] -= WORTH  # a base that does not move is where it is
    stops = off.argmin(axis=1) == STOP
    stops |= apart(bases, np.repeat(way[-1:], len(way), axis=0)) <= NEAR
    stops[-1] = True
    quality = np.exp((off.min(axis=1, keepdims=True) - off) / SPREAD)
    quality[:, STOP] = 0.0
    quality[stops] = np.eye(len(ACTIONS))[STOP]
    return np.asarray(quality / quality.sum(axis=1, keepdims=True))


def goals(bases: Array, target: Array) -> Array:
    """A target (3,) in the base frames at poses (n, 3), x forward, y left: (n, 3)."""
    x, y = (target[:2] - bases[:, :2]).T
    c, s = np.cos(bases[:, 2]), np.sin(bases[:, 2])
    return np.stack([c * x + s * y, -s * x + c * y, np.full(len(bases), target[2])], axis=1)


def rolled(bases: Array, linear: float, angular: float) -> Array:
    """Where one decision, two, up to `AHEAD` lead from poses (n, 3): (AHEAD, n, 3)."""
    pose, poses = bases.copy(), []
    for _ in range(AHEAD):
        middle = pose[:, 2] + angular * STEP / 2
        pose[:, 0] += linear * STEP * np.cos(middle)
        pose[:, 1] += linear * STEP * np.sin(middle)
        pose[:, 2] += angular * STEP
        poses.append(pose.copy())
    return np.stack(poses)
