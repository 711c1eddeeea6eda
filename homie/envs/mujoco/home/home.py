"""The embedded home as a robot: a Fetch, or a body of one's own, in a house of MuJoCo, with simulated sensors.

Time passes only in `act`. Every command goes through the safety gate; base velocities drive a planar base of limited
force, so a wall stops it; nothing is placed by hand after `reset` but by `set_outcome`, for the ideal skills.
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
from homie.kernel.types import Array, Command, Goal, Image, Pose2, Proprioception, wrapped_angle
from homie.kernel.world.snapshot import RobotState, WorldSnapshot, rounded

PICTURE_SIZE = HomeSettings().pixels
"""Width and height of a picture where none is asked for."""


class HouseRobot(SimulatedRobot):
    """A body in a simulated house, whoever built that.

    `world` is privileged: skills and planners never get it.
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
        """A subclass calls `reset` once it is whole.

        Args:
            build_house: Builds the house with a robot in it.
            body: Another than the class has.
        """
        self._body = body or self.body
        self.spec = self._body.spec
        base = self._group("base")
        self._base_group, self._gripper_group = base.name, self._group("gripper").name
        self._ways = len(base.joints)
        """How many velocities the base has."""
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
        """Metres that a finger goes in one control period."""
        self._velocity: Sequence[float] = (0.0, 0.0)
        self.after_step: Callable[[], None] | None = None
        """Called after every step of the physics, for what measures it."""
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
        self._width_wanted = self._finger_target = 0.0
        self.world.held = None
        self.world.appliances.reset()
        self.world.household.reset()
        self.world.people.reset()
        self._settle()  # by fractions of a millimetre

    def _tell(self, command: Command) -> None:
        self.limbs.tell(command)
        gripper = command.get(self._gripper_group)
        if gripper is not None:
            self._width_wanted = gripper[0]
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
        """One control period of physics, the base driving at v ahead, `sideways` to its left (m/s) and w (rad/s)."""
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
                    break  # `check_sound` says what that means
                c, s = math.cos(heading), math.sin(heading)
                ctrl[x], ctrl[y], ctrl[turn] = v * c - sideways * s, v * s + sideways * c, w
                mujoco.mj_step(self.model, self.data, steps if at_once else 1)
                if self.after_step is not None:
                    self.after_step()
        self.model.opt.timestep = TIMESTEP

    def _where(self) -> Array:
        """Where the base is (2,), m."""
        return np.array(self.data.qpos[self._base[:2]])

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
        step, lead = self._finger_step, self._body.finger_lead
        finger_target = min(max(self._width_wanted / 2, self._finger_target - step), self._finger_target + step)
        self._finger_target = min(max(finger_target, at - lead), at + lead)
        self.data.ctrl[self.limbs.finger_servos] = self._finger_target

    # ------------------------------------------------------------ senses

    def measured(self) -> Proprioception:
        x, y, yaw = self.data.qpos[self._base].tolist()
        vx, vy, w = self.data.qvel[self._base_dof].tolist()
        return Proprioception(
            base=Pose2(x, y, wrapped_angle(yaw)),
            base_velocity=(vx * np.cos(yaw) + vy * np.sin(yaw), w, vy * np.cos(yaw) - vx * np.sin(yaw))[: self._ways],
            joints=self.limbs.positions(),
            grippers={self._gripper_group: self.limbs.gripper(self.grasping.contact, self.grasping.holding)},
            velocities=self.limbs.velocities(),
        )

    # ------------------------------------------------------------ privileged

    def background(self) -> Locator:
        return BackgroundLocator(self)

    def snapshot(self) -> WorldSnapshot:
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        x, y, yaw = rounded((x, y, math.remainder(yaw, math.tau)))  # the joint counts whole turns, a pose does not
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
        """The robot to be moved by small steps, without physics. Privileged."""
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
        """What follows from a world that was set: the fingers squeeze what they hold, nothing else moves, the gate
        begins where the joints are, and the film camera chooses anew."""
        self._velocity = (0.0, 0.0)
        self._width_wanted = 0.0 if self.grasping.holding else self.limbs.opening()
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
        """The robot and its target from above, without the upper walls."""
        x, y, yaw = (float(v) for v in self.data.qpos[self._base])
        camera = self._film_camera.aim(Pose2(x, y, yaw), self._meant(target, np.array([x, y])))
        return self.eyes.film(camera, width, height, hidden_groups=frozenset({1}))

    def _meant(self, words: str, position: Array) -> Subject | None:
        """What a film shows for a target: the nearest object or furniture that words may mean."""
        world = self.world
        names = [thing.name for thing in self._best_matches(words, world.named_things())] if words else []
        objects = [Subject(world.object_box(world.objects[name]).center) for name in names if name in world.objects]
        furniture = [Subject(*world.face(world.receptacles[name])) for name in names if name in world.receptacles]
        return min((*objects, *furniture), key=lambda subject: subject.metres(position), default=None)


class MujocoHome(HouseRobot):
    """A robot in a house of Homie's: a Fetch, or a `body` of one's own in a subclass (docs/robots.md)."""

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
        """Raises BadInput for a scene whose things cut into each other. `body`: another than the class has. `meshes`:
        what objects are drawn by, by the names that `with_meshes` goes by."""
        self._meshes = meshes
        self.scene = with_meshes(scene, meshes) if meshes else scene
        super().__init__(self._built, grasp=grasp, picture_size=picture_size, shade=shade, body=body)
        self.reset(seed=scene.seed)

    def _built(self, robot: RobotBuilder) -> Home:
        home = build(self.scene, robot)
        if not all(item.stands for item in self.scene.objects):
            check_start(home)
        return home

    @classmethod
    def of(cls, argument: str, settings: HomeSettings) -> Self:
        """The home of a run: its scene spec file, or the house of its seed. Raises BadInput for a bad spec, and for an
        argument, of which it has none."""
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
            body=body_called(settings.body),
            meshes={} if settings.meshes is None else meshes_of(settings.meshes),
        )

    def describe(self) -> Mapping[str, object]:
        """The SHA-256 of the meshes that its objects may be drawn by, by name."""
        return {"meshes": {name: mesh.sha256 for name, mesh in self._meshes.items()}} if self._meshes else {}


def body_called(name: str) -> SimulatedBody | None:
    """A registered body, or that of a file of amendments; None for no name. Raises BadInput."""
    if name.endswith((".yaml", ".yml")):
        return amended_body(Path(name))
    body = registry.load("bodies", name) if name else None
    if not (body is None or isinstance(body, SimulatedBody)):
        raise BadInput(f"The body '{name}' is none of a simulated world: choose another.")
    return body


open_home = Opening(HomeSettings, MujocoHome.of, "A Fetch, or another of `homie list bodies`, in a simulated house.")
"""The home of a run, with a Fetch or another registered body."""
