"""Pictures of a world that stands as it stood: they are not drawn twice, and what has changed is."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.render.ambient_occlusion import apply_occlusion
from homie.kernel.types import VIEWS, Command
from perception.detectors.simulated import SimulatedDetector

APPLE = {"name": "apple", "kind": "apple", "x": 3.0, "y": 2.0, "colour": "red"}


@pytest.fixture(scope="module")
def home() -> Iterator[MujocoHome]:
    home = MujocoHome(one_room(objects=[APPLE]), picture_size=(64, 64))
    yield home
    home.close()


def test_a_state_that_comes_again_is_the_same_frame_and_what_was_drawn_then(home):
    home.reset(seed=1)
    before = home.observe(("front",)).frames["front"]
    for _ in range(3):
        home.act(Command(base=(0.0, 0.8)))
    turned = home.observe(("front",)).frames["front"]
    assert not np.array_equal(before.rgb, turned.rgb)
    home.reset(seed=2)
    again = home.observe(("front",)).frames["front"]
    assert again is before, "a simulation that was reset stands as it stood, bit for bit"
    drawn = home.eyes._drawn("front")
    assert np.array_equal(drawn.rgb, again.rgb) and np.array_equal(drawn.depth, again.depth)
    assert np.array_equal(drawn.instances, again.instances)


def test_a_house_has_the_same_pixels_as_if_all_of_it_were_drawn(home):
    home.reset(seed=1)
    bounds = home.model.geom_rbound.copy()
    drawn = {view: home.eyes._drawn(view) for view in VIEWS}
    for view, frame in drawn.items():
        home.model.geom_rbound[:] = 0.0  # geoms without bounds may be anywhere
        full = home.eyes.renderer.rgbd(home.data, f"robot/{view}")
        home.model.geom_rbound[:] = bounds
        np.testing.assert_array_equal(frame.depth, full.depth)
        np.testing.assert_array_equal(frame.rgb, apply_occlusion(full.rgb, full.depth))


@pytest.mark.parametrize("change", ["a thing", "a colour"])
def test_what_has_changed_is_drawn_anew(home, change):
    home.reset(seed=1)
    before = home.observe(("front",)).frames["front"]
    geoms = [geom for geom, info in home.home.index.geoms.items() if info.entity == "apple"]
    colours = home.model.geom_rgba[geoms].copy()
    if change == "a thing":
        home.data.joint("apple").qpos[:2] += 0.3
        mujoco.mj_forward(home.model, home.data)
    else:
        home.model.geom_rgba[geoms, :3] = 0.0, 0.0, 1.0
    after = home.observe(("front",)).frames["front"]
    home.model.geom_rgba[geoms] = colours
    assert not np.array_equal(before.rgb, after.rgb)


def test_what_was_found_in_a_frame_is_found_again(home):
    home.reset(seed=1)
    detector = SimulatedDetector()
    first, second = (detector.detect(home.observe(("front",))) for _ in range(2))
    assert [item.name for item in first] == [item.name for item in second] and "apple" in {d.name for d in first}
    assert all(one_frame.mask is other.mask for one_frame, other in zip(first, second, strict=True))
