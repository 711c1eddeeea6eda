"""Stiffness of contacts, and the time step that they need.

A contact in MuJoCo is a critically damped spring between two shapes. Its compliance follows from its time constant and
its impedance (`solref`, `solimp`). With MuJoCo's defaults (0.02 s, 0.9) a gripper force of 60 N pushes a finger 27 mm
into an orange; with the values here it is less than 1 mm.

The spring acts only after bodies overlap. A body that falls at 4 m/s moves 17 mm in a step of 4 ms and penetrates by as
much before the contact acts, so the time step is divided while a movable body is fast.
"""

from __future__ import annotations

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
        least = SQUEEZED if squeezed else 1
        speed = data.qvel[self._dofs]
        if not speed.size or np.abs(speed).max() < AT_REST:
            return least
        loose = speed * (self._bodies != held)[:, None]
        across = np.sqrt(np.einsum("ij,ij->i", loose[:, :3], loose[:, :3]))
        turning = np.sqrt(np.einsum("ij,ij->i", loose[:, 3:], loose[:, 3:])) * self._reach
        top = float((across + turning).max())
        travel = (top + GRAVITY * period) * self._step if top > AT_REST else 0.0
        division = least
        while division < FINEST and travel > DEEPEST * division:
            division *= 2
        return division
