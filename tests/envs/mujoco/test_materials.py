"""What objects are made of: each has a sensible mass, and slides as its material does."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.blueprints.catalog import OBJECTS, YCB, object_plan
from homie.envs.mujoco.blueprints.materials import MATERIAL_OF, MATERIALS, friction_of
from homie.envs.mujoco.house.build import build
from tests.homes import one_room

PAGE = Path(__file__).parents[3] / "docs" / "scene-spec.md"


def test_every_kind_beyond_ycb_has_a_material_and_the_page_says_which() -> None:
    assert set(MATERIAL_OF) == set(OBJECTS) - set(YCB)
    rows = [line.split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    told = {row[0][2:]: row for row in rows if row[0][2:] in MATERIALS}
    for name, material in MATERIALS.items():
        assert float(told[name][1]) == material.friction and float(told[name][2]) == material.density
        assert all(f"`{kind}`" in told[name][3] for kind, of in MATERIAL_OF.items() if of == name)


@pytest.mark.parametrize("kind", sorted(MATERIAL_OF))
def test_a_mass_is_that_of_a_thing_of_its_material(kind: str) -> None:
    plan = object_plan(kind, OBJECTS[kind].colours[0])
    mass = sum(part.mass for part in plan.parts)
    whole = 8 * math.prod(plan.half) * MATERIALS[MATERIAL_OF[kind]].density
    assert 0.01 * whole < mass < 1.1 * whole, f"{mass:.3f} kg of {whole:.3f}"


@pytest.mark.parametrize("kind", ["phone", "plate", "soap", "keys", "newspaper", "sponge"])
@pytest.mark.parametrize(("share", "slides"), [(0.85, False), (1.15, True)])
def test_it_slides_where_a_slope_is_steeper_than_its_friction(kind: str, share: float, slides: bool) -> None:
    colour = OBJECTS[kind].colours[0]
    thing = {"name": kind, "kind": kind, "colour": colour, "receptacle": "table", "surface": "top", "x": 0.0, "y": 0.0}
    home = build(one_room([{"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 3.0}], [thing]))
    data, body = home.new_data(), home.index.objects[0].body
    for _ in range(25):
        mujoco.mj_step(home.model, data)
    slope, before = math.atan(share * friction_of(kind)), data.xpos[body].copy()
    home.model.opt.gravity[:] = 9.81 * np.array([0.0, math.sin(slope), -math.cos(slope)])
    data.qvel[:] = 0.0
    mujoco.mj_forward(home.model, data)
    data.tree_awake[:] = 1
    for _ in range(75):
        mujoco.mj_step(home.model, data)
    assert bool(np.linalg.norm(data.xpos[body] - before) > 0.01) is slides
