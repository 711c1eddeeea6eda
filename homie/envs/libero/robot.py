"""The Panda of LIBERO as a robot: robosuite's joint position controller behind Homie's safety gate.

```
skills --Command--> gate --joint targets, 20 Hz--> LIBERO's environment --its predicates--> snapshot
```
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict

from homie.envs.libero.tasks import LiberoTask, find_task, open_world
from homie.envs.libero.world import LiberoWorld
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import camera_intrinsics, camera_pose
from homie.envs.mujoco.render.renderer import Renderer
from homie.envs.mujoco.robots.bodies.panda import FINGERS
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.snapshot_robot import Shape, SnapshotRobot
from homie.kernel.errors import BadInput
from homie.kernel.options import PictureSize, Seed, pixels_of
from homie.kernel.robot.body import Group, Joint, RobotSpec
from homie.kernel.robot_factory import Opening
from homie.kernel.types import (
    Array,
    CameraFrame,
    Command,
    GripperState,
    Image,
    Observation,
    Pose2,
    Proprioception,
)
from homie.kernel.world.snapshot import WorldSnapshot

LIMITS = ((-2.89, 2.89), (-1.76, 1.76), (-2.89, 2.89), (-3.07, -0.07), (-2.89, 2.89), (-0.01, 3.75), (-2.89, 2.89))
"""Rad, of the joints of robosuite's Panda, a little within its own."""
REST = (0.0, -0.161, 0.0, -2.444, 0.0, 2.226, 0.785)
"""The posture in which LIBERO's tasks begin: the hand over the table, pointing down."""
OPENING, PERIOD = 0.08, 0.05
"""Largest opening of the fingers (m), and LIBERO's control period (s)."""
ARM = Group("arm", "arm", tuple(Joint(f"robot0_joint{n}", *limits, speed=1.2) for n, limits in enumerate(LIMITS, 1)))
SPEC = RobotSpec(
    name="panda of LIBERO",
    groups=(ARM, Group.gripper(opening=OPENING, speed=0.3)),
    period=PERIOD,
    footprint_radius=0.12,
    rest={"arm": REST},
    carry={"arm": REST},
    ready=({"arm": REST},),
    fingers=replace(FINGERS, reach=0.013, clearance=0.002),
)
CAMERAS = {"front": "agentview", "wrist": "robot0_eye_in_hand"}
"""Homie's names of the cameras with which LIBERO's policies are trained."""
COLLISION = frozenset({0})
"""The geom group of robosuite's collision shapes."""
STIFFNESS, STEP = 4000.0, 0.5
"""Gain of the joint controller (1/s^2), critically damped, and radians of an action of 1."""
FINGERS_AT = 0.004
"""Metres within which the fingers have their opening."""
SETTLE = 10
"""Control periods that LIBERO's own evaluation lets things come to rest."""


