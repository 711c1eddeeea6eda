"""The embedded home as a robot: a Fetch, or a custom body, in a MuJoCo house, with simulated sensors.

Time passes only in `act`. Every command goes through the safety gate; base velocities drive a planar base of limited
force, so a wall stops it; after `reset` only `set_outcome`, for the ideal skills, sets poses directly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Self

import mujoco
import numpy as np

from homie.envs.mujoco.generate.generate import house_of
from homie.envs.mujoco.generate.settle import check_start
from homie.envs.mujoco.home.background_locator import BackgroundLocator
from homie.envs.mujoco.home.ideal_native import Native
from homie.envs.mujoco.home.ideal_rearranging import Rearranging
from homie.envs.mujoco.home.outside_camera import FilmCamera, Subject
from homie.envs.mujoco.home.settings import HomeSettings
from homie.envs.mujoco.house.build import TIMESTEP, Home, RobotBuilder, build
from homie.envs.mujoco.house.contacts import Pace, Vicinity
from homie.envs.mujoco.house.object_looks import meshes_of, with_meshes
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import MeshSpec
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.body_from_file import amended_body
from homie.envs.mujoco.robots.camera_frames import Eyes
from homie.envs.mujoco.robots.drive import BASE_JOINTS
from homie.envs.mujoco.robots.grasping import Grasping, add_grasp_constraints
from homie.envs.mujoco.robots.joint_servos import PREFIX, Limbs, place
from homie.envs.mujoco.robots.simulated import LEAD, SimulatedRobot
from homie.envs.mujoco.snapshot import snapshot_of
from homie.envs.mujoco.world import World
from homie.kernel import registry
from homie.kernel.actions import Action
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Locator, NameMatcher
from homie.kernel.robot.body import Group, Kind
from homie.kernel.robot_factory import Opening
from homie.kernel.types import Array, Command, Goal, Image, Pose2, Proprioception, wrap_angle
from homie.kernel.world.snapshot import RobotState, WorldSnapshot, round_numbers

PICTURE_SIZE = HomeSettings().pixels
"""Default width and height of a camera image."""


class HouseRobot(SimulatedRobot):
    """A robot body in any simulated house.

    `world` is privileged: skills and planners have no access to it.
    """

    body: ClassVar[SimulatedBody] = FETCH

    def __init__(
        self,
        build_house: Callable[[RobotBuilder], Home],
        *,
        grasp: str = "weld",
        picture_size: tuple[int, int] = PICTURE_SIZE,
        shade: bool = True,
        body: SimulatedBody | None = None,
    ) -> None:
        """Build the house with the robot. A subclass calls `reset` at the end of its own `__init__`.

        Args:
            build_house: Builds the house with a robot in it.
            body: Body to use instead of the class attribute.
        """
        self._body = body or self.body
        self.spec = self._body.spec
        base = self._group("base")
        self._base_group, self._gripper_group = base.name, self._group("gripper").name
        self._base_velocity_count = len(base.joints)
        """Number of velocity components of the base."""
        self.lead = max(1.0, LEAD / self.spec.period)
        self.picture_size = picture_size
        self.home: Home = build_house(self._add_robot)
        self.model = self.home.model
        self.data = mujoco.MjData(self.model)
        self.kinematics = self._body.kinematics()
        self.world = World(self.home, self.data)
        self.eyes = Eyes(self.model, self.data, self.home.index.geoms, picture_size, shade=shade)
        self.grasping = Grasping(
            self.model, self.data, self.home.index, self._body.hand, self.spec.period, friction=grasp == "friction"
        )
        self.pace = Pace(self.model, self.home.index)
        mujoco.mj_kinematics(self.model, self.data)
        self._vicinity = Vicinity(self.model, self.data, self.spec.period)
        self.limbs = Limbs(self.model, self.data, self.spec, self._body.hand.fingers)
        self._base = [int(self.model.joint(PREFIX + name).qposadr[0]) for name in BASE_JOINTS]
        self._base_dof = [int(self.model.joint(PREFIX + name).dofadr[0]) for name in BASE_JOINTS]
        self._base_servos = [self.model.actuator(PREFIX + name).id for name in BASE_JOINTS]
        self._finger_step = self.spec.gripper_speed / 2 * self.spec.period
        """Maximum distance (m) that a finger moves in one control period."""
        self._velocity: Sequence[float] = (0.0, 0.0)
        self.after_step: Callable[[], None] | None = None
        """Called after every physics step, for measurements."""
        self._film_camera = FilmCamera(self.model, self.data)
        self._best_matches: NameMatcher = registry.load("names", "default")

    def _add_robot(self, world: mujoco.MjSpec, pos: tuple[float, float, float], yaw: float) -> None:
        self._body.add(world, pos, yaw)
        add_grasp_constraints(world, self._body.hand)

    def _group(self, kind: Kind) -> Group:
        group = self.spec.first(kind)
        if group is None:
            raise BadInput(f"A robot in the home needs a {kind}; the {self.spec.name} has none.")
        return group

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        self.home.reset(self.data)
        self.grasping.reset()
        rest_posture = dict(zip(self.spec.chain.names, self.spec.chain.posture(self.spec.rest).tolist(), strict=True))
        place(self.model, self.data, {**self._body.start, **rest_posture})
        self._target_width = self._finger_target = 0.0
        self.world.held = None
        self.world.appliances.reset()
        self.world.household.reset()
        self.world.people.reset()
        self._settle()  # objects move by fractions of a millimetre

    def _tell(self, command: Command) -> None:
        self.limbs.tell(command)
        gripper = command.get(self._gripper_group)
        if gripper is not None:
            self._target_width = gripper[0]
            self.grasping.commanded(gripper[0])
        velocity = command.get(self._base_group)
        self._velocity = (0.0, 0.0) if velocity is None else velocity

    def _pass(self) -> None:
        held_before = self.world.held
        self._drive_fingers()
        self.world.people.walk(self._where(), self.spec.period)
        self._step(*self._velocity)
        self.check_sound()
        self.grasping.update()
        self.world.held = self.grasping.held_object
        self.world.people.update(self._where(), self.world.held, held_before)
        self.world.appliances.update()
        self.world.household.update()

    def _step(self, v: float, w: float, sideways: float = 0.0) -> None:
        """Simulate one control period, with base velocities v ahead, `sideways` to the left (m/s) and w (rad/s)."""
        grip = self.grasping
        division = self.pace.division(
            self.data, self.spec.period, grip.held_body, squeezed=grip.friction and grip.held_object is not None
        )
        self.model.opt.timestep = TIMESTEP / division
        qpos, ctrl, yaw = self.data.qpos, self.data.ctrl, self._base[2]
        x, y, turn = self._base_servos
        steps = round(self.spec.period / TIMESTEP) * division
        at_once = v == sideways == 0.0 and self.after_step is None  # the command does not depend on the heading
        with self._vicinity.alone():
            for _ in range(1 if at_once else steps):
                heading = float(qpos[yaw])
                if not math.isfinite(heading):
                    break  # `check_sound` reports it
                c, s = math.cos(heading), math.sin(heading)
                ctrl[x], ctrl[y], ctrl[turn] = v * c - sideways * s, v * s + sideways * c, w
                mujoco.mj_step(self.model, self.data, steps if at_once else 1)
                if self.after_step is not None:
                    self.after_step()
        self.model.opt.timestep = TIMESTEP

    def _where(self) -> Array:
        """Return the position of the base (2,), m."""
        return np.array(self.data.qpos[self._base[:2]])

    def _halt(self) -> None:
        """Stop the base, hold all limbs at their positions, and keep squeezing the held object."""
        self.limbs.hold()
        self._velocity = (0.0, 0.0)
        if not self.grasping.holding:
            self._target_width = self.limbs.opening()

    def _drive_fingers(self) -> None:
        """Move the fingers' target to the commanded opening at the fingers' speed, ahead of them by at most the error
        at which the servo saturates: so they close without an impact, and open immediately."""
        at = self.limbs.opening() / 2
        step, lead = self._finger_step, self._body.finger_lead
        finger_target = min(max(self._target_width / 2, self._finger_target - step), self._finger_target + step)
        self._finger_target = min(max(finger_target, at - lead), at + lead)
        self.data.ctrl[self.limbs.finger_servos] = self._finger_target

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        x, y, yaw = self.data.qpos[self._base].tolist()
        vx, vy, w = self.data.qvel[self._base_dof].tolist()
        return Proprioception(
            base=Pose2(x, y, wrap_angle(yaw)),
            base_velocity=(vx * np.cos(yaw) + vy * np.sin(yaw), w, vy * np.cos(yaw) - vx * np.sin(yaw))[
                : self._base_velocity_count
            ],
            joints=self.limbs.positions(),
            grippers={self._gripper_group: self.limbs.gripper(self.grasping.contact, self.grasping.holding)},
            velocities=self.limbs.velocities(),
        )

    # ------------------------------------------------------------ privileged

    def background(self) -> Locator:
        return BackgroundLocator(self)

    def snapshot(self) -> WorldSnapshot:
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        x, y, yaw = round_numbers((x, y, math.remainder(yaw, math.tau)))  # the joint angle is not wrapped
        robot = RobotState(x=x, y=y, yaw=yaw, room=self.world.room_of(np.array([x, y])))
        return snapshot_of(self.world, robot)

    def set_outcome(self, action: Action, goal: Goal, places: Iterable[Pose2]) -> str:
        """See `homie.kernel.interfaces.Rearrangeable`."""
        problem = self._rearranging.set_outcome(action, goal, places)
        self._begin_from_here()
        return problem

    def drop(self) -> str:
        """See `homie.kernel.interfaces.Rearrangeable`."""
        problem = self._rearranging.drop()
        self._begin_from_here()
        return problem

    @cached_property
    def _rearranging(self) -> Rearranging:
        return Rearranging(world=self.world, limbs=self.limbs, grasping=self.grasping, spec=self.spec, base=self._base)

    @cached_property
    def native(self) -> Native:
        """An interface that moves the robot by small steps, without physics. Privileged."""
        return Native(
            world=self.world,
            limbs=self.limbs,
            grasping=self.grasping,
            spec=self.spec,
            base=self._base,
            begin=self._begin_from_here,
            wait=self._wait,
        )

    def _begin_from_here(self) -> None:
        """Reset the controllers after the state was set: the fingers squeeze the held object, nothing else moves, the
        gate starts from the current joint positions, and the film camera chooses a new view."""
        self._velocity = (0.0, 0.0)
        self._target_width = 0.0 if self.grasping.holding else self.limbs.opening()
        self._finger_target = self.limbs.opening() / 2
        self._film_camera.reset()
        self.gate.reset()

    def _known(self) -> Mapping[str, object]:
        world = self.world
        known = {"held": world.held, "on": dict(world.appliances.on), "states": world.household.known()}
        return {**known, "people": world.people.known()} if world.people.infos else known

    def _take_known(self, known: Mapping[str, object]) -> None:
        held, powered, states = known.get("held"), known.get("on"), known.get("states")
        self.world.held = held if isinstance(held, str) else None
        self.world.appliances.switch(
            {name: bool(value) for name, value in dict(powered).items()} if isinstance(powered, Mapping) else {}
        )
        self.world.household.take(states if isinstance(states, Mapping) else {})
        people = known.get("people")
        self.world.people.take_over(people if isinstance(people, Mapping) else {})

    def film(self, width: int, height: int, target: str = "") -> Image:
        """Render the robot and its target from above, without the upper walls."""
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        camera = self._film_camera.aim(Pose2(x, y, yaw), self._film_subject(target, np.array([x, y])))
        return self.eyes.film(camera, width, height, hidden_groups=frozenset({1}))

    def _film_subject(self, words: str, position: Array) -> Subject | None:
        """Return the subject of a film for a target: the nearest object or furniture that the words match."""
        world = self.world
        names = [thing.name for thing in self._best_matches(words, world.named_things())] if words else []
        objects = [Subject(world.object_box(world.objects[name]).center) for name in names if name in world.objects]
        furniture = [Subject(*world.face(world.receptacles[name])) for name in names if name in world.receptacles]
        return min((*objects, *furniture), key=lambda subject: subject.metres(position), default=None)


class MujocoHome(HouseRobot):
    """A robot in one of Homie's houses: a Fetch, or the `body` of a subclass (docs/robots.md)."""

    def __init__(
        self,
        scene: SceneSpec,
        *,
        grasp: str = "weld",
        picture_size: tuple[int, int] = PICTURE_SIZE,
        shade: bool = True,
        body: SimulatedBody | None = None,
        meshes: Mapping[str, MeshSpec] = MappingProxyType({}),
    ) -> None:
        """Build the home. Raises BadInput for a scene whose objects penetrate each other. `body`: replaces that of the
        class. `meshes`: visual meshes of objects by the names that `with_meshes` expects."""
        self._meshes = meshes
        self.scene = with_meshes(scene, meshes) if meshes else scene
        super().__init__(self._build_home, grasp=grasp, picture_size=picture_size, shade=shade, body=body)
        self.reset(seed=scene.seed)

    def _build_home(self, robot: RobotBuilder) -> Home:
        home = build(self.scene, robot)
        if not all(item.stands for item in self.scene.objects):
            check_start(home)
        return home

    @classmethod
    def of(cls, argument: str, settings: HomeSettings) -> Self:
        """Make the home of a run: from a scene spec file, or the house of its seed. Raises BadInput for an invalid spec
        and for any argument."""
        if argument:
            raise BadInput(
                f"A robot in the home takes no argument (got '{argument}'): use --scene FILE for your own house."
            )
        house = house_of(settings, settings.seed, settings.scene)
        return cls(
            house,
            grasp=settings.grasp,
            picture_size=settings.pixels,
            shade=bool(settings.shade),
            body=find_body(settings.body),
            meshes={} if settings.meshes is None else meshes_of(settings.meshes),
        )

    def describe(self) -> Mapping[str, object]:
        """Return the SHA-256 of the visual meshes of objects, by name."""
        return {"meshes": {name: mesh.sha256 for name, mesh in self._meshes.items()}} if self._meshes else {}


def find_body(name: str) -> SimulatedBody | None:
    """Return a registered body, or the body defined by a YAML file of changes; None for no name. Raises BadInput."""
    if name.endswith((".yaml", ".yml")):
        return amended_body(Path(name))
    body = registry.load("bodies", name) if name else None
    if not (body is None or isinstance(body, SimulatedBody)):
        raise BadInput(f"The body '{name}' is none of a simulated world: choose another.")
    return body


open_home = Opening(HomeSettings, MujocoHome.of, "A Fetch, or another of `homie list bodies`, in a simulated house.")
"""Factory of the home of a run, with a Fetch or another registered body."""
