"""Built homes: objects rest, doors and drawers work, the same start gives the same motion bit for bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import mujoco
import numpy as np
import pytest

from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS, blueprint, object_plan
from homie.envs.mujoco.blueprints.extents import span
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.build import Home, build
from homie.envs.mujoco.house.spec import SceneSpec


@pytest.fixture(scope="module")
def home() -> Home:
    return build(generate(0))


def _steps(home: Home, data: mujoco.MjData, seconds: float) -> None:
    for _ in range(round(seconds / home.model.opt.timestep)):
        mujoco.mj_step(home.model, data)


@pytest.mark.parametrize("seed", range(12))
def test_objects_rest_where_the_spec_puts_them(seed: int) -> None:
    home = build(generate(seed))
    data = home.new_data()
    start = {thing.name: data.xpos[thing.body].copy() for thing in home.index.objects}
    _steps(home, data, 1.6)
    bodies = {thing.name: thing.body for thing in home.index.objects}
    moved = {name: float(np.linalg.norm(data.xpos[body] - start[name])) for name, body in bodies.items()}
    assert max(moved.values()) < 0.003, moved
    assert np.abs(data.qvel).max() < 0.01
    assert (data.tree_asleep >= 0).all(), "everything has come to rest"


def test_nothing_is_deep_inside_anything(home: Home) -> None:
    data, geoms = home.new_data(), home.index.geoms
    deep = [contact for contact in data.contact if contact.dist < -0.001]
    assert [[geoms[int(geom)].entity for geom in contact.geom] for contact in deep] == []


def test_doors_and_drawers_touch_nothing_else() -> None:
    for seed in range(6):
        home = build(generate(seed, objects=0))
        for thing in home.index.receptacles:
            for item in thing.articulations:
                for fraction in (0.0, 0.3, 0.6, 1.0):
                    data = home.new_data()
                    data.qpos[home.model.jnt_qposadr[item.joint]] = fraction * item.open
                    mujoco.mj_forward(home.model, data)
                    assert data.ncon == 0, (seed, item.name, fraction)


def test_no_open_door_is_in_the_way_of_another_door_or_a_drawer() -> None:
    for seed in range(10):
        home = build(generate(seed, objects=0))
        items = [item for thing in home.index.receptacles for item in thing.articulations]
        data = home.new_data()
        for first, other in combinations(items, 2):
            for wide, far in ((0.8, 0.3), (0.8, 1.0), (0.4, 0.6)):
                data.qpos[:] = home.model.qpos0
                data.qpos[home.model.jnt_qposadr[first.joint]] = wide * first.open
                data.qpos[home.model.jnt_qposadr[other.joint]] = far * other.open
                mujoco.mj_fwdPosition(home.model, data)
                assert data.ncon == 0, (seed, first.name, other.name)


def test_every_articulation_opens_with_ten_newton_and_stays(home: Home) -> None:
    """10 N at the handle opens it all the way; 3 N do not move it; where it is left it stays."""
    model = home.model
    for thing in home.index.receptacles:
        for item in thing.articulations:
            for newton, expect in ((3.0, 0.0), (10.0, 1.0)):
                data = home.new_data()
                for _ in range(1500):
                    axis, outward = data.xaxis[item.joint], data.xmat[item.body].reshape(3, 3)[:, 0]
                    handle = data.geom_xpos[item.handle]
                    lever = np.cross(axis, handle - data.xanchor[item.joint]) if item.kind == "hinge" else axis
                    data.qfrc_applied[model.jnt_dofadr[item.joint]] = newton * float(lever @ outward)
                    mujoco.mj_step(model, data)
                data.qfrc_applied[:] = 0.0
                opening = float(data.qpos[model.jnt_qposadr[item.joint]])
                assert opening / item.open == pytest.approx(expect, abs=0.03), (item.name, newton)
                _steps(home, data, 0.8)
                assert float(data.qpos[model.jnt_qposadr[item.joint]]) == pytest.approx(opening, abs=0.02)


def test_handles_can_be_gripped(home: Home) -> None:
    """Bars are 2 cm thick, 5 cm clear of the panel, upright on doors and level on drawers."""
    data = home.new_data()
    for thing in home.index.receptacles:
        for item in thing.articulations:
            bar = data.geom_xmat[item.handle].reshape(3, 3)[:, 2]
            upright = abs(bar[2])
            assert upright == pytest.approx(1.0 if item.kind == "hinge" else 0.0, abs=1e-6), item.name
            assert home.model.geom_size[item.handle][0] == pytest.approx(0.01)
            assert 2 * home.model.geom_size[item.handle][1] >= 0.14


def test_open_fractions_of_the_spec(home: Home) -> None:
    scene = generate(0)
    pieces = [p.model_copy(update={"open": 0.5}) if p.kind == "fridge" else p for p in scene.furniture]
    half = build(scene.model_copy(update={"furniture": tuple(pieces)}))
    data = half.new_data()
    fridge = next(thing for thing in half.index.receptacles if thing.kind == "fridge")
    (item,) = fridge.articulations
    assert data.qpos[half.model.jnt_qposadr[item.joint]] == pytest.approx(item.open / 2)


def test_objects_ride_in_a_drawer(home: Home) -> None:
    """What lies in a drawer comes along when it is pulled, and stays in it."""
    drawers = {thing.name: thing for thing in home.index.receptacles if thing.kind == "drawer"}
    inside = next(thing for thing in generate(0).objects if thing.receptacle in drawers)
    thing = next(thing for thing in home.index.objects if thing.name == inside.name)
    item = drawers[inside.receptacle].articulations[0]
    data = home.new_data()
    before = data.xpos[thing.body].copy()
    for _ in range(1000):
        data.qfrc_applied[home.model.jnt_dofadr[item.joint]] = 8.0
        mujoco.mj_step(home.model, data)
    ride = data.xpos[thing.body] - before
    assert np.linalg.norm(ride[:2]) > 0.25
    assert abs(ride[2]) < 0.01


def test_bitwise_deterministic() -> None:
    finals = []
    for _ in range(2):
        home = build(generate(4))
        data = home.new_data()
        apple = home.model.joint(home.index.objects[0].name)
        data.qvel[apple.dofadr[0] : apple.dofadr[0] + 3] = [0.4, 0.3, 0.5]
        _steps(home, data, 2.0)
        finals.append(np.concatenate([data.qpos, data.qvel]).tobytes())
    assert finals[0] == finals[1]


def test_reset_is_a_fresh_start(home: Home) -> None:
    data = home.new_data()
    fresh = data.qpos.copy()
    _steps(home, data, 0.2)
    data.qpos[0] += 0.1
    home.reset(data)
    assert np.array_equal(data.qpos, fresh)
    assert data.time == 0.0


def test_round_objects_roll_and_come_to_rest(home: Home) -> None:
    """A pushed orange rolls; a pushed box slides to a stop much sooner; both stop."""
    data = home.new_data()
    room = max(home.index.rooms, key=lambda r: r.rect[2] - r.rect[0])
    way = {}
    for kind in ("orange", "sugar_box"):
        home.reset(data)
        thing = next(o for o in home.index.objects if o.kind == kind)
        at, dof = (home.model.joint(thing.name).qposadr[0], home.model.joint(thing.name).dofadr[0])
        start = np.array(
            [
                (room.rect[0] + room.rect[2]) / 2,
                (room.rect[1] + room.rect[3]) / 2,
                object_plan(kind, thing.colour).half[2] + 0.001,
            ]
        )
        data.qpos[at : at + 3] = start
        data.qvel[dof : dof + 3] = [0.4, 0.0, 0.0]
        _steps(home, data, 3.0)
        way[kind] = float(np.linalg.norm(data.xpos[thing.body][:2] - start[:2]))
        assert np.abs(data.qvel[dof : dof + 6]).max() < 0.02, kind
    assert way["orange"] > 0.1 > way["sugar_box"]


def test_index_knows_every_geom_and_name(home: Home) -> None:
    assert set(home.index.geoms) == set(range(home.model.ngeom))
    parts = {info.part for info in home.index.geoms.values()}
    assert {"", "door", "drawer", "handle", "button", "lamp"} <= parts
    fridge = next(thing for thing in home.index.receptacles if thing.kind == "fridge")
    assert "refrigerator" in fridge.aliases
    assert f"{fridge.colour} fridge" in fridge.aliases
    assert home.index.geoms[fridge.articulations[0].handle].entity == fridge.name


def test_appliances_show_their_state(home: Home) -> None:
    stove = next(thing for thing in home.index.receptacles if thing.kind == "stove")
    assert stove.appliance is not None
    home.show_power(stove, True)
    on = home.model.geom_rgba[list(stove.appliance.lamps)].copy()
    home.show_power(stove, False)
    off = home.model.geom_rgba[list(stove.appliance.lamps)]
    assert (on[:, 0] > off[:, 0]).all()
    table = next(thing for thing in home.index.receptacles if thing.kind == "table")
    with pytest.raises(ValueError, match="cannot be on"):
        home.show_power(table, True)


def test_buttons_can_be_pressed_and_spring_back(home: Home) -> None:
    for thing in home.index.receptacles:
        if thing.appliance is None:
            continue
        data = home.new_data()
        at = home.model.jnt_qposadr[thing.appliance.joint]
        data.qfrc_applied[home.model.jnt_dofadr[thing.appliance.joint]] = 4.0
        _steps(home, data, 0.6)
        assert data.qpos[at] > 0.9 * thing.appliance.travel, thing.name
        data.qfrc_applied[:] = 0.0
        _steps(home, data, 0.6)
        assert data.qpos[at] < 0.1 * thing.appliance.travel, thing.name


def test_objects_on_receptacles_keep_their_alias_colours(home: Home) -> None:
    can = next(thing for thing in home.index.objects if thing.kind == "tuna_fish_can")
    assert "green can" in can.aliases


def test_all_kinds_of_furniture_build() -> None:
    """Every kind of furniture in one room."""
    pieces = []
    for k, (kind, entry) in enumerate(FURNITURE.items()):
        for hinge in ("left", "right"):
            plan = blueprint(kind, entry.colours[0], hinge="left" if hinge == "left" else "right")
            assert plan.half_x > 0
        column, row = k % 5, k // 5
        x, y = 1.5 + 2.6 * column, 1.5 + 2.2 * row
        pieces.append({"name": f"a_{kind}", "kind": kind, "colour": entry.colours[0], "room": "hall", "x": x, "y": y})
    rows = -(-len(FURNITURE) // 5)
    room = {"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 14, "y1": 2.2 * rows + 2.0}
    robot = {"x": 13, "y": 2.2 * rows + 1.0}
    home = build(SceneSpec.model_validate({"rooms": [room], "furniture": pieces, "robot": robot}))
    assert len(home.index.receptacles) == len(FURNITURE)


def test_all_kinds_of_objects_stand_still() -> None:
    """Every kind of object on the floor of a room, and nothing moves."""
    loose = [
        {"name": kind, "kind": kind, "colour": entry.colours[0], "receptacle": "hall", "surface": "floor"}
        | {"x": 0.5 + 0.5 * (k % 10), "y": 0.5 + 0.5 * (k // 10)}
        for k, (kind, entry) in enumerate(OBJECTS.items())
    ]
    side = 1.0 + 0.5 * (len(loose) // 10 + 1)
    room = {"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 7, "y1": side}
    scene = {"rooms": [room], "objects": loose, "robot": {"x": 6.3, "y": 1.0}}
    home = build(SceneSpec.model_validate(scene))
    data = home.new_data()
    places = {item.name: data.xpos[item.body].copy() for item in home.index.objects}
    turns = {item.name: data.xmat[item.body].copy() for item in home.index.objects}
    _steps(home, data, 0.8)
    for item in home.index.objects:
        assert np.abs(data.xpos[item.body] - places[item.name]).max() < 0.003, item.name
        assert np.abs(data.xmat[item.body] - turns[item.name]).max() < 0.1, item.name


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_is_of_a_persons_measure_and_lies_in_its_middle(kind: str) -> None:
    """What collides is within its half sizes; it weighs something, and all that is drawn is near it."""
    plan = object_plan(kind, OBJECTS[kind].colours[0])
    low, high = span(plan, np.eye(3))
    assert np.all(high < np.array(plan.half) + 0.006) and np.all(low > -np.array(plan.half) - 0.006)
    assert 0.02 < 2 * max(plan.half) < 0.45
    assert 0.005 < sum(part.mass for part in plan.parts) < 2.5
    drawn = replace(plan, parts=tuple(replace(part, solid=True) for part in plan.parts))
    least, most = span(drawn, np.eye(3))
    assert least[2] > -plan.half[2] - 0.004, "nothing is drawn in what it stands on"
    assert np.all(most - high < 0.1) and np.all(low - least < 0.1)
