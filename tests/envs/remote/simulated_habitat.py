"""A simulated simulator of Habitat, below the real habitat-lab: a kitchen whose robot stands where it is put.

habitat_sim and magnum have no wheels. What habitat-lab imports of them and never calls here is answered by empty
classes; its real environment, actions and PDDL domain get a fridge, drawers, a can and a goal.

    z    fridge (-2, -2)        drawer (2, -2)
    |    robot (0, 0)           goal (2, 1)
    +--x
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from abc import ABCMeta
from pathlib import Path
from types import SimpleNamespace

import numpy as np


class Empty(ABCMeta):
    """Classes whose attributes are made when they are asked for."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(cls, name, empty(name))
        return cls.__dict__[name]

    def __or__(cls, other):
        return cls

    __ror__ = __or__


def empty(name):
    return Empty(name, (), {"__init__": lambda self, *args, **kwargs: None})


class Module(types.ModuleType):
    __version__ = "0.3.3"

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, empty(name))
        return self.__dict__[name]


class Finder:
    """Finds and makes the modules that are not to be had."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        absent = name.partition(".")[0] in ("habitat_sim", "magnum", "corrade")
        return importlib.machinery.ModuleSpec(name, cls, is_package=True) if absent else None

    @staticmethod
    def create_module(spec):
        return Module(spec.name)

    @staticmethod
    def exec_module(module):
        pass


sys.meta_path.insert(0, Finder)


class Vector(np.ndarray):
    def normalized(self):
        return self / max(np.linalg.norm(self), 1e-9)


def vector(*values):
    return np.array(values, dtype=float).view(Vector)


class Transformation:
    """Of a robot that turns about y, or of a thing that stands."""

    def __init__(self, translation, angle=0.0):
        self.translation, self.angle = np.array(translation, dtype=float), angle
        c, s = np.cos(angle), np.sin(angle)
        self.rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])

    def inverted(self):
        back = Transformation([0.0, 0.0, 0.0], -self.angle)
        back.translation = -back.rotation @ self.translation
        return back

    def transform_point(self, point):
        return (self.rotation @ np.array(point) + self.translation).view(Vector)

    def transform_vector(self, direction):
        return (self.rotation @ np.array(direction)).view(Vector)


import magnum  # noqa: E402

magnum.Vector3 = vector
magnum.Vector3.zero_init = lambda: vector(0.0, 0.0, 0.0)
magnum.Matrix4.translation = Transformation

import habitat_sim  # noqa: E402

habitat_sim.geo.get_transformed_bb = lambda box, at: SimpleNamespace(
    contains=lambda point: bool((np.abs(np.array(point) - at.translation) < box).all())
)

from gym import spaces  # noqa: E402
from habitat.core.dataset import Dataset, Episode  # noqa: E402
from habitat.core.embodied_task import EmbodiedTask, SimulatorTaskAction  # noqa: E402
from habitat.core.registry import registry  # noqa: E402
from habitat.core.simulator import DepthSensor, RGBSensor, SemanticSensor, SensorSuite, Simulator  # noqa: E402
from habitat.tasks.rearrange.multi_task.pddl_domain import PddlProblem  # noqa: E402

from robot_server.worlds.habitat_fetch import HabitatFetch  # noqa: E402

SIZE, STEP, OBJECT = 64, 0.1, 7
GOAL = (2.0, 0.8, 1.0)
__all__ = ["HabitatFetch"]


class Marker:
    """The handle of a door or drawer, which is where its furniture is."""

    def __init__(self, at, box):
        self.at, self.opening = at, 0.0
        self.ao_parent = SimpleNamespace(aabb=box, transformation=Transformation(at))
        self.link_node = SimpleNamespace(cumulative_bb=box, transformation=Transformation(at))

    def get_current_position(self):
        return vector(*self.at)

    def get_targ_js(self):
        return self.opening

    def set_targ_js(self, value):
        self.opening = value


class Grasp:
    def __init__(self):
        self.snap_idx = None

    @property
    def is_grasped(self):
        return self.snap_idx is not None

    def desnap(self, force=False):
        self.snap_idx = None

    def snap_to_obj(self, number, **more):
        self.snap_idx = number


class Camera:
    """Sees the can, in the middle, from within three metres."""

    kind = np.uint8

    def __init__(self, sim):
        self.sim = sim
        super().__init__(config=None)

    def _get_uuid(self, *args, **kwargs):
        return self.uuid

    def _get_observation_space(self, *args, **kwargs):
        return spaces.Box(0, 255, (SIZE, SIZE, self.channels), self.kind)

    def get_observation(self, *args, **kwargs):
        picture = np.zeros((SIZE, SIZE, self.channels), self.kind)
        if np.linalg.norm(self.sim.can.transformation.translation - self.sim.robot.base_pos) < 3.0:
            picture[24:40, 24:40] = self.shown
        return picture


class Colours(Camera, RGBSensor):
    uuid, channels, shown = "head_rgb", 3, 200


class Objects(Camera, SemanticSensor):
    uuid, channels, shown = "head_panoptic", 1, 100 + OBJECT


class Depths(Camera, DepthSensor):
    uuid, channels, shown, kind = "head_depth", 1, 0.2, np.float32


class HandColours(Colours):
    uuid = "articulated_agent_arm_rgb"


class HandDepths(Depths):
    uuid = "articulated_agent_arm_depth"


class Robot:
    """Its joints are where their motors are sent; its hand is ahead of it, by its first joint to a side."""

    def __init__(self):
        camera = SimpleNamespace(cam_offset_pos=vector(0.25, 1.2, 0.0), cam_look_at_pos=vector(0.75, 1.0, 0.0))
        self.params = SimpleNamespace(cameras={"head": camera})
        self.sim_obj = SimpleNamespace(motion_type=habitat_sim.physics.MotionType.DYNAMIC)

    def ee_transform(self):
        angle = self.base_transformation.angle + self.arm_joint_pos[0]
        return Transformation(self.base_transformation.transform_point((0.7, 0.9, 0.0)), angle)

    def open_gripper(self):
        pass


@registry.register_simulator(name="HomieSimulated-v0")
class SimulatedSimulator(Simulator):
    def __init__(self, config):
        self.habitat_config = config
        self.robot = Robot()
        self.can = SimpleNamespace(handle="002_master_chef_can_:0000")
        self.agents_mgr = [SimpleNamespace(articulated_agent=self.robot, grasp_mgr=Grasp())]
        self.num_articulated_agents, self.art_objs, self.receptacles = 1, [], {}
        self.handle_to_object_id, self.scene_obj_ids = {"goal0|0": 0}, [OBJECT]
        kinds = (Colours, Objects, Depths, HandColours, HandDepths)
        self._sensors = SensorSuite([kind(self) for kind in kinds])

    def get_sensor(self, name):
        node = SimpleNamespace(absolute_transformation=self.robot.ee_transform)
        return SimpleNamespace(sensor_object=SimpleNamespace(node=node))

    def get_scene_pos(self):
        return np.array([self.can.transformation.translation])

    def place(self, x, z, angle):
        self.robot.base_pos = vector(x, 0.0, z)
        self.robot.base_transformation = Transformation((x, 0.0, z), angle)

    def restart(self):
        self.place(0.0, 0.0, 0.0)
        self.robot.arm_joint_pos = np.array([-0.45, -1.08, 0.1, 0.935, -0.001, 1.573, 0.005])
        self.robot.arm_motor_pos = self.robot.arm_joint_pos.copy()
        self.agents_mgr[0].grasp_mgr.desnap()
        drawers = {f"cab_push_point_{number}": Marker((2.0, 0.5, -2.0 - number), 0.3) for number in range(4, 8)}
        self.markers = {"fridge_push_point": Marker((-2.0, 0.9, -2.0), 0.8), **drawers}
        inside = self.habitat_config.get("scene", "") == "can_in_drawer"
        self.can.transformation = Transformation((2.0, 0.5, -6.0) if inside else (-2.0, 0.9, 1.0))

    def get_all_markers(self):
        return self.markers

    def get_targets(self):
        return np.array([0]), np.array([GOAL])

    def get_agent_data(self, number):
        return self.agents_mgr[0]

    def get_rigid_object_manager(self):
        return SimpleNamespace(get_object_by_id=lambda number: self.can)

    def internal_step(self, dt):
        self.robot.arm_joint_pos = np.array(self.robot.arm_motor_pos)
        if self.agents_mgr[0].grasp_mgr.is_grasped:
            self.can.transformation = Transformation(self.robot.base_pos + vector(0.0, 0.8, 0.0))

    def step_physics(self, dt):
        self.internal_step(dt)

    def add_perf_timing(self, *args):
        pass

    @property
    def sensor_suite(self):
        return self._sensors

    @property
    def action_space(self):
        return spaces.Discrete(1)

    def reset(self, *args):
        self.restart()
        return self._sensors.get_observations()

    def step(self, action=None, *args):
        self.internal_step(STEP)
        return self._sensors.get_observations()

    def reconfigure(self, config, *args):
        self.restart()

    def seed(self, seed):
        pass

    def close(self, *args, **kwargs):
        pass


@registry.register_task_action
class SimulatedBaseVelocity(SimulatorTaskAction):
    """Under the name and with the argument of habitat-lab's."""

    @property
    def action_space(self):
        return spaces.Dict({"base_vel": spaces.Box(-20, 20, (2,), np.float32)})

    def step(self, *args, base_vel, **kwargs):
        robot = self._sim.robot
        angle = robot.base_transformation.angle + base_vel[1] * self._config.ang_speed * STEP
        x, _, z = robot.base_pos
        ahead = base_vel[0] * self._config.lin_speed * STEP
        self._sim.place(x + ahead * np.cos(angle), z - ahead * np.sin(angle), angle)