class LiberoSettings(BaseModel):
    """Which of the published initial states (`--seed`, counted round), and how large pictures are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed = 0
    picture_size: PictureSize = "256x256"


class LiberoRobot(SnapshotRobot):
    """The Panda in a task of LIBERO. `world` is privileged: skills and planners never get it."""

    spec = SPEC
    views = ("front",)
    hand = "wrist"
    actions = ("Pick", "Put", "Open", "Close", "Turn on", "Turn off", "End")

    def __init__(self, task: LiberoTask, settings: LiberoSettings) -> None:
        self.task = task
        self._pixels = self.picture_size = pixels_of(str(settings.picture_size))
        self._env = open_world(task, "JOINT_POSITION")
        self._renderer: Renderer | None = None
        self._stamp, self._opening = 0.0, OPENING
        self._state = settings.seed % len(task.states)
        self._arm: Array = np.array(REST)
        self.reset(seed=settings.seed)
        foot = self._env.sim.data.get_body_xpos("robot0_base")
        self._base = Pose2(float(foot[0]), float(foot[1]), 0.0)
        self.kinematics = PandaKinematics(height=float(foot[2]))

    @classmethod
    def of(cls, argument: str, settings: LiberoSettings) -> Self:
        """The robot of `--robot libero:SUITE/TASK`. Raises BadInput, MissingPart."""
        return cls(find_task(argument), settings)

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        self._env.seed(0)  # where furniture stands is sampled, also with a published initial state
        self._env.reset()
        self._env.set_init_state(self.task.states[self._state])
        self.world = LiberoWorld(self._env.env, self.task)
        self._close_pictures()
        self._stiffen(self._env.robots[0].controller)
        self._opening, self._arm = OPENING, self._q()
        for _ in range(SETTLE):
            self._step()
        self._stamp = 0.0

    def _stiffen(self, controller: Any) -> None:
        """Joints follow their targets closely, evenly over a period, instead of lagging as in LIBERO's defaults."""
        from robosuite.controllers.interpolators.linear_interpolator import LinearInterpolator

        controller.kp = np.full(len(LIMITS), STIFFNESS)
        controller.kd = 2.0 * np.sqrt(controller.kp)
        controller.output_max, controller.output_min = np.full(len(LIMITS), STEP), np.full(len(LIMITS), -STEP)
        controller.action_scale = None
        frequency = 1.0 / self.world.model.opt.timestep
        controller.interpolator = LinearInterpolator(len(LIMITS), frequency, 1.0 / PERIOD, ramp_ratio=1.0)
        controller.interpolator.set_goal(self._q())

    def _q(self) -> Array:
        return np.array(self._env.sim.data.qpos[: len(LIMITS)])

    def _fingers(self) -> float:
        qpos, first = self._env.sim.data.qpos, len(LIMITS)
        return float(np.clip(qpos[first] - qpos[first + 1], 0.0, OPENING))

    def _step(self) -> None:
        gap = self._fingers() - self._opening
        closing = 1.0 if self._opening < FINGERS_AT else float(np.sign(gap)) * (abs(gap) > FINGERS_AT)
        action = np.append(np.clip((self._arm - self._q()) / STEP, -1.0, 1.0), closing)
        self._env.step(action)
        self.world.update()
        self._stamp += PERIOD

    def _send(self, command: Command) -> None:
        if (q := command.get("arm")) is not None:
            self._arm = np.array(q)
        if (opening := command.get("gripper")) is not None:
            self._opening = opening[0]
        self._step()

    def _halt(self) -> None:
        self._arm = self._q()

    def _wait(self) -> None:
        self._step()

    def close(self) -> None:
        self._close_pictures()
        if hasattr(self._env, "env"):  # LIBERO deletes it at the first close
            self._env.close()

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        data = self._env.sim.data
        first = len(LIMITS)
        gripper = GripperState(
            self._fingers(),
            self.world.contact,
            self.world.holding,
            float(data.qvel[first] - data.qvel[first + 1]),
        )
        joints, speeds = (
            {name: float(value) for name, value in zip(ARM.names, values[:first], strict=True)}
            for values in (data.qpos, data.qvel)
        )
        return Proprioception(self._base, (0.0, 0.0), joints, {"gripper": gripper}, speeds)

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        return Observation(self._stamp, self.measured(), {name: self._frame(name) for name in cameras})

    def _pictures(self) -> Renderer:
        if self._renderer is None:
            self._renderer = make_renderer(self.world.model, *self._pixels)
        return self._renderer

    def _close_pictures(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _frame(self, name: str) -> CameraFrame:
        if name not in CAMERAS:
            raise BadInput(f"The {SPEC.name} has no camera '{name}': it has {' and '.join(CAMERAS)}.")
        model, data, camera = self.world.model, self.world.data, CAMERAS[name]
        picture = self._pictures().rgbd(data, camera, hidden_groups=COLLISION, segmentation=True)
        names = tuple(known for known in self.world.bodies if self.world.bodies[known])
        instances = np.full(model.ngeom + 1, -1, dtype=np.int32)  # the last one is for no geom
        for number, known in enumerate(names):
            instances[:-1][np.isin(model.geom_bodyid, self.world.bodies[known])] = number
        return CameraFrame(
            name=name,
            rgb=picture.rgb,
            depth=picture.depth,
            intrinsics=camera_intrinsics(model, camera, *self._pixels),
            pose=camera_pose(model, data, camera),
            instances=instances[picture.geoms],
            instance_names=names,
        )

    def look(self, camera: str, height: int | None = None) -> Image:
        size = None if height is None else (round(height * self._pixels[0] / self._pixels[1]), height)
        return self._pictures().rgb(self.world.data, CAMERAS[camera], size=size, hidden_groups=COLLISION)

    def film(self, width: int, height: int, target: str = "") -> Image:
        return self._pictures().rgb(self.world.data, CAMERAS["front"], size=(width, height), hidden_groups=COLLISION)

    # ------------------------------------------------------------ privileged

    def snapshot(self) -> WorldSnapshot:
        return self.world.snapshot()

    def shape(self, name: str, world: WorldSnapshot) -> Shape:
        return self.world.shape(name)


open_libero = Opening(LiberoSettings, LiberoRobot.of)
"""The robot in a task of LIBERO."""
