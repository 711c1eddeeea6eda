"""Stiffness of contacts, and the time step that they need.

A contact in MuJoCo is a critically damped spring between two shapes. Its compliance follows from its time constant and
its impedance (`solref`, `solimp`). With MuJoCo's defaults (0.02 s, 0.9) a gripper force of 60 N pushes a finger 27 mm
into an orange; with the values here it is less than 1 mm.

The spring acts only after bodies overlap. A body that falls at 4 m/s moves 17 mm in a step of 4 ms and penetrates by as
much before the contact acts, so the time step is divided while a movable body is fast.

Collisions are looked for where something can move (`Vicinity`): a house is large, and most of it sleeps far from the
robot. MuJoCo leaves out pairs of bodies that sleep only after it has boxed every geom of every body, in every step.
That was half of the time of a step. Here a body that nothing awake can reach within a control period takes no part at
all. No contact is lost by it, so the states are the same, bit for bit (tests/envs/mujoco/test_vicinity.py).

At the end the welds by which a hand, a robot's or a person's, holds a thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.house.index import SceneIndex

SOLREF = [0.002, 1.0]
"""Time constant (s) and damping ratio. MuJoCo raises the time constant to two time steps: it is 8 ms with steps of 4 ms
and shrinks with them. A body that arrives at a speed v penetrates by at most its motion in one step."""

SOLIMP = [0.98, 0.99, 0.001, 0.5, 2.0]
"""Impedance of contacts: at zero depth, at 1 mm, and midpoint and power of the transition between the two."""

PAD_SOLIMP = [0.98, 0.995, 0.001, 0.5, 2.0]
"""Impedance of the finger pads. Penetration grows with force over mass, and the gripper's force is far above the weight
of a strawberry (18 g), so the pads are stiffer. With still stiffer pads heavy objects chatter between the fingers."""

DEEPEST = 0.0045
"""Largest motion (m) of a movable body in one time step."""

FINEST = 8
"""Largest divisor of the time step: half a millisecond, enough for 8 m/s, a fall from 3 m."""

SQUEEZED = 4
"""Divisor of the time step while an object is held by friction only. Friction constrains velocities, not positions: an
object that turns with the hand slides outwards at w^2 r dt / 2 (m/s), which is 5 mm while the arm folds with undivided
steps."""

AT_REST = 0.1
"""Speed (m/s and rad/s) below which a body does not divide the time step."""

GRAVITY = 9.81


def stiffen(spec: mujoco.MjSpec) -> None:
    """Set stiff contacts as the default for all geoms added to the spec afterwards."""
    spec.default.geom.solref, spec.default.geom.solimp[:5] = SOLREF, SOLIMP


class Pace:
    """Chooses the division of the time step from the speed of the movable bodies."""

    def __init__(self, model: mujoco.MjModel, index: SceneIndex) -> None:
        bodies = np.array([item.body for item in index.objects], dtype=int)
        starts = model.jnt_dofadr[model.body_jntadr[bodies]]
        self._bodies: NDArray[np.intp] = bodies
        self._dofs: NDArray[np.intp] = starts[:, None] + np.arange(6)
        self._reach = np.array([np.linalg.norm(item.half) for item in index.objects])
        self._step = float(model.opt.timestep)  # the undivided one

    def division(self, data: mujoco.MjData, period: float, held: int, *, squeezed: bool) -> int:
        """The divisor (1, 2, 4 or 8) of the time step for the next `period` seconds.

        Args:
            data: the state of the world.
            period: seconds until the next call.
            held: id of the body in the hand, -1 if none; it moves with the arm, which is slow, and is ignored.
            squeezed: whether only friction holds it.
        """
        min_division = SQUEEZED if squeezed else 1
        speed = data.qvel[self._dofs]
        if not speed.size or np.abs(speed).max() < AT_REST:
            return min_division
        free_speed = speed * (self._bodies != held)[:, None]
        linear_speed = np.sqrt(np.einsum("ij,ij->i", free_speed[:, :3], free_speed[:, :3]))
        turning = np.sqrt(np.einsum("ij,ij->i", free_speed[:, 3:], free_speed[:, 3:])) * self._reach
        top = float((linear_speed + turning).max())
        travel = (top + GRAVITY * period) * self._step if top > AT_REST else 0.0
        division = min_division
        while division < FINEST and travel > DEEPEST * division:
            division *= 2
        return division


DRIFT = 0.2
"""Metres that a body may go before it is asked anew what is near: a robot drives for some control periods."""
FASTEST = 10.0
"""Metres per second of what is awake: a thing that fell three metres has 7.7 m/s."""
_AWAKE = int(mujoco.mjtSleepState.mjS_AWAKE)
"""As an int: arrays are compared to an enum element by element, thirty times as slow."""
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
        awake = self._body_awake[self._moving] == _AWAKE
        if not (np.array_equal(awake, self._awake) and np.abs(positions - self._asked_at).max() < DRIFT):
            self._far = np.flatnonzero(self._unreached(awake))
            self._awake, self._asked_at = awake, positions
        far_bodies = self._far
        self._contype[far_bodies] = self._conaffinity[far_bodies] = 0
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
        meeting_boxes = self._meeting(
            self._least[stirring].min(axis=0) - self._reach, self._greatest[stirring].max(axis=0) + self._reach
        )
        woken = sleeping[meeting_boxes[sleeping]]
        while woken.size:
            meeting = self._meeting(self._least[woken, None] - TOUCH, self._greatest[woken, None] + TOUCH)
            is_touched = np.logical_or.reduce(meeting, axis=0)
            woken = sleeping[is_touched[sleeping] & ~meeting_boxes[sleeping]]
            meeting_boxes |= is_touched
        return ~meeting_boxes

    def _follow(self, awake: NDArray[np.bool_]) -> None:
        """Boxes where the bodies are: of a sphere about what is awake, close ones of what sleeps, as it lies long."""
        data, moving = self._data, self._moving
        stirring = moving[awake]
        self._least[stirring] = data.xpos[stirring] - self._radius[awake]
        self._greatest[stirring] = data.xpos[stirring] + self._radius[awake]
        self._where[awake] = np.nan
        poses = np.hstack([data.xpos[moving], data.xquat[moving]])
        for place in np.flatnonzero((poses != self._where).any(axis=1) & ~awake):
            self._box(int(moving[place]))
            self._where[place] = poses[place]

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

    def _meeting(self, low_corner: NDArray[np.float64], high_corner: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(..., bodies): which bodies' boxes meet the box between two corners (..., 3)."""
        meeting: NDArray[np.bool_] = ((self._least <= high_corner) & (self._greatest >= low_corner)).all(axis=-1)
        return meeting


