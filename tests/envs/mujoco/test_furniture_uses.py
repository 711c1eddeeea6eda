"""The table of what furniture is used for fits the furniture that the home builds."""

from __future__ import annotations

from typing import get_args

import pytest

from homie.envs.mujoco.blueprints.catalog import FURNITURE as CATALOGUE
from homie.envs.mujoco.blueprints.catalog import OBJECTS, blueprint
from homie.kernel.world.furniture import FURNITURE, SOUGHT_AT, Kept, homes
from perception.names import canonical

USES = {use.kind: use for use in FURNITURE}


def test_each_kind_has_a_row_of_its_own() -> None:
    names = [name for use in FURNITURE for name in use.names]
    assert len(set(names)) == len(names)
    assert all(canonical(use.name) == use.name for use in FURNITURE)


@pytest.mark.parametrize("kind", CATALOGUE)
def test_the_table_says_of_a_kind_what_its_shape_is(kind: str) -> None:
    use, plan = USES[kind], blueprint(kind, CATALOGUE[kind].colours[0])
    assert use.opens == bool(plan.articulations)
    assert use.switched == plan.powered
    assert use.tap == any(surface.name == "basin" for surface in plan.surfaces)
    assert not use.soiled or any(surface.name == "top" for surface in plan.surfaces)
    if use.keeps or use.handy:
        assert plan.surfaces, "nothing can be put where there is no surface"
    if use.told_by_colour:
        assert len(CATALOGUE[kind].colours) > 1


def test_searches_go_to_furniture_that_there_is_and_that_holds_something() -> None:
    words = {use.word: use for use in FURNITURE}
    assert set(SOUGHT_AT) <= set(get_args(Kept))
    for places in SOUGHT_AT.values():
        assert len(set(places)) == len(places)
        assert all(words[place].holds for place in places)


@pytest.mark.parametrize("kind", list(OBJECTS))
def test_a_generated_house_has_a_place_for_what_it_may_have(kind: str) -> None:
    assert homes(*OBJECTS[kind].kept) & set(CATALOGUE)
