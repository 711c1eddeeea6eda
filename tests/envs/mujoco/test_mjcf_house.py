"""Houses of others: what an MJCF file has in it, what of it was not understood, and a robot of the home in it."""

from __future__ import annotations

from pathlib import Path

import pytest

import homie
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.house.build import build, mjcf_of
from homie.envs.mujoco.mjcf_house.house import MjcfHouse
from homie.envs.mujoco.world import World
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.scenes import scene_options
from homie.runtime.assembly import open_robot
from tests import other_packages

KITCHEN = Path(__file__).with_name("kitchen.xml")


def test_furniture_drawers_and_loose_things_are_found_and_the_rest_is_listed() -> None:
    house = MjcfHouse(KITCHEN)
    (chest,) = (piece for piece in house.contents.pieces if piece.origin == "wallcabinet")
    (drawer,) = chest.joints
    assert (drawer.part, drawer.kind, drawer.closed, drawer.open) == ("drawer", "slide", 0.0, -0.35)
    assert drawer.frame[:, 0] == pytest.approx([0.0, -1.0, 0.0], abs=1e-6), "it comes out into the room"
    (inside,) = chest.surfaces
    assert (inside.name, inside.inside, inside.moves) == ("drawer", True, drawer.body)
    assert inside.center[2] == pytest.approx(0.37), "of the floor, which the file has at 0.3, nothing is left"
    (desk,) = (piece for piece in house.contents.pieces if piece.kind == "desk")
    assert {round(float(surface.center[2]), 3) for surface in desk.surfaces} == {0.74}
    assert [(item.name, item.kind, item.colour) for item in house.contents.objects] == [("apple", "apple", "red")]
    unclear = {item.name: item.why for item in house.unclear}
    assert unclear.keys() == {"crank", "ghost", "globe", "welder"}
    assert "knob" in unclear["crank"] and "touched" in unclear["ghost"] and "robot" in unclear["welder"]


def test_things_are_put_where_the_snapshot_has_them() -> None:
    with homie.open(robot=f"mjcf:{KITCHEN}", skills="ideal", picture_size="64x64") as session:
        for action, *words in (("Open", "cabinet"), ("Pick", "apple"), ("Put", "apple", "cabinet")):
            session.call("Go to", words[-1])
            record = session.call(action, *words)
            assert record.feedback.ok, record.feedback.message
        state = session.world_state()
    assert state is not None
    assert (state.objects["apple"].relation, state.objects["apple"].surface) == ("in", "drawer")


def test_a_hand_pulls_a_drawer_by_its_handle() -> None:
    """By motion: the handle is a body of its own, and the joint opens to the negative side."""
    with homie.open(robot=f"mjcf:{KITCHEN}", picture_size="64x64") as session:
        session.call("Go to", "cabinet")
        record = session.call("Open", "cabinet")
        assert record.feedback.ok, record.feedback.message
        state = session.world_state()
    assert state is not None and state.joints["cabinet/drawer"].opening > 0.2


def test_a_house_of_homie_is_read_as_what_it_is(tmp_path: Path) -> None:
    scene = generate(7, rooms=3, objects=12)
    path = tmp_path / "house.xml"
    path.write_text(mjcf_of(scene))
    house, index = MjcfHouse(path), build(scene).index
    home = house.build()
    assert {room.kind for room in home.index.rooms} == {room.kind for room in index.rooms}
    assert {piece.kind for piece in home.index.receptacles} == {piece.kind for piece in index.receptacles}
    assert {item.name for item in home.index.objects} == {item.name for item in index.objects}
    pieces = {piece.origin: piece for piece in house.contents.pieces}
    for piece in index.receptacles:
        joints = [joint.part for joint in pieces[piece.name].joints]
        assert joints == [item.name.rpartition("/")[2] for item in piece.articulations], piece.name
        if joints:
            assert pieces[piece.name].box.yaw == pytest.approx(piece.front, abs=1e-6), piece.name
            inner = [plan for plan in pieces[piece.name].surfaces if plan.inside]
            assert len(inner) == sum(plan.inside for plan in piece.surfaces), piece.name
    world = World(home, home.new_data())
    where = {item.name: item.receptacle for item in scene.objects}
    assert {name: pieces[where[name]].name for name in world.objects} == {
        name: world.place(name).entity for name in world.objects
    }
    assert {item.why.partition(" by")[0] for item in house.unclear} == {"it moves"}, "buttons"


def test_the_kitchen_of_gymnasium_robotics_is_read() -> None:
    folder = other_packages.folder_of("gymnasium_robotics", "gymnasium-robotics==1.4.2", dependencies=False)
    assets = Path(folder) / "gymnasium_robotics" / "envs" / "assets" / "kitchen_franka" / "kitchen_assets"
    house = MjcfHouse(assets / "kitchen_env_model.xml")
    doors = {piece.origin: [joint.part for joint in piece.joints] for piece in house.contents.pieces if piece.joints}
    assert doors == {"slide": ["door"], "hingecab": ["left_door", "right_door"], "microroot": ["door"]}
    assert [item.name for item in house.contents.objects] == ["kettle"]
    assert "panda0_link0" in {item.name for item in house.unclear}


def test_files_that_are_no_houses_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ball.xml"
    for text, why in (
        ("<mujoco><worldbody><geom size='0.1'/></worldbody></mujoco>", "no floor"),
        ("<mujoco><worldbody>", "Cannot read the house"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=why):
            MjcfHouse(path)
    with pytest.raises(BadInput, match="Which house"):
        open_robot(RunOptions(task="x", robot="mjcf"))
    with pytest.raises(BadInput, match="There is no file"):
        open_robot(RunOptions(task="x", robot="mjcf:nowhere.xml"))


def test_a_start_that_is_not_free_is_refused() -> None:
    with pytest.raises(BadInput, match=r"cannot start at 1\.6,1\.5"):
        open_robot(RunOptions(task="x", robot=f"mjcf:{KITCHEN}", start="1.6,1.5,0"))
    with pytest.raises(BadInput, match="X,Y,DEGREES"):
        open_robot(RunOptions(task="x", robot=f"mjcf:{KITCHEN}", start="kitchen"))


def test_a_suite_chooses_a_house_unless_the_robot_has_one() -> None:
    assert scene_options("mjcf", {"file": "house.xml"}) == {"robot": "mjcf:house.xml"}
    assert scene_options("mjcf:mine.xml", {}) == {}
    with pytest.raises(BadInput, match=r"scene\.file: the suite says which house"):
        scene_options("mjcf:mine.xml", {"file": "house.xml"})


def test_the_first_keyframe_is_the_state_at_the_start(tmp_path: Path) -> None:
    text = KITCHEN.read_text().replace(
        "</mujoco>", "<keyframe><key qpos='-0.2 0 0.5 0.5 0.5 1 0 0 0 {}'/></keyframe></mujoco>"
    )
    ghost, ball, shoulder = "1.9 1.3 1.3 1 0 0 0", "1 0 0 0", "0"
    path = tmp_path / "kitchen.xml"
    path.write_text(text.format(f"{ghost} {ball} {shoulder}"))
    home = MjcfHouse(path).build()
    world = World(home, home.new_data())
    assert world.opening(world.receptacles["cabinet"].articulations[0]) == pytest.approx(0.2)
    assert world.position(world.objects["apple"].body) == pytest.approx([0.5, 0.5, 0.2]), "the floor is at 0.3"
