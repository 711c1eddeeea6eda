"""Facts about places that contradict neither each other nor what things are."""

from __future__ import annotations

import numpy as np
from furnished import House

from homie.kernel.types import Box
from perception.detectors.simulated import SimulatedDetector
from perception.localise import Patch
from perception.locator import SensorLocator
from perception.memory.doorways import Doorways, Gap, Passage
from perception.memory.memory import Things
from perception.memory.seen_furniture import Furniture, is_furniture
from perception.memory.seen_object import Identity, LooseObject
from perception.memory.seen_room import Room
from perception.memory.support_relations import holder_of
from perception.memory.whereabouts import Whereabouts, resolve_contradictions, whereabouts
from perception.scan import Points


def test_furniture_is_on_no_object_and_nothing_is_on_itself() -> None:
    places = {
        "counter": Whereabouts("kitchen", "on", "pan"),
        "pan": Whereabouts("", "on", "counter"),
        "bowl_1": Whereabouts("kitchen", "in", "bowl_2"),
        "bowl_2": Whereabouts("kitchen", "in", "bowl_1"),
        "plum": Whereabouts("bedroom", "in", "bowl_1"),
        "lamp": Whereabouts("", "on", "desk"),
        "desk": Whereabouts("study"),
    }
    reported = resolve_contradictions(places, {"counter", "lamp", "desk"})
    assert reported["counter"] == Whereabouts("kitchen")
    assert reported["pan"] == Whereabouts("kitchen", "on", "counter")
    assert {reported["bowl_1"].holder, reported["bowl_2"].holder} != {"bowl_1", "bowl_2"}
    assert reported["plum"].room == reported["bowl_1"].room == "kitchen"
    assert reported["lamp"] == Whereabouts("study", "on", "desk")


def test_of_two_bowls_in_each_other_the_smaller_one_is_inside() -> None:
    def bowl(name: str, half: float) -> LooseObject:
        around = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (0.7, 0.78)], np.float32)
        patch = Patch(np.repeat(around, 3, axis=0), np.zeros(24, bool), 0.004, np.array([1.0, 0.0, 1.1]), (9, 9, 9))
        return LooseObject(Identity(name, "bowl"), patch, 1.0)

    things = Things()
    things.objects = {"inner": bowl("inner", 0.06), "outer": bowl("outer", 0.09)}
    assert whereabouts(things.objects["inner"], things, None).holder == "outer"
    assert whereabouts(things.objects["outer"], things, None).holder == ""


def test_a_pan_is_lifted_however_long_its_handle_is() -> None:
    long = Box(np.zeros(3), np.array([0.22, 0.1, 0.03]))
    assert not is_furniture("pan", long)
    assert is_furniture("trunk", long)


def test_nothing_stands_on_a_drawer_under_a_worktop(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    """Its top was never seen, so what is as high as its front stands on what is above it."""
    observation = house.observe(house.before("drawer", 1.0))
    locator.update(observation, detector.detect(observation))
    drawer = next(piece for piece in locator._things.furniture.values() if piece.part == "drawer")
    top = float(drawer.box.center[2] + drawer.box.half[2])
    can = Box(np.array([*drawer.box.center[:2], top + 0.05]), np.full(3, 0.04))
    holder = holder_of(can, [drawer])
    assert holder is not None and holder[1] is drawer  # it stands alone, and its top is in sight
    under = Furniture(Identity("drawer_9", "drawer"))
    under.part, under.panel = "drawer", drawer.panel
    front = Patch(drawer.moving, np.zeros(len(drawer.moving), dtype=bool), 0.01, np.array([3.0, 2.0, 1.1]), (9, 9, 9))
    under.update([], [front], [], 1.0)
    assert not under.is_top_seen and holder_of(can, [under]) is None


def test_what_is_on_a_table_is_not_in_the_chair_that_is_pushed_up_to_it() -> None:
    def grid(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Points:
        axes = [np.arange(low, high + 1e-6, 0.02) for low, high in (x, y, z)]
        return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3).astype(np.float32)

    seat, back = grid((0.0, 0.4), (0.0, 0.4), (0.45, 0.45)), grid((0.0, 0.4), (0.4, 0.42), (0.45, 0.88))
    level = np.array([True] * len(seat) + [False] * len(back))
    chair = Furniture(Identity("chair", "chair"))
    patch = Patch(np.concatenate([seat, back]), level, 0.01, np.array([0.2, -2.0, 1.1]), (9, 9, 9))
    chair.update([patch], [], [], 1.0)
    on_seat, over_it = (Box(np.array([0.2, 0.2, bottom + 0.04]), np.full(3, 0.04)) for bottom in (0.46, 0.74))
    assert holder_of(on_seat, [chair]) == ("in", chair)
    assert holder_of(over_it, [chair]) is None


def test_the_room_of_what_is_seen_far_behind_all_known_floor_is_not_known() -> None:
    """The floor on the way to it may be that of the room before a doorway, which the washbasin is behind."""
    things, eye = Things(), np.array([4.0, 0.0, 1.1])
    things.rooms["bedroom"] = Room(Identity("bedroom", "bedroom"))
    floor = np.array([[x, y, 0.0] for x in (0.0, 4.0) for y in (-2.0, 2.0)], np.float32)
    things.rooms["bedroom"].update(Patch(floor, np.ones(4, dtype=bool), 0.02, eye, (9, 9, 9)))

    def cabinet(x: float) -> Furniture:
        piece = Furniture(Identity("cabinet", "cabinet"))
        points = np.array([[x + a, b, c] for a in (-0.3, 0.3) for b in (-0.3, 0.3) for c in (0.0, 0.9)], np.float32)
        piece.update([Patch(points, np.zeros(8, dtype=bool), 0.02, eye, (9, 9, 9))], [], [], 1.0)
        return piece

    assert things.room_with(cabinet(-0.6)) == "bedroom"
    assert things.room_with(cabinet(-1.2)) == ""


def test_two_gaps_that_turn_out_to_be_one_doorway_are_reported_once() -> None:
    def gap(x: float) -> Gap:
        return Gap(np.array([x - 0.5, 2.0]), np.array([x + 0.5, 2.0]), np.array([x, 0.5]))

    doorways = Doorways()
    doorways.all = [Passage(gap(x), np.zeros(2)) for x in (1.0, 2.0, 4.0)]
    doorways._join()
    assert doorways.same == {}
    doorways.all[1].best = gap(1.3)  # a better look
    doorways._join()
    assert doorways.same == {1: 0}
