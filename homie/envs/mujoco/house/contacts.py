"""How stiff contact is, and how finely it has to be stepped to stay so.

A contact of MuJoCo is a critically damped spring between two shapes. How far it gives is set by its time constant and
by its impedance: the share of the force that goes into the constraint, not into softness. With MuJoCo's defaults
(0.02 s, 0.9) sixty newtons of a gripper push its finger 27 mm into an orange; a stiffer spring gives by less than one.

A spring acts only once things overlap. What falls at 4 m/s moves 17 mm in a step of 4 ms, and is that deep before
anything stops it, so the physics is stepped more finely while something flies.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from homie.envs.mujoco.house.index import SceneIndex

SOLREF = [0.002, 1.0]
"""Time constant (s) and damping ratio. MuJoCo never takes less than two time steps: so this is 8 ms with steps of 4 ms,
and shrinks with them; what meets at a speed v sinks in by no more than it moves in one step."""

SOLIMP = [0.98, 0.99, 0.001, 0.5, 2.0]
"""Impedance of contacts: at the touch, 1 mm deep, and how it goes from one to the other."""

PAD_SOLIMP = [0.98, 0.995, 0.001, 0.5, 2.0]
"""Impedance of the finger pads: a gripper's force is far over the weight of a strawberry (18 g), and how far a contact
gives grows with the force over the mass. Still harder, and heavy things chatter between the fingers."""

DEEPEST = 0.0045
"""Metres that a loose thing may move in one step."""

FINEST = 8
"""Into how many a step is divided at most: half a millisecond, enough for 8 m/s, a fall from 3 m."""

SQUEEZED = 4
"""Into how many a step is divided while nothing but friction holds a thing. Friction knows speeds and not places: what
turns with the hand slides outwards by half of w^2 r dt (m/s), 5 mm in the folding of an arm with undivided steps."""

AT_REST = 0.1
"""m/s and rad/s below which nothing is looked at more closely."""

GRAVITY = 9.81


def stiffen(spec: mujoco.MjSpec) -> None:
    """Make the contacts of all geoms stiff that are added to a world from now on."""
    spec.default.geom.solref, spec.default.geom.solimp[:5] = SOLREF, SOLIMP


class Pace:
    """How finely the loose things of a world have to be stepped, from how fast they move."""

    def __init__(self, model: mujoco.MjModel, index: SceneIndex) -> None:
        bodies = np.array([thing.body for thing in index.objects], dtype=int)
        starts = model.jnt_dofadr[model.body_jntadr[bodies]]
        self._bodies: NDArray[np.intp] = bodies
        self._dofs: NDArray[np.intp] = starts[:, None] + np.arange(6)
        self._reach = np.array([np.linalg.norm(thing.half) for thing in index.objects])
        self._step = float(model.opt.timestep)  # the undivided one

    def division(self, data: mujoco.MjData, period: float, held: int, *, squeezed: bool) -> int:
        """Into how many (1, 2, 4 or 8) each step of the next `period` seconds is to be divided.

        held: the body that is in the hand, -1 if none; it moves with the arm, which is slow. squeezed: whether nothing
        but friction holds it.
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
