"""Tasks on the table: over many seeds they fit, can be reached, and their words mean one thing."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.table.families import FARTHEST, NEAREST, generate
from homie.envs.mujoco.table.outlines import SHAPES, convex_pieces, outline, plate_with_hole, strips
from homie.envs.mujoco.table.robot import scene_of
from homie.envs.mujoco.table.scene import FAMILIES, FOOT, TableScene, Thing
from homie.envs.mujoco.table.things import plan_of
from homie.envs.mujoco.table.words import by_kind, by_look, by_relation, related
from homie.errors import BadInput

SEEDS = range(60)


@pytest.fixture(scope="module", params=FAMILIES)
def scenes(request) -> list[TableScene]:
    return [generate(request.param, seed) for seed in SEEDS]


def test_nothing_touches_and_everything_is_in_reach(scenes):
    for scene in scenes:
        for one, other in combinations(scene.things, 2):
            radii = sum(plan_of(each.kind, each.colour, each.holes).radius for each in (one, other))
            assert math.hypot(one.x - other.x, one.y - other.y) > radii + 0.04
        for thing in scene.things:
            assert NEAREST <= math.hypot(thing.x - FOOT[0], thing.y - FOOT[1]) <= FARTHEST


def test_a_task_is_about_things_that_are_there_and_not_yet_so(scenes):
    for scene in scenes:
        names = {thing.name for thing in scene.things}
        assert len(names) == len(scene.things)
        assert scene.instruction.endswith(".") and scene.conditions
        for condition in scene.conditions:
            assert condition.thing in names and (condition.place in names or condition.relation == "wiped")


def test_seeds_make_different_tasks_and_the_same_seed_the_same(scenes):
    assert generate(scenes[7].family, 7) == scenes[7]
    assert len({scene.instruction for scene in scenes}) > len(scenes) / 3
    assert len({scene.things for scene in scenes}) == len(scenes)


def test_a_scene_comes_back_from_its_file(scenes, tmp_path):
    (tmp_path / "scene.json").write_text(scenes[0].model_dump_json())
    assert TableScene.load(tmp_path / "scene.json") == scenes[0]


def test_all_kinds_of_words_occur():
    told = " ".join(generate(family, seed).instruction for family in FAMILIES for seed in SEEDS)
    for words in (" left of ", " right of ", " behind ", " in front of ", "from left to right", "the red ", *SHAPES):
        assert words in told


def test_no_instruction_tells_what_only_names_tell():
    for family in FAMILIES:
        for seed in SEEDS:
            assert "_" not in generate(family, seed).instruction


@pytest.mark.parametrize("bad", ["{}", '{"format": 2}', "no json"])
def test_a_bad_scene_file_is_one_sentence(tmp_path, bad):
    (tmp_path / "scene.json").write_text(bad)
    with pytest.raises(BadInput, match="is no table scene"):
        TableScene.load(tmp_path / "scene.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "sphere"}, "there is no kind 'sphere'"),
        ({"colour": "mauve"}, "there is no colour 'mauve'"),
        ({"name": "Red Cube"}, "things.0.name"),
        ({"name": "table"}, "can not be called table"),
        ({"name": "blue_star"}, "two things have the same name"),
        ({"x": 3.0}, "things.0.x"),
        ({"holes": ["moon"]}, "there is no shape 'moon'"),
        ({"kind": "area"}, "nothing on the table fits the condition 'on' of red_cube"),
    ],
)
def test_a_scene_that_can_not_be_is_refused(tmp_path, change, said):
    cube = {"name": "red_cube", "kind": "cube", "colour": "red", "x": 0.1, "y": 0.1}
    star = {"name": "blue_star", "kind": "star", "colour": "blue", "x": 0.3, "y": 0.1}
    scene = {"family": "stack", "seed": 0, "instruction": "Stack.", "things": [cube, star]}
    scene["conditions"] = [{"relation": "on", "thing": "red_cube", "place": "blue_star"}]
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene))
    assert TableScene.load(file).things[0].words == "red cube"
    scene["things"] = [{**cube, **change}, star]
    file.write_text(json.dumps(scene))
    with pytest.raises(BadInput) as refused:
        TableScene.load(file)
    assert said in str(refused.value)


def test_families_are_found_by_name():
    assert scene_of("", 3) == scene_of("pick", 3)
    with pytest.raises(BadInput, match=r"no family of tasks 'stak'.*did you mean 'stack'"):
        scene_of("stak", 0)


# ---------------------------------------------------------------- words

CUBES = [
    Thing(name="red_cube", kind="cube", colour="red", x=0.1, y=-0.2),
    Thing(name="blue_cube", kind="cube", colour="blue", x=0.3, y=0.2),
    Thing(name="green_star", kind="star", colour="green", x=0.2, y=0.0),
    Thing(name="gray_star", kind="star", colour="gray", x=0.22, y=0.03),
]


def test_left_is_where_y_is_smaller_and_in_front_is_where_x_is_larger():
    red, blue, star, gray = CUBES
    assert related(red, "left of", star) is True and related(red, "right of", star) is False
    assert related(blue, "in front of", star) is True and related(red, "behind", star) is True
    assert related(star, "left of", gray) is None


def test_words_that_could_mean_two_things_are_not_used():
    red, _, star, gray = CUBES
    assert by_kind(red, CUBES) is None and by_look(red, CUBES) == "the red cube"
    said = {by_relation(red, CUBES, np.random.default_rng(k)) for k in range(40)}
    assert said == {
        f"the cube {words} the {other}"
        for words in ("left of", "behind")
        for other in ("blue cube", "green star", "gray star")
    }
    # The two stars are too near to each other for anybody to say which one is left.
    assert by_relation(star, [star, gray], np.random.default_rng(0)) is None


# ---------------------------------------------------------------- shapes


def area(points: np.ndarray) -> float:
    x, y = points[:, 0], points[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def convex(points: np.ndarray) -> bool:
    edges = np.roll(points, -1, axis=0) - points
    ahead = np.roll(edges, -1, axis=0)
    return bool((edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0] > -1e-12).all())


@given(st.sampled_from(SHAPES), st.floats(0.0, 0.01))
@settings(deadline=None)
def test_pieces_are_convex_and_make_up_the_shape(shape, gap):
    points = outline(shape, gap)
    pieces = convex_pieces(points)
    assert all(convex(piece) for piece in pieces)
    assert sum(area(piece) for piece in pieces) == pytest.approx(area(points))


@given(st.sampled_from(SHAPES), st.floats(0.0, 0.009))
@settings(deadline=None)
def test_a_plate_is_convex_pieces_around_its_hole(shape, gap):
    hole = outline(shape, gap)
    pieces = plate_with_hole(0.054, hole)
    assert all(convex(piece) for piece in pieces)
    assert sum(area(piece) for piece in pieces) == pytest.approx(0.108**2 - area(hole), abs=1e-9)


@given(st.sampled_from(SHAPES))
@settings(deadline=None)
def test_strips_cover_the_shape_and_not_much_more(shape):
    points = outline(shape)
    rectangles = strips(points)
    assert area(points) <= sum(4 * half[0] * half[1] for _, half in rectangles) < 1.35 * area(points)
    for point in points:
        assert any((np.abs(point - middle) <= half + 1e-9).all() for middle, half in rectangles)


@given(st.sampled_from(SHAPES), st.floats(0.001, 0.009))
@settings(deadline=None)
def test_a_gap_is_the_same_at_every_edge(shape, gap):
    def distances(points: np.ndarray) -> np.ndarray:
        edges = np.roll(points, -1, axis=0) - points
        return np.abs(points[:, 0] * edges[:, 1] - points[:, 1] * edges[:, 0]) / np.linalg.norm(edges, axis=1)

    np.testing.assert_allclose(distances(outline(shape, gap)) - distances(outline(shape)), gap, atol=1e-9)
