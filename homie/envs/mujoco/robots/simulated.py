"""Base class of robots simulated by MuJoCo."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from contextlib import suppress

import mujoco
import numpy as np

from homie.envs.mujoco.render.camera_geometry import towards
from homie.envs.mujoco.robots.camera_frames import Eyes
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.types import Command, Image, Observation

DIVERGED = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
"""MuJoCo's warnings for a position, speed or acceleration that is not finite or beyond 1e10."""
_DIVERGED = [int(kind) for kind in DIVERGED]
SETTLE = 1.0
"""Time (s) at the start of an episode in which objects come to rest."""
LEAD = 0.12
"""Time (s) by which a joint target may lead the measured joint: simulated servos lag by about 0.1 s."""


class SimulatedRobot(Robot):
    """A robot with rendered cameras (`eyes`), whose time advances on request only, and that detects divergence."""

    model: mujoco.MjModel
    data: mujoco.MjData
    eyes: Eyes
    waits = True
    hand = "wrist"

    def _send(self, command: Command) -> None:
        self._tell(command)
        self._pass()

    def _wait(self) -> None:
        self._pass()

    def _settle(self) -> None:
        """Let objects come to rest at the start of an episode."""
        for _ in range(round(SETTLE / self.spec.period)):
            self.act(Command())

    @abstractmethod
    def _tell(self, command: Command) -> None:
        """Set the servo targets of a command."""

    @abstractmethod
    def _pass(self) -> None:
        """Simulate one control period. Raises RobotFault if the simulation has diverged."""

    def close(self) -> None:
        with suppress(RobotFault):  # a simulation that cannot be stopped is harmless, and its fault has been reported
            self.stop()
        self.eyes.close()

    def look(self, camera: str, height: int | None = None) -> Image:
        return self.eyes.look(camera, height)

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """Render an image (height, width, 3) from `position` towards `lookat` (m), without a house's upper walls."""
        return self.eyes.film(towards(position, lookat), width, height, hidden_groups=frozenset({1}))

    def state(self) -> Mapping[str, object]:
        """As `homie.kernel.interfaces.Mirrored`: positions, velocities, and the state outside the physics."""
        data = self.data
        return {"qpos": data.qpos.tolist(), "qvel": data.qvel.tolist(), "world": dict(self._known())}

    def take_state(self, state: Mapping[str, object]) -> None:
        for name, values in (("qpos", self.data.qpos), ("qvel", self.data.qvel)):
            numbers = np.array(state.get(name, ()), dtype=float)
            if numbers.shape != values.shape or not np.isfinite(numbers).all():
                raise BadInput(
                    f"This is not a state of this scene: {name} has not the {len(values)} numbers of its joints."
                )
            values[:] = numbers
        mujoco.mj_forward(self.model, self.data)
        known = state.get("world")
        self._take_known(known if isinstance(known, Mapping) else {})

    @abstractmethod
    def _known(self) -> Mapping[str, object]:
        """Return the part of the world state that is not physics, JSON-serialisable."""

    @abstractmethod
    def _take_known(self, known: Mapping[str, object]) -> None:
        """Restore the state that `_known` of another instance returned."""

    def check_sound(self) -> None:
        """Raises RobotFault if the simulation has diverged."""
        if self.data.warning.number[_DIVERGED].any():
            raise RobotFault("The simulation diverged (a position, speed or acceleration is huge or not finite).")

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        return Observation(float(self.data.time), self.measured(), self.eyes.frames(cameras))