def _geoms(model: mujoco.MjModel, body: int) -> slice:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return slice(first, first + count) if count else slice(0, 0)


def _radius(model: mujoco.MjModel, body: int) -> float:
    """Metres about a body's origin within which all of it lies, however it is turned."""
    geoms = _geoms(model, body)
    return float((np.linalg.norm(model.geom_pos[geoms], axis=1) + model.geom_rbound[geoms]).max())


WELD_SOLREF, WELD_SOLIMP = [0.008, 1.0], [0.99, 0.999, 0.001, 0.5, 2.0]
"""Much stiffer than MuJoCo's default, with which things turn by ten degrees in the hand."""


def weld_here(model: mujoco.MjModel, data: mujoco.MjData, equality: int, holder: int, body: int) -> None:
    """Weld a body to the body that holds it, where both are.

    Args:
        equality: The id of a weld of the model.
    """
    frame = data.xmat[holder].reshape(3, 3)
    model.eq_obj1id[equality], model.eq_obj2id[equality] = holder, body
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, (frame.T @ data.xmat[body].reshape(3, 3)).flatten())
    offset = frame.T @ (data.xpos[body] - data.xpos[holder])
    model.eq_data[equality, :11] = [0, 0, 0, *offset, *quat, 1.0]
    data.eq_active[equality] = 1
