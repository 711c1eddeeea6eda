"""The robot `coppelia`: a Panda in a running CoppeliaSim, controlled by joint targets in stepped simulation."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from homie.envs.coppelia.eyes import Eyes
from homie.envs.coppelia.link import Link
from homie.envs.coppelia.panda import Panda
from homie.envs.coppelia.released_task import read_task
from homie.envs.coppelia.task_in_scene import TaskInScene
from homie.envs.coppelia.world import CoppeliaWorld
from homie.envs.mujoco.robots.bodies.panda import FINGERS, HOME
from homie.envs.mujoco.robots.bodies.panda import SPEC as PANDA
from homie.envs.snapshot_robot import SnapshotRobot
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.robot.body import Group, RobotSpec
from homie.kernel.robot_factory import Opening
from homie.kernel.types import Command, GripperState, Image, Observation, Proprioception
from homie.kernel.world.snapshot import WorldSnapshot

OPENING = 0.08
"""Maximum gripper opening, m."""
POSTURE = {"arm": tuple(float(angle) for angle in HOME)}
SPEC = RobotSpec(
    name="panda of CoppeliaSim",
    groups=(
        *(group for group in PANDA.groups if group.kind == "arm"),
        Group.gripper(opening=OPENING, speed=0.2),
    ),
    period=0.05,
    footprint_radius=0.12,
    rest=POSTURE,
    carry=POSTURE,
    ready=(POSTURE,),
    fingers=FINGERS,
)
[ARM] = [group for group in SPEC.groups if group.kind == "arm"]
PATIENCE, POLL = 10.0, 0.02
"""Timeout (s) for stopping a simulation, and polling interval (s)."""


class CoppeliaSettings(BaseModel):
    """Settings of the robot `coppelia`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scene: Path | None = Field(None, description="File of the scene, where `--robot` names none.")
    host: str = Field("127.0.0.1", description="Machine on which CoppeliaSim runs.")
    port: int = Field(23000, ge=1, le=65535, description="Port of its ZMQ remote API.")
    model: str = Field("", description="Path of the Panda in the scene (default: `/Franka` or `/Panda`).")
    front: str = Field("", description="Path of the vision sensor before the robot (default: the first of the scene).")
    wrist: str = Field("", description="Path of the vision sensor at the hand (default: the first of the Panda).")
    task: Path | None = Field(
        None, description="Folder of an episode of EB-Manipulation, whose objects are brought into the scene."
    )
    connect_seconds: float = Field(10.0, gt=0.0, description="Time limit of the first answer.")
    reply_seconds: float = Field(30.0, gt=0.0, description="Time limit of each later answer.")


