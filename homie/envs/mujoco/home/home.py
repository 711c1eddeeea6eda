"""The embedded home as a robot: a Fetch in a house of MuJoCo, with simulated sensors.

Time passes only in `act`. Every command goes through the safety gate; base velocities drive a planar base of limited
force, so a wall stops it; nothing is ever placed by hand after `reset`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np

from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.generate.settle import check_start
from homie.envs.mujoco.house.build import TIMESTEP, Home, build
from homie.envs.mujoco.house.contacts import Pace
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.render.rendering import FreeCamera
from homie.envs.mujoco.robots.eyes import Eyes
from homie.envs.mujoco.robots.fetch import fetch
from homie.envs.mujoco.robots.fetch.kinematics import ArmKinematics
from homie.envs.mujoco.robots.grasping import Grasping, Hand, add_grasp_constraints
from homie.envs.mujoco.robots.limbs import Limbs
from homie.envs.mujoco.robots.simulated import SimulatedRobot
from homie.envs.mujoco.state.snapshot import snapshot_of
from homie.envs.mujoco.state.world import World
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Locator
from homie.kernel.options import OpenOptions
from homie.kernel.types import Command, Image, Pose2, Proprioception
from homie.kernel.world import RobotState, WorldSnapshot, rounded

PICTURE_SIZE = (256, 256)
"""Width and height of a picture where none is asked for."""
PERIOD = 0.04
"""Seconds of one control period: ten physics steps, or more while something flies."""

HAND = Hand("gripper_link", "base_link", fetch.FINGER_PADS, fetch.FINGERS)
_FINGER = fetch.FACTS[fetch.FINGERS[0]]
FINGER_STEP = _FINGER.speed * PERIOD
"""Metres that a finger goes in one control period."""
FINGER_LEAD = _FINGER.effort / _FINGER.stiffness
"""Metres ahead of a finger at which its servo pushes with all its force."""
FILM_LAG, FILM_TURN = 0.7, 0.11
"""The film camera: seconds by which it lags behind the robot, and how fast it turns about it (rad/s)."""
HEAD_START = (0.0, 0.35)
"""Head pan and tilt (rad) at the start: looking a little down."""


def open_home(options: OpenOptions) -> MujocoHome:
    """The home of a run: its scene spec file, or the house of its seed. Raises BadInput for a bad spec, and for an
    argument, of which it has none."""
    _, colon, argument = options.robot.partition(":")
    if colon:
        raise BadInput(f"The robot mujoco takes no argument (got '{argument}'): a house of your own is --scene FILE.")
    return MujocoHome(
        house_of(options), grasp=options.grasp, picture_size=options.pixels or PICTURE_SIZE, shade=options.shade
    )


class MujocoHome(SimulatedRobot):
    """A Fetch in a simulated home. `world` is privileged: skills and planners never get it."""

    spec = fetch.SPEC
    hand = "wrist"

    def __init__(
        self,
        scene: SceneSpec,
        *,
        grasp: str = "weld",
        picture_size: tuple[int, int] = PICTURE_SIZE,
        shade: bool = True,
    ) -> None:
        """Raises BadInput for a scene whose things cut into each other."""
        self.scene = scene
        self.picture_size = picture_size
        self.home: Home = build(scene, _add_robot)
        if not all(thing.stands for thing in scene.objects):
            check_start(self.home)
        self.model = self.home.model
        self.data = mujoco.MjData(self.model)
        self.kinematics = ArmKinematics()
        self.world = World(self.home, self.data)
        self.eyes = Eyes(self.model, self.data, self.home.index.geoms, picture_size, shade=shade)
        self.grasping = Grasping(self.model, self.data, self.home.index, HAND, friction=grasp == "friction")
        self.pace = Pace(self.model, self.home.index)
        self.limbs = Limbs(self.model, self.data, self.spec, fetch.FINGERS)
        self._base = [int(self.model.joint(f"robot/{name}").qposadr[0]) for name in fetch.BASE_JOINTS]
        self._base_dof = [int(self.model.joint(f"robot/{name}").dofadr[0]) for name in fetch.BASE_JOINTS]
        self._base_servos = [self.model.actuator(f"robot/{name}").id for name in fetch.BASE_JOINTS]
        self._velocity = (0.0, 0.0)
        self.after_step: Callable[[], None] | None = None
        """Called after every step of the physics, for what measures it."""
        self._filmed: tuple[float, tuple[float, float, float]] | None = None
        self.reset(seed=scene.seed)

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        self.home.reset(self.data)
        self.grasping.reset()
        for name, value in zip(fetch.HEAD_JOINTS, HEAD_START, strict=True):
            joint, servo = self.data.joint(fetch.PREFIX + name), self.data.actuator(fetch.PREFIX + name)
            joint.qpos = servo.ctrl = value
        self._width_wanted = self._finger_target = 0.0
        fetch.set_posture(self.model, self.data, fetch.REST)
        self.world.held = None
        self.world.appliances.reset()
        for _ in range(25):  # things settle by fractions of a millimetre
            self.act(Command())

    def _tell(self, command: Command) -> None:
        self.limbs.tell(command)
        gripper = command.get("gripper")
        if gripper is not None:
            self._width_wanted = gripper[0]
            self.grasping.commanded(gripper[0])
        velocity = command.get("base")
        self._velocity = (0.0, 0.0) if velocity is None else (velocity[0], velocity[1])

    def _pass(self) -> None:
        self._drive_fingers()
        self._step(*self._velocity)
        self.check_sound()
        self.grasping.update()
        self.world.held = self.grasping.held_object
        self.world.appliances.update()

    def _step(self, v: float, w: float) -> None:
        """One control period of physics, the base driving at v (m/s) and w (rad/s)."""
        grip = self.grasping
        division = self.pace.division(
            self.data, PERIOD, grip.held_body, squeezed=grip.friction and grip.held_object is not None
        )
        self.model.opt.timestep = TIMESTEP / division
        qpos, ctrl, yaw = self.data.qpos, self.data.ctrl, self._base[2]
        x, y, turn = self._base_servos
        for _ in range(round(PERIOD / TIMESTEP) * division):
            heading = float(qpos[yaw])
            if not math.isfinite(heading):
                break  # `check_sound` says what that means
            ctrl[x], ctrl[y], ctrl[turn] = v * math.cos(heading), v * math.sin(heading), w
            mujoco.mj_step(self.model, self.data)
            if self.after_step is not None:
                self.after_step()
        self.model.opt.timestep = TIMESTEP

    def _halt(self) -> None:
        """Base still, every limb holds where it is, the fingers squeeze what they hold."""
        self.limbs.hold()
        self._velocity = (0.0, 0.0)
        if not self.grasping.holding:
            self._width_wanted = self.limbs.opening()

    def _drive_fingers(self) -> None:
        """Their target goes to the wanted width at the fingers' speed, and ahead of them only by what the servo turns
        into its whole force: so they close without a blow, and open at once."""
        at = self.limbs.opening() / 2
        ahead = float(
            np.clip(self._width_wanted / 2, self._finger_target - FINGER_STEP, self._finger_target + FINGER_STEP)
        )
        self._finger_target = float(np.clip(ahead, at - FINGER_LEAD, at + FINGER_LEAD))
        self.data.ctrl[self.limbs.finger_servos] = self._finger_target

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        vx, vy, w = (float(v) for v in self.data.qvel[self._base_dof])
        return Proprioception(
            base=Pose2(x, y, float(np.remainder(yaw + np.pi, 2 * np.pi) - np.pi)),
            base_velocity=(vx * np.cos(yaw) + vy * np.sin(yaw), w),
            joints=self.limbs.positions(),
            grippers={"gripper": self.limbs.gripper(self.grasping.contact, self.grasping.holding)},
            velocities=self.limbs.velocities(),
        )

    # ------------------------------------------------------------ privileged

    def background(self) -> Locator:
        from homie.envs.mujoco.home.background import BackgroundLocator  # which needs this module

        return BackgroundLocator(self)

    def snapshot(self) -> WorldSnapshot:
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        x, y, yaw = rounded((x, y, math.remainder(yaw, math.tau)))  # the joint counts whole turns, a pose does not
        robot = RobotState(x=x, y=y, yaw=yaw, room=self.world.room_of(np.array([x, y])))
        return snapshot_of(self.world, robot)

    def film(self, width: int, height: int) -> Image:
        """The robot from behind and above, without the upper walls."""
        x, y, azimuth = self._film_camera()
        camera = FreeCamera(lookat=(x, y, 0.75), distance=3.6, azimuth=azimuth, elevation=-0.73)
        return self.eyes.film(camera, width, height, hidden_groups=frozenset({1}))

    def _film_camera(self) -> tuple[float, float, float]:
        """Where the film camera looks (x, y) and its azimuth. It follows the robot softly, in robot time, so that the
        picture neither jerks nor spins with every turn."""
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        now, wanted = float(self.data.time), (x + 0.4 * math.cos(yaw), y + 0.4 * math.sin(yaw), yaw + 0.6)
        then, last = self._filmed or (now, wanted)
        if now < then:  # a new episode
            then, last = now, wanted
        share, turn = 1.0 - math.exp((then - now) / FILM_LAG), FILM_TURN * (now - then)
        left = math.remainder(wanted[2] - last[2], math.tau)
        azimuth = last[2] + min(max(left, -turn), turn)
        camera = (last[0] + share * (wanted[0] - last[0]), last[1] + share * (wanted[1] - last[1]), azimuth)
        self._filmed = now, camera
        return camera


def _add_robot(spec: mujoco.MjSpec, pos: tuple[float, float, float], yaw: float) -> None:
    fetch.add_fetch(spec, pos, yaw)
    add_grasp_constraints(spec, HAND)
