"""Every backend keeps the promises of `Renderer`.

Each backend draws in a process of its own, because MuJoCo can use one GL library per process.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import FreeCamera, camera_intrinsics, camera_pose
from homie.kernel.errors import BadInput

SCENE = """
<mujoco>
  <statistic extent="1" center="0 0 0"/>
  <visual>
    <map znear="0.05" zfar="20"/>
    <headlight ambient="0.6 0.6 0.6" diffuse="0.4 0.4 0.4" specular="0 0 0"/>
  </visual>
  <asset>
    <texture name="brick" type="2d" builtin="flat" rgb1="0 0 1" width="8" height="8"/>
    <material name="brick" texture="brick"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="10 10 0.1" rgba="0.7 0.7 0.6 1"/>
    <geom name="box" type="box" pos="3 0 1" size="0.2 0.2 0.2" rgba="1 0 0 1"/>
    <geom name="core" type="box" pos="3 0 1" size="0.1 0.1 0.1" rgba="1 1 0 1"/>
    <geom name="ball" type="sphere" pos="3 0.8 1" size="0.3" rgba="0 0.8 0 1"/>
    <geom name="can" type="cylinder" pos="2.5 -0.6 1" size="0.15 0.3" rgba="0.9 0.8 0.1 1"/>
    <geom name="upper wall" type="box" pos="6 0 2.2" size="0.1 4 0.6" rgba="0.8 0.8 0.8 1" group="1"/>
    <geom name="wall" type="box" pos="6 0 0.8" size="0.1 4 0.8" material="brick"/>
    <geom name="collision shape" type="box" pos="1.5 0 1" size="0.3 0.3 0.3" group="3"/>
    <geom name="ghost" type="box" pos="1.5 0 1" size="0.3 0.3 0.3" rgba="1 1 1 0"/>
    <geom name="housing" type="box" pos="0 0 1" size="0.2 0.2 0.2" rgba="0 0 0 1"/>
    <camera name="eye" pos="0 0 1" xyaxes="0 -1 0 0 0 1" fovy="60"/>
  </worldbody>
</mujoco>
"""

DRAW = """
import sys
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.kernel.errors import MissingPart
import mujoco, numpy as np
model = mujoco.MjModel.from_xml_string(open(sys.argv[1]).read())
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
above = FreeCamera(
    lookat=(3.0, 0.0, 1.0), distance=4.0, azimuth=np.pi / 2, elevation=-np.pi / 2, fovy=np.radians(40)
)
try:
    renderer = make_renderer(model, 256, 256)
except MissingPart as error:
    print(error)
    sys.exit(3)
with renderer:
    view = renderer.rgbd(data, "eye", segmentation=True)
    arrays = dict(rgb=view.rgb, depth=view.depth, geoms=view.geoms)
    arrays["open"] = renderer.segmentation(data, "eye", hidden_groups={1})
    arrays["wide"] = renderer.rgb(data, "eye", size=(640, 480))
    arrays["above"] = renderer.segmentation(data, above, size=(200, 100))
    arrays["above_depth"] = renderer.depth(data, above, size=(200, 100))
    arrays["again"] = renderer.rgb(data, "eye")
    bounds = model.geom_rbound.copy()
    model.geom_rbound[:] = 0.0  # geoms without bounds may be anywhere: all are drawn
    everything = renderer.rgbd(data, "eye")
    arrays |= dict(every_rgb=everything.rgb, every_depth=everything.depth)
    arrays["every_above"] = renderer.segmentation(data, above, size=(200, 100))
    model.geom_rbound[:] = bounds
    model.geom("box").rgba[3] = 0.4
    arrays["glass"], arrays["glass_segmented"] = (
        renderer.rgbd(data, "eye", segmentation=segmentation).rgb for segmentation in (False, True)
    )
    np.savez(sys.argv[2], **arrays)
