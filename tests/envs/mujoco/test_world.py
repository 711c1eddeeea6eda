"""World state: what is where, what is open, what is solid, checked against where things were laid."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from homes import lay, one_room, swing

from homie.envs.mujoco.house.build import Home, build
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.resting import Place
from homie.envs.mujoco.world import World
from homie.kernel.types import Array
from homie.kernel.world.thresholds import LETS_IN

TURNED = 2.3
"""Yaw of the table (rad): nothing may rely on furniture along the axes."""


def _scene() -> SceneSpec:
    furniture = [
        {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.42, "y": 4.0, "hinge": "left"},
        {"name": "cabinet", "kind": "cabinet", "colour": "blue", "x": 0.30, "y": 2.6, "hinge": "right", "open": 1.0},
        {"name": "drawer", "kind": "drawer", "colour": "white", "x": 0.36, "y": 1.2},
        {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 1.5, "yaw": TURNED},
        {"name": "shelf", "kind": "shelf", "colour": "wood", "x": 3.0, "y": 4.7, "yaw": -math.pi / 2},
    ]

    def thing(kind: str, colour: str, receptacle: str, surface: str, x: float, y: float) -> dict[str, object]:
        at = {"receptacle": receptacle, "surface": surface, "x": x, "y": y}
        return {"name": kind, "kind": kind, "colour": colour, **at}

    objects = [
        thing("lemon", "yellow", "fridge", "upper shelf", 0.1, 0.1),
        thing("apple", "red", "fridge", "lower shelf", 0.1, -0.1),
        thing("tomato_soup_can", "red", "cabinet", "lower shelf", 0.05, 0.0),
        thing("plum", "purple", "drawer", "tray", 0.1, 0.0),
        thing("bowl", "blue", "table", "top", 0.1, 0.2),
        thing("strawberry", "red", "table", "top", 0.1, -0.2),
        thing("mug", "green", "shelf", "middle board", 0.0, 0.0),
        thing("sponge", "yellow", "kitchen", "floor", 4.0, 3.0),
    ]
    return one_room(furniture, objects, (2.0, 3.0, 0.0), (5.0, 5.0))


@pytest.fixture(scope="module")
def home() -> Home:
    return build(_scene())


@pytest.fixture
def world(home: Home) -> World:
    return World(home, home.new_data())


def _settle(world: World, seconds: float = 1.0) -> None:
    for _ in range(round(seconds / world.model.opt.timestep)):
        mujoco.mj_step(world.model, world.data)


class TestPlace:
    @pytest.mark.parametrize(
        ("name", "place"),
        [
            ("lemon", Place("in", "fridge", "upper shelf")),
            ("apple", Place("in", "fridge", "lower shelf")),
            ("tomato_soup_can", Place("in", "cabinet", "lower shelf")),
            ("plum", Place("in", "drawer", "tray")),
            ("bowl", Place("on", "table", "top")),
            ("mug", Place("in", "shelf", "middle board")),
            ("sponge", Place("on", "kitchen")),
        ],
    )
    def test_where_the_spec_put_it(self, world: World, name: str, place: Place) -> None:
        assert world.place(name) == place
        _settle(world, 0.4)
        assert world.place(name) == place, "and there it stays"

    def test_what_falls_into_the_bowl_is_in_the_bowl(self, world: World) -> None:
        bowl = world.position(world.objects["bowl"].body)
        lay(world.model, world.data, "strawberry", bowl + np.array([0.01, 0.0, 0.10]))
        _settle(world)
        assert world.place("strawberry") == Place("in", "bowl")
        assert world.place("bowl") == Place("on", "table", "top")

    def test_what_is_next_to_the_bowl_is_not_in_it(self, world: World) -> None:
        bowl = world.position(world.objects["bowl"].body)
        lay(world.model, world.data, "strawberry", bowl + np.array([0.13, 0.0, 0.0]))
        assert world.place("strawberry") == Place("on", "table", "top")

    def test_what_is_let_go_next_to_the_table_ends_on_the_floor(self, world: World) -> None:
        edge = world.position(world.objects["bowl"].body)
        lay(world.model, world.data, "mug", [edge[0] + 1.0, edge[1] + 0.3, 0.6])
        _settle(world, 1.5)
        assert world.place("mug") == Place("on", "kitchen")

    def test_held_is_nowhere_else(self, world: World) -> None:
        world.held = "bowl"
        assert world.place("bowl") == Place("held", "robot")

    def test_what_lies_in_a_drawer_rides_along(self, world: World) -> None:
        swing(world.model, world.data, "drawer", 0.0)
        drawer = world.receptacles["drawer"]
        for _ in range(500):
            world.data.qfrc_applied[int(world.model.joint("drawer/joint").dofadr[0])] = 9.0
            mujoco.mj_step(world.model, world.data)
        assert not world.closed(drawer)
        assert world.place("plum") == Place("in", "drawer", "tray")

    def test_the_container_of_what_is_in_a_bowl_in_the_fridge(self, world: World) -> None:
        shelf = world.position(world.objects["lemon"].body)
        lay(world.model, world.data, "lemon", [4.5, 4.5, 0.03])
        lay(world.model, world.data, "bowl", [shelf[0], shelf[1] - 0.1, shelf[2] + 0.002])
        lay(world.model, world.data, "strawberry", [shelf[0], shelf[1] - 0.1, shelf[2] + 0.03])
        _settle(world, 0.5)
        for name in ("bowl", "strawberry"):
            container = world.container_of(name)
            assert container is not None and container.name == "fridge"
        assert world.container_of("mug") is None, "a shelf has no door"
        assert world.container_of("sponge") is None


class TestOpenings:
    def test_openness_is_what_the_spec_says(self, world: World) -> None:
        (fridge,) = world.receptacles["fridge"].articulations
        (cabinet,) = world.receptacles["cabinet"].articulations
        assert world.openness(fridge) == pytest.approx(0.0)
        assert world.openness(cabinet) == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("name", "opening", "closed"),
        [
            ("fridge", 0.0, True),
            ("fridge", LETS_IN["hinge"] - 0.05, True),
            ("fridge", LETS_IN["hinge"] + 0.05, False),
            ("drawer", LETS_IN["slide"] - 0.02, True),
            ("drawer", LETS_IN["slide"] + 0.02, False),
        ],
    )
    def test_closed_until_a_hand_fits_in(self, world: World, name: str, opening: float, closed: bool) -> None:
        swing(world.model, world.data, name, opening)
        thing = world.receptacles[name]
        assert world.closed(thing) is closed
        assert [world.accessible(thing, plan) for plan in thing.surfaces] == [not closed] * len(thing.surfaces)

    def test_what_has_no_door_is_never_closed(self, world: World) -> None:
        assert not world.closed(world.receptacles["table"])

    @pytest.mark.parametrize("name", ["fridge", "cabinet", "drawer"])
    def test_the_articulation_says_where_the_handle_goes(self, world: World, name: str) -> None:
        """A positive turn about `axis` (or a step along it) opens; hinges on either side."""
        (item,) = world.receptacles[name].articulations
        swing(world.model, world.data, name, 0.1 * item.open)
        before = world.articulation(item)
        by = 0.6 * item.open
        swing(world.model, world.data, name, 0.7 * item.open)
        after = world.articulation(item)
        assert after.opening - before.opening == pytest.approx(by)
        moved = before.handle + by * before.axis if item.kind == "slide" else _rotate_about(before.handle, before, by)
        np.testing.assert_allclose(after.handle, moved, atol=1e-6)
        assert before.range == item.open

    def test_handles_look_outward(self, world: World) -> None:
        for name in ("fridge", "drawer"):
            thing = world.receptacles[name]
            shut = world.articulation(thing.articulations[0])
            box = world.receptacle_box(thing)
            np.testing.assert_allclose(shut.outward, [1.0, 0.0, 0.0], atol=1e-6)
            assert shut.handle[0] > box.center[0] + box.half[0]
            assert shut.panel is not None
            assert abs(shut.panel.center[0] - shut.handle[0]) < 0.15

    def test_of_a_drawer_only_what_is_pulled_out_is_a_surface(self, world: World) -> None:
        drawer = world.receptacles["drawer"]
        box = world.receptacle_box(drawer)
        front = box.center[0] + box.half[0]
        for opening in (0.2, 0.3):
            swing(world.model, world.data, "drawer", opening)
            surface = world.surface(drawer, drawer.surfaces[0])
            assert surface.half_x == pytest.approx(opening / 2)
            assert surface.access is None, "it is reached from above"
            assert surface.center[0] - surface.half_x > front - 0.08

    def test_shelves_are_entered_from_the_front(self, world: World) -> None:
        shelf = world.receptacles["shelf"]
        for plan in shelf.surfaces:
            surface = world.surface(shelf, plan)
            assert surface.access is not None
            np.testing.assert_allclose(surface.access, [0.0, -1.0], atol=1e-6)
            assert 0.1 < surface.clearance < 1.0


def _rotate_about(point: Array, item: object, angle: float) -> Array:
    """A point turned about the axis of an articulation by the right-hand rule (Rodrigues)."""
    axis, origin = item.axis, item.axis_point  # type: ignore[attr-defined]
    arm = point - origin
    c, s = math.cos(angle), math.sin(angle)
    turned: Array = origin + c * arm + s * np.cross(axis, arm) + (1 - c) * (axis @ arm) * axis
    return turned


class TestSolids:
    def test_near_things_only_and_neither_floor_nor_what_is_left_out(self, world: World) -> None:
        table, bowl = world.receptacles["table"], world.objects["bowl"]
        center = world.position(bowl.body)
        near = world.solids(center, 0.3)
        without = world.solids(center, 0.3, without=[bowl.body])
        assert len(without) < len(near)
        top = max(near, key=lambda box: box.half[0] * box.half[1])
        assert top.half[0] * top.half[1] == pytest.approx(table.half[0] * table.half[1], rel=0.1)
        assert top.center[2] + top.half[2] == pytest.approx(0.74, abs=0.01)
        assert all(box.center[2] > 0.3 for box in without), "no floor"
        assert len(world.solids(center, 10.0)) > 4 * len(near)
        assert world.solids(np.array([0.0, 0.0, 50.0]), 0.3) == ()

    def test_what_is_held_is_not_in_the_way(self, world: World) -> None:
        center = world.position(world.objects["bowl"].body)
        before = len(world.solids(center, 0.1))
        world.held = "bowl"
        assert len(world.solids(center, 0.1)) < before

    def test_an_open_door_is_where_it_stands(self, world: World) -> None:
        swing(world.model, world.data, "fridge", math.pi / 2)
        (door,) = world.receptacles["fridge"].articulations
        panel = world.articulation(door).panel
        assert panel is not None
        boxes = world.solids(panel.center, 0.2)
        assert any(np.allclose(box.center, panel.center) for box in boxes)
        assert panel.center[0] > 0.9, "it stands out into the room"


def test_rooms_are_distinguished_by_their_floor(world: World) -> None:
    assert world.room_of(np.array([2.0, 2.0, 1.0])) == "kitchen"
    assert world.room_of(np.array([7.0, 2.0, 1.0])) is None


def test_everything_has_a_name(world: World) -> None:
    names = {thing.name for thing in world.named_things()}
    assert names == {"kitchen", *world.objects, *world.receptacles}


def test_receptacle_boxes_turn_with_the_furniture(world: World) -> None:
    box = world.receptacle_box(world.receptacles["table"])
    assert math.remainder(box.yaw - TURNED, math.tau) == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(box.center[:2], [3.0, 1.5])
    assert box.distance(np.array([3.0, 1.5])) == 0.0
    ahead = np.array([3.0, 1.5]) + 1.0 * np.array([math.cos(TURNED), math.sin(TURNED)])
    assert box.distance(ahead) == pytest.approx(1.0 - box.half[0])
