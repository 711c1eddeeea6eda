"""Variations of a generated house: what is asked for is there, all else stays, and what does not fit is a sentence."""

from __future__ import annotations

import math

import mujoco
import pytest

from homie.envs.mujoco.blueprints.catalog import YCB
from homie.envs.mujoco.generate.free_floor import unreachable
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.initial_states import NEEDED
from homie.envs.mujoco.generate.requested_changes import AJAR, Variation
from homie.envs.mujoco.home.home import open_home
from homie.envs.mujoco.house.build import build
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec
from homie.kernel.errors import BadInput
from homie.kernel.options import Catalogue, RunOptions

SEED, ROOMS, OBJECTS = 46, 4, 20
VARIED = Variation("bedroom", ["fridge", "drawer_1"], ["apple@sofa", "red mug@sink"])


def test_a_house_has_what_is_asked_for_and_stays_the_same_otherwise() -> None:
    plain, varied = generate(SEED, ROOMS, OBJECTS), generate(SEED, ROOMS, OBJECTS, VARIED)
    assert generate(SEED, ROOMS, OBJECTS, VARIED) == varied, "the same seed, the same house"
    assert (varied.rooms, varied.doorways) == (plain.rooms, plain.doorways)
    assert [p.model_copy(update={"open": 0.0}) for p in varied.furniture] == list(plain.furniture)
    assert {p.name for p in varied.furniture if p.open} == {"fridge", "drawer_1"}
    places = {(thing.kind, thing.receptacle, thing.x, thing.y) for thing in plain.objects}
    more = [t for t in varied.objects if (t.kind, t.receptacle, t.x, t.y) not in places]
    assert len(varied.objects) == len(plain.objects) + 2
    assert {(t.name, t.receptacle) for t in more} == {("apple_2", "sofa"), ("mug_2", "sink")}
    assert next(t.colour for t in more if t.kind == "mug") == "red"
    room = next(room for room in varied.rooms if room.contains(varied.robot.x, varied.robot.y))
    assert room.name == "bedroom" and not unreachable(varied)


