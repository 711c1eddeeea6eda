"""Plays CoppeliaSim's ZMQ remote API for its official client: a Panda on a table with loose boxes, without physics.

What is between the fingers when they close hangs on the hand; what they let go of falls on what is below it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.kernel.types import Array, Pose, Pose2

STOPPED, RUNNING = 0, 17
CONSTANTS = {
    "handle_scene": -1,
    "simulation_stopped": STOPPED,
    "sceneobject_shape": 0,
    "sceneobject_joint": 1,
    "sceneobject_visionsensor": 9,
    "sceneobject_proximitysensor": 5,
    "joint_revolute": 10,
    "joint_prismatic": 11,
    "jointintparam_dynctrlmode": 2040,
    "jointdynctrl_position": 8,
    "shapeintparam_static": 3003,
    "visionfloatparam_far_clipping": 1001,
    "visionfloatparam_perspective_angle": 1004,
    **{
        f"objfloatparam_objbbox_{end}_{axis}": 15 + 3 * number + place
        for number, end in enumerate(("min", "max"))
        for place, axis in enumerate("xyz")
    },
}
OLD = {
    "sceneobject_shape": "object_shape_type",
    "sceneobject_joint": "object_joint_type",
    "sceneobject_visionsensor": "object_visionsensor_type",
    "sceneobject_proximitysensor": "object_proximitysensor_type",
    "joint_revolute": "joint_revolute_subtype",
    "joint_prismatic": "joint_prismatic_subtype",
}
"""Names of constants in older versions of CoppeliaSim."""
PANDA, JOINTS, FINGERS, WRIST, FRONT, LINK = 1, range(11, 18), range(21, 23), 31, 32, 41
STAND, HEIGHT = Pose2(0.3, -0.2, 0.4), 0.5
SIZE, ANGLE, FAR = (64, 48), 1.0, 3.0
STEP, TURN, SLIDE = 0.05, 0.1, 0.01
"""Seconds of a step, and rad and metres that a joint moves in it, at most."""
REST = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
NAMES = {51: "DiningTable", 52: "red_cube", 53: "green_block"}
HALVES = {51: (0.35, 0.4, 0.25), 52: (0.02, 0.02, 0.02), 53: (0.05, 0.04, 0.015)}
PLACES = {51: (0.5, 0.0, 0.25), 52: (0.4, -0.1, 0.02), 53: (0.5, 0.15, 0.015)}
"""In the frame of the Panda's foot: what is loose stands on the table, of which the foot stands at the height."""
LOOSE = (52, 53)
MODEL, SENSOR, WIPER, DIRT = 60, 61, 62, range(71, 75)
"""Of what is loaded as a model, beside the cube: a sensor over the block, one in the cube, and spots of dirt."""
NAMES |= {SENSOR: "success0", WIPER: "sponge_sensor0", **{handle: f"spot{handle}" for handle in DIRT}}
GRASP = 0.025
"""Metres from the middle of the grip within which a thing is between the fingers."""


