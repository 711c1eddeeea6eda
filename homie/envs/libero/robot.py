"""The Panda of LIBERO as a robot: a robosuite controller behind Homie's safety gate.

```
skills --Command--> gate --joint targets, 20 Hz--> control --actions--> LIBERO's environment --predicates--> snapshot
```
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from homie.envs.libero.control import JOINTS, OPENING, PERIOD, Control, Controller, HandControl, JointControl
from homie.envs.libero.tasks import LiberoTask, find_task, open_world
from homie.envs.libero.world import TABLE, LiberoWorld
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import camera_intrinsics, camera_pose
from homie.envs.mujoco.render.renderer import Renderer
from homie.envs.mujoco.robots.bodies.panda import FINGERS
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.mujoco.table.table_scene import FOOT
from homie.envs.snapshot_robot import Shape, SnapshotRobot
from homie.kernel.errors import BadInput, suggestion
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
    Pose,
    Pose2,
    Proprioception,
)
from homie.kernel.world.snapshot import WorldSnapshot

LIMITS = ((-2.89, 2.89), (-1.76, 1.76), (-2.89, 2.89), (-3.07, -0.07), (-2.89, 2.89), (-0.01, 3.75), (-2.89, 2.89))
"""Joint limits (rad), slightly within those of robosuite's Panda."""
REST = (0.0, -0.161, 0.0, -2.444, 0.0, 2.226, 0.785)
"""Initial posture of LIBERO's tasks (rad): the hand above the table, pointing down."""
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
OSC = replace(SPEC, groups=(ARM, Group.gripper(opening=OPENING, speed=OPENING / PERIOD)), compliant=True)
"""Specification under LIBERO's own controller, which only opens or closes the fingers fully."""
LEAD = 10.0
"""Lead of joint targets in control periods (0.6 rad per joint): room for a hand motion of 5 cm and 0.5 rad (OSC)."""
CAMERAS = {"front": "agentview", "wrist": "robot0_eye_in_hand"}
"""LIBERO's training cameras, by Homie's camera names."""
COLLISION = frozenset({0})
"""Geom group of robosuite's collision geoms."""
SETTLE = 10
"""Control periods for objects to come to rest, as in LIBERO's own evaluation."""


class LiberoSettings(BaseModel):
    """Published initial state (`--seed`, modulo their number), image size, and controller."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed = 0
    picture_size: PictureSize = "256x256"
    control: Control = Field(
        "joints",
        description="What the controller takes: targets of `joints`, or motions of the hand as in LIBERO's evaluations "
        "(`osc`).",
    )


class LiberoRobot(SnapshotRobot):
    """The Panda in a task of LIBERO. `world` is privileged: skills and planners have no access to it."""

    spec = SPEC
    views = ("front",)
    hand = "wrist"
    actions = ("Move", "Pick", "Put", "Open", "Close", "Turn on", "Turn off", "End")

    def __init__(self, task: LiberoTask, settings: LiberoSettings) -> None:
        self.task = task
        self._pixels = self.picture_size = pixels_of(str(settings.picture_size))
        osc = settings.control == "osc"
        self._env = open_world(task, (HandControl if osc else JointControl).name)
        foot = self._env.sim.data.get_body_xpos("robot0_base")
        self._base = Pose2(float(foot[0]), float(foot[1]), 0.0)
        self._height = float(foot[2])
        self.kinematics = PandaKinematics(height=self._height)
        if osc:
            self.spec, self.lead = OSC, LEAD
        self._control: Controller = HandControl(self.kinematics) if osc else JointControl()
        self._renderer: Renderer | None = None
        self._stamp, self._opening = 0.0, OPENING
        self._pose: Pose | None = None
        self._state = settings.seed % len(task.states)
        self.reset(seed=settings.seed)

    @classmethod
    def of(cls, argument: str, settings: LiberoSettings) -> Self:
        """Build the robot of `--robot libero:SUITE/TASK`. Raises BadInput, MissingPart."""
        return cls(find_task(argument), settings)

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        self._env.seed(0)  # furniture poses are sampled even with a published initial state
        self._env.reset()
        self._env.set_init_state(self.task.states[self._state])
        self.world = LiberoWorld(self._env.env, self.task)
        tops = [float(surface.center[2]) for surface in self.world.shape(TABLE).surfaces]
        top = tops[0] if tops else self._height  # objects of `libero_object` are on the floor
        self.workspace = np.array([self._base.x, self._base.y, top]) - np.array(FOOT)
        self._close_pictures()
        self._control.start(self._env.robots[0].controller, self.world.model.opt.timestep, self._q())
        self._opening = OPENING
        for _ in range(SETTLE):
            self._step()
        self._stamp = 0.0

    def _q(self) -> Array:
        return np.array(self._env.sim.data.qpos[:JOINTS])

    def _fingers(self) -> float:
        left, right = self._env.sim.data.qpos[JOINTS : JOINTS + 2]
        return float(np.clip(left - right, 0.0, OPENING))

    def _step(self) -> None:
        closing = self._control.fingers(self._fingers(), self._opening)
        self._env.step(np.append(self._control.action(self._q()), closing))
        self.world.update()
        self._stamp += PERIOD

    def _resolve_pose(self, command: Command, body: Proprioception) -> Command:
        self._pose = command.effector
        return super()._resolve_pose(command, body)

    def _send(self, command: Command) -> None:
        if (q := command.get("arm")) is not None:
            self._control.aim(np.array(q), self._pose)
        if (opening := command.get("gripper")) is not None:
            self._opening = opening[0]
        self._step()

    def _halt(self) -> None:
        self._control.aim(self._q())

    def _wait(self) -> None:
        self._step()

    def close(self) -> None:
        self._close_pictures()
        if hasattr(self._env, "env"):  # LIBERO deletes `env` at the first close
            self._env.close()

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        data = self._env.sim.data
        gripper = GripperState(
            self._fingers(),
            self.world.contact,
            self.world.holding,
            float(data.qvel[JOINTS] - data.qvel[JOINTS + 1]),
        )
        joints, speeds = (
            {name: float(value) for name, value in zip(ARM.names, values[:JOINTS], strict=True)}
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
            known = f"it has {' and '.join(CAMERAS)}."
            raise BadInput(f"The {SPEC.name} has no camera '{name}': {suggestion(name, CAMERAS, known)}")
        model, data, camera = self.world.model, self.world.data, CAMERAS[name]
        picture = self._pictures().rgbd(data, camera, hidden_groups=COLLISION, segmentation=True)
        names = tuple(known for known in self.world.bodies if self.world.bodies[known])
        instances = np.full(model.ngeom + 1, -1, dtype=np.int32)  # the last entry is for geom id -1
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


open_libero = Opening(LiberoSettings, LiberoRobot.of, "The Panda of LIBERO: `libero:SUITE/TASK`.")
"""Factory of the robot in a task of LIBERO."""
