"""Many rays at once, as the ray-cast renderer sends them, meet what single rays meet: nothing of a house is missed."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.build import build

SOLIDS = np.array([1, 1, 1, 0, 0, 0], np.uint8)


@pytest.mark.parametrize("seed", [3, 7])
def test_a_fan_of_rays_in_every_room_sees_the_furniture(seed):
    scene = generate(seed)
    model = build(scene).model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rng = np.random.default_rng(seed)
    met: set[str] = set()
    for room in scene.rooms:
        origin = np.array([(room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2, 1.9])
        rays = rng.normal(size=(400, 3)) * [1.0, 1.0, 0.4] - [0.0, 0.0, 0.4]
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        geoms, distances = np.empty(len(rays), np.int32), np.empty(len(rays))
        mujoco.mj_multiRay(
            model, data, origin, rays.ravel(), SOLIDS, True, -1, geoms, distances, None, len(rays), 100.0
        )
        hit = np.empty(1, np.int32)
        for ray, distance in zip(rays, distances, strict=True):
            alone = mujoco.mj_ray(model, data, origin, ray, SOLIDS, True, -1, hit)
            # MuJoCo may miss decoration without collision where it reaches out of its body's solid extent.
            if hit[0] >= 0 and not model.geom_contype[hit[0]]:
                continue
            assert distance == pytest.approx(alone), model.body(model.geom_bodyid[hit[0]]).name
        met |= {model.body(model.geom_bodyid[geom]).name for geom in geoms if geom >= 0}
    furniture = {piece.name for piece in scene.furniture}
    assert len(met & furniture) > len(furniture) / 2
