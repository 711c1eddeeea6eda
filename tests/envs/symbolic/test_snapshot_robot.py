"""A robot with commands in a world that tells its state: goals with boxes come from the snapshot."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

from homie import (
    Command,
    FixedState,
    Group,
    Joint,
    ObjectState,
    Observation,
    Proprioception,
    RobotSpec,
    SnapshotRobot,
    WorldSnapshot,
)
from homie.envs.symbolic_robot import NoArm
from homie.kernel.actions import ACTION_TABLE, action_of
from homie.kernel.errors import BadInput
from homie.kernel.types import GripperState, Pose2

HALF = float(np.sqrt(0.5))


class Desk(SnapshotRobot):
    """A gripper over a desk with a book, a box and a pencil."""

    spec = RobotSpec(
        name="gripper",
        groups=(Group.gripper(opening=0.1, speed=1.0), Group("arm", "arm", (Joint("lift", 0.0, 1.0, speed=1.0),))),
        period=0.25,
    )
    kinematics = NoArm()
    held: str | None = None
    stamp = 0.0

    def snapshot(self) -> WorldSnapshot:
        def loose(name: str, at: tuple[float, float, float], half: tuple[float, float, float]) -> ObjectState:
            relation, place = ("held", "robot") if name == self.held else ("on", "desk")
            quaternion = (HALF, 0.0, 0.0, HALF) if name == "book" else None
            return ObjectState(
                kind=name, position=at, half=half, quaternion=quaternion, relation=relation, at=place, receives="on"
            )

        return WorldSnapshot(
            objects={
                "book": loose("book", (0.3, 0.0, 0.52), (0.10, 0.05, 0.02)),
                "box": loose("box", (0.5, 0.2, 0.55), (0.05, 0.05, 0.05)),
                "pencil": ObjectState(kind="pencil", relation="on", at="desk"),
            },
            fixed={"desk": FixedState(kind="desk", position=(0.4, 0.0, 0.25), half=(0.5, 0.5, 0.25), receives="on")},
            held=self.held,
            instruction="tidy the desk",
        )

    def measured(self) -> Proprioception:
        return Proprioception(Pose2(0.0, 0.0, 0.0), joints={"lift": 0.0}, grippers={"gripper": GripperState(0.1)})

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        return Observation(self.stamp, self.measured(), {})

    def _send(self, command: Command) -> None:
        self.stamp += self.spec.period

    def _halt(self) -> None:
        pass

    def _restart(self, *, seed: int) -> None:
        self.held = None

    def close(self) -> None:
        pass


@pytest.fixture
def desk() -> Desk:
    robot = Desk()
    robot.reset(seed=0)
    return robot


def test_boxes_come_from_position_half_and_quaternion(desk: Desk) -> None:
    goal = desk.background().goal("book", ACTION_TABLE["Pick"], desk.observe())
    assert goal.box is not None
    assert goal.box.center == pytest.approx([0.3, 0.0, 0.52]) and goal.box.half == pytest.approx([0.10, 0.05, 0.02])
    assert goal.box.yaw == pytest.approx(np.pi / 2)
    assert [box.name for box in goal.loose] == ["box"], "a pencil without a place has no box"
    tops = sorted(float(box.center[2] + box.half[2]) for box in goal.solids)
    assert tops == pytest.approx([0.5, 0.6]), "the desk and the box, not the target"
    assert len(goal.parts) == 1 and goal.held is None and goal.task == "tidy the desk"


def test_a_put_knows_the_top_of_its_place_and_the_box_of_the_held_object(desk: Desk) -> None:
    desk.held = "box"
    locator = desk.background()
    goal = locator.goal("desk", ACTION_TABLE["Put"], desk.observe())
    (top,) = goal.surfaces
    assert (top.half_x, top.half_y, float(top.center[2])) == pytest.approx((0.5, 0.5, 0.5))
    assert goal.held is not None and goal.held.half == pytest.approx([0.05, 0.05, 0.05])
    assert [box.name for box in goal.obstacles] == ["book"]
    onto = locator.goal("book", ACTION_TABLE["Put"], desk.observe())
    assert onto.obstacles == (), "its middle is the only place"
    assert len(onto.solids) == 2, "the hand keeps out of the desk and of the book itself, as of the walls of a basket"


def test_goals_are_refreshed_while_a_skill_runs(desk: Desk) -> None:
    locator = desk.background()
    locator.reset(seed=0)
    due = []
    for _ in range(9):
        due.append(locator.due(desk.observe()))
        desk.act(Command())
    assert [number for number, cameras in enumerate(due) if cameras is not None] == [0, 2, 4, 6, 8]


def test_seven_numbers_mean_a_place_in_the_workspace(desk: Desk) -> None:
    locator, move = desk.background(), action_of("Move")
    assert locator.listing() == (), "a robot without a workspace has no cells"
    with pytest.raises(BadInput, match=r"^This robot has no workspace, which Move needs"):
        locator.goal("[39, 60, 17, 0, 60, 60, 1]", move, desk.observe())
    desk.workspace = np.array([0.2, -0.1, -0.25])
    desk.held = "box"
    assert [str(item) for item in locator.listing()] == [
        "object 1: book at [39, 59, 16]",
        "object 2: box at [59, 79, 19]",
    ]
    assert locator.resolve("[1, 2]", move, desk.observe()) is None
    assert "must be" in locator.objection("[39, 60, 17, 0, 60, 60, 2]", move)
    numbers = locator.resolve("39, 60, 17, 0, 60, 60, 1", move, desk.observe())
    assert numbers == "[39, 60, 17, 0, 60, 60, 1]"
    goal = locator.goal(numbers, move, desk.observe())
    assert goal.position == pytest.approx([0.295, 0.005, 0.525])
    assert goal.box is not None and goal.box.half == pytest.approx([0.05, 0.05, 0.05]), "that of the held object"
    assert len(goal.solids) == 2, "the desk and the book"