print(renderer.name)
"""

Arrays = Mapping[str, NDArray[Any]]
CENTRE = (128, 128)


def _run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    outside = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=outside | environment, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def scene_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scene") / "scene.xml"
    path.write_text(SCENE)
    return path


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(SCENE)


@pytest.fixture(scope="module")
def data(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


@pytest.fixture(scope="module")
def drawn_by_rays(scene_file: Path) -> Arrays:
    return _draw(scene_file, "raycast")


@pytest.fixture(scope="module", params=["egl", "osmesa", "raycast"])
def arrays(request: pytest.FixtureRequest, scene_file: Path) -> Arrays:
    return _draw(scene_file, request.param)


def _draw(scene_file: Path, backend: str) -> Arrays:
    target = scene_file.with_name(f"{backend}.npz")
    completed = _run(DRAW, str(scene_file), str(target), MUJOCO_GL=backend)
    if completed.returncode == 3:
        pytest.skip(completed.stdout)
    assert completed.stdout.strip() == backend, completed.stderr
    return dict(np.load(target))


def test_colours(arrays: Arrays) -> None:
    red, green, blue = arrays["rgb"][CENTRE]
    assert red > 180
    assert green < 20
    assert blue < 20


def test_texture(arrays: Arrays, model: mujoco.MjModel) -> None:
    wall = arrays["rgb"][arrays["geoms"] == model.geom("wall").id]
    red, green, blue = np.median(wall, axis=0)
    assert blue > 150
    assert red < 20
    assert green < 20


def test_depth_is_metres_along_the_optical_axis(arrays: Arrays, data: mujoco.MjData, model: mujoco.MjModel) -> None:
    depth, geoms = arrays["depth"], arrays["geoms"]
    assert depth.dtype == np.float32
    np.testing.assert_allclose(depth[geoms == model.geom("box").id], 2.8, rtol=0.01)
    np.testing.assert_allclose(depth[geoms == model.geom("wall").id], 5.9, rtol=0.01)
    optics = camera_intrinsics(model, "eye", 256, 256)
    rows, columns = np.nonzero(geoms == model.geom("floor").id)
    np.testing.assert_allclose(depth[rows, columns], optics.fy / (rows - optics.cy), rtol=0.01)


def test_pixels_with_depth_lie_on_the_ball(arrays: Arrays, data: mujoco.MjData, model: mujoco.MjModel) -> None:
    optics, pose = camera_intrinsics(model, "eye", 256, 256), camera_pose(model, data, "eye")
    rows, columns = np.nonzero(arrays["geoms"] == model.geom("ball").id)
    z = arrays["depth"][rows, columns]
    points = np.stack([(columns - optics.cx) / optics.fx * z, (rows - optics.cy) / optics.fy * z, z], axis=1)
    world = pose.position + points @ pose.rotation.T
    distance = np.linalg.norm(world - [3.0, 0.8, 1.0], axis=1)
    assert len(z) > 500
    np.testing.assert_allclose(distance, 0.3, atol=0.012)


def test_nothing_is_zero_metres_away_and_has_no_geom(arrays: Arrays) -> None:
    nothing = arrays["geoms"] == -1
    assert nothing[0].all()
    assert not arrays["depth"][nothing].any()
    assert arrays["depth"][~nothing].min() > 0.5


def test_segmentation(arrays: Arrays, model: mujoco.MjModel) -> None:
    assert arrays["geoms"].dtype == np.int32
    assert arrays["geoms"][CENTRE] == model.geom("box").id
    names = {model.geom(int(i)).name for i in np.unique(arrays["geoms"]) if i >= 0}
    # Not seen: group 3, alpha 0, and the housing around the camera.
    assert names == {"floor", "box", "ball", "can", "wall", "upper wall"}
    # Left in the picture is left in the world: the ball is at +y of a camera that looks along +x.
    assert np.nonzero(arrays["geoms"] == model.geom("ball").id)[1].max() < 128


def test_hidden_groups(arrays: Arrays, model: mujoco.MjModel) -> None:
    upper = model.geom("upper wall").id
    assert (arrays["geoms"] == upper).sum() > 500
    assert not (arrays["open"] == upper).any()
    unchanged = arrays["geoms"] != upper
    np.testing.assert_array_equal(arrays["open"][unchanged], arrays["geoms"][unchanged])


def test_free_camera_from_above_has_north_up(arrays: Arrays, model: mujoco.MjModel) -> None:
    above = arrays["above"]
    assert above.shape == (100, 200)
    assert above[50, 100] == model.geom("box").id
    rows, columns = np.nonzero(above == model.geom("ball").id)
    assert rows.mean() < 40
    assert abs(columns.mean() - 99.5) < 1.0
    assert np.nonzero(above == model.geom("can").id)[1].mean() < 90
    # Focal length from the camera's own field of view: the box (0.4 m) at 3.8 m.
    width = (above[50] == model.geom("box").id).sum()
    assert abs(width - 0.4 / 3.8 * 50 / math.tan(math.radians(20))) < 1.5
    assert abs(arrays["above_depth"][50, 100] - 3.8) < 0.02


def test_what_cannot_be_seen_is_left_out_of_no_picture(arrays: Arrays) -> None:
    for name, full_name in {"rgb": "every_rgb", "depth": "every_depth", "above": "every_above"}.items():
        np.testing.assert_array_equal(arrays[name], arrays[full_name])


def test_what_is_behind_glass_is_drawn_with_and_without_segmentation(arrays: Arrays) -> None:
    np.testing.assert_array_equal(
        arrays["glass"], arrays["glass_segmented"]
    )  # the core in the box shows, or in neither


def test_sizes_beyond_the_renderers_own(arrays: Arrays) -> None:
    assert arrays["wide"].shape == (480, 640, 3)
    assert arrays["wide"][240, 320, 0] > 180
    np.testing.assert_array_equal(arrays["again"], arrays["rgb"])


def test_backends_agree(arrays: Arrays, drawn_by_rays: Arrays) -> None:
    for view in ("geoms", "open", "above"):
        assert (arrays[view] == drawn_by_rays[view]).mean() > 0.99
    same = (arrays["geoms"] == drawn_by_rays["geoms"]) & (arrays["geoms"] >= 0)
    np.testing.assert_allclose(arrays["depth"][same], drawn_by_rays["depth"][same], rtol=0.02)  # GL's ball has facets
    difference = np.abs(arrays["rgb"].astype(int) - drawn_by_rays["rgb"])[same]
    assert np.median(difference) < 20


def test_renderers_of_several_threads_do_not_disturb_each_other(model: mujoco.MjModel) -> None:
    def draw(azimuth: float) -> list[NDArray[np.uint8]]:
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        camera = FreeCamera(lookat=(3.0, 0.0, 1.0), distance=2.0, azimuth=azimuth, elevation=-0.3)
        with make_renderer(model, 64, 64) as renderer:
            return [renderer.rgb(data, camera) for _ in range(5)]

    azimuths = [0.0, 1.0, 2.0, 3.0]
    alone = [draw(azimuth)[0] for azimuth in azimuths]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(draw, azimuths))
    for expected, pictures in zip(alone, together, strict=True):
        for picture in pictures:
            np.testing.assert_array_equal(picture, expected)


def test_rays_leave_the_model_as_it_was(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    before = model.geom_group.copy()
    with make_renderer(model, 32, 32, backend="raycast") as renderer:
        renderer.rgbd(data, "eye")
    np.testing.assert_array_equal(model.geom_group, before)


def test_pose_of_a_free_camera(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    pose = camera_pose(
        model,
        data,
        FreeCamera(lookat=(1.0, 2.0, 0.5), distance=3.0, azimuth=math.radians(30), elevation=math.radians(-20)),
    )
    np.testing.assert_allclose(pose.rotation.T @ ([1.0, 2.0, 0.5] - pose.position), [0, 0, 3.0], atol=1e-9)
    np.testing.assert_allclose(pose.rotation.T @ pose.rotation, np.eye(3), atol=1e-9)
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)
    assert pose.rotation[2, 0] == pytest.approx(0.0)
    assert pose.rotation[2, 1] < 0.0


def test_unknown_camera_and_backend(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    for camera, hint in (
        ("robot/nose", r"'nose' in this scene: its cameras are eye\.$"),
        ("eey", "did you mean 'eye'"),
    ):
        with make_renderer(model, 16, 16, backend="raycast") as renderer, pytest.raises(BadInput, match=hint):
            renderer.rgb(data, camera)
    with pytest.raises(BadInput, match=r"'vulkan'.*egl, osmesa, glfw, raycast"):
        make_renderer(model, backend="vulkan")


# ------------------------------------------------------------------------------------- the choice of a backend

CHOOSE = """
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.kernel.errors import HomieError
import mujoco
try:
    print(make_renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 16, 16).name)
