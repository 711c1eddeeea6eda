"""Collisions are looked for where something can move: a house is large, and most of it sleeps far from the robot.

MuJoCo leaves out pairs of bodies that sleep only after it has boxed every geom of every body, in every step. That was
half of the time of a step. Here a body that nothing awake can reach within a control period takes no part at all.
No contact is lost by it, so the states are the same, bit for bit (tests/envs/mujoco/test_vicinity.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
from numpy.typing import NDArray

DRIFT = 0.2
"""Metres that a body may go before it is asked anew what is near: a robot drives for some control periods."""
FASTEST = 10.0
"""Metres per second of what is awake: a thing that fell three metres has 7.7 m/s."""
TOUCH = 0.02
"""Metres between boxes of sleeping bodies that may lie on each other: one that is woken wakes the others."""


class Vicinity:
    """Which bodies of a house can meet something in the next control period.

    Args:
        model: a model with MuJoCo's sleep switched on.
        data: its state; bodies that are welded to the world must stand where they will stand.
        period: of control, s.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, period: float) -> None:
        self._model, self._data = model, data
        self._reach = DRIFT + FASTEST * period
        """Metres about what is awake that it reaches within a period."""
        self._types = model.body_contype.copy(), model.body_conaffinity.copy()
        # Views of the model and the data: MuJoCo makes a new one each time it is asked.
        self._contype, self._conaffinity = model.body_contype, model.body_conaffinity
        self._xpos, self._body_awake = data.xpos, data.body_awake
        solid = np.flatnonzero((self._types[0] | self._types[1]) != 0)
        self._moving: NDArray[np.intp] = solid[model.body_weldid[solid] != 0]
        self._radius = np.array([[_radius(model, body)] for body in self._moving])
        self._least, self._greatest = np.empty((2, model.nbody, 3))
        """(bodies, 3): the corners of each body's box, in metres, in the world's frame."""
        for body in range(model.nbody):
            self._box(body)
        self._where = np.full((len(self._moving), 7), np.nan)
        """Position and turn (w, x, y, z) for which the box of a moving body was made."""
        self._far: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._awake = np.zeros(len(self._moving), dtype=bool)
        self._asked_at = np.full((len(self._moving), 3), np.inf)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Only bodies that can meet something take part in collisions, until the block ends."""
        positions = self._xpos[self._moving]
        awake = self._body_awake[self._moving] == mujoco.mjtSleepState.mjS_AWAKE
        if not (np.array_equal(awake, self._awake) and np.abs(positions - self._asked_at).max() < DRIFT):
            self._far = np.flatnonzero(self._unreached(awake))
            self._awake, self._asked_at = awake, positions
        far = self._far
        self._contype[far] = self._conaffinity[far] = 0
        try:
            yield
        finally:
            self._contype[:], self._conaffinity[:] = self._types

    def _unreached(self, awake: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(bodies,): which of them nothing that is awake, or can be woken, reaches."""
        self._follow(awake)
        stirring, sleeping = self._moving[awake], self._moving[~awake]
        if not stirring.size:
            return np.ones(self._model.nbody, dtype=bool)
        near = self._meeting(
            self._least[stirring].min(axis=0) - self._reach, self._greatest[stirring].max(axis=0) + self._reach
        )
        woken = sleeping[near[sleeping]]
        while woken.size:
            meeting = self._meeting(self._least[woken, None] - TOUCH, self._greatest[woken, None] + TOUCH)
            touched = np.logical_or.reduce(meeting, axis=0)
            woken = sleeping[touched[sleeping] & ~near[sleeping]]
            near |= touched
        return ~near

    def _follow(self, awake: NDArray[np.bool_]) -> None:
        """Boxes where the bodies are: of a sphere about what is awake, close ones of what sleeps, as it lies long."""
        data, moving = self._data, self._moving
        stirring = moving[awake]
        self._least[stirring] = data.xpos[stirring] - self._radius[awake]
        self._greatest[stirring] = data.xpos[stirring] + self._radius[awake]
        self._where[awake] = np.nan
        here = np.hstack([data.xpos[moving], data.xquat[moving]])
        for place in np.flatnonzero((here != self._where).any(axis=1) & ~awake):
            self._box(int(moving[place]))
            self._where[place] = here[place]

    def _box(self, body: int) -> None:
        """Write down the box of a body: everything for one with a plane, nothing for one without a geom."""
        model, data, geoms = self._model, self._data, _geoms(self._model, body)
        if geoms.start == geoms.stop:
            self._least[body], self._greatest[body] = np.inf, -np.inf
        elif (model.geom_type[geoms] == mujoco.mjtGeom.mjGEOM_PLANE).any():
            self._least[body], self._greatest[body] = -np.inf, np.inf
        else:
            turns = data.geom_xmat[geoms].reshape(-1, 3, 3)
            centres = data.geom_xpos[geoms] + np.einsum("gij,gj->gi", turns, model.geom_aabb[geoms, :3])
            halves = np.einsum("gij,gj->gi", np.abs(turns), model.geom_aabb[geoms, 3:])
            self._least[body], self._greatest[body] = (centres - halves).min(axis=0), (centres + halves).max(axis=0)

    def _meeting(self, least: NDArray[np.float64], greatest: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(..., bodies): which bodies' boxes meet the box between two corners (..., 3)."""
        meeting: NDArray[np.bool_] = ((self._least <= greatest) & (self._greatest >= least)).all(axis=-1)
        return meeting


def _geoms(model: mujoco.MjModel, body: int) -> slice:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return slice(first, first + count) if count else slice(0, 0)


def _radius(model: mujoco.MjModel, body: int) -> float:
    """Metres about a body's origin within which all of it lies, however it is turned."""
    geoms = _geoms(model, body)
    return float((np.linalg.norm(model.geom_pos[geoms], axis=1) + model.geom_rbound[geoms]).max())
