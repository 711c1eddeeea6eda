"""Grasping as physics: nothing is held without two fingers pressing on it, and nothing teleports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from homes import lay, one_room, swing

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.options import RunOptions
from homie.kernel.types import Array, Command, Decision, Event, Execution, Observation, PeriodPassed, Pose, Subtask
from homie.runtime.session import Parts, assemble

LARGEST_STEP = 0.08
"""Metres that a thing may move in one control period of 0.04 s: 2 m/s, the hand at its fastest."""


def _table() -> SceneSpec:
    table = {"name": "table", "kind": "table", "colour": "wood", "x": 3.0, "y": 2.0, "yaw": math.pi}
    top = {"receptacle": "table", "surface": "top"}
    can = {"name": "tomato_soup_can", "kind": "tomato_soup_can", "colour": "red", "x": 0.18, "y": 0.1, **top}
    box = {"name": "sugar_box", "kind": "sugar_box", "colour": "yellow", "x": 0.15, "y": -0.25, **top}
    return one_room([table], [can, box], (1.6, 2.0, 0.0))


def _fridge() -> SceneSpec:
    fridge = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.42, "y": 2.0}
    return one_room([fridge], [], (2.2, 2.0, math.pi))


@dataclass
class Witness(EpisodeListener):
    """Follows every object, and the hand, from one control period to the next."""

    home: MujocoHome
    largest_step: float = 0.0
    held: list[bool] = field(default_factory=list)
    at_handle: list[tuple[Array, Array]] = field(default_factory=list)
    _last: dict[str, Array] = field(default_factory=dict)

    def on(self, event: Event) -> None:
        if isinstance(event, PeriodPassed):
            self._follow(event.observation)

    def _follow(self, observation: Observation) -> None:
        for name, thing in self.home.world.objects.items():
            now = self.home.world.position(thing.body)
            if name in self._last:
                self.largest_step = max(self.largest_step, float(np.linalg.norm(now - self._last[name])))
            self._last[name] = now
        self.held.append(observation.body.holding)
        if observation.body.holding and self.home.world.held is None:
            self.at_handle.append(_hand_in_door(self.home))


def _hand_in_door(home: MujocoHome) -> tuple[Array, Array]:
    """Position (3,) and rotation (3, 3) of the gripper in the frame of the fridge's door."""
    (door,) = home.world.receptacles["fridge"].articulations
    origin, turn = home.world.position(door.body), home.world.rotation(door.body)
    site = home.data.site("robot/gripper")
    return turn.T @ (site.xpos - origin), turn.T @ site.xmat.reshape(3, 3)


@dataclass
class Stage:
    """A robot in a small scene, ready for single subtasks."""

    parts: Parts
    home: MujocoHome
    witness: Witness

    def do(self, action: str, target: str) -> Execution:
        subtask = Subtask(action, target)
        return self.parts.executor.execute(Decision((subtask,)), subtask, (), self.home.observe(), self.witness)

    def wait(self, seconds: float, **command: float) -> None:
        for _ in range(round(seconds / self.home.spec.period)):
            self.home.act(Command(**command))  # type: ignore[arg-type]
            self.witness.on(PeriodPassed(self.home.observe()))


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    scene, grasp = request.param
    path = tmp_path / "scene.json"
    path.write_text(scene().dump())
    parts = assemble(RunOptions.build(task="test", scene=path, grasp=grasp))
    assert isinstance(parts.robot, MujocoHome)
    with parts.robot:
        parts.robot.reset(seed=0)
        parts.executor.locator.reset(seed=0)
        yield Stage(parts, parts.robot, Witness(parts.robot))


on_table = pytest.mark.parametrize(
    "stage",
    [pytest.param((_table, "weld"), id="weld"), pytest.param((_table, "friction"), id="friction")],
    indirect=True,
)
at_fridge = pytest.mark.parametrize("stage", [pytest.param((_fridge, "weld"), id="fridge")], indirect=True)


