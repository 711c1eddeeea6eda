"""The embedded home as a robot: senses that agree with the world, commands that are obeyed or refused."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import PICTURE_SIZE, MujocoHome
from homie.envs.mujoco.home.outside_camera import FilmCamera
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.bodies.fetch import READY
from homie.kernel.errors import CommandRefused, RobotFault
from homie.kernel.types import VIEWS, Array, CameraFrame, Command, Observation, Pose
from homie.kernel.world.snapshot import read_snapshot

TURN = 0.6
"""Heading of the robot (rad) in the scene with a thing on every side."""

AROUND = {"cracker_box": 0.0, "master_chef_can": 0.5 * math.pi, "bleach_cleanser": math.pi, "mustard": 1.5 * math.pi}
"""What stands around the robot, and where: radians counter-clockwise from its heading."""

COLOURS = {"cracker_box": "red", "master_chef_can": "blue", "bleach_cleanser": "white", "mustard": "yellow"}


def _surrounded() -> SceneSpec:
    things = [
        {
            "name": name,
            "kind": "mustard_bottle" if name == "mustard" else name,
            "colour": COLOURS[name],
            "x": 3.0 + 1.5 * math.cos(TURN + angle),
            "y": 3.0 + 1.5 * math.sin(TURN + angle),
        }
        for name, angle in AROUND.items()
    ]
    return one_room([], things, (3.0, 3.0, TURN), (6.0, 6.0))


def _with_table() -> SceneSpec:
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 2.0, "yaw": math.pi}
    fridge = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 1.0, "y": 3.59, "yaw": -math.pi / 2}
    on_table = {"receptacle": "table", "surface": "top"}
    orange = {"name": "orange", "kind": "orange", "colour": "orange", "x": 0.2, "y": 0.1, **on_table}
    can = {"name": "tomato_soup_can", "kind": "tomato_soup_can", "colour": "red", "x": 0.2, "y": -0.2, **on_table}
    return one_room([table, fridge], [orange, can], (1.2, 2.0, 0.0))


@pytest.fixture(scope="module")
def surrounded() -> Iterator[Observation]:
    with MujocoHome(_surrounded()) as home:
        yield home.observe((*VIEWS, "head"))


@pytest.fixture
def home() -> Iterator[MujocoHome]:
    with MujocoHome(_with_table()) as home:
        yield home


def _wiggle(home: MujocoHome, periods: int) -> None:
    for k in range(periods):
        arm = tuple(np.array(home.spec.rest["arm"]) + 0.1 * math.sin(0.3 * k))
        home.act(Command(base=(0.2, 0.3 * math.sin(0.2 * k)), arm=arm, head=(0.2, 0.3), gripper=0.05))


def _everything(observation: Observation) -> bytes:
    """All numbers and pixels of an observation."""
    frames = observation.frames.values()
    pixels = b"".join(f.rgb.tobytes() + f.depth.tobytes() + f.instances.tobytes() for f in frames)  # type: ignore[union-attr]
    poses = b"".join(f.pose.position.tobytes() + f.pose.rotation.tobytes() for f in frames)
    return repr((observation.stamp, observation.body)).encode() + pixels + poses


def _visible(frame: CameraFrame) -> set[str]:
    assert frame.instances is not None
    return {frame.instance_names[k] for k in np.unique(frame.instances) if k >= 0}


def _mask(frame: CameraFrame, name: str) -> np.ndarray:
    assert frame.instances is not None
    return frame.instances == frame.instance_names.index(name)


class TestSameStart:
    def test_same_scene_and_commands_give_the_same_observation_bit_for_bit(self) -> None:
        observations = []
        for _ in range(2):
            with MujocoHome(_with_table()) as home:
                _wiggle(home, 40)
                observations.append(_everything(home.observe((*VIEWS, "head"))))
        assert observations[0] == observations[1]

    def test_reset_brings_everything_back(self, home: MujocoHome) -> None:
        first, state = _everything(home.observe(VIEWS)), home.snapshot()
        _push_things_about(home)
        assert home.snapshot() != state
        home.reset(seed=0)
        assert home.snapshot() == state
        assert _everything(home.observe(VIEWS)) == first
        _wiggle(home, 20)
        after = _everything(home.observe(VIEWS))
        home.reset(seed=0)
        _wiggle(home, 20)
        assert _everything(home.observe(VIEWS)) == after, "nor does anything unseen stay behind"


def _push_things_about(home: MujocoHome) -> None:
    """Stretch the arm out at the height of the table top and drive it into what stands there."""
    for _ in range(200):
        home.act(Command(effector=Pose(np.array([0.75, -0.1, 0.80]), np.eye(3)), gripper=0.08))
    for _ in range(80):
        home.act(Command(base=(0.4, 0.0)))


class TestCommands:
    def test_time_passes_only_in_act(self, home: MujocoHome) -> None:
        before = home.observe().stamp
        home.observe(VIEWS)
        assert home.observe().stamp == before
        home.act(Command())
        assert home.observe().stamp == pytest.approx(before + home.spec.period)

    def test_a_wall_stops_the_base(self) -> None:
        with MujocoHome(one_room(robot=(3.0, 2.0, 0.0))) as home:
            for _ in range(100):
                home.act(Command(base=(0.8, 0.0)))
            body = home.observe().body
            wall = 4.0 - 0.05
            assert wall - home.spec.footprint_radius - 0.03 < body.base.x < wall - 0.25
            assert abs(body.base_velocity[0]) < 0.02
            assert abs(body.base.y - 2.0) < 0.02

    def test_the_base_drives_where_it_looks(self, home: MujocoHome) -> None:
        for _ in range(60):
            home.act(Command(base=(0.0, 1.0)))
        for _ in range(15):
            home.act(Command())
        begin = home.observe().body.base
        for _ in range(40):
            home.act(Command(base=(0.3, 0.0)))
        end = home.observe().body.base
        way = end.xy - begin.xy
        assert math.atan2(way[1], way[0]) == pytest.approx(begin.yaw, abs=0.08)
        assert np.linalg.norm(way) > 0.25

    @pytest.mark.parametrize(
        "command",
        [
            Command(base=(math.nan, 0.0)),
            Command(arm=(0.0, 0.0, math.inf, 0.0, 0.0, 0.0, 0.0)),
            Command(torso=math.nan),
            Command(head=(0.0, -math.inf)),
            Command(gripper=math.nan),
            Command(arm=(0.0, 0.0)),
            Command(effector=Pose(np.array([0.6, math.nan, 0.8]), np.eye(3))),
        ],
    )
    def test_what_is_not_finite_is_refused_and_nothing_moves(self, home: MujocoHome, command: Command) -> None:
        before = home.data.qpos.copy(), home.data.ctrl.copy(), home.observe().stamp
        with pytest.raises(CommandRefused):
            home.act(command)
        assert np.array_equal(home.data.qpos, before[0])
        assert np.array_equal(home.data.ctrl, before[1])
        assert home.observe().stamp == before[2]

    def test_too_much_is_clamped_and_recorded(self, home: MujocoHome) -> None:
        sent = home.act(Command(base=(50.0, 0.0), gripper=1.0))
        assert sent.requested.get("base") == (50.0, 0.0)
        assert sent.sent.get("base")[0] <= home.spec.max_linear
        assert sent.changes

    def test_limbs_go_where_they_are_sent(self, home: MujocoHome) -> None:
        q = READY
        for _ in range(200):
            home.act(Command(torso=float(q[0]), arm=tuple(q[1:].tolist()), head=(0.4, 0.2), gripper=0.07))
        body = home.observe().body
        measured = np.array(list(body.joints.values()))
        np.testing.assert_allclose(measured, [*q, 0.4, 0.2], atol=0.02)
        assert body.gripper == pytest.approx(0.07, abs=0.003)

    def test_an_effector_pose_is_reached(self, home: MujocoHome) -> None:
        """A gripper pose in the base frame, fingers level and ahead."""
        target = Pose(np.array([0.6, 0.1, 1.0]), np.eye(3))
        for _ in range(250):
            home.act(Command(effector=target))
        site = home.data.site("robot/gripper")
        np.testing.assert_allclose(site.xpos, home.observe().body.base.transform(target.position), atol=0.01)
        assert site.xmat.reshape(3, 3)[0, 0] > 0.999

    def test_stop_brings_everything_to_rest(self, home: MujocoHome) -> None:
        for _ in range(15):
            home.act(Command(base=(0.5, 0.5), arm=tuple(READY[1:].tolist())))
        driving = home.observe()
        home.stop()
        stopped = home.observe()
        assert abs(driving.body.base_velocity[0]) > 0.2 and np.abs(stopped.body.base_velocity).max() <= 0.02
        assert 0.0 < stopped.stamp - driving.stamp < 1.0, "it takes its time, and waits for it"
        home.stop()
        assert home.observe().stamp == stopped.stamp, "what stands still need not wait"
        for _ in range(25):
            home.act(Command())
        before = home.data.qpos.copy()
        for _ in range(10):
            home.act(Command())
        assert np.abs(home.data.qpos - before).max() < 2e-3

    def test_close_can_be_called_twice(self, home: MujocoHome) -> None:
        home.observe(VIEWS)
        home.close()
        home.close()


class TestSenses:
    @pytest.mark.parametrize(("view", "thing"), list(zip(VIEWS, AROUND, strict=True)))
    def test_the_four_views_are_front_left_back_right(self, surrounded: Observation, view: str, thing: str) -> None:
        frame = surrounded.frames[view]
        assert _visible(frame) & set(AROUND) == {thing}
        rows, columns = np.nonzero(_mask(frame, thing))
        assert abs(columns.mean() - PICTURE_SIZE[0] / 2) < 8, "straight ahead in its view"
        assert rows.mean() > PICTURE_SIZE[0] / 2, "on the floor, below the horizon"

    def test_pictures_have_the_promised_types(self, surrounded: Observation) -> None:
        for frame in surrounded.frames.values():
            assert frame.rgb.shape == (*PICTURE_SIZE, 3) and frame.rgb.dtype == np.uint8
            assert frame.depth is not None and frame.instances is not None
            assert frame.depth.shape == PICTURE_SIZE and frame.depth.dtype == np.float32
            assert frame.instances.shape == PICTURE_SIZE and frame.instances.dtype == np.int32
            assert frame.instances.max() < len(frame.instance_names)
            assert frame.rgb.std() > 5, "something is to be seen"

    @pytest.mark.parametrize(("view", "thing"), list(zip(VIEWS, AROUND, strict=True)))
    def test_pixels_carried_out_by_their_depth_land_on_the_thing(
        self, surrounded: Observation, view: str, thing: str
    ) -> None:
        points = _carried_out(surrounded.frames[view], thing)
        angle = TURN + AROUND[thing]
        middle = np.array([3.0 + 1.5 * math.cos(angle), 3.0 + 1.5 * math.sin(angle)])
        assert len(points) > 20
        assert np.linalg.norm(points[:, :2] - middle, axis=1).max() < 0.10
        assert points[:, 2].min() > -0.01
        assert points[:, 2].max() < 0.26

    def test_floor_pixels_lie_on_the_floor(self, surrounded: Observation) -> None:
        for frame in surrounded.frames.values():
            heights = _carried_out(frame, "kitchen")[:, 2]
            assert np.abs(heights).max() < 0.02

    def test_instances_are_named_by_entity_and_part(self, home: MujocoHome) -> None:
        names = set().union(*(_visible(frame) for frame in home.observe((*VIEWS, "head")).frames.values()))
        assert {"orange", "tomato_soup_can", "table", "fridge/door", "wall", "kitchen"} <= names
        assert not any("robot" in name or "gripper" in name for name in names)

    def test_no_cameras_no_pictures(self, home: MujocoHome) -> None:
        assert dict(home.observe().frames) == {}

    def test_the_film_camera_follows_without_jerks(self, home: MujocoHome) -> None:
        home.reset(seed=0)
        camera = FilmCamera(home.model, home.data)
        lookat = []
        for _ in range(40):
            home.act(Command(base=(0.0, 1.5)))
            lookat.append(camera.aim(home.measured().base).lookat[:2])
        steps = np.linalg.norm(np.diff(lookat, axis=0), axis=1)
        assert 0 < steps.max() < 0.02, "fixed to the robot, the point it looks at would move by 0.024 m a step"

    def test_a_picture_to_look_at_comes_in_the_size_asked_for(self, home: MujocoHome) -> None:
        small, large = home.look("head"), home.look("head", 400)
        assert small.shape[:2] == home.picture_size[::-1] and large.shape[:2] == (400, 400)
        again = cv2.resize(large, small.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(again.astype(int) - small).mean() < 6.0, "the same view"

    def test_film_has_the_size_asked_for(self, home: MujocoHome) -> None:
        picture = home.film(320, 200)
        assert picture.shape == (200, 320, 3)
        assert picture.std() > 10


def _carried_out(frame: CameraFrame, name: str) -> Array:
    """The pixels of an instance as points (n, 3) in the odometry frame, without those at its outline."""
    assert frame.depth is not None
    mask = _mask(frame, name)
    inner = mask.copy()
    for axis in (0, 1):
        for step in (1, -1):
            inner &= np.roll(mask, step, axis)
    rows, columns = np.nonzero(inner)
    z = frame.depth[rows, columns].astype(float)
    k = frame.intrinsics
    optical = np.stack([(columns - k.cx) / k.fx * z, (rows - k.cy) / k.fy * z, z], axis=1)
    points: Array = frame.pose.position + optical @ frame.pose.rotation.T
    return points


@pytest.mark.parametrize("turns", [-4, 0, 3])
def test_the_snapshot_has_a_yaw_of_less_than_a_turn(home: MujocoHome, turns: int) -> None:
    """A robot that has turned round and round stands as one that has not."""
    yaw = home.data.qpos[int(home.model.joint("robot/base_yaw").qposadr[0])]
    home.data.qpos[int(home.model.joint("robot/base_yaw").qposadr[0])] = 1.25 + turns * math.tau
    state = home.snapshot().robot
    home.data.qpos[int(home.model.joint("robot/base_yaw").qposadr[0])] = yaw
    assert state.yaw == pytest.approx(1.25, abs=1e-4)


def test_the_snapshot_is_ready_for_json_and_complete(home: MujocoHome) -> None:
    world = home.snapshot()
    state = json.loads(json.dumps(world.to_json()))
    assert read_snapshot(state) == world
    assert set(state) == {"format", "objects", "fixed", "rooms", "joints", "held", "robot"}
    assert set(state["objects"]) == {"orange", "tomato_soup_can"}
    orange = state["objects"]["orange"]
    assert (orange["relation"], orange["at"], orange["room"]) == ("on", "table", "kitchen")
    assert len(orange["position"]) == 3
    assert np.linalg.norm(orange["quaternion"]) == pytest.approx(1.0, abs=1e-3)
    assert state["joints"]["fridge/door"]["fraction"] == pytest.approx(0.0, abs=1e-3)
    assert state["held"] is None
    assert state["fixed"]["fridge"]["kind"] == "fridge" and state["fixed"]["fridge"]["receives"] == "in"
    assert state["rooms"]["kitchen"]["kind"] == "kitchen" and len(state["rooms"]["kitchen"]["floor"]) == 4
    assert 0.02 < min(orange["half"]) <= max(orange["half"]) < 0.06, "an orange"


@pytest.mark.parametrize("speed", [1e12, math.nan, math.inf])
@pytest.mark.parametrize("joint", ["mustard", "robot/base_yaw"])
def test_a_simulation_that_diverges_is_a_fault_and_no_fresh_start(joint: str, speed: float) -> None:
    with MujocoHome(_surrounded()) as robot:
        before = robot.observe().stamp
        robot.data.qvel[int(robot.model.joint(joint).dofadr[0])] = speed
        with pytest.raises(RobotFault, match="diverged"):
            _wiggle(robot, 5)
        assert robot.data.time >= before, "MuJoCo must not put the world back to its start and go on"