class Sim:
    """What a client sees as `sim`; each method returns the list of its results."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.running, self.stepping = STOPPED, False
        self.hangs_at, self.hangs_after = "", 0
        """The function that is not answered any more, and after how many of its calls."""
        self.constants = CONSTANTS
        self.loaded: list[str] = []
        self.dirt: list[int] = []
        self.longer = 0.0
        """Metres by which the forearm is longer than that of a Panda."""
        self.slips = 0
        """How often the cube is pushed aside by fingers that close, instead of held."""
        self.blocked = False
        """Whether the arm stays where it is."""
        self.kinematics = PandaKinematics(height=HEIGHT)
        self._begin()

    def _begin(self) -> None:
        self.q = dict(zip((*JOINTS, *FINGERS), (*REST, 0.04, 0.04), strict=True))
        self.targets: dict[int, float] = {}
        self.places = {
            handle: STAND.transform(np.array(at) + np.array([0.0, 0.0, HEIGHT if handle in LOOSE else 0.0]))
            for handle, at in PLACES.items()
        }
        self.held: int | None = None

    def _world(self, pose: Pose) -> Pose:
        turn = Pose2(0.0, 0.0, STAND.yaw)
        return Pose(STAND.transform(pose.position), np.column_stack([turn.transform(axis) for axis in pose.rotation.T]))

    def _arm(self) -> Array:
        return np.array([self.q[joint] for joint in JOINTS])

    def _grip(self) -> Pose:
        return self._world(self.kinematics.forward(self._arm()))

    def pose(self, handle: int) -> Pose:
        """Where an object is, in the frame of the scene."""
        if handle in JOINTS:
            origins, axes = self.kinematics.frames(self._arm())
            number = handle - JOINTS[0] + 1
            at = origins[number] + 0.07 * axes[number][:, 2]  # anywhere on its axis
            return self._world(Pose(at + self.longer * (number > 4) * axes[3][:, 2], axes[number]))
        if handle in self.places:
            return Pose(self.places[handle], self._world(Pose(np.zeros(3), np.eye(3))).rotation)
        down = np.column_stack([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # x left, y up, z ahead
        return self._world(Pose(np.array([0.45, 0.0, 1.6]), down)) if handle == FRONT else self._grip()

    # ------------------------------------------------------------ the functions

    def getObject(self, path: str, options: dict[str, Any]) -> list[Any]:
        paths = {"/Franka": PANDA, "/Front": FRONT, "/DiningTable": 51}
        return [paths.get(path, -1)]

    def loadModel(self, file: str) -> list[Any]:
        self.loaded.append(file)
        self.dirt = [*DIRT] if "wipe" in file else []
        return [MODEL]

    def removeModel(self, handle: int) -> list[Any]:
        assert handle == MODEL and self.running == STOPPED
        return []

    def removeObjects(self, handles: list[int]) -> list[Any]:
        self.dirt = [handle for handle in self.dirt if handle not in handles]
        return []

    def checkProximitySensor(self, sensor: int, handle: int) -> list[Any]:
        """Of the cube: whether it is over the block; of dirt: whether the cube is within 3 cm of it."""
        cube = STAND.inverse(self.places[52])
        if sensor == WIPER:
            spot = np.array([0.5, -0.06 + 0.04 * (handle - DIRT[0])])
            return [int(np.linalg.norm(cube[:2] - spot) < 0.03), 0.01, [0.0] * 3, handle, [0.0] * 3]
        block = STAND.inverse(self.places[53])
        return [int((np.abs(cube - block)[:2] < HALVES[53][:2]).all()), 0.01, [0.0] * 3, handle, [0.0] * 3]

    def getObjectsInTree(self, root: int, kind: int, options: int) -> list[Any]:
        if root == MODEL:
            return [{0: [52, *self.dirt], 5: [SENSOR, WIPER]}[kind]]
        own = {0: [LINK], 1: [*JOINTS, *FINGERS], 9: [WRIST]}
        others = {0: [51, *LOOSE, *self.dirt], 1: [], 9: [FRONT]}
        return [[] if root not in (PANDA, -1) else own[kind] + (others[kind] if root == -1 else [])]

    def getJointType(self, handle: int) -> list[Any]:
        return [11 if handle in FINGERS else 10]

    def setObjectInt32Param(self, handle: int, parameter: int, value: int) -> list[Any]:
        return []

    def getObjectInt32Param(self, handle: int, parameter: int) -> list[Any]:
        return [int(handle not in LOOSE)]

    def getObjectFloatParam(self, handle: int, parameter: int) -> list[Any]:
        if parameter >= 1000:
            return [FAR if parameter == CONSTANTS["visionfloatparam_far_clipping"] else ANGLE]
        end, axis = divmod(parameter - 15, 3)
        return [HALVES[handle][axis] * (2 * end - 1)]

    def getObjectAlias(self, handle: int) -> list[Any]:
        return [NAMES[handle]]

    def getObjectPose(self, handle: int) -> list[Any]:
        pose, quaternion = self.pose(handle), np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, pose.rotation.ravel())
        return [[*pose.position.tolist(), *np.roll(quaternion, -1).tolist()]]

    def getJointPosition(self, handle: int) -> list[Any]:
        return [self.q[handle]]

    def getJointVelocity(self, handle: int) -> list[Any]:
        return [0.0]

    def setJointTargetPosition(self, handle: int, position: float) -> list[Any]:
        self.targets[handle] = position
        return []

    def getVisionSensorImg(self, handle: int) -> list[Any]:
        return [self._picture(handle)[0].tobytes(), list(SIZE)]

    def getVisionSensorDepth(self, handle: int, options: int) -> list[Any]:
        return [self._picture(handle)[1].tobytes(), list(SIZE)]

    def getSimulationTimeStep(self) -> list[Any]:
        return [STEP]

    def getSimulationState(self) -> list[Any]:
        return [self.running]

    def setStepping(self, enabled: bool) -> list[Any]:
        self.stepping = enabled
        return [False]

    def startSimulation(self) -> list[Any]:
        self.running = RUNNING
        return [1]

    def stopSimulation(self) -> list[Any]:
        self.running = STOPPED
        self._begin()
        return [1]

    def loadScene(self, file: str) -> list[Any]:
        if not file.endswith(".ttt"):
            raise RuntimeError("in sim.loadScene: could not read scene.")
        self._begin()
        return [1]

    def step(self) -> list[Any]:
        assert self.running == RUNNING and self.stepping
        before = self._grip()
        for joint in () if self.blocked else JOINTS:
            self.q[joint] += float(np.clip(self.targets.get(joint, self.q[joint]) - self.q[joint], -TURN, TURN))
        grip = self._grip()
        if self.held is not None:
            self.places[self.held] = grip.position + grip.rotation @ before.rotation.T @ (
                self.places[self.held] - before.position
            )
        self._move_fingers(grip)
        return []

    def _move_fingers(self, grip: Pose) -> None:
        least = 0.0
        between = [handle for handle in LOOSE if np.linalg.norm(self.places[handle] - grip.position) < GRASP]
        if between:
            least = HALVES[between[0]][1]
        for finger in FINGERS:
            target = self.targets.get(finger, self.q[finger])
            self.q[finger] = max(self.q[finger] + float(np.clip(target - self.q[finger], -SLIDE, SLIDE)), least)
        if between and self.q[FINGERS[0]] <= least and self.slips:
            self.slips -= 1
            self.places[between[0]] = self.places[between[0]] + 0.06 * (-1.0) ** self.slips * grip.rotation[:, 1]
        elif between and self.q[FINGERS[0]] <= least:
            self.held = between[0]
        elif self.held is not None and self.q[FINGERS[0]] > HALVES[self.held][1] + 0.002:
            self._drop(self.held)
            self.held = None

    def _drop(self, handle: int) -> None:
        at = self.places[handle]
        tops = [0.0]
        for other, place in self.places.items():
            across = STAND.inverse(at)[:2] - STAND.inverse(place)[:2]
            if other != handle and (np.abs(across) < HALVES[other][:2]).all():
                tops.append(place[2] + HALVES[other][2])
        self.places[handle] = np.array([*at[:2], max(tops) + HALVES[handle][2]])

    def _picture(self, handle: int) -> tuple[Array, Array]:
        """Grey, and a red square in the middle of the cube, the lowest row first."""
        (width, height), pose = SIZE, self.pose(handle)
        rgb = np.full((height, width, 3), 90, np.uint8)
        depth = np.full((height, width), FAR, np.float32)
        left, up, ahead = pose.rotation.T @ (self.places[52] - pose.position)
        focal = width / 2 / np.tan(ANGLE / 2)
        if ahead > 0.05:
            column, row = round(width / 2 - focal * left / ahead), round(height / 2 + focal * up / ahead)
            rgb[row - 1 : row + 2, column - 1 : column + 2] = (200, 20, 20)
            depth[row - 1 : row + 2, column - 1 : column + 2] = ahead
        return rgb, depth


@contextmanager
def serving(sim: Sim) -> Iterator[int]:
    """A server of it in a thread; gives its port."""
    import cbor2
    import zmq

    context = zmq.Context()
    socket = context.socket(zmq.REP)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    over = threading.Event()

    def answer(request: dict[str, Any]) -> list[Any]:
        name, arguments = request["func"], request.get("args") or []
        functions = [name for name in dir(Sim) if not name.startswith("_") and name != "pose"]
        if name == "zmqRemoteApi.require":
            return []
        if name == "zmqRemoteApi.info":
            return [{**{f: {"func": {}} for f in functions}, **{c: {"const": v} for c, v in sim.constants.items()}}]
        sim.calls.append(name.removeprefix("sim."))
        result: list[Any] = getattr(sim, name.removeprefix("sim."))(*arguments)
        return result

    def serve() -> None:
        while not over.is_set():
            if socket.poll(50):
                request = cbor2.loads(socket.recv())
                hangs = sim.hangs_at and request["func"] == f"sim.{sim.hangs_at}"
                if hangs and sim.calls.count(sim.hangs_at) >= sim.hangs_after:
                    over.wait()
                    return
                try:
                    reply = {"ret": answer(request)}
                except Exception as error:
                    reply = {"err": str(error)}
                socket.send(cbor2.dumps(reply))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield port
    finally:
        over.set()
        thread.join()
        context.destroy(0)