@on_table
@pytest.mark.parametrize("name", ["tomato_soup_can", "sugar_box"])
def test_a_pick_lifts_the_thing_off_the_table_without_jumps(stage: Stage, name: str) -> None:
    execution = stage.do("Pick", name)
    assert execution.feedback.ok, execution.attempts
    home = stage.home
    assert home.world.held == name and home.observe().body.holding
    thing = home.world.position(home.world.objects[name].body)
    assert np.linalg.norm(thing - home.data.site("robot/gripper").xpos) < 0.12
    assert stage.witness.largest_step < LARGEST_STEP
    assert not stage.witness.held[0], "it was not held from the start"
    other = "sugar_box" if name == "tomato_soup_can" else "tomato_soup_can"
    assert home.world.place(other).entity == "table"


@on_table
def test_what_is_held_comes_along(stage: Stage) -> None:
    """Welded it keeps its place in the hand to the millimetre; by friction it stays between the fingers."""
    assert stage.do("Pick", "tomato_soup_can").feedback.ok
    home = stage.home
    bound = [bool(home.data.eq_active[home.model.equality(f"robot/grasp_{kind}").id]) for kind in ("weld", "ball")]
    assert bound == [not home.grasping.friction, False]
    assert home.observe().body.grippers["gripper"].contact == (True, True)
    before = _in_hand(home, "tomato_soup_can")
    for k in range(60):
        home.act(Command(base=(0.0, math.copysign(0.8, 30 - k))))
        moved = float(np.linalg.norm(_in_hand(home, "tomato_soup_can") - before))
        assert moved < (0.03 if home.grasping.friction else 0.002)
    assert home.world.held == "tomato_soup_can"


def _in_hand(home: MujocoHome, name: str) -> Array:
    site = home.data.site("robot/gripper")
    at: Array = site.xmat.reshape(3, 3).T @ (home.world.position(home.world.objects[name].body) - site.xpos)
    return at


@on_table
def test_a_dropped_thing_falls_and_stays_where_it_falls(stage: Stage) -> None:
    assert stage.do("Pick", "sugar_box").feedback.ok
    home = stage.home
    body = home.world.objects["sugar_box"].body
    high = home.world.position(body)[2]
    stage.wait(2.5, gripper=home.spec.gripper_max)
    assert home.world.held is None and not home.observe().body.holding
    fallen = home.world.position(body)
    assert fallen[2] < high - 0.2
    stage.wait(1.0, gripper=0.0)
    stage.wait(1.0)
    assert np.linalg.norm(home.world.position(body) - fallen) < 0.005
    assert home.world.held is None, "closing the hand does not bring it back"
    assert stage.witness.largest_step < 0.15, "it falls, at 3 m/s at most"


@at_fridge
@pytest.mark.parametrize("width", [0.0, 0.06], ids=["closed", "open"])
def test_fingers_that_press_on_a_panel_hold_nothing(stage: Stage, width: float) -> None:
    """The hand is driven against the door, beside the handle, with the fingers shut or open, and commanded to hold
    that."""
    home = stage.home
    for _ in range(200):
        home.act(Command(effector=Pose(np.array([0.75, 0.1, 1.0]), np.eye(3)), gripper=width))
    touched = False
    for _ in range(100):
        home.act(Command(base=(0.3, 0.0), gripper=width))
        body = home.observe().body
        assert not body.holding
        touched = touched or _pressing(home)
    assert touched, "the hand is at the door"
    stage.wait(1.0, gripper=0.0)
    assert not home.observe().body.holding


@at_fridge
def test_a_door_is_held_by_its_handle_and_not_by_its_edge(stage: Stage) -> None:
    """The fingers go round the free edge of the open door and close on it from both sides."""
    home = stage.home
    swing(home.model, home.data, "fridge", math.pi / 2)
    panel, hinge = home.data.geom("fridge/door#0"), home.data.joint("fridge/joint").xanchor
    out = np.array([1.0, 0.0, 0.0]) * np.sign(panel.xpos[0] - hinge[0])
    edge = panel.xpos + out * abs(panel.xpos - hinge)[0]
    for name, value in zip(("base_x", "base_y", "base_yaw"), (edge[0] + 1.2, edge[1] + 0.1, math.pi), strict=True):
        home.data.joint(f"robot/{name}").qpos = value
    for _ in range(130):
        home.act(Command(effector=HELD_OUT, gripper=home.spec.gripper_max))
    for _ in range(60):
        home.act(Command(base=(0.3, 0.0) if home.data.site("robot/gripper").xpos[0] > edge[0] + 0.02 else None))
    contacts = set()
    for _ in range(40):
        home.act(Command(gripper=0.0))
        contacts.add(home.observe().body.grippers["gripper"].contact)
        assert not home.observe().body.holding
    assert (True, True) in contacts


