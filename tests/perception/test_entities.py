"""What is remembered of single things."""

from __future__ import annotations

import numpy as np
import pytest
from furnished import House

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import Array, Box, Observation, Pose2
from perception.detectors.simulated import SimulatedDetector
from perception.localise import Patch
from perception.locator import SensorLocator
from perception.memory.seen_furniture import Furniture, count_entering, is_furniture
from perception.memory.seen_object import Identity, LooseObject
from perception.memory.seen_room import Room
from perception.memory.support_relations import holds_up
from perception.scan import Points


def _see(house: House, locator: SensorLocator, detector: SimulatedDetector, base: Pose2) -> Observation:
    observation = house.observe(base)
    locator.update(observation, detector.detect(observation))
    return observation


def test_the_inside_is_entered_through_the_side_that_faces_the_eye() -> None:
    box = Box(np.array([1.0, 2.0, 0.5]), np.array([0.4, 0.3, 0.5]), 0.5)
    inside = np.array([[1.0, 2.0, 0.5], [1.02, 2.05, 0.4]], dtype=np.float32)
    for side in range(4):
        angle = box.yaw + side * np.pi / 2
        eye = np.array([1.0 + 2 * np.cos(angle), 2.0 + 2 * np.sin(angle), 1.0])
        counts = count_entering(inside, eye, box)
        assert counts[side] == 2
        assert counts.sum() == 2
    assert count_entering(inside, np.array([1.0, 2.0, 3.0]), box).sum() == 0  # from above


