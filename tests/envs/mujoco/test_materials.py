"""What objects are made of: each has a sensible mass, and slides as its material does."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from benchmarks.pictures.kinds_page import update_tables
from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS, YCB, object_plan
from homie.envs.mujoco.blueprints.materials import MATERIALS
from homie.envs.mujoco.house.build import build
from tests.homes import one_room

MATERIAL_OF = {name: kind.material for name, kind in OBJECTS.items() if kind.material}
PAGE = Path(__file__).parents[3] / "docs" / "scene-spec.md"


def test_every_kind_beyond_ycb_has_a_material() -> None:
    assert set(MATERIAL_OF) == set(OBJECTS) - set(YCB) and set(MATERIAL_OF.values()) == set(MATERIALS)


def test_the_page_has_every_kind_as_it_is() -> None:
    """`python -m benchmarks.pictures.kinds_page` writes it."""
    page = PAGE.read_text(encoding="utf-8")
    assert update_tables(page) == page
    for kind in OBJECTS:
        assert f"\n{kind} " in page
    for kind in FURNITURE:
        assert f"\n| `{kind}` |" in page


@pytest.mark.parametrize("kind", sorted(MATERIAL_OF))
def test_a_mass_is_that_of_a_thing_of_its_material(kind: str) -> None:
    plan = object_plan(kind, OBJECTS[kind].colours[0])
    mass = sum(part.mass for part in plan.parts)
    block_mass = 8 * math.prod(plan.half) * MATERIALS[MATERIAL_OF[kind]].density
    assert 0.01 * block_mass < mass < 1.1 * block_mass, f"{mass:.3f} kg of {block_mass:.3f}"


@pytest.mark.parametrize("kind", ["phone", "plate", "soap", "keys", "newspaper", "sponge"])
@pytest.mark.parametrize(("share", "slides"), [(0.85, False), (1.15, True)])
def test_it_slides_where_a_slope_is_steeper_than_its_friction(kind: str, share: float, slides: bool) -> None:
    colour = OBJECTS[kind].colours[0]
    thing = {"name": kind, "kind": kind, "colour": colour, "receptacle": "table", "surface": "top", "x": 0.0, "y": 0.0}
    home = build(one_room([{"name": "table", "kind": "table", "colour": "wood", "x": 2.0, "y": 3.0}], [thing]))
    data, body = home.new_data(), home.index.objects[0].body
    for _ in range(25):
        mujoco.mj_step(home.model, data)
    slope, before = math.atan(share * OBJECTS[kind].friction), data.xpos[body].copy()
    home.model.opt.gravity[:] = 9.81 * np.array([0.0, math.sin(slope), -math.cos(slope)])
    data.qvel[:] = 0.0
    mujoco.mj_forward(home.model, data)
    data.tree_awake[:] = 1
    for _ in range(75):
        mujoco.mj_step(home.model, data)
    assert bool(np.linalg.norm(data.xpos[body] - before) > 0.01) is slides