HELD_OUT = Pose(np.array([0.75, 0.1, 1.0]), np.eye(3))
"""The hand in front of the robot (base frame), level: the fingers close from left and right."""


def _between_the_fingers(
    home: MujocoHome, aside: float, width: float, periods: int, push: float = 0.0
) -> set[tuple[bool, bool]]:
    """Contacts of the pads on a can (66 mm thick) that floats `aside` metres to the left of the middle, while the
    fingers get a width (m). push: N, to the left."""
    site, can = home.data.site("robot/gripper"), home.data.body("tomato_soup_can")
    axis = site.xmat.reshape(3, 3)[:, 1].copy()
    lay(home.model, home.data, "tomato_soup_can", site.xpos + aside * axis)
    weight = float(home.model.body("tomato_soup_can").mass[0]) * 9.81
    contacts = set()
    for _ in range(periods):
        can.xfrc_applied[:3] = push * axis + np.array([0.0, 0.0, weight])
        home.act(Command(gripper=width))
        contacts.add(home.observe().body.grippers["gripper"].contact)
    can.xfrc_applied[:3] = 0.0
    return contacts


@on_table
@pytest.mark.parametrize(("side", "touching"), [(1.0, (True, False)), (-1.0, (False, True))], ids=["left", "right"])
def test_one_finger_that_presses_on_a_thing_does_not_hold_it(
    stage: Stage, side: float, touching: tuple[bool, bool]
) -> None:
    home = stage.home
    for _ in range(120):
        home.act(Command(effector=HELD_OUT, gripper=0.085))
    contacts = _between_the_fingers(home, 0.009 * side, 0.085, 8, push=5.0 * side)
    assert touching in contacts and contacts <= {touching, (False, False)}
    assert not home.observe().body.holding and home.world.held is None


@on_table
def test_fingers_that_only_rest_on_a_thing_do_not_hold_it(stage: Stage) -> None:
    home = stage.home
    for _ in range(120):
        home.act(Command(effector=HELD_OUT, gripper=0.069))
    assert (True, True) in _between_the_fingers(home, 0.0, 0.0645, 8)
    assert not home.observe().body.holding and home.world.held is None
    stage.wait(0.12, gripper=0.0)
    assert home.observe().body.holding and home.world.held == "tomato_soup_can", "it is held once they squeeze"


def _pressing(home: MujocoHome) -> bool:
    """Whether a finger or the hand touches the fridge's door."""
    (door,) = home.world.receptacles["fridge"].articulations
    hand = {
        home.model.body(f"robot/{name}").id
        for name in ("gripper_link", "r_gripper_finger_link", "l_gripper_finger_link")
    }
    pairs = ({int(home.model.geom_bodyid[g]) for g in contact.geom} for contact in home.data.contact)
    return any(door.body in pair and pair & hand for pair in pairs)


@at_fridge
def test_a_handle_is_held_at_a_point_around_which_the_hand_may_turn(stage: Stage) -> None:
    assert stage.do("Open", "fridge").feedback.ok
    home, places = stage.home, stage.witness.at_handle
    assert len(places) > 25, "the handle was held for a second at least"
    assert home.world.held is None and not home.observe().body.holding, "and let go in the end"
    segments = _segments(stage.witness.held)
    assert segments
    turned = 0.0
    for first, last in segments:
        positions = np.array([place for place, _ in places[first:last]])
        assert np.linalg.norm(positions - positions[0], axis=1).max() < 0.03, "the hand stays at its point of the bar"
        begin, end = places[first][1], places[last - 1][1]
        turned = max(turned, math.acos(np.clip((np.trace(begin.T @ end) - 1) / 2, -1, 1)))
    assert turned > 0.1, "a rigid hold would not let the hand turn against the door"


def _segments(held: list[bool]) -> list[tuple[int, int]]:
    """First and last (exclusive) index, among the periods that held something, of each uninterrupted hold."""
    segments: list[tuple[int, int]] = []
    count = start = 0
    for before, now in zip([False, *held], [*held, False], strict=True):
        if now and not before:
            start = count
        if before and not now:
            segments.append((start, count))
        count += now
    return segments
