"""Shade where things touch: there, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.render.ambient_occlusion import apply_occlusion
from homie.kernel.types import Array

WHITE = np.full((96, 128, 3), 240, dtype=np.uint8)


def corner_of(tilt: float) -> Array:
    """Depth (m) of a table that meets a wall 0.6 m away, for a camera 0.3 m above the table; tilt: of the wall."""
    rows, columns = np.mgrid[0:96, 0:128]
    down, aside = (rows - 24) / 100.0 + 1e-6, (columns - 64) / 100.0
    wall = 0.6 / (1.0 + tilt * aside)
    table = np.where(down > 0.0, 0.3 / down, np.inf)
    return np.minimum(wall, table).astype(np.float32)


@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_a_corner_is_darker_than_the_flats_that_meet_there(tilt: float) -> None:
    depth = corner_of(tilt)
    picture = apply_occlusion(WHITE, depth)
    corner = np.array([int(np.argmax(np.diff(depth[:, x]) < 0)) for x in (32, 64, 96)])
    for x, row in zip((32, 64, 96), corner, strict=True):
        assert picture[row, x, 0] < 225
        assert picture[row - 20, x, 0] > 235, "the wall"
        assert picture[row + 12, x, 0] > 235, "the table, seen at a slant"


def test_what_stands_far_before_a_wall_throws_no_shade_on_it() -> None:
    depth = np.full((96, 128), 3.0, dtype=np.float32)
    depth[30:60, 50:80] = 1.5
    depth[:5] = 0.0
    assert np.array_equal(apply_occlusion(WHITE, depth), WHITE)


def test_a_thing_on_a_table_darkens_what_it_stands_on_if_asked() -> None:
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 2.0}
    mug = {"name": "mug", "kind": "mug", "colour": "white", "x": 0.0, "y": 0.0, "receptacle": "table", "surface": "top"}
    pictures = {}
    for shade in (True, False):
        with MujocoHome(one_room([table], [mug], (1.6, 2.0, 0.0)), shade=shade) as home:
            position = home.world.position(home.world.objects["mug"].body)
            eye = (float(position[0]) - 0.5, float(position[1]), float(position[2]) + 0.4)
            pictures[shade] = home.film_from(eye, tuple(position), 160, 120).astype(int)  # type: ignore[arg-type]
            frame = home.observe(("front",)).frames["front"]
            pictures[f"{shade} front"] = frame.rgb.astype(int)
    darker = pictures[False] - pictures[True]
    assert darker.min() >= -1 and darker.max() > 25
    at = np.argwhere(darker.max(axis=2) > 25)
    assert np.all(np.abs(at - [60, 80]) < [45, 45]), "around the mug only"
    assert not np.array_equal(pictures["True front"], pictures["False front"])
