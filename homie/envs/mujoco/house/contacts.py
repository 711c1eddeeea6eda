"""Stiffness of contacts, the time step that they need, and the exclusion of bodies that cannot make contact.

A contact in MuJoCo is a critically damped spring between two shapes. Its compliance follows from its time constant and
its impedance (`solref`, `solimp`). With MuJoCo's defaults (0.02 s, 0.9) a gripper force of 60 N pushes a finger 27 mm
into an orange; with the values here it is less than 1 mm.

The spring acts only after bodies overlap. A body that falls at 4 m/s moves 17 mm in a step of 4 ms and penetrates by as
much before the contact acts, so the time step is divided while a movable body is fast.

Collisions are detected only near moving bodies (`Vicinity`): a house is large, and most of it sleeps far from the
robot. MuJoCo excludes pairs of sleeping bodies only after it has computed the bounding box of every geom, in every
step. That took half of the time of a step. Here bodies that no awake body can reach within a control period are
excluded entirely. No contact is lost, so the states are identical bit for bit (tests/envs/mujoco/test_vicinity.py).

The welds by which a hand of the robot or a person holds an object are at the end.
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
and shrinks with them. A body that hits at speed v penetrates by at most its motion in one step."""

SOLIMP = [0.98, 0.99, 0.001, 0.5, 2.0]
"""Impedance of contacts: at zero depth, maximum, width (1 mm), midpoint and power of the transition."""

PAD_SOLIMP = [0.98, 0.995, 0.001, 0.5, 2.0]
"""Impedance of the finger pads. Penetration grows with force over mass, and the gripper's force is far above the weight
of a strawberry (18 g), so the pads are stiffer. With still stiffer pads heavy objects chatter between the fingers."""

DEEPEST = 0.0045
"""Maximum motion (m) of a movable body in one time step."""

