"""The tiles of the ray caster see what every ray through the whole model sees."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.home.home import open_home
from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_intrinsics, camera_pose, clip_range
from homie.envs.mujoco.render.raycast_renderer import RaycastRenderer
from homie.envs.mujoco.render.raycast_tiles import RayCaster, grid, turned
from homie.kernel.options import RunOptions

SIZE = (75, 50)
"""Neither side is a number of whole tiles."""

MESHES = """
<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="2 0 .2"><geom type="mesh" mesh="wedge"/><geom type="capsule" size=".1 .4" pos="0 -1 .3"/></body>
    <body pos="2 1 .4"><freejoint/><geom type="ellipsoid" size=".2 .3 .1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def home():
    home = open_home(RunOptions.build(task="-", seed=3, rooms=3, objects=12))
    yield home
    home.close()


def assert_same(model, data, camera, visible):
    """Against MuJoCo's single ray, which knows no bounds."""
    pose, rays = camera_pose(model, data, camera), grid(camera_intrinsics(model, camera, *SIZE))
    geoms, distances, normals = RayCaster(model).cast(data, pose, rays, visible, clip_range(model)[1])
    groups = model.geom_group.copy()
    model.geom_group[:] = np.where(visible, 0, 5)
    mask, number, normal = np.array([1, 0, 0, 0, 0, 0], np.uint8), np.empty(1, np.int32), np.empty(3)
    try:
        for ray, direction in enumerate(turned(rays, pose)):
            distance = mujoco.mj_ray(model, data, pose.position, direction, mask, True, -1, number, normal)
            assert geoms[ray] == number[0], ray
            assert distances[ray] == pytest.approx(distance, abs=1e-9)
            if number[0] >= 0:
                np.testing.assert_allclose(normals[ray], normal, atol=1e-9)
    finally:
        model.geom_group[:] = groups


@pytest.mark.parametrize("camera", ["head", "left", "back"])
def test_tiles_hit_what_single_rays_hit(home, camera):
    visible = (home.model.geom_group < 2) & (home.model.geom_rgba[:, 3] > 0)
    assert_same(home.model, home.data, f"robot/{camera}", visible)


def test_a_model_with_meshes():
    model = mujoco.MjModel.from_xml_string(MESHES)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera = FreeCamera(lookat=(2.0, 0.0, 0.3), distance=2.5, azimuth=0.2, elevation=-0.4)
    visible = np.ones(model.ngeom, bool)
    assert_same(model, data, camera, visible)
    segments = RaycastRenderer(model, *SIZE).segmentation(data, camera)
    assert set(np.unique(segments)) >= {0, 1, 2, 3}
    visible[1] = False
    assert_same(model, data, camera, visible)


def test_a_picture_leaves_the_model_as_it_was(home):
    renderer, before = RaycastRenderer(home.model, *SIZE), home.model.geom_group.tobytes()
    first = renderer.rgbd(home.data, "robot/head", segmentation=True)
    again = renderer.rgbd(home.data, "robot/head")
    assert home.model.geom_group.tobytes() == before
    assert np.array_equal(first.rgb, again.rgb) and np.array_equal(first.depth, again.depth)
    assert np.array_equal(renderer.segmentation(home.data, "robot/head"), first.geoms)


def test_what_moves_is_drawn_where_it_is():
    model = mujoco.MjModel.from_xml_string(MESHES)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    renderer, egg = RaycastRenderer(model, *SIZE), 3
    camera = FreeCamera(lookat=(2.0, 0.0, 0.3), distance=2.5, azimuth=0.2, elevation=-0.4)
    before = np.argwhere(renderer.segmentation(data, camera) == egg)
    data.qpos[:3] = [2.0, 0.5, 0.9]
    mujoco.mj_kinematics(model, data)
    after = np.argwhere(renderer.segmentation(data, camera) == egg)
    assert (after.mean(axis=0) - before.mean(axis=0) > [-30, 3]).all() and after[:, 0].mean() < before[:, 0].mean()
