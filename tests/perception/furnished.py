"""A furnished room that a ring of cameras looks at, with the truth beside it."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NoReturn

import mujoco
import numpy as np

from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_intrinsics, camera_pose
from homie.envs.mujoco.robots.bodies import fetch
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.envs.mujoco.world import World
from homie.kernel.interfaces import Robot
from homie.kernel.types import (
    VIEWS,
    Array,
    CameraFrame,
    Command,
    GripperState,
    Observation,
    Pose2,
    Proprioception,
)

SIZE = 256
PITCH = math.radians(20.0)
EYE_HEIGHT = 1.1


class BlindRobot(Robot):
    """Constants and kinematics of the Fetch and nothing else: whoever asks it for more fails."""

    spec = fetch.SPEC

    def __init__(self) -> None:
        self.kinematics = ArmKinematics()

    def _restart(self, *, seed: int) -> NoReturn:
        raise AssertionError("the locator may not touch the robot")

    def measured(self) -> NoReturn:
        raise AssertionError("the locator may not look for itself")

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        raise AssertionError("the locator may not look for itself")

    def _send(self, command: Command) -> NoReturn:
        raise AssertionError("the locator may not move the robot")

    def _halt(self) -> NoReturn:
        raise AssertionError("the locator may not touch the robot")

    def close(self) -> NoReturn:
        raise AssertionError("the locator may not touch the robot")


class House:
    """A built scene without a robot; pictures are taken from wherever a test asks."""

    def __init__(self, scene: SceneSpec) -> None:
        self.home = build(scene)
        self.model = self.home.model
        self.data = self.home.new_data()
        self.world = World(self.home, self.data)
        self._renderer = make_renderer(self.model, SIZE, SIZE)
        self._stamp = 0.0
        infos = self.home.index.geoms
        full = [f"{info.entity}/{info.part}" if info.part else info.entity for info in infos.values()]
        self._names = tuple(dict.fromkeys(full))
        self._table = np.full(self.model.ngeom + 1, -1, dtype=np.int32)
        self._table[list(infos)] = [self._names.index(name) for name in full]

    def open(self, name: str, value: float) -> None:
        """Bring a door (rad) or drawer (m) to a position; what is in a drawer stays behind."""
        item = self.world.receptacles[name].articulations[0]
        self.data.qpos[self.model.jnt_qposadr[item.joint]] = value
        mujoco.mj_forward(self.model, self.data)

    def move(self, name: str, position: tuple[float, float, float]) -> None:
        """Put an object's centre somewhere else."""
        address = self.model.jnt_qposadr[self.model.joint(name).id]
        self.data.qpos[address : address + 3] = position
        mujoco.mj_forward(self.model, self.data)

    def reset(self) -> None:
        """Everything back to where it was."""
        self.home.reset(self.data)

    def before(self, name: str, metres: float, aside: float = 0.0) -> Pose2:
        """A base pose before the front of a piece of furniture, a little turned away from its axes."""
        thing = self.world.receptacles[name]
        box, yaw = self.world.receptacle_box(thing), self.world.yaw(thing.body)
        front = np.array([math.cos(yaw), math.sin(yaw)])
        xy = box.center[:2] + (box.half[0] + metres) * front + aside * np.array([-front[1], front[0]])
        return Pose2(float(xy[0]), float(xy[1]), math.remainder(yaw + math.pi + 0.2, math.tau))

    def observe(self, base: Pose2, head: Array | None = None, *, holding: bool = False) -> Observation:
        """The four views from a base pose, and the head camera if it is to look at a point (3,)."""
        self._stamp += 1.0
        frames = {}
        for number, view in enumerate(VIEWS):
            heading = base.yaw + number * math.pi / 2
            eye = np.array([base.x + 0.1 * math.cos(heading), base.y + 0.1 * math.sin(heading), EYE_HEIGHT])
            frames[view] = self._frame(view, eye, heading, -PITCH, 90.0)
        if head is not None:
            eye = np.array([base.x, base.y, EYE_HEIGHT])
            away = head - eye
            elevation = math.atan2(away[2], math.hypot(away[0], away[1]))
            frames["head"] = self._frame("head", eye, math.atan2(away[1], away[0]), elevation, 60.0)
        joints = dict(zip(fetch.SPEC.chain.names, fetch.REST.tolist(), strict=True))
        gripper = GripperState(0.05, (holding, holding), holding)
        body = Proprioception(base, joints=joints, grippers={"gripper": gripper})
        return Observation(self._stamp, body, frames)

    def _frame(self, name: str, eye: Array, heading: float, elevation: float, fovy: float) -> CameraFrame:
        forward = np.array(
            [math.cos(elevation) * math.cos(heading), math.cos(elevation) * math.sin(heading), math.sin(elevation)]
        )
        camera = FreeCamera(
            lookat=tuple(eye + forward), distance=1.0, azimuth=heading, elevation=elevation, fovy=math.radians(fovy)
        )
        picture = self._renderer.rgbd(self.data, camera)
        geoms = self._renderer.segmentation(self.data, camera)
        intrinsics = camera_intrinsics(self.model, camera, SIZE, SIZE)
        pose = camera_pose(self.model, self.data, camera)
        return CameraFrame(name, picture.rgb, picture.depth, intrinsics, pose, self._table[geoms], self._names)


FURNITURE = (
    {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.5, "y": 4.2, "hinge": "right"},
    {"name": "cabinet", "kind": "cabinet", "colour": "green", "x": 0.4, "y": 2.2, "hinge": "left"},
    {"name": "drawer", "kind": "drawer", "colour": "gray", "x": 5.55, "y": 2.0, "yaw": math.pi},
    {"name": "table_1", "kind": "table", "colour": "brown", "x": 2.6, "y": 5.2, "yaw": -math.pi / 2},
    {"name": "table_2", "kind": "table", "colour": "white", "x": 5.3, "y": 4.2, "yaw": math.pi},
    {"name": "sink", "kind": "sink", "colour": "gray", "x": 2.0, "y": 0.42, "yaw": math.pi / 2},
    {"name": "shelf", "kind": "shelf", "colour": "wood", "x": 3.6, "y": 0.3, "yaw": math.pi / 2},
)
OBJECTS = (
    {
        "name": "apple_1",
        "kind": "apple",
        "colour": "red",
        "receptacle": "table_1",
        "surface": "top",
        "x": 0.1,
        "y": 0.3,
    },
    {
        "name": "apple_2",
        "kind": "apple",
        "colour": "red",
        "receptacle": "table_2",
        "surface": "top",
        "x": 0.1,
        "y": 0.1,
    },
    {"name": "sugar_box", "kind": "sugar_box", "colour": "yellow", "receptacle": "table_1", "surface": "top"}
    | {"x": 0.1, "y": -0.2, "yaw": 0.4},
    {"name": "bowl", "kind": "bowl", "colour": "blue", "receptacle": "table_2", "surface": "top", "x": 0.05, "y": -0.2},
    {"name": "tomato_soup_can", "kind": "tomato_soup_can", "colour": "red", "receptacle": "fridge"}
    | {"surface": "upper shelf", "x": 0.1, "y": 0.0},
)


SCENE = SceneSpec.model_validate(
    {
        "rooms": [{"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 6, "y1": 6}],
        "furniture": [{"room": "kitchen", **piece} for piece in FURNITURE],
        "objects": list(OBJECTS),
        "robot": {"x": 3.0, "y": 3.0},
    }
)
"""A kitchen of 6 m by 6 m."""