FINEST = 8
"""Maximum divisor of the time step: 0.5 ms, enough for 8 m/s, the speed after a fall from 3 m."""

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
        self._step = float(model.opt.timestep)  # undivided

    def division(self, data: mujoco.MjData, period: float, held: int, *, squeezed: bool) -> int:
        """Return the divisor (1, 2, 4 or 8) of the time step for the next `period` seconds.

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
"""Motion (m) of a body after which the reachable bodies are recomputed: a robot drives for some control periods."""
FASTEST = 10.0
"""Maximum speed (m/s) of awake bodies: after a fall of 3 m it is 7.7 m/s."""
_AWAKE = int(mujoco.mjtSleepState.mjS_AWAKE)
"""As an int: comparing an array with an enum is thirty times slower, element by element."""
TOUCH = 0.02
"""Maximum distance (m) between boxes of sleeping bodies that may be in contact: waking one wakes the others."""


class Vicinity:
    """Finds the bodies of a house that can make contact in the next control period.

    Args:
        model: a model with MuJoCo's sleep enabled.
        data: its state; static bodies must already have their final poses.
        period: control period, s.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, period: float) -> None:
        self._model, self._data = model, data
        self._reach = DRIFT + FASTEST * period
        """Distance (m) that an awake body can travel within a period."""
        self._types = model.body_contype.copy(), model.body_conaffinity.copy()
        # Views of model and data are kept: MuJoCo makes a new one at each access.
        self._contype, self._conaffinity = model.body_contype, model.body_conaffinity
        self._xpos, self._body_awake = data.xpos, data.body_awake
        solid = np.flatnonzero((self._types[0] | self._types[1]) != 0)
        self._movable: NDArray[np.intp] = solid[model.body_weldid[solid] != 0]
        self._radius = np.array([[_radius(model, body)] for body in self._movable])
        self._box_low, self._box_high = np.empty((2, model.nbody, 3))
        """Lower and upper corners (bodies, 3) of each body's bounding box, m, in the world frame."""
        for body in range(model.nbody):
            self._update_box(body)
        self._boxed_poses = np.full((len(self._movable), 7), np.nan)
        """Position and quaternion (w, x, y, z) for which the box of each movable body was computed."""
        self._excluded: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._awake = np.zeros(len(self._movable), dtype=bool)
        self._query_positions = np.full((len(self._movable), 3), np.inf)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Disable collisions of all bodies that cannot make contact, until the end of the block."""
        positions = self._xpos[self._movable]
        awake = self._body_awake[self._movable] == _AWAKE
        if not (np.array_equal(awake, self._awake) and np.abs(positions - self._query_positions).max() < DRIFT):
            self._excluded = np.flatnonzero(self._unreachable_bodies(awake))
            self._awake, self._query_positions = awake, positions
        far_bodies = self._excluded
        self._contype[far_bodies] = self._conaffinity[far_bodies] = 0
        try:
            yield
        finally:
            self._contype[:], self._conaffinity[:] = self._types

    def _unreachable_bodies(self, awake: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask (bodies,) of the bodies that no awake body, or one that can be woken, can reach."""
        self._update_boxes(awake)
        awake_bodies, sleeping = self._movable[awake], self._movable[~awake]
        if not awake_bodies.size:
            return np.ones(self._model.nbody, dtype=bool)
        meeting_boxes = self._intersects(
            self._box_low[awake_bodies].min(axis=0) - self._reach,
            self._box_high[awake_bodies].max(axis=0) + self._reach,
        )
        wakeable = sleeping[meeting_boxes[sleeping]]
        while wakeable.size:
            meeting = self._intersects(self._box_low[wakeable, None] - TOUCH, self._box_high[wakeable, None] + TOUCH)
            is_touched = np.logical_or.reduce(meeting, axis=0)
            wakeable = sleeping[is_touched[sleeping] & ~meeting_boxes[sleeping]]
            meeting_boxes |= is_touched
        return ~meeting_boxes

    def _update_boxes(self, awake: NDArray[np.bool_]) -> None:
        """Update the boxes: of a bounding sphere for awake bodies, tight ones for sleeping bodies, which are kept."""
        data, moving = self._data, self._movable
        awake_bodies = moving[awake]
        self._box_low[awake_bodies] = data.xpos[awake_bodies] - self._radius[awake]
        self._box_high[awake_bodies] = data.xpos[awake_bodies] + self._radius[awake]
        self._boxed_poses[awake] = np.nan
        poses = np.hstack([data.xpos[moving], data.xquat[moving]])
        for place in np.flatnonzero((poses != self._boxed_poses).any(axis=1) & ~awake):
            self._update_box(int(moving[place]))
            self._boxed_poses[place] = poses[place]

    def _update_box(self, body: int) -> None:
        """Compute the box of a body: infinite for one with a plane, empty for one without geoms."""
        model, data, geoms = self._model, self._data, _geoms(self._model, body)
        if geoms.start == geoms.stop:
            self._box_low[body], self._box_high[body] = np.inf, -np.inf
        elif (model.geom_type[geoms] == mujoco.mjtGeom.mjGEOM_PLANE).any():
            self._box_low[body], self._box_high[body] = -np.inf, np.inf
        else:
            turns = data.geom_xmat[geoms].reshape(-1, 3, 3)
            centres = data.geom_xpos[geoms] + np.einsum("gij,gj->gi", turns, model.geom_aabb[geoms, :3])
            halves = np.einsum("gij,gj->gi", np.abs(turns), model.geom_aabb[geoms, 3:])
            self._box_low[body], self._box_high[body] = (centres - halves).min(axis=0), (centres + halves).max(axis=0)

    def _intersects(self, low_corner: NDArray[np.float64], high_corner: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask (..., bodies) of the boxes that intersect the box between two corners (..., 3)."""
        meeting: NDArray[np.bool_] = ((self._box_low <= high_corner) & (self._box_high >= low_corner)).all(axis=-1)
        return meeting


def _geoms(model: mujoco.MjModel, body: int) -> slice:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return slice(first, first + count) if count else slice(0, 0)


def _radius(model: mujoco.MjModel, body: int) -> float:
    """Return the radius (m) of the bounding sphere of a body around its origin."""
    geoms = _geoms(model, body)
    return float((np.linalg.norm(model.geom_pos[geoms], axis=1) + model.geom_rbound[geoms]).max())


WELD_SOLREF, WELD_SOLIMP = [0.008, 1.0], [0.99, 0.999, 0.001, 0.5, 2.0]
"""Much stiffer than MuJoCo's default, with which objects rotate by ten degrees in the hand."""


def weld_here(model: mujoco.MjModel, data: mujoco.MjData, equality: int, holder: int, body: int) -> None:
    """Weld a body to the body that holds it, at their current relative pose.

    Args:
        equality: Id of a weld constraint of the model.
    """
    frame = data.xmat[holder].reshape(3, 3)
    model.eq_obj1id[equality], model.eq_obj2id[equality] = holder, body
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, (frame.T @ data.xmat[body].reshape(3, 3)).flatten())
    offset = frame.T @ (data.xpos[body] - data.xpos[holder])
    model.eq_data[equality, :11] = [0, 0, 0, *offset, *quat, 1.0]
    data.eq_active[equality] = 1
