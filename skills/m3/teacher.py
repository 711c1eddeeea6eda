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
    passed = np.concatenate([[0.0], np.cumsum(apart(poses[:-1], poses[1:]))])
    kept = np.searchsorted(passed, np.arange(0.0, passed[-1], 1.0))
    return np.unique(np.append(kept, len(poses) - 1))


def apart(first: Array, second: Array) -> Array:
    """Decisions (n,) that it takes at least from poses (n, 3) to others: at full speed, turning while driving."""
    driven = np.linalg.norm(second[:, :2] - first[:, :2], axis=1) / (max(LINEAR) * STEP)
    turned = np.abs(wrapped(second[:, 2] - first[:, 2])) / (max(ANGULAR) * STEP)
    return np.asarray(np.maximum(driven, turned))


def decisions(way: Array, now: Array) -> Array:
    """How good each class is at each node of a way (n, 3), when the base is at `now` (n, 3) instead: shares (n, 20).

    `STOP` has all of the last node, and of every other that is as good as there, or from which nothing leads nearer.
    """
    ahead = way[np.minimum(np.arange(len(way)) + AHEAD, len(way) - 1)]
    # Near the end fewer are left: three would lead beyond it, and turning on the spot would seem better.
    left = np.clip(np.round(apart(now, ahead)).astype(int), 1, AHEAD) - 1
    ends = np.stack([rolled(now, linear, angular)[left, np.arange(len(way))] for linear, angular in ACTIONS], axis=1)
    off = np.linalg.norm(ends[..., :2] - ahead[:, None, :2], axis=2)
    off += RADIUS * np.abs(wrapped(ends[..., 2] - ahead[:, None, 2]))
    off[:, STOP] -= WORTH  # a base that does not move is where it is
    stops = off.argmin(axis=1) == STOP
    stops |= apart(now, np.repeat(way[-1:], len(way), axis=0)) <= NEAR
    stops[-1] = True
    good = np.exp((off.min(axis=1, keepdims=True) - off) / SPREAD)
    good[:, STOP] = 0.0
    good[stops] = np.eye(len(ACTIONS))[STOP]
    return np.asarray(good / good.sum(axis=1, keepdims=True))


def goals(now: Array, target: Array) -> Array:
    """A target (3,) in the base frames at poses (n, 3), x forward, y left: (n, 3)."""
    x, y = (target[:2] - now[:, :2]).T
    c, s = np.cos(now[:, 2]), np.sin(now[:, 2])
    return np.stack([c * x + s * y, -s * x + c * y, np.full(len(now), target[2])], axis=1)


def rolled(now: Array, linear: float, angular: float) -> Array:
    """Where one decision, two, up to `AHEAD` lead from poses (n, 3): (AHEAD, n, 3)."""
    pose, passed = now.copy(), []
    for _ in range(AHEAD):
        middle = pose[:, 2] + angular * STEP / 2
        pose[:, 0] += linear * STEP * np.cos(middle)
        pose[:, 1] += linear * STEP * np.sin(middle)
        pose[:, 2] += angular * STEP
        passed.append(pose.copy())
    return np.stack(passed)