except HomieError as error:
    print(error.exit_code, error)
"""


@pytest.fixture
def broken_libraries(tmp_path: Path) -> str:
    """A library path on which every GL library is found first and cannot be loaded."""
    for name in ("libEGL.so.1", "libGL.so.1", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        (tmp_path / name).write_bytes(b"")
    return str(tmp_path)


def test_without_gl_libraries_rays_are_cast(broken_libraries: str) -> None:
    completed = _run(CHOOSE, LD_LIBRARY_PATH=broken_libraries)
    assert completed.stdout.strip() == "raycast", completed.stderr
    assert completed.stderr == ""


def test_after_a_failed_egl_comes_osmesa() -> None:
    if _run(CHOOSE, MUJOCO_GL="osmesa").stdout.strip() != "osmesa":
        pytest.skip("no OSMesa on this machine")
    completed = _run(CHOOSE, MUJOCO_EGL_DEVICE_ID="99")
    assert completed.stdout.strip() == "osmesa", completed.stderr


def test_triton_is_loaded_before_opengl(tmp_path: Path) -> None:
    """Loaded after Mesa it would end the process. Here another library stands for that of triton."""
    stand_in = next(Path(sysconfig.get_path("platstdlib"), "lib-dynload").glob("*.so"), None)
    if stand_in is None:
        pytest.skip("this Python has no library of its own")
    library = tmp_path / "triton" / "_C" / "libtriton.so"
    library.parent.mkdir(parents=True)
    (tmp_path / "triton" / "__init__.py").write_text("raise ImportError")
    shutil.copy(stand_in, library)
    loaded = CHOOSE + f"print({str(library)!r} in open('/proc/self/maps').read())"
    for backend in ("egl", "osmesa"):
        completed = _run(loaded, MUJOCO_GL=backend, PYTHONPATH=os.pathsep.join((str(tmp_path), *sys.path)))
        assert completed.stdout.splitlines()[-1] == "True", completed.stderr
    assert _run(loaded, MUJOCO_GL="raycast", PYTHONPATH=os.pathsep.join((str(tmp_path), *sys.path))).stdout.endswith(
        "False\n"
    )


def test_triton_can_be_imported_after_a_picture() -> None:
    pytest.importorskip("triton", reason="triton comes with torch for GPUs", exc_type=ImportError)
    completed = _run(CHOOSE + "import triton")
    assert completed.returncode == 0, completed.stderr


def test_a_forced_backend_that_fails_says_so(broken_libraries: str) -> None:
    egl = _run(CHOOSE, MUJOCO_GL="egl", MUJOCO_EGL_DEVICE_ID="99").stdout
    osmesa = _run(CHOOSE, MUJOCO_GL="osmesa", LD_LIBRARY_PATH=broken_libraries).stdout
    assert egl.startswith("3 Rendering with egl does not work here: ")
    assert osmesa.startswith("3 Rendering with osmesa does not work here: libOSMesa cannot be loaded.")
    assert "apt-get install libegl1" in egl


@pytest.mark.parametrize(
    ("word", "backend"), [("raycast", "raycast"), ("RayCast ", "raycast"), ("disabled", "raycast")]
)
def test_words_of_mujoco_gl(word: str, backend: str) -> None:
    assert _run(CHOOSE, MUJOCO_GL=word).stdout.strip() == backend


def test_bogus_mujoco_gl_is_one_sentence() -> None:
    completed = _run(CHOOSE, MUJOCO_GL="vulkan")
    assert completed.stdout == (
        "2 MUJOCO_GL=vulkan names no rendering backend: choose one of egl, osmesa, glfw, raycast, or unset it.\n"
    )
    assert completed.stderr == ""
