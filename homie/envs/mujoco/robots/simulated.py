"""What every robot that is simulated by MuJoCo does in the same way."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from contextlib import suppress

import mujoco

from homie.envs.mujoco.render.cameras import towards
from homie.envs.mujoco.robots.eyes import Eyes
from homie.kernel.errors import RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.types import Command, Image, Observation

DIVERGED = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
"""What MuJoCo counts when a position, speed or acceleration is not finite or beyond 1e10."""


class SimulatedRobot(Robot):
    """Sees through `eyes`, lets time pass only where it is told to, and notices a simulation that has diverged."""

    data: mujoco.MjData
    eyes: Eyes
    waits = True
    hand = "wrist"

    def _send(self, command: Command) -> None:
        self._tell(command)
        self._pass()

    def _wait(self) -> None:
        self._pass()

    @abstractmethod
    def _tell(self, command: Command) -> None:
        """Give the servos their targets."""

    @abstractmethod
    def _pass(self) -> None:
        """One control period of physics. Raises RobotFault if the simulation has diverged."""

    def close(self) -> None:
        with suppress(RobotFault):  # a simulation that cannot be stopped hurts nobody, and its fault has been told
            self.stop()
        self.eyes.close()

    def look(self, camera: str) -> Image:
        return self.eyes.look(camera)

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """A picture (height, width, 3) from a point towards another (m), without the upper walls of a house."""
        return self.eyes.film(towards(position, lookat), width, height, hidden_groups=frozenset({1}))

    def check_sound(self) -> None:
        """Raises RobotFault if the simulation has diverged."""
        if any(self.data.warning[kind].number for kind in DIVERGED):
            raise RobotFault("The simulation diverged (a position, speed or acceleration is huge or not finite).")

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        frames = {name: self.eyes.frame(name) for name in cameras}
        return Observation(float(self.data.time), self.measured(), frames)