@pytest.mark.parametrize(
    ("variation", "message"),
    [
        (Variation(start="attic"), "--start attic names none of its rooms; choose one of "),
        (Variation(start="-9,0,90"), "cannot start at -9,0: there is no free floor that leads to the rest"),
        (Variation(opened=["wardrobe"]), "--opened wardrobe names nothing in it that opens; choose one of .*fridge"),
        (
            Variation(opened=["drawer"]),
            "--opened drawer could mean several pieces of furniture; say which of drawer_1, drawer_2",
        ),
        (Variation(opened=["sofa"]), "'sofa' has neither a door nor a drawer"),
        (Variation(added=["apple on sofa"]), "KIND@FURNITURE"),
        (Variation(opened=["frdge"]), r"--opened frdge names nothing in it that opens; did you mean 'fridge'\?$"),
        (Variation(start="kichen"), r"--start kichen names none of its rooms; did you mean 'kitchen'\?$"),
        (Variation(start="1,2"), "--start needs a room or X,Y,DEGREES, for example 1.5,-2,90"),
        (Variation(added=["kiwi@sofa"]), "--added kiwi@sofa names no kind of object; choose one of .*, apple, "),
        (Variation(added=["appel@sofa"]), r"--added appel@sofa names no kind of object; did you mean 'apple'\?$"),
        (Variation(added=["apple@balcony"]), "--added apple@balcony names none of its furniture; choose one of "),
        (Variation(added=["apple@soffa"]), r"names none of its furniture; did you mean 'sofa'\?$"),
        (Variation(added=["blue apple@sofa"]), "apple comes in red"),
        (Variation(added=["bowl@fridge"] * 9), "there is no free spot for another 'bowl' at 'fridge'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(variation: Variation, message: str) -> None:
    with pytest.raises(BadInput, match=f"^Cannot apply these options to the house of seed {SEED}: .*{message}"):
        generate(SEED, ROOMS, OBJECTS, variation)


def test_the_simulator_begins_with_it_and_nothing_moves() -> None:
    options = RunOptions(
        task="-", seed=SEED, rooms=ROOMS, objects=OBJECTS, start="bedroom", opened=["fridge", "drawer_1"],
        added=["apple@sofa"],
    )  # fmt: skip
    with open_home(options) as home:
        before = home.snapshot()
        fractions = {joint.receptacle: joint.fraction for joint in before.joints.values()}
        assert fractions["fridge"] == pytest.approx(AJAR, abs=0.02) and fractions["drawer_1"] == pytest.approx(
            AJAR, abs=0.02
        )
        assert max(value for name, value in fractions.items() if name not in ("fridge", "drawer_1")) < 0.02
        assert before.objects["apple_2"].at == "sofa"
        assert before.robot.room == "bedroom"


@pytest.mark.parametrize("hinge", ["left", "right"])
@pytest.mark.parametrize("kind", ["fridge", "cabinet", "microwave", "drawer"])
def test_what_stands_open_is_where_the_model_has_it(kind: str, hinge: str) -> None:
    """The corners that the checks use enclose the panel of the compiled model."""
    colour = "black" if kind == "microwave" else "white"
    fields = {"name": "it", "kind": kind, "colour": colour, "hinge": hinge, "room": "kitchen", "open": 0.6}
    piece = FurnitureSpec.model_validate({**fields, "x": 2.0, "y": 2.0, "yaw": 0.7})
    room = {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 4, "y1": 4}
    scene = SceneSpec.model_validate(
        {"rooms": [room], "furniture": [piece.model_dump()], "robot": {"x": 0.6, "y": 0.6}}
    )
    home = build(scene)
    data = home.new_data()
    (link,), (corners,) = piece.blueprint.articulations, piece.panels()
    body = home.model.body(f"it/{link.name}").id
    geom = next(g for g in range(home.model.ngeom) if home.model.geom_bodyid[g] == body)
    middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
    real = data.geom_xpos[geom][:2]
    if link.kind == "hinge":
        assert math.dist(middle, real) < 1e-6
    else:  # what is out begins at the front: its rim is where the front panel is
        assert (
            math.dist(middle, real) < 0.36
            and home.model.jnt_type[home.model.joint("it/joint").id] == mujoco.mjtJoint.mjJNT_SLIDE
        )


def test_open_things_must_not_meet_the_robot_or_furniture() -> None:
    room = {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 5, "y1": 5}
    drawer = {"name": "drawer", "kind": "drawer", "colour": "white", "room": "kitchen", "x": 2.0, "y": 2.0, "open": 1.0}
    spec = {"rooms": [room], "furniture": [drawer], "robot": {"x": 2.7, "y": 2.0}}
    with pytest.raises(ValueError, match="the robot starts in the open door or drawer of 'drawer'"):
        SceneSpec.model_validate(spec)
    SceneSpec.model_validate({**spec, "furniture": [{**drawer, "open": 0.0}]})
    stool = {"name": "chair", "kind": "chair", "colour": "white", "room": "kitchen", "x": 2.7, "y": 2.0}
    with pytest.raises(ValueError, match="the open door or drawer of 'drawer' overlaps 'chair'"):
        SceneSpec.model_validate({**spec, "furniture": [drawer, stool], "robot": {"x": 4.0, "y": 4.0}})


def test_a_house_has_things_of_a_household_where_it_is_asked_to() -> None:
    plain, full = generate(3, 2, 14), generate(3, 2, 14, catalogue="household")
    assert full.furniture == plain.furniture and full.rooms == plain.rooms
    assert {item.kind for item in plain.objects} <= set(YCB)
    assert len({item.kind for item in full.objects} - set(YCB)) >= 5
    assert generate(3, 2, 14, catalogue="household") == full


def test_the_robot_starts_at_the_pose_that_is_named() -> None:
    somewhere = generate(SEED, ROOMS, OBJECTS, Variation(start="bedroom")).robot
    start = generate(SEED, ROOMS, OBJECTS, Variation(start=f"{somewhere.x}, {somewhere.y}, 270")).robot
    assert (start.x, start.y) == (somewhere.x, somewhere.y)
    assert start.yaw == pytest.approx(-math.pi / 2, abs=1e-6)


@pytest.mark.parametrize(("seed", "catalogue"), [(31013, "household"), (31015, "household"), (503, "ycb")])
def test_a_full_house_has_what_its_states_need_in_the_place_of_something_else(seed: int, catalogue: Catalogue) -> None:
    """There was `no room for a plate, which a house with states needs`."""
    plain = generate(seed, catalogue=catalogue)
    wanted = next(item.kind for item in plain.objects if item.kind not in NEEDED)
    added = f"{wanted}@{next(piece.name for piece in plain.furniture if piece.kind == 'kitchen_counter')}"
    house = generate(seed, catalogue=catalogue, variation=Variation(states=True))
    assert set(NEEDED) <= {item.kind for item in house.objects}
    replaced = {item.name for item in plain.objects} - {item.name for item in house.objects}
    assert len(replaced) <= len(NEEDED)
    assert house == generate(seed, catalogue=catalogue, variation=Variation(states=True))
    try:
        more = generate(seed, catalogue=catalogue, variation=Variation(added=[added]))
    except BadInput:
        return  # no room for what is asked for: reported as usual
    both = generate(seed, catalogue=catalogue, variation=Variation(added=[added], states=True))
    count = [sum(item.kind == wanted for item in scene.objects) for scene in (more, both)]
    assert count[0] == count[1], "what was asked for stays"