def test_the_open_side_of_a_shelf_is_where_its_inside_was_seen(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    for base in (Pose2(1.4, 0.9, 0.0), Pose2(1.6, 1.1, 0.0), Pose2(2.4, 1.6, -0.5), Pose2(3.0, 1.8, -1.0)):
        observation = _see(house, locator, detector, base)
    goal = locator.goal("shelf", ACTION_TABLE["Go to"], observation)
    assert goal.front == pytest.approx(np.pi / 2, abs=0.05)


def _block(center: tuple[float, float, float], half: tuple[float, float, float], spacing: float) -> Patch:
    """Points of an upright box, seen from the origin."""
    rng = np.random.default_rng(3)
    points = (np.array(center) + rng.uniform(-1.0, 1.0, (400, 3)) * np.array(half)).astype(np.float32)
    return Patch(points, np.zeros(400, dtype=bool), spacing, np.array([0.0, 0.0, 1.2]), (200, 30, 30))


@pytest.mark.parametrize(
    ("seen_later", "moved"),
    [
        (_block((1.05, 0.0, 0.8), (0.12, 0.1, 0.08), 0.016), False),  # its outline takes in what is beside it
        (_block((1.0, 0.2, 0.8), (0.04, 0.05, 0.05), 0.016), True),
        (_block((1.05, 0.0, 0.8), (0.12, 0.1, 0.08), 0.004), True),
    ],
)
def test_a_rough_look_from_farther_away_moves_an_object_only_if_it_is_elsewhere(seen_later: Patch, moved: bool) -> None:
    item = LooseObject(Identity("box_1", "box"), _block((1.0, 0.0, 0.8), (0.03, 0.04, 0.05), 0.004), 1.0)
    before = item.box
    item.update_roughly(seen_later, 2.0)
    assert item.seen == 2.0
    assert bool(np.linalg.norm(item.box.center - before.center) > 0.02) is moved


def test_a_room_goes_on_behind_what_was_seen_through_a_doorway() -> None:
    room = Room(Identity("kitchen", "kitchen"))
    sliver = np.stack([np.linspace(3.0, 3.6, 50), np.linspace(1.0, 1.4, 50), np.zeros(50)], axis=1).astype(np.float32)
    room.update(Patch(sliver, np.ones(50, dtype=bool), 0.02, np.array([0.0, 1.2, 1.1]), (1, 2, 3)))
    x0, y0, x1, y1 = room.likely_rect
    assert x1 > 4.5
    assert x0 > 2.8
    assert (y0 + y1) / 2 == pytest.approx(1.2, abs=0.1)
    wide = np.array([[0.0, 0.0, 0.0], [4.0, 5.0, 0.0]] * 50, dtype=np.float32)
    room.update(Patch(wide, np.ones(100, dtype=bool), 0.02, np.array([0.0, 1.2, 1.1]), (1, 2, 3)))
    assert room.likely_rect == pytest.approx([0.0, 0.0, 4.0, 5.0])


@pytest.mark.parametrize(
    ("kind", "size", "furniture"),
    [("apple", 0.08, False), ("tv stand", 0.2, True), ("kitchen counter", 0.3, True), ("crate", 0.5, True)],
)
def test_furniture_is_distinguished_from_objects_by_kind_and_size(kind: str, size: float, furniture: bool) -> None:
    assert is_furniture(kind, Box(np.zeros(3), np.full(3, size / 2))) is furniture


def test_an_object_that_was_pushed_a_little_does_not_grow(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    base = house.before("table_1", 0.5)
    for shift in np.arange(0.0, 0.1, 0.02):
        house.move("sugar_box", (2.4 + float(shift), 5.1, 0.83))
        observation = _see(house, locator, detector, base)
    goal = locator.goal("sugar_box", ACTION_TABLE["Pick"], observation)
    true = house.world.object_box(house.world.objects["sugar_box"])
    assert goal.box is not None
    assert np.sort(goal.box.half[:2])[1] < np.sort(true.half[:2])[1] + 0.02
    assert np.linalg.norm(goal.position[:2] - true.center[:2]) < 0.02


def test_what_stands_on_a_board_above_the_eye_can_be_reached_from_the_front(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    plan = max(house.world.receptacles["shelf"].surfaces, key=lambda surface: surface.center[2])
    board = house.world.surface(house.world.receptacles["shelf"], plan)
    assert board.center[2] > 1.1
    house.move("sugar_box", (float(board.center[0]), float(board.center[1]) + 0.08, float(board.center[2]) + 0.0875))
    for metres in (1.2, 0.7):
        observation = _see(house, locator, detector, house.before("shelf", metres))
    goal = locator.goal("sugar_box", ACTION_TABLE["Pick"], observation)
    assert goal.surfaces[0].center[2] == pytest.approx(board.center[2], abs=0.03)
    assert goal.surfaces[0].access == pytest.approx([0.0, 1.0], abs=0.05)
    assert goal.surfaces[0].clearance == pytest.approx(board.clearance, abs=0.06)


@pytest.mark.parametrize("edge", [0.0, 0.02, 0.1])
def test_a_drawer_that_was_seen_from_the_side_only_has_a_box(edge: float) -> None:
    """Most points are of the side of its front, a share `edge` of them is of the rim that stands out."""
    eye = np.array([0.5, 2.0, 1.1])

    def patch(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Patch:
        points = np.stack([x, y, z], axis=1).astype(np.float32)
        return Patch(points, np.zeros(len(points), dtype=bool), 0.002, eye, (200, 200, 200))

    share = np.linspace(0.0, 1.0, 1400)
    side = patch(np.where(share < edge, 0.0, -0.03 - 0.01 * share), 0.002 * (share * 50 % 1.0), 0.6 + 0.2 * share)
    along = np.linspace(0.0, 1.0, 35)
    drawer = Furniture(Identity("drawer", "drawer"))
    drawer.part = "drawer"
    drawer.update([], [side], [patch(0.007 * along, 0.0135 * along, np.full(35, 0.73))], 0.0)
    assert drawer.panel is not None
    assert drawer.box.distance(np.array([-0.035, 0.001])) < 0.02


@pytest.mark.parametrize(
    ("up", "aside", "stands"), [(0.21, 0.0, True), (0.19, 0.04, True), (0.4, 0.0, False), (0.0, 0.2, False)]
)
def test_what_stands_on_a_thing_has_its_underside_on_that(up: float, aside: float, stands: bool) -> None:
    """A sugar box whose middle is `up` metres above that of a cracker box, which is 21 cm high, and `aside` of it."""
    below, box = (
        Box(np.zeros(3), np.array([0.03, 0.08, 0.105])),
        Box(np.array([0.0, aside, up]), np.array([0.02, 0.045, 0.09])),
    )
    assert holds_up(below, box) is stands


def test_a_side_goes_on_away_from_where_that_side_was_seen() -> None:
    """From before its shut door, whose handle shows nowhere, the robot may stand on the other side of that side."""
    side = np.array([[0.0, y, z] for y in np.linspace(0.0, 0.7, 15) for z in np.linspace(0.0, 1.7, 20)], np.float32)
    door = np.array([[x, 0.0, z] for x in (0.3, 0.6) for z in np.linspace(0.1, 1.7, 20)], np.float32)

    def patch(points: Points, eye: Array) -> Patch:
        return Patch(points, np.zeros(len(points), dtype=bool), 0.01, eye, (9, 9, 9))

    fridge = Furniture(Identity("fridge", "fridge"))
    fridge.part = "door"
    fridge.update([patch(side, np.array([-1.5, -1.0, 1.1]))], [], [], 1.0)
    fridge.update([], [patch(door, np.array([0.9, -1.6, 1.1]))], [], 2.0)
    assert fridge.panel is None and fridge.box.center[0] > 0.1
