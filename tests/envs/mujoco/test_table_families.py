"""Tasks on the table: over many seeds they fit, can be reached, and their words mean one thing."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.envs.mujoco.table.outlines import SHAPES, convex_pieces, outline, plate_with_hole, strips
from homie.envs.mujoco.table.sampled_tables import FARTHEST, NEAREST, generate, scene_of
from homie.envs.mujoco.table.spoken_names import RELATIONS, by_kind, by_look, by_relation, related
from homie.envs.mujoco.table.table_scene import FAMILIES, FOOT, TableScene, Thing
from homie.envs.mujoco.table.things import plan_of
from homie.kernel.errors import BadInput
from homie.kernel.world.predicates import IsNot

SEEDS = range(60)


@pytest.fixture(scope="module", params=FAMILIES)
def scenes(request) -> list[TableScene]:
    return [generate(request.param, seed) for seed in SEEDS]


def test_nothing_touches_and_everything_is_in_reach(scenes):
    for scene in scenes:
        for first, other in combinations(scene.things, 2):
            radii = sum(plan_of(each.kind, each.colour, each.holes).radius for each in (first, other))
            assert math.hypot(first.x - other.x, first.y - other.y) > radii + 0.04
        for thing in scene.things:
            assert NEAREST <= math.hypot(thing.x - FOOT[0], thing.y - FOOT[1]) <= FARTHEST


def test_a_task_is_about_things_that_are_there_and_not_yet_so(scenes):
    for scene in scenes:
        names = {thing.name for thing in scene.things}
        assert len(names) == len(scene.things)
        assert scene.instruction.endswith(".") and scene.conditions
        assert all(word in names for condition in scene.conditions for word in condition.words())


def test_seeds_make_different_tasks_and_the_same_seed_the_same(scenes):
    assert generate(scenes[7].family, 7) == scenes[7]
    assert len({scene.instruction for scene in scenes}) > len(scenes) / 3
    assert len({scene.things for scene in scenes}) == len(scenes)


def test_a_scene_comes_back_from_its_file(scenes, tmp_path):
    (tmp_path / "scene.json").write_text(scenes[0].model_dump_json())
    assert TableScene.load(tmp_path / "scene.json") == scenes[0]


def test_all_kinds_of_words_occur():
    instructions = " ".join(generate(family, seed).instruction for family in FAMILIES for seed in SEEDS)
    for words in (" left of ", " right of ", " behind ", " in front of ", "from left to right", "the red ", *SHAPES):
        assert words in instructions


def test_no_instruction_tells_what_only_names_tell():
    for family in FAMILIES:
        for seed in SEEDS:
            assert "_" not in generate(family, seed).instruction


@pytest.mark.parametrize("bad", ["{}", '{"format": 1}', "no json"])
def test_a_bad_scene_file_is_one_sentence(tmp_path, bad):
    (tmp_path / "scene.json").write_text(bad)
    with pytest.raises(BadInput, match=r"^Cannot read the table scene .*scene\.json: "):
        TableScene.load(tmp_path / "scene.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "sphere"}, "there is no kind 'sphere'"),
        ({"colour": "mauve"}, "there is no colour 'mauve'"),
        ({"name": "Red Cube"}, "things.0.name"),
        ({"name": "table"}, "cannot be called table"),
        ({"name": "blue_star"}, "two things have the same name"),
        ({"x": 3.0}, "things.0.x"),
        ({"holes": ["moon"]}, "there is no shape 'moon'"),
        ({"kind": "area"}, "nothing on the table fits the condition {'stacked': ['blue_star', 'red_cube']}"),
    ],
)
def test_a_scene_that_can_not_be_is_refused(tmp_path, change, message):
    cube = {"name": "red_cube", "kind": "cube", "colour": "red", "x": 0.1, "y": 0.1}
    star = {"name": "blue_star", "kind": "star", "colour": "blue", "x": 0.3, "y": 0.1}
    scene = {"family": "stack", "seed": 0, "instruction": "Stack.", "things": [cube, star]}
    scene["conditions"] = [{"stacked": ["blue_star", "red_cube"]}]
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene))
    assert TableScene.load(file).things[0].words == "red cube"
    scene["things"] = [{**cube, **change}, star]
    file.write_text(json.dumps(scene))
    with pytest.raises(BadInput) as excinfo:
        TableScene.load(file)
    assert message in str(excinfo.value)


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


_KIND = "|".join((*SHAPES, "container", "area"))
_PLACE = "|".join(RELATIONS)
_FOUND = re.compile(rf"Find the (?P<kind>{_KIND}) (?P<relation>{_PLACE}) the (?P<beside>\w+ (?:{_KIND}|sponge))\. ")
_NAMED = re.compile(rf"\b(?P<which>the(?: (?!shape)\w+)?|this) (?P<kind>{_KIND})\b")
_RUNS = {"from left to right": math.pi / 2, "from the front to the back": 0.0}


def asked_about(scene: TableScene) -> list[str]:
    """The things that the task is done with, by its conditions; not those that are to be left alone."""
    return [
        str(name) for condition in scene.conditions if not isinstance(condition, IsNot) for name in condition.words()
    ]


def things_meant(scene: TableScene) -> list[str]:
    """What an instruction speaks of, read word by word by somebody who knows only the table. It fails for two."""
    things, text, referent = scene.things, scene.instruction, ""
    if match := _FOUND.match(text):
        (beside,) = (item for item in things if item.words == match["beside"])
        kin = [item for item in things if item.kind == match["kind"] and item is not beside]
        sides = {item.name: related(item, match["relation"], beside) for item in kin}
        (referent,) = (name for name, side in sides.items() if side)
        assert None not in sides.values(), "nobody could tell on which side one of them is"
        moved = set(asked_about(scene))
        assert beside.name not in moved and beside.kind != "sponge", "the place will be another one"
        text = text[match.end() :]
    assert not re.search(rf"\b({_PLACE})\b", text), "a place before other words"
    names = []
    for match in _NAMED.finditer(text):
        words, kind = match["which"].split(), match["kind"]
        if words == ["this"]:
            assert referent.endswith(kind.replace(" ", "_"))
            names.append(referent)
            continue
        fitting = [item for item in things if item.kind == kind and (len(words) == 1 or item.colour == words[1])]
        for direction, yaw in _RUNS.items():
            if f"{match[0]} that runs {direction}" in text:
                fitting = [item for item in fitting if item.yaw == yaw]
        (only,) = fitting
        names.append(only.name)
    assert not referent or referent in names
    return names


@pytest.mark.parametrize("family", FAMILIES)
def test_every_instruction_has_one_meaning_and_it_is_the_task(family):
    for seed in range(300):
        scene = generate(family, seed)
        names = [name for name in asked_about(scene) if name != "shape_sorter"]
        assert set(things_meant(scene)) == set(names), scene.instruction
        assert ("sorter" in scene.instruction) == (family == "sort")
        if family == "pick" or (family == "stack" and len(names) > 2 and "top of both" not in scene.instruction):
            assert things_meant(scene) == names


def test_the_subset_says_what_tells_the_things_apart():
    for family in FAMILIES:
        for seed in range(100):
            scene = generate(family, seed)
            by_place = bool(re.search(r"\b(this|Find|runs)\b", scene.instruction))
            assert (scene.subset == "spatial") == by_place
            if scene.subset == "base":
                names = asked_about(scene)
                kinds = [item.kind for item in scene.things]
                assert all(kinds.count(item.kind) == 1 for item in scene.things if item.name in names)
    assert {generate("stack", seed).subset for seed in SEEDS} == {"base", "visual", "spatial"}


def test_left_is_where_y_is_smaller_and_in_front_is_where_x_is_larger():
    red, blue, star, gray = CUBES
    assert related(red, "left of", star) is True and related(red, "right of", star) is False
    assert related(blue, "in front of", star) is True and related(red, "behind", star) is True
    assert related(star, "left of", gray) is None


def test_words_that_could_mean_two_things_are_not_used():
    red, _, star, gray = CUBES
    assert by_kind(red, CUBES) is None and by_look(red, CUBES) == "the red cube"
    phrases = {by_relation(red, CUBES, np.random.default_rng(k)) for k in range(40)}
    assert phrases == {
        f"the cube {words} the {other}"
        for words in ("left of", "behind")
        for other in ("blue cube", "green star", "gray star")
    }
    moving = {by_relation(red, CUBES, np.random.default_rng(k), moving=[CUBES[1]]) for k in range(40)}
    assert moving == {phrase for phrase in phrases if "blue" not in str(phrase)}
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
