"""Doors and drawers as the sensors locator sees them, against the truth."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from furnished import House

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import Array, Articulation, Box, Detection, Observation, mask_bounds, planar_rotation
from perception.detectors.simulated import SimulatedDetector, SimulatedSettings
from perception.localise import Patch
from perception.locator import SensorLocator
from perception.memory.doors_and_drawers import PartView, update_panel
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import Identity
from perception.scan import Points


def _look(
    house: House, locator: SensorLocator, detector: SimulatedDetector, name: str, metres: float, aside: float = 0.0
) -> Observation:
    center = house.world.receptacle_box(house.world.receptacles[name]).center
    observation = house.observe(house.before(name, metres, aside), head=center)
    locator.update(observation, detector.detect(observation))
    return observation


def _check(house: House, locator: SensorLocator, observation: Observation, name: str) -> Articulation:
    """The articulation of the goal, after comparing it with the truth."""
    goal = locator.goal(name, ACTION_TABLE["Open"], observation)
    assert len(goal.articulations) == 1
    estimate, true = goal.articulations[0], house.world.articulation(house.world.receptacles[name].articulations[0])
    assert estimate.kind == true.kind
    assert estimate.opening == pytest.approx(max(true.opening, 0.0), abs=0.1 if true.kind == "hinge" else 0.02)
    assert np.linalg.norm(estimate.handle - true.handle) < (0.02 if true.opening < 0.1 else 0.045)
    assert abs(estimate.handle_axis @ true.handle_axis) > 0.98
    assert estimate.outward @ true.outward > 0.98
    assert estimate.axis @ true.axis > 0.98
    if true.kind == "hinge":
        assert np.linalg.norm((estimate.axis_point - true.axis_point)[:2]) < 0.04
    assert estimate.panel is not None and true.panel is not None
    assert np.linalg.norm((estimate.panel.center - true.panel.center)[:2]) < 0.04
    np.testing.assert_allclose(np.sort(estimate.panel.half[:2]), np.sort(true.panel.half[:2]), atol=0.045)
    assert 0.0 < estimate.panel.half[2] < true.panel.half[2] + 0.02
    return estimate


@pytest.mark.parametrize("name", ["fridge", "cabinet", "drawer"])
def test_a_closed_door_or_drawer_is_known_from_its_front(
    house: House, locator: SensorLocator, detector: SimulatedDetector, name: str
) -> None:
    _look(house, locator, detector, name, 1.4)
    observation = _look(house, locator, detector, name, 0.8)
    _check(house, locator, observation, name)
    assert locator.opens(name)
    assert locator.closed_container(name) == name
    assert locator.state(name, "closed", observation) is True
    assert locator.state(name, "open", observation) is False


@pytest.mark.parametrize("name", ["fridge", "cabinet", "drawer"])
def test_outlines_of_a_network_are_enough_for_a_closed_door_or_drawer(
    house: House, locator: SensorLocator, name: str
) -> None:
    """The box of a handle shows hardly anything of its door, and outlines of doors take in the side of the body."""
    detector = SimulatedDetector("", SimulatedSettings(instances=False))
    for metres, aside in ((2.2, -0.8), (1.4, 0.6), (0.8, 0.0)):
        center = house.world.receptacle_box(house.world.receptacles[name]).center
        observation = house.observe(house.before(name, metres, aside), head=center)
        locator.update(observation, [_rough(detection) for detection in detector.detect(observation)])
    (estimate,) = locator.goal(f"{name}_1", ACTION_TABLE["Open"], observation).articulations
    true = house.world.articulation(house.world.receptacles[name].articulations[0])
    assert np.linalg.norm(estimate.handle - true.handle) < 0.02
    assert abs(estimate.handle_axis @ true.handle_axis) > 0.98
    assert estimate.outward @ true.outward > 0.98
    assert estimate.axis @ true.axis > 0.98
    assert estimate.opening < 0.05
    if true.kind == "hinge":
        assert np.linalg.norm((estimate.axis_point - true.axis_point)[:2]) < 0.06


def _rough(detection: Detection) -> Detection:
    """A detection as of a network: no outline of a handle, others drawn three pixels too wide."""
    if detection.mask is None or detection.part == "handle":
        return replace(detection, mask=None)
    wide = cv2.dilate(detection.mask.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    return replace(detection, mask=wide, box=mask_bounds(wide))


@pytest.mark.parametrize(
    ("name", "steps"), [("fridge", (0.3, 0.8, 1.5)), ("cabinet", (0.4, 1.0, 1.6)), ("drawer", (0.1, 0.2, 0.33))]
)
def test_opening_is_followed_and_closing_again(
    house: House, locator: SensorLocator, detector: SimulatedDetector, name: str, steps: tuple[float, ...]
) -> None:
    _look(house, locator, detector, name, 0.9)
    for step in steps:
        house.open(name, step)
        _look(house, locator, detector, name, 1.1, 0.2)
        observation = _look(house, locator, detector, name, 0.9, -0.15)
        _check(house, locator, observation, name)
    assert locator.closed_container(name) is None
    assert locator.state(name, "open", observation) is True
    assert locator.state(name, "closed", observation) is False
    house.open(name, 0.0)
    observation = _look(house, locator, detector, name, 0.9)
    assert _check(house, locator, observation, name).opening < 0.05
    assert locator.closed_container(name) == name


@pytest.mark.parametrize(("name", "opening"), [("fridge", 1.4), ("cabinet", 1.4), ("drawer", 0.3)])
def test_what_is_open_at_first_sight_is_known_to_be_open(
    house: House, locator: SensorLocator, detector: SimulatedDetector, name: str, opening: float
) -> None:
    house.open(name, opening)
    _look(house, locator, detector, name, 1.1)
    observation = _look(house, locator, detector, name, 0.9)
    _check(house, locator, observation, name)
    assert locator.closed_container(name) is None


def test_a_door_seen_from_its_side_is_not_taken_for_open(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    for aside, metres in ((-2.2, 0.4), (-1.6, 0.5), (-1.0, 0.8), (-0.3, 0.9)):
        observation = _look(house, locator, detector, "fridge", metres, aside)
    assert _check(house, locator, observation, "fridge").opening < 0.1


def test_a_glimpse_of_the_hinge_does_not_change_what_is_known(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    _look(house, locator, detector, "fridge", 0.9)
    observation = house.observe(house.before("fridge", 0.45))
    detections = [d for d in detector.detect(observation) if not (d.instance == "fridge" and d.part == "handle")]
    locator.update(observation, detections)
    assert locator.goal("fridge", ACTION_TABLE["Open"], observation).articulations[0].opening < 0.15


def test_a_piece_of_a_door_seen_from_too_near_does_not_overrule_the_whole(
    house: House, locator: SensorLocator, detector: SimulatedDetector
) -> None:
    _look(house, locator, detector, "cabinet", 0.9)
    for aside in (0.25, 0.1, -0.1, -0.25):
        observation = _look(house, locator, detector, "cabinet", 0.28, aside)
    assert _check(house, locator, observation, "cabinet").opening < 0.05


def _grid(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Points:
    """Points 2 cm apart that fill a box."""
    axes = [np.arange(low, high + 1e-6, 0.02) for low, high in (x, y, z)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3).astype(np.float32)


EYE = np.array([1.6, 0.3, 1.1])
_NO_POINTS: Points = np.zeros((0, 3), dtype=np.float32)


def test_a_piece_of_a_closed_door_seen_from_very_near_does_not_open_it() -> None:
    """Without its hinge end a closed door looks like one that stands open at the other end of the cabinet."""
    body = _grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3))  # its side and no more
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    handle = _grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0))
    full = PartView(_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28)), handle, body, box, 0.0043, EYE)
    panel = update_panel(None, "hinge", full)
    assert panel is not None and panel.is_closed
    piece = replace(full, panel=_grid((0.46, 0.46), (0.06, 0.6), (0.5, 1.28)), spacing=0.0019)
    updated = update_panel(panel, "hinge", piece)
    assert updated is not None and updated.is_closed
    np.testing.assert_allclose(updated.outward, panel.outward, atol=1e-6)


def test_an_open_door_is_not_taken_for_the_shut_front_of_something() -> None:
    """Seen alone, with its handle, a door that stands open looks like a wider front that is shut."""
    body = _grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3))
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    handle = _grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0))
    shut = PartView(_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28)), handle, body, box, 0.006, EYE)
    panel = update_panel(None, "hinge", shut)
    assert panel is not None and panel.is_closed
    door = _grid((0.46, 1.16), (0.0, 0.02), (0.1, 1.28))
    opened = replace(shut, panel=door, handle=_NO_POINTS, body=body[:40], eye=np.array([1.6, -1.0, 1.1]))
    panel = update_panel(panel, "hinge", opened)
    assert panel is not None and panel.opening == pytest.approx(np.pi / 2, abs=0.1)
    with_handle = replace(opened, handle=_grid((1.0, 1.0), (-0.05, -0.05), (0.8, 1.0)), spacing=0.003)
    panel = update_panel(panel, "hinge", with_handle)
    assert panel is not None and panel.opening == pytest.approx(np.pi / 2, abs=0.1)
    panel = update_panel(panel, "hinge", replace(shut, spacing=0.003))
    assert panel is not None and panel.is_closed


def test_a_shut_door_of_which_only_a_piece_was_ever_seen_is_not_taken_for_open() -> None:
    """The frame that shows over it tells it from a door that stands open at the other end of the cabinet."""
    side, frame = _grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3)), _grid((0.44, 0.46), (0.2, 0.6), (1.28, 1.3))
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    door, handle = _grid((0.46, 0.46), (0.14, 0.6), (0.2, 1.26)), _grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0))
    without = update_panel(None, "hinge", PartView(door, handle, side, box, 0.0037, EYE))
    assert without is not None and without.opening == pytest.approx(np.pi / 2)
    framed = update_panel(None, "hinge", PartView(door, handle, np.concatenate([side, frame]), box, 0.0037, EYE))
    assert framed is not None and framed.is_closed
    np.testing.assert_allclose(framed.outward, [1.0, 0.0], atol=1e-6)


def test_what_was_learned_from_a_piece_is_repaired_by_the_whole() -> None:
    body = np.concatenate([_grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3)), _grid((0.0, 0.44), (0.0, 0.6), (1.3, 1.3))])
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    handle = _grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0))
    piece = PartView(_grid((0.44, 0.46), (0.2, 0.6), (0.5, 1.28)), handle, body, box, 0.0019, EYE)
    full = replace(piece, panel=_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28)), spacing=0.003)
    repaired = update_panel(update_panel(None, "hinge", piece), "hinge", full)
    assert repaired is not None and repaired.is_closed and repaired.width == pytest.approx(0.6, abs=0.03)
    np.testing.assert_allclose(repaired.outward, [1.0, 0.0], atol=1e-6)


def test_the_side_of_a_cabinet_with_the_handle_before_it_is_not_taken_for_a_door() -> None:
    """The handle would be on its far side, and a door that stands open at a right angle has its body beside it."""
    top = _grid((0.0, 0.44), (0.0, 0.6), (1.3, 1.3))
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    side, handle = _grid((0.0, 0.44), (0.0, 0.02), (0.1, 1.28)), _grid((0.5, 0.5), (0.06, 0.06), (0.8, 1.0))
    for eye in ([0.3, -1.5, 1.1], [1.2, -1.2, 1.1]):
        assert update_panel(None, "hinge", PartView(side, handle, top, box, 0.004, np.array(eye))) is None


def test_the_hinge_end_that_the_picture_cut_off_is_found_when_the_door_is_ajar() -> None:
    body = np.concatenate([_grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3)), _grid((0.0, 0.44), (0.0, 0.6), (1.3, 1.3))])
    box = Box(np.array([0.22, 0.3, 0.65]), np.array([0.22, 0.3, 0.65]))
    handle = _grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0))
    cut_off = PartView(_grid((0.44, 0.46), (0.06, 0.6), (0.1, 1.28)), handle, body, box, 0.0035, EYE)
    panel = update_panel(None, "hinge", cut_off)
    assert panel is not None and panel.is_closed and panel.width < 0.56
    turned = planar_rotation(-0.6)

    def ajar(points: Points) -> Points:
        hinge = np.array([0.44, 0.0])
        return np.column_stack([(points[:, :2] - hinge) @ turned.T + hinge, points[:, 2]]).astype(np.float32)

    whole = replace(cut_off, panel=ajar(_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28))), handle=ajar(handle))
    panel = update_panel(panel, "hinge", replace(whole, spacing=0.003))
    assert panel is not None and panel.width == pytest.approx(0.6, abs=0.02)
    assert panel.opening == pytest.approx(0.6, abs=0.05)
    np.testing.assert_allclose(panel.origin, [0.44, 0.0], atol=0.02)


def _patch(points: Points, eye: Array, spacing: float = 0.005) -> Patch:
    return Patch(points, np.zeros(len(points), dtype=bool), spacing, eye, (200, 200, 200))


def test_a_slanted_look_does_not_open_a_door_that_was_plainly_seen_shut() -> None:
    """What nobody has touched stays as it was; once a hand is at the door, any look may show it otherwise."""
    piece = Furniture(Identity("cabinet_1", "cabinet"))
    piece.part = "door"
    body = _patch(_grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3)), EYE)
    handle = _patch(_grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0)), EYE)
    piece.update([body], [_patch(_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28)), EYE)], [handle], 1.0)
    assert piece.state == "closed"
    along_it = np.array([3.0, 0.05, 1.1])
    slanted = _patch(_grid((0.46, 0.9), (0.0, 0.02), (0.5, 1.28)), along_it)
    piece.update([], [slanted], [], 2.0)
    assert (piece.state, piece.panel_seen) == ("closed", 1.0)
    piece.handled = True
    piece.update([], [slanted], [], 3.0)
    assert (piece.state, piece.panel_seen) == ("open", 3.0)
    piece.handled = False
    piece.update([], [_patch(_grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28)), EYE)], [handle], 4.0)
    assert piece.state == "closed"  # a plain look needs no hand


def test_a_door_that_seems_open_from_afar_is_reported_as_open_only_from_near() -> None:
    body = _grid((0.0, 0.44), (0.0, 0.04), (0.0, 1.3))
    door, handle = _grid((0.46, 1.06), (0.0, 0.02), (0.1, 1.28)), _grid((1.0, 1.0), (-0.05, -0.05), (0.8, 1.0))
    eye = np.array([0.7, -1.5, 1.1])
    piece = Furniture(Identity("cabinet_1", "cabinet"))
    piece.part = "door"
    for spacing, state in ((0.03, ""), (0.008, "open")):
        piece.update([_patch(body, eye, spacing)], [_patch(door, eye, spacing)], [_patch(handle, eye, spacing)], 1.0)
        assert piece.panel is not None and piece.panel.state == "open"
        assert piece.state == state


def test_an_open_door_whose_outline_takes_in_the_side_of_the_cabinet_stays_open() -> None:
    """At a right angle both are one plane, with a handle at its end: the shut front of something wider."""
    piece = Furniture(Identity("cabinet_1", "cabinet"))
    piece.part, piece.rough, piece.handled = "door", True, True
    front = _grid((0.44, 0.46), (0.0, 0.6), (0.1, 1.28))
    piece.update([], [_patch(front, EYE)], [_patch(_grid((0.5, 0.5), (0.54, 0.54), (0.8, 1.0)), EYE)], 1.0)
    assert piece.state == "closed"
    eye = np.array([0.5, -1.3, 1.1])
    body = _patch(
        np.concatenate([_grid((0.0, 0.44), (0.0, 0.0), (0.0, 1.3)), _grid((0.0, 0.0), (0.0, 0.6), (0.0, 1.3))]), eye
    )
    door, handle = (
        _grid((0.46, 1.06), (0.0, 0.02), (0.1, 1.28)),
        _patch(_grid((1.0, 1.0), (-0.05, -0.05), (0.8, 1.0)), eye),
    )
    piece.update([body], [_patch(door, eye)], [handle], 2.0)
    assert piece.panel is not None and piece.panel.opening == pytest.approx(np.pi / 2, abs=0.1)
    side = _grid((0.0, 0.44), (0.0, 0.02), (0.1, 1.28))
    for stamp, share in enumerate((1, 2)):
        with_side = np.concatenate([door, *[side] * share])
        piece.update([body], [_patch(with_side, eye)], [handle], 3.0 + stamp)
        assert piece.panel.opening == pytest.approx(np.pi / 2, abs=0.1)
        assert piece.panel.width == pytest.approx(0.6, abs=0.05)


@pytest.mark.parametrize("kind", ["drawer", "cabinet", "table"])
def test_a_door_that_no_side_seen_from_near_has_is_expected_on_another(kind: str) -> None:
    piece = Furniture(Identity(f"{kind}_1", kind))
    shown = np.concatenate([_grid((0.0, 0.44), (0.0, 0.0), (0.0, 0.8)), _grid((0.0, 0.44), (0.0, 0.6), (0.8, 0.8))])
    piece.update([_patch(shown, np.array([3.0, -3.0, 1.1]), 0.03)], [], [], 1.0)
    piece.update([_patch(shown, np.array([0.3, -1.2, 1.1]), 0.01)], [], [], 2.0)
    if kind == "table":
        assert piece.unseen_front is None
        return
    np.testing.assert_allclose(piece.unseen_front, [1.0, 0.0], atol=0.02)
    front = np.concatenate([shown, _grid((0.44, 0.44), (0.0, 0.6), (0.0, 0.8))])
    piece.update([_patch(front, np.array([1.6, 0.3, 1.1]), 0.01)], [], [], 3.0)
    assert piece.unseen_front is None  # the wall is behind, and a neighbour beside
    piece.part = "drawer"
    assert piece.unseen_front is None
