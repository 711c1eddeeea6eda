"""Scene specs: round trip, and one clear sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS
from homie.envs.mujoco.blueprints.materials import COLOURS
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.spec import SceneSpec, doubts
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.envs.mujoco.scene_map import draw_map
from homie.kernel.errors import BadInput

STUDIO = Path(__file__).parents[3] / "examples" / "scenes" / "studio.json"


def _studio() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(STUDIO.read_text())
    return loaded


def test_hand_written_example_builds() -> None:
    home = build(SceneSpec.load(STUDIO))
    assert {thing.name for thing in home.index.objects} == {"apple", "tuna_fish_can"}
    assert [a.kind for r in home.index.receptacles for a in r.articulations] == ["hinge"]


def test_the_manual_names_every_kind() -> None:
    manual = (STUDIO.parents[2] / "docs" / "scene-spec.md").read_text()
    assert [kind for kind in (*FURNITURE, *OBJECTS, *COLOURS) if f"`{kind}`" not in manual] == []


def test_round_trip() -> None:
    scene = generate(3)
    assert SceneSpec.parse(scene.dump()) == scene


def _break_spec(change: str) -> dict[str, Any]:
    spec = _studio()
    fridge, counter, table = spec["furniture"]
    apple, tuna = spec["objects"]
    edits: dict[str, Any] = {
        "version": lambda: spec.update(version=2),
        "no rooms": lambda: spec.update(rooms=[]),
        "extra field": lambda: spec.update(color="red"),
        "unknown kind": lambda: fridge.update(kind="freezer"),
        "unknown object": lambda: apple.update(kind="kiwi"),
        "wrong colour": lambda: apple.update(colour="blue"),
        "same name": lambda: tuna.update(name="apple"),
        "no such room": lambda: table.update(room="attic"),
        "outside": lambda: table.update(x=4.9),
        "furniture overlap": lambda: table.update(x=0.8, y=3.0),
        "too wide": lambda: counter.update(width=9.0),
        "open table": lambda: table.update(open=0.5),
        "power": lambda: table.update(on=True),
        "no receptacle": lambda: apple.update(receptacle="shelf"),
        "no surface": lambda: apple.update(surface="tray"),
        "off the edge": lambda: apple.update(y=0.55),
        "objects overlap": lambda: tuna.update(x=0.18, y=0.2),
        "robot in fridge": lambda: spec.update(robot={"x": 0.5, "y": 3.3}),
        "robot outside": lambda: spec.update(robot={"x": 9, "y": 9}),
        "not a number": lambda: table.update(x="far"),
        "infinite": lambda: table.update(x=float("inf")),
        "doorway": lambda: spec.update(doorways=[{"rooms": ["kitchen", "hall"], "x": 0, "y": 0}]),
        "floor": lambda: apple.update(receptacle="kitchen", surface="top"),
        "floor in fridge": lambda: apple.update(receptacle="kitchen", surface="floor", x=0.4, y=3.3),
        "floor outside": lambda: apple.update(receptacle="kitchen", surface="floor", x=0.02, y=1.0),
        "under robot": lambda: apple.update(receptacle="kitchen", surface="floor", x=1.8, y=1.2),
        "floating": lambda: apple.update(receptacle="fridge", surface="top"),
        "stands on nothing": lambda: table.update(stands_on="piano"),
        "stands beside": lambda: table.update(stands_on="kitchen_counter"),
    }
    edits[change]()
    return spec


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("version", "version"),
        ("no rooms", "rooms"),
        ("extra field", "color"),
        ("unknown kind", "freezer"),
        ("unknown object", "kiwi"),
        ("wrong colour", "apple comes in red"),
        ("same name", "'apple' is used by more than one"),
        ("no such room", "'attic', which is not a room"),
        ("outside", "outside the walls"),
        ("furniture overlap", "'fridge' and 'table' overlap by "),
        ("too wide", "width of a kitchen_counter must be between"),
        ("open table", "neither a door nor a drawer"),
        ("power", "not an appliance"),
        ("no receptacle", "'shelf', which is neither furniture nor a room"),
        ("no surface", "no surface 'tray'"),
        ("off the edge", "at that place: it goes beyond the edge by "),
        ("objects overlap", "'apple' and 'tuna_fish_can' overlap by "),
        ("robot in fridge", "robot starts in 'fridge', by "),
        ("robot outside", "robot must start inside a room"),
        ("not a number", "x"),
        ("infinite", "Infinity is not a number"),
        ("doorway", "'hall', which is not a room"),
        ("floor", "'kitchen' has no surface 'top'"),
        ("floor in fridge", "'apple' on the floor and 'fridge' overlap by "),
        ("floor outside", "'apple' lies outside the walls"),
        ("under robot", "robot starts in 'apple'"),
        ("floating", "no surface 'top'"),
        ("stands on nothing", "not another piece of furniture"),
        ("stands beside", "not above"),
    ],
)
def test_mistakes_are_one_sentence(change: str, words: str) -> None:
    with pytest.raises(BadInput) as excinfo:
        SceneSpec.parse(json.dumps(_break_spec(change)), "house.json")
    text = str(excinfo.value)
    assert text.startswith("Cannot read house.json: ")
    assert words in text
    assert "\n" not in text


@pytest.mark.parametrize(("change", "meant"), [("unknown kind", "fridgge"), ("unknown object", "aple")])
def test_a_misspelt_kind_gets_the_known_one(change: str, meant: str) -> None:
    text = json.dumps(_break_spec(change)).replace('"freezer"', '"fridgge"').replace('"kiwi"', '"aple"')
    with pytest.raises(BadInput, match=rf"kind '{meant}' \(did you mean '\w+'\?\)\.$"):
        SceneSpec.parse(text, "house.json")


def test_objects_on_the_floor_stand_where_the_world_says() -> None:
    spec = _studio()
    spec["objects"][0].update(receptacle="kitchen", surface="floor", x=2.5, y=0.5)
    home = build(SceneSpec.model_validate(spec))
    apple = home.new_data().xpos[home.model.body("apple").id]
    assert tuple(apple[:2]) == (2.5, 0.5)
    assert abs(apple[2] - 0.0375) < 0.001


def test_unreadable_files_are_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        SceneSpec.load(tmp_path / "none.json")
    broken = tmp_path / "broken.json"
    broken.write_text('{"version": 1,\n "rooms": [}')
    with pytest.raises(BadInput, match=r"it is not valid JSON: .*line 2"):
        SceneSpec.load(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="it is not text in UTF-8"):
        SceneSpec.load(broken)


def test_surfaces_give_way_to_what_stands_on_them() -> None:
    scene = generate(0)
    pieces = scene.furniture_by_name
    tv = next(piece for piece in scene.furniture if piece.kind == "tv")
    stand = pieces[tv.stands_on or ""]
    (remaining,) = surfaces_of(scene, stand)
    (surface,) = stand.blueprint.surfaces
    assert remaining.half_x * remaining.half_y < surface.half_x * surface.half_y
    oven = next(piece for piece in scene.furniture if piece.kind == "microwave")
    assert surfaces_of(scene, pieces[oven.stands_on or ""]) == ()


def test_map_shows_robot_and_furniture_where_they_are() -> None:
    scene = SceneSpec.load(STUDIO)
    image = draw_map(scene, scale=100)
    assert image.size == (600, 500)
    robot = image.getpixel((int((1.8 + 0.5) * 100) - 20, int((4.5 - 1.2) * 100)))
    table = image.getpixel((int((3.4 + 0.5 + 0.3) * 100), int((4.5 - 2.0 + 0.4) * 100)))
    assert isinstance(robot, tuple)
    assert isinstance(table, tuple)
    assert robot[2] > robot[0] + 50, "the robot is drawn blue"
    assert table[0] > table[2] + 50, "the table has the colour of wood"


def two_rooms(doorway: bool = True, furniture: tuple[dict, ...] = ()) -> SceneSpec:
    rooms = [
        {"name": name, "kind": kind, "x0": x, "y0": 0, "x1": x + 4, "y1": 4}
        for name, kind, x in (("kitchen", "kitchen", 0), ("study", "study", 4))
    ]
    doorways = [{"rooms": ["kitchen", "study"], "x": 4.0, "y": 2.0}] if doorway else []
    robot = {"x": 1.0, "y": 1.0, "yaw": 0.0}
    return SceneSpec.model_validate({"rooms": rooms, "doorways": doorways, "furniture": furniture, "robot": robot})


def test_what_is_probably_not_meant_is_reported(tmp_path):
    fridge = {"name": "fridge_1", "kind": "fridge", "colour": "white", "room": "kitchen", "y": 2.0, "yaw": 3.14159}
    assert doubts(two_rooms()) == []
    assert doubts(two_rooms(furniture=({**fridge, "x": 2.0},))) == []
    assert doubts(two_rooms(doorway=False)) == [
        "The robot cannot get to 'study': no doorway leads there from where it starts."
    ]
    shut = two_rooms(furniture=({**fridge, "x": 3.5},))
    blocked, lost = doubts(shut)
    assert blocked == (
        "The robot does not fit through the doorway between 'kitchen' and 'study': 'fridge_1' is in the way."
    )
    assert "'study'" in lost
    (tmp_path / "shut.json").write_text(shut.dump())
    with pytest.warns(UserWarning, match=r"shut\.json: The robot does not fit"):
        SceneSpec.load(tmp_path / "shut.json")


def test_generated_houses_leave_no_doubt():
    assert [seed for seed in range(12) if doubts(generate(seed, None, 10))] == []


def test_a_misspelt_field_is_named_before_the_one_that_it_makes_missing(tmp_path: Path) -> None:
    spec = generate(4, rooms=2, objects=2).model_dump(mode="json")
    spec["objects"][0]["color"] = spec["objects"][0].pop("colour")
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(spec))
    with pytest.raises(BadInput, match=r"objects\.0\.color is not known here"):
        SceneSpec.load(file)


def test_furniture_outside_the_walls_says_where_it_and_the_walls_are() -> None:
    spec = generate(4, rooms=2, objects=0).model_dump(mode="json")
    spec["furniture"][0]["x"] += 50
    with pytest.raises(ValueError, match=r"it reaches from x .* to .* between the walls are x"):
        SceneSpec.model_validate(spec)