@registry.register_task_action
class SimulatedOracleNavigation(SimulatorTaskAction):
    """Half of the way to an entity in a step; it never comes to the goal where its configuration says so."""

    def __init__(self, *args, task, **kwargs):
        super().__init__(*args, **kwargs)
        self._problem, self.skill_done = task.pddl_problem, False

    @property
    def action_space(self):
        return spaces.Dict({"oracle_nav_action": spaces.Box(-1e3, 1e3, (1,), np.float32)})

    def step(self, *args, oracle_nav_action, **kwargs):
        entity = self._problem.get_ordered_entities_list()[int(oracle_nav_action[0]) - 1]
        target = np.array(self._problem.sim_info.get_entity_pos(entity))
        here = np.array(self._sim.robot.base_pos)
        away = (target - here)[[0, 2]]
        far = max(float(np.linalg.norm(away)) - 0.7, 0.0)
        angle = float(np.arctan2(-away[1], away[0]))
        x, z = here[[0, 2]] + away / max(np.linalg.norm(away), 1e-9) * far / 2
        self._sim.place(x, z, angle)
        self.skill_done = far < 0.05


@registry.register_task(name="HomieSimulated-v0")
class SimulatedTask(EmbodiedTask):
    def __init__(self, config, sim, dataset=None):
        spec = Path(config.task_spec_base_path) / f"{config.task_spec}.yaml"
        self.pddl_problem = PddlProblem(config.pddl_domain_def, str(spec), config)
        super().__init__(config=config, sim=sim, dataset=dataset)

    def reset(self, episode):
        self._sim.restart()
        self.pddl_problem.bind_to_instance(self._sim, self)
        return super().reset(episode)

    def _check_episode_is_active(self, *args, **kwargs):
        return True


@registry.register_dataset(name="HomieSimulated-v0")
class SimulatedDataset(Dataset):
    def __init__(self, config=None):
        self.episodes = [
            Episode(episode_id="0", scene_id="kitchen", start_position=[0, 0, 0], start_rotation=[0, 0, 0, 1])
        ]
