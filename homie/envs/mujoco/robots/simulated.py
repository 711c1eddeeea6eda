"""What every robot that is simulated by MuJoCo does in the same way."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import mujoco
import numpy as np

from homie.envs.mujoco.render.cameras import towards
from homie.envs.mujoco.robots.eyes import Eyes
from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.interfaces import Robot
from homie.kernel.safety import GateState
from homie.kernel.types import Command, Image, Observation, Proprioception


class SimulatedRobot(Robot):
    """Sees through `eyes`, turns effector poses into joint targets, and notices a simulation that has diverged."""

    data: mujoco.MjData
    eyes: Eyes
    waits = True
    hand = "wrist"

    def close(self) -> None:
        self.stop()
        self.eyes.close()

    def look(self, camera: str) -> Image:
        return self.eyes.look(camera)

    def film_from(
        self, position: tuple[float, float, float], lookat: tuple[float, float, float], width: int, height: int
    ) -> Image:
        """A picture (height, width, 3) from a point towards another (m), without the upper walls of a house."""
        return self.eyes.film(towards(position, lookat), width, height, hidden_groups=frozenset({1}))

    def resolved(self, command: Command, now: GateState) -> Command:
        """A command with its effector pose, if any, as targets of arm and torso (where there is one).

        Raises CommandRefused for a pose that is not finite.
        """
        if command.effector is None:
            return command
        pose = command.effector
        if not (np.isfinite(pose.position).all() and np.isfinite(pose.rotation).all()):
            raise CommandRefused("Command refused: effector holds a value that is not finite.")
        found = self.kinematics.solve(pose.position, pose.rotation, np.array([now.torso, *now.arm])).q
        torso = float(found[0]) if self.spec.torso_speed > 0.0 else command.torso
        return replace(command, arm=tuple(found[1:].tolist()), torso=torso, effector=None)

    def check_sound(self) -> None:
        """Raises RobotFault if the simulation has diverged."""
        if not np.isfinite(self.data.qpos).all():
            raise RobotFault("The simulation diverged (a position is not finite); the scene cannot be simulated.")

    def seen(self, body: Proprioception, cameras: Collection[str]) -> Observation:
        """An observation of now."""
        return Observation(float(self.data.time), body, {name: self.eyes.frame(name) for name in cameras})