class CoppeliaRobot(SnapshotRobot):
    """The Panda of a scene. Its joints are position-controlled; each command advances the simulation by one step."""

    hand = "wrist"
    actions = ("Move", "Pick", "Put", "End")
    workspace = np.zeros(3)
    """Origin of EB-Manipulation's grid, which is in the scene frame."""

    def __init__(self, link: Link, scene: str, settings: CoppeliaSettings) -> None:
        self._link, self._scene = link, scene
        self._task = None if settings.task is None else TaskInScene(link, read_task(settings.task.expanduser()))
        self._end_simulation()
        if scene:
            link("loadScene", scene)
        self.spec = replace(SPEC, period=float(link("getSimulationTimeStep")))
        self._panda = Panda(link, settings.model)
        self._eyes = Eyes(link, self._panda, {"front": settings.front, "wrist": settings.wrist})
        self._world = CoppeliaWorld(link, self._panda)
        self.kinematics = self._panda.kinematics
        self._closed = False
        self._restart(seed=0)

    @classmethod
    def of(cls, argument: str, settings: CoppeliaSettings) -> Self:
        """Build the robot of `--robot coppelia:SCENE`, a file, or "" for the open scene.

        Raises:
            BadInput: There is no such file, or no Panda or camera in the scene.
            InfrastructureError: No CoppeliaSim answers.
            MissingPart: The client is not installed.
        """
        if argument and settings.scene is not None:
            raise BadInput(f"--scene {settings.scene} and --robot coppelia:{argument} name two scenes: give one.")
        scene = Path(argument) if argument else settings.scene
        if scene is not None and not scene.is_file():
            raise BadInput(f"There is no scene file {scene}: give --robot coppelia:FILE.ttt, or coppelia alone.")
        link = Link(settings.host, settings.port, settings.connect_seconds, settings.reply_seconds)
        try:
            return cls(link, "" if scene is None else str(scene.resolve()), settings)
        except BaseException:
            link.close()
            raise

    def describe(self) -> Mapping[str, object]:
        return {"scene": self._scene, "model": self._panda.path}

    # ------------------------------------------------------------ episode

    def _end_simulation(self) -> None:
        """Stop the simulation, upon which CoppeliaSim restores its initial state. Raises RobotFault."""
        stopped, deadline = self._link.constant("simulation_stopped"), time.monotonic() + PATIENCE
        if self._link("getSimulationState") == stopped:
            return
        self._link("stopSimulation")
        while self._link("getSimulationState") != stopped:
            if time.monotonic() > deadline:
                raise RobotFault(f"CoppeliaSim still runs its simulation {PATIENCE:g} s after it was ended.")
            time.sleep(POLL)

    def _restart(self, *, seed: int) -> None:
        """Reset the scene to the state of its file. The seed has no effect."""
        self._end_simulation()
        if self._task is not None:
            self._task.load()
            self._world = CoppeliaWorld(self._link, self._panda, without=self._task.hidden)
        self._link("setStepping", True)
        self._link("startSimulation")
        self._panda.update()
        self._arm, self._opening = self._panda.q, self._panda.opening
        self._stamp = 0.0

    def _send(self, command: Command) -> None:
        if (q := command.get("arm")) is not None:
            self._arm = np.array(q)
        if (opening := command.get("gripper")) is not None:
            self._opening = float(opening[0])
        self._step()

    def _step(self) -> None:
        self._panda.move(self._arm, self._opening)
        self._link("step")
        self._panda.update()
        if self._task is not None:
            self._task.update()
        self._stamp += self.spec.period

    def _halt(self) -> None:
        self._arm = self._panda.q

    def _wait(self) -> None:
        self._step()

    def close(self) -> None:
        """Stop the simulation; CoppeliaSim keeps running."""
        if not self._closed:
            self._closed = True
            with contextlib.suppress(RobotFault):  # a lost connection has been reported before
                self._end_simulation()
            self._link.close()

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        panda = self._panda
        gripper = GripperState(panda.opening, (panda.grips, panda.grips), panda.grips)
        joints, speeds = (dict(zip(ARM.names, values.tolist(), strict=True)) for values in (panda.q, panda.speeds))
        return Proprioception(panda.base, (0.0, 0.0), joints, {"gripper": gripper}, speeds)

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        return Observation(self._stamp, self.measured(), {name: self._eyes.frame(name) for name in cameras})

    def look(self, camera: str, height: int | None = None) -> Image:
        """Return the colour image of a camera at its own resolution; `height` is ignored."""
        return self._eyes.frame(camera).rgb

    def film(self, width: int, height: int, target: str = "") -> Image:
        """Return the image of the front camera, resampled to a size."""
        picture = self.look("front")
        rows, columns = (
            np.arange(size) * full_size // size
            for size, full_size in zip((height, width), picture.shape[:2], strict=True)
        )
        return picture[np.ix_(rows, columns)]

    # ------------------------------------------------------------ privileged

    def snapshot(self) -> WorldSnapshot:
        snapshot = self._world.snapshot()
        if self._task is None:
            return snapshot
        is_done = self._task.done(self._panda.opening / OPENING)
        return snapshot.model_copy(update={"instruction": self._task.task.instruction, "success": is_done})


open_coppelia = Opening(CoppeliaSettings, CoppeliaRobot.of, "A Panda in a running CoppeliaSim: `coppelia:SCENE`.")
"""Factory of the robot in a CoppeliaSim scene."""
