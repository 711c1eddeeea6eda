"""Facts about places that contradict neither each other nor what things are."""

from __future__ import annotations

import numpy as np
from furnished import House

from homie.kernel.types import Box
from perception.detectors.simulated import SimulatedDetector
from perception.localise import Patch
from perception.recall.doorways import Doorways, Gap, Passage
from perception.recall.whereabouts import Whereabouts, consistent, whereabouts
from perception.scene.entities import Furniture, Identity, LooseObject, is_furniture
from perception.scene.places import holder_of
from perception.scene.things import Things
from perception.sensors.locator import SensorLocator


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
    told = consistent(places, {"counter", "lamp", "desk"})
    assert told["counter"] == Whereabouts("kitchen")
    assert told["pan"] == Whereabouts("kitchen", "on", "counter")
    assert {told["bowl_1"].holder, told["bowl_2"].holder} != {"bowl_1", "bowl_2"}
    assert told["plum"].room == told["bowl_1"].room == "kitchen"
    assert told["lamp"] == Whereabouts("study", "on", "desk")


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
    seen = house.observe(house.before("drawer", 1.0))
    locator.update(seen, detector.detect(seen))
    drawer = next(piece for piece in locator._things.furniture.values() if piece.part == "drawer")
    top = float(drawer.box.center[2] + drawer.box.half[2])
    can = Box(np.array([*drawer.box.center[:2], top + 0.05]), np.full(3, 0.04))
    holder = holder_of(can, [drawer])
    assert holder is not None and holder[1] is drawer  # it stands alone, and its top is in sight
    under = Furniture(Identity("drawer_9", "drawer"))
    under.part, under.panel = "drawer", drawer.panel
    front = Patch(drawer.moving, np.zeros(len(drawer.moving), dtype=bool), 0.01, np.array([3.0, 2.0, 1.1]), (9, 9, 9))
    under.update([], [front], [], 1.0)
    assert not under.topped and holder_of(can, [under]) is None


def test_two_gaps_that_turn_out_to_be_one_doorway_are_told_once() -> None:
    def gap(x: float) -> Gap:
        return Gap(np.array([x - 0.5, 2.0]), np.array([x + 0.5, 2.0]), np.array([x, 0.5]))

    doorways = Doorways()
    doorways.all = [Passage(gap(x), np.zeros(2)) for x in (1.0, 2.0, 4.0)]
    doorways._join()
    assert doorways.same == {}
    doorways.all[1].best = gap(1.3)  # a better look
    doorways._join()
    assert doorways.same == {1: 0}
