"""The camera of the videos: it sees the robot, its hand and its target, and shows a world around the house."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.home.outside_camera import FilmCamera, Subject
from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_intrinsics, camera_pose
from homie.envs.mujoco.render.outdoors import HAZE, LAWN, STRIPE, with_outdoors
from homie.kernel.types import Array, Command, Intrinsics, Pose, Pose2

NO_UPPER_WALLS = np.array([1, 0, 1, 0, 0, 0], np.uint8)


@pytest.fixture(scope="module")
def home() -> Iterator[MujocoHome]:
    """A robot before a fridge that stands with its back to a wall."""
    fridge = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 1.0, "y": 3.59, "yaw": -math.pi / 2}
    with MujocoHome(one_room([fridge], [], (1.0, 2.4, math.pi / 2))) as home:
        yield home


def sees(home: MujocoHome, camera: FreeCamera, point: Array) -> bool:
    """Whether the straight line from a camera to a point is free."""
    eye = camera_pose(home.model, home.data, camera).position
    way = point - eye
    metres = float(np.linalg.norm(way))
    hit = mujoco.mj_ray(home.model, home.data, eye, way / metres, NO_UPPER_WALLS, 1, -1, np.zeros(1, np.int32))
    return bool(hit < 0.0 or hit > metres - 0.16)


def is_in_picture(home: MujocoHome, camera: FreeCamera, point: Array) -> bool:
    """Whether a point lies in the picture of the video."""
    pose, lens = camera_pose(home.model, home.data, camera), camera_intrinsics(home.model, camera, 848, 432)
    x, y, z = pose.rotation.T @ (point - pose.position)
    return bool(0 < lens.fx * x / z + lens.cx < 848 and 0 < lens.fy * y / z + lens.cy < 432)


@pytest.mark.parametrize("heading", np.linspace(-math.pi, math.pi, 7))
def test_robot_hand_and_the_front_of_the_target_are_in_the_picture_whatever_the_heading(
    home: MujocoHome, heading: float
) -> None:
    home.reset(seed=0)
    point, outward = home.world.face(home.world.receptacles["fridge"])
    camera = FilmCamera(home.model, home.data).aim(Pose2(1.0, 2.4, heading), Subject(point, outward))
    hand = np.array(home.data.site("robot/gripper").xpos)
    assert sees(home, camera, point) and sees(home, camera, hand)
    assert all(is_in_picture(home, camera, at) for at in (point, hand, np.array([1.0, 2.4, 1.0])))
    eye = camera_pose(home.model, home.data, camera).position
    assert outward is not None and (eye - point)[:2] @ outward > 0.0, "not from behind the fridge"


def test_what_has_no_doors_may_be_seen_from_all_sides(home: MujocoHome) -> None:
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 2.0, "yaw": math.pi}
    with MujocoHome(one_room([table], [], (1.2, 2.0, 0.0))) as other:
        point, outward = other.world.face(other.world.receptacles["table"])
    assert outward is None and point[:2] == pytest.approx([3.0, 2.0], abs=0.01) and 0.5 < point[2] < 1.0


def test_it_cuts_once_something_has_been_hidden_for_a_while_and_not_before(home: MujocoHome) -> None:
    home.reset(seed=0)
    camera = FilmCamera(home.model, home.data)
    point, outward = home.world.face(home.world.receptacles["fridge"])
    subject, base = Subject(point, outward), home.measured().base
    azimuths = [camera.aim(base, subject).azimuth]
    behind = Subject(point, -outward)  # now it can be seen from the other side only
    times = [float(home.data.time)]
    for _ in range(250):
        home.act(Command())
        times.append(float(home.data.time))
        azimuths.append(camera.aim(base, behind).azimuth)
    cuts = [
        time - times[0]
        for time, before, after in zip(times[1:], azimuths, azimuths[1:], strict=False)
        if before != after
    ]
    assert len(cuts) <= 1 and all(cut >= 5.0 - 0.1 for cut in cuts)


def test_a_film_has_a_lawn_and_shadows_that_the_robots_cameras_have_not(home: MujocoHome) -> None:
    home.reset(seed=0)
    picture = home.film(424, 216, "fridge").astype(float)
    green = picture[..., 1] - (picture[..., 0] + picture[..., 2]) / 2
    assert (green > 8).mean() > 0.03, "lawn beyond the walls"
    above = FreeCamera(lookat=(1.0, 2.4, 0.0), distance=3.0, azimuth=math.pi / 2, elevation=-1.5)
    if home.eyes.renderer.name == "raycast":
        pytest.skip("rays cast no shadows")
    film = home.eyes.film(above, 200, 200, hidden_groups=frozenset({1})).astype(float).mean(axis=2)
    brightness = home.eyes.renderer.rgb(home.data, above, size=(200, 200), hidden_groups=frozenset({1})).mean(axis=2)
    assert (film < brightness - 30).mean() > 0.01, "the robot casts a shadow on the floor"


def test_shadows_are_cast_wherever_in_the_house_the_camera_looks() -> None:
    with MujocoHome(one_room([], [], (12.0, 10.0, 0.0), (14.0, 12.0))) as far:
        if far.eyes.renderer.name == "raycast":
            pytest.skip("rays cast no shadows")
        above = FreeCamera(lookat=(12.0, 10.0, 0.0), distance=3.0, azimuth=math.pi / 2, elevation=-1.5)
        film = far.eyes.film(above, 200, 200, hidden_groups=frozenset({1})).astype(float).mean(axis=2)
        brightness = far.eyes.renderer.rgb(far.data, above, size=(200, 200), hidden_groups=frozenset({1})).mean(axis=2)
        assert (film < brightness - 30).mean() > 0.01


def test_lawn_below_the_horizon_and_sky_above_it_only_where_nothing_was_drawn() -> None:
    lens = Intrinsics(50.0, 50.0, 49.5, 49.5, 100, 100)
    level = Pose(np.array([0.0, 0.0, 2.0]), np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    drawn = np.full((100, 100, 3), 7, np.uint8)
    depth = np.zeros((100, 100), np.float32)
    depth[40:60, 40:60] = 3.0
    picture = with_outdoors(drawn, depth, level, lens)
    assert (picture[40:60, 40:60] == 7).all() and (drawn == 7).all()
    assert picture[0, :, 2].mean() > picture[0, :, 0].mean() + 20, "blue above"
    assert min(np.abs(picture[99, 50] - LAWN).max(), np.abs(picture[99, 50] - STRIPE).max()) < 25, "green below"
    assert np.abs(picture[50, 0] - HAZE).max() < 12 and np.abs(picture[49, 0] - HAZE).max() < 35, "haze between"
    full = np.ones((100, 100), np.float32)
    assert with_outdoors(drawn, full, level, lens) is drawn
