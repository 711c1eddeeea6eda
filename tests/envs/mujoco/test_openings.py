"""Furniture that opens in other ways than by one door or one drawer: built, opened, used and shut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from homes import SCENES

import homie

# isort: split
import mujoco
import numpy as np

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.envs.mujoco.snapshot import snapshot_of
from homie.envs.mujoco.world import World
from homie.kernel.types import ErrorCode
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.snapshot import RobotState, WorldSnapshot
from homie.runtime.open_session import Session
from skills.classical.pulls import moved_boxes

SCENE = SCENES / "openings.json"
KINDS = ("dishwasher", "wardrobe", "chest", "sideboard", "lower drawer", "middle drawer", "upper drawer")
TINY = {"picture_size": 16, "shade": False}


@pytest.fixture(scope="module")
def ideal() -> Iterator[Session]:
    with homie.open(scene=SCENE, skills="ideal", **TINY) as session:
        yield session


def so(world: WorldSnapshot, condition: str, name: str) -> bool:
    return parse_condition({condition: name.replace(" ", "_")}).holds(world)


@pytest.mark.parametrize("kind", KINDS)
def test_what_opens_is_refused_while_it_is_shut_and_keeps_what_is_put_in(ideal: Session, kind: str) -> None:
    """L3 while it is shut; `open` false, then true; `closed` true, false, true; the thing stays in and comes out."""
    ideal.reset()
    assert ideal.call("Go to", "apple").feedback.ok and ideal.call("Pick", "apple").feedback.ok
    assert ideal.call("Go to", kind).feedback.ok
    assert ideal.call("Put", "apple", kind).feedback.code is ErrorCode.L3
    assert ideal.call("Go to", "table").feedback.ok and ideal.call("Put", "apple", "table").feedback.ok
    shut = ideal.world_state()
    assert so(shut, "closed", kind) and not so(shut, "open", kind)
    assert ideal.call("Go to", kind).feedback.ok and ideal.call("Open", kind).feedback.ok
    opened = ideal.world_state()
    assert so(opened, "open", kind) and not so(opened, "closed", kind)
    for action, *words in (("Go to", "apple"), ("Pick", "apple"), ("Go to", kind), ("Put", "apple", kind)):
        assert ideal.call(action, *words).feedback.ok
    assert ideal.call("Close", kind).feedback.ok
    world = ideal.world_state()
    assert so(world, "closed", kind)
    assert (world.objects["apple"].relation, world.objects["apple"].at) == ("in", kind.replace(" ", "_"))
    assert ideal.call("Pick", "apple").feedback.code is ErrorCode.L3
    assert ideal.call("Open", kind).feedback.ok and ideal.call("Pick", "apple").feedback.ok


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dishwasher", "wardrobe", "chest", "sideboard"])
def test_a_hand_opens_and_closes_it(kind: str) -> None:
    """Classical skills: down, both leaves, up, and to the side."""
    with homie.open(scene=SCENE, skills="classical", **TINY) as session:
        for action, condition in (("Go to", "closed"), ("Open", "open"), ("Close", "closed")):
            execution = session.call(action, kind)
            assert execution.feedback.ok, execution.feedback.message
            assert so(session.world_state(), condition, kind)


def world_of(scene: SceneSpec) -> World:
    home = build(scene)
    return World(home, home.new_data())


def turn(world: World, joint: int, opening: float) -> None:
    world.data.qpos[world.model.jnt_qposadr[joint]] = opening
    mujoco.mj_forward(world.model, world.data)


def test_one_of_two_doors_lets_a_hand_in_and_both_have_to_be_shut() -> None:
    world = world_of(SceneSpec.load(SCENE))
    wardrobe = world.receptacles["wardrobe"]
    left_joint, right_joint = (leaf.joint for leaf in wardrobe.articulations)
    for joint, opening, is_open, is_closed in (
        (left_joint, 1.5, True, False),
        (right_joint, 0.3, True, False),
        (left_joint, 0.0, False, False),
    ):
        turn(world, joint, opening)
        now = snapshot_of(world, RobotState())
        assert world.closed(wardrobe) is not is_open
        assert (so(now, "open", "wardrobe"), so(now, "closed", "wardrobe")) == (is_open, is_closed)


def test_ideal_skills_open_both_doors_and_one_where_something_is_in_the_way_of_the_other(tmp_path: Path) -> None:
    scene = SceneSpec.load(SCENE)
    chair = {"name": "chair", "kind": "chair", "colour": "white", "room": "living_room", "x": 1.05, "y": 4.55}
    pieces = [*(piece.model_dump() for piece in scene.furniture), chair]
    (tmp_path / "scene.json").write_text(json.dumps({**scene.model_dump(mode="json"), "furniture": pieces}))
    for path, doors in ((SCENE, 2), (tmp_path / "scene.json", 1)):
        with homie.open(scene=path, skills="ideal", **TINY) as session:
            session.call("Go to", "wardrobe")
            assert session.call("Open", "wardrobe").feedback.ok
            joints = session.world_state().joints
            opened = [name for name, joint in joints.items() if joint.fraction > 0.5]
            assert len(opened) == doors and all(name.startswith("wardrobe/") for name in opened)


def test_what_stands_open_at_the_start_stays_so() -> None:
    """Every leaf is known; and springs carry flaps and lids, which neither fall shut nor open in four seconds."""
    pieces = [piece.model_dump() for piece in SceneSpec.load(SCENE).furniture]
    for piece in pieces:
        piece["open"] = 0.5 if piece["kind"] in ("wardrobe", "chest", "dishwasher") else 0.0
    scene = SceneSpec.model_validate({**SceneSpec.load(SCENE).model_dump(), "furniture": pieces})
    reported = {name: joint.fraction for name, joint in initial_state(scene).joints.items()}
    ajar = {"wardrobe/left_door", "wardrobe/right_door", "chest/lid", "dishwasher/flap"}
    assert {name for name, fraction in reported.items() if fraction == 0.5} == ajar
    world = world_of(scene)
    mujoco.mj_step(world.model, world.data, 1000)
    now = snapshot_of(world, RobotState()).joints
    assert {name: round(joint.fraction, 2) for name, joint in now.items()} == reported


def test_a_flap_covers_the_floor_before_it_and_a_lid_none() -> None:
    scene = SceneSpec.load(SCENE)
    opened = {piece.kind: piece.model_copy(update={"open": 1.0}) for piece in scene.furniture if piece.kind != "table"}
    washer = opened["dishwasher"]
    (flap,) = washer.panels()
    front = washer.x + washer.blueprint.half_x
    assert 0.5 < max(x for x, _ in flap) - front < 0.6
    assert opened["chest"].panels() == opened["sideboard"].panels() == ()
    before = opened["chest"].model_copy(update={"name": "box", "open": 0.0, "x": front + 0.5, "y": 1.2, "yaw": 0.0})
    pieces = [washer.model_dump(), before.model_dump()]
    with pytest.raises(ValueError, match="the open door or drawer of 'dishwasher' overlaps 'box'"):
        SceneSpec.model_validate({**scene.model_dump(), "furniture": pieces, "objects": []})


@pytest.mark.parametrize("name", ["chest", "dishwasher"])
def test_what_the_arm_keeps_out_of_follows_the_panel_round(name: str) -> None:
    world = world_of(SceneSpec.load(SCENE))
    (item,) = world.receptacles[name].articulations
    ahead = np.mean([box.center for box in moved_boxes(world.articulation(item), 1.2)], axis=0)
    turn(world, item.joint, 1.2)
    panel = np.array(world.data.geom(f"{item.name}#0").xpos)
    now = np.mean([box.center for box in moved_boxes(world.articulation(item))], axis=0)
    assert np.linalg.norm(panel - ahead) < 0.03 and np.linalg.norm(now - ahead) < 0.01


def test_houses_of_a_household_have_such_furniture_and_others_do_not() -> None:
    kinds = {name.replace(" ", "_") for name in KINDS}
    houses = [generate(seed, furniture="household") for seed in range(8)]
    assert {piece.kind for house in houses for piece in house.furniture} >= kinds
    assert {item.receptacle for house in houses for item in house.objects} & kinds, "and things are kept in it"
    assert not {piece.kind for seed in range(8) for piece in generate(seed).furniture} & kinds
    for house in houses:
        stacks = {piece.name: piece.stands_on for piece in house.furniture if piece.kind == "upper_drawer"}
        assert all(below is not None and below.startswith("middle_drawer") for below in stacks.values())


def test_the_furniture_of_a_household_opens_where_it_stands() -> None:
    """By ideal skills: what opens is in nothing, neither in walls nor in what stands beside it."""
    with homie.open(seed=3, furniture="household", skills="ideal", **TINY) as session:
        pieces = [name for name, item in session.world_state().fixed.items() if item.kind.replace("_", " ") in KINDS]
        assert len(pieces) > 5
        for name in pieces:
            for action in ("Go to", "Open", "Close"):
                assert session.call(action, name).feedback.ok, (action, name)
