"""`homie scene`: lists, map and spec of a house, as a user gets them."""

from __future__ import annotations

import json

import pytest
from homes import SCENES
from PIL import Image


def test_the_listing_as_json(homie):
    completed = homie("scene", "--seed", "7", "--json")
    assert completed.returncode == 0, completed.stderr
    scene = json.loads(completed.stdout)
    assert 2 <= len(scene["rooms"]) <= 6 and len(scene["objects"]) == 40
    rooms = {room["name"] for room in scene["rooms"]}
    receptacles = {receptacle["name"]: receptacle for receptacle in scene["receptacles"]}
    assert {receptacle["room"] for receptacle in receptacles.values()} <= rooms
    for thing in scene["objects"]:
        assert receptacles[thing["receptacle"]]["room"] == thing["room"]
        assert thing["surface"] in receptacles[thing["receptacle"]]["surfaces"]
    assert receptacles["fridge"]["opens"] == "door" and receptacles["fridge"]["state"] == "closed"


def test_the_same_seed_is_the_same_house_and_another_is_another(homie):
    seven, again, eight = (homie("scene", "--seed", seed, "--json").stdout for seed in ("7", "7", "8"))
    assert seven == again != eight


def test_the_lists_as_text(homie):
    drawing = homie("scene", "--seed", "7", "--rooms", "3", "--objects", "20").stdout
    for part in ("rooms (3)", "receptacles (", "objects (20)", "kitchen"):
        assert part in drawing


def test_a_saved_spec_shows_the_same_house(homie, tmp_path):
    saved = homie("scene", "--seed", "7", "--save", "house.json", "--json")
    assert saved.returncode == 0 and "wrote house.json" in saved.stderr
    assert homie("scene", "--scene", "house.json", "--json").stdout == saved.stdout
    spec = json.loads((tmp_path / "house.json").read_text())
    spec["furniture"][0]["room"] = "attic"
    (tmp_path / "house.json").write_text(json.dumps(spec))
    broken = homie("scene", "--scene", "house.json")
    assert broken.returncode == 2 and "house.json" in broken.stderr and "attic" in broken.stderr
    assert broken.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SCENES.glob("*.json")), ids=lambda path: path.stem)
def test_the_scenes_that_ship(homie, path):
    """D12: error-codes.json, with a sponge on the floor, ended with a KeyError."""
    drawing, listed = homie("scene", "--scene", path, "--png", "map.png"), homie("scene", "--scene", path, "--json")
    assert drawing.returncode == listed.returncode == 0, drawing.stderr + listed.stderr
    spec, scene = json.loads(path.read_text()), json.loads(listed.stdout)
    assert [item["name"] for item in scene["objects"]] == [item["name"] for item in spec["objects"]]
    assert {item["room"] for item in scene["objects"]} <= {room["name"] for room in spec["rooms"]}
    assert all(item["name"] in drawing.stdout for item in spec["objects"])


def test_the_map(homie, tmp_path):
    assert homie("scene", "--seed", "7", "--png", "map.png").returncode == 0
    with Image.open(tmp_path / "map.png") as picture:
        assert picture.format == "PNG" and min(picture.size) > 300
        assert len(picture.getcolors(maxcolors=1 << 24) or ()) > 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "-1"), "--seed must be between"),
        (("--rooms", "9"), "--rooms must be between"),
        (("--objects", "1000"), "--objects must be between"),
        (("--scene", "none.json"), "none.json"),
        (("--png", "none/map.png"), "none/map.png"),
        (("--scene", "none.json", "--seed", "5"), "With --scene, --seed would mean nothing"),
        (("--scene", "none.json", "--rooms", "3", "--objects", "2"), "With --scene, --rooms and --objects would"),
    ],
)
def test_bad_input_is_one_sentence(homie, arguments, message):
    completed = homie("scene", *arguments)
    assert completed.returncode == 2
    assert message in completed.stderr and completed.stderr.startswith("homie: ") and completed.stderr.count("\n") == 1
