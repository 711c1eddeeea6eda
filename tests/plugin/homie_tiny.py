"""Third-party package for Homie's tests: the smallest world in which a task can be done.

    x = 0        1        2        3        4
    robot -->               ball            box

The robot drives along a line, closes its gripper on the ball and opens it over the box. Environment variables make
trouble: TINY_PERIOD (wall seconds per control period), TINY_SLIPPERY (the ball rolls away when it is put down).
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from homie.kernel.actions import Action
from homie.kernel.errors import MissingCheckpoint, PlannerError
from homie.kernel.interfaces import Detector, IkSolution, Kinematics, Locator, Planner, Robot, Skill, SkillSet
from homie.kernel.options import RunOptions
from homie.kernel.robot.body import Group, Joint, RobotSpec
from homie.kernel.types import (
    Array,
    CameraFrame,
    Command,
    Decision,
    Detection,
    Goal,
    GripperState,
    Image,
    Intrinsics,
    Observation,
    Outcome,
    PlannerInput,
    Pose,
    Pose2,
    Proprioception,
    Subtask,
    Surface,
)
from homie.kernel.world.snapshot import FixedState, ObjectState, WorldSnapshot

COLOURS = {"ball": (220, 60, 50), "box": (50, 90, 220)}
REACH = 0.5

SPEC = RobotSpec(
    name="tiny",
    groups=(
        Group.base(linear=1.0, angular=2.0, linear_acceleration=2.0, angular_acceleration=4.0),
        Group("arm", "arm", (Joint("lift", -1.0, 1.0, speed=1.0),)),
        Group.gripper(opening=0.1, speed=2.0),
    ),
    footprint_radius=0.2,
    period=0.1,
    rest={"arm": (0.0,)},
    carry={"arm": (0.0,)},
    ready=({"arm": (0.0,)},),
)


class TinyKinematics:
    """Kinematics of a gripper on the base, with an arm of no extent."""

    def forward(self, q: Array) -> Pose:
        return Pose(np.zeros(3), np.eye(3))

    def link_points(self, q: Array) -> Array:
        return np.zeros((0, 3))

    @property
    def point_radii(self) -> Array:
        return np.zeros(0)

    def self_distance(self, q: Array, held: Array | None = None) -> float:
        return 1.0

    def solve(self, position: Array, rotation: Array | None, q0: Array, *, locked_torso: bool = False) -> IkSolution:
        return IkSolution(q0, ok=True, position_error=0.0, rotation_error=0.0)


class TinyRobot(Robot):
    """Robot that moves along x, and holds the ball if the gripper closes within reach of it."""

    def __init__(self) -> None:
        self.spec = SPEC
        self.kinematics = TinyKinematics()
        self.closed = False
        self.calls: list[str] = []
        self._reset()

    def _reset(self) -> None:
        self.stamp, self.x, self.opening, self.holding = 0.0, 0.0, SPEC.gripper_max, False
        self.places = {"ball": 2.5, "box": 4.0}

    def _restart(self, *, seed: int) -> None:
        self._reset()

    def measured(self) -> Proprioception:
        return Proprioception(
            base=Pose2(self.x, 0.0, 0.0),
            joints={"lift": 0.0},
            grippers={"gripper": GripperState(self.opening, (self.holding, self.holding), self.holding)},
            velocities={"lift": 0.0},
        )

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        return Observation(self.stamp, self.measured(), {name: self._picture(name) for name in cameras})

    def _send(self, command: Command) -> None:
        time.sleep(float(os.environ.get("TINY_PERIOD", "0")))
        self.stamp = round(self.stamp + SPEC.period, 6)
        self.x += (command.get("base") or (0.0, 0.0))[0] * SPEC.period
        opening = command.get("gripper")
        if opening is not None:
            self.opening = opening[0]
            if self.opening < 0.05:
                self.holding = abs(self.places["ball"] - self.x) <= REACH
            elif self.holding:
                self.holding = False
                self.places["ball"] = 9.0 if os.environ.get("TINY_SLIPPERY") else self.x
        if self.holding:
            self.places["ball"] = self.x

    def _halt(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")
        self.closed = True

    def snapshot(self) -> WorldSnapshot:
        above_box = abs(self.places["ball"] - self.places["box"]) <= REACH
        place = ("held", "robot") if self.holding else ("in", "box") if above_box else ("on", "floor")
        ball = {"kind": "ball", "relation": place[0], "at": place[1], "position": (self.places["ball"], 0.0, 0.0)}
        return WorldSnapshot(
            objects={"ball": ObjectState.model_validate(ball)},
            fixed={"box": FixedState(kind="box"), "floor": FixedState(kind="floor")},
            held="ball" if self.holding else None,
        )

    def _picture(self, name: str) -> CameraFrame:
        ahead = {thing: x - self.x for thing, x in self.places.items()} if name in ("front", "head") else {}
        rgb = _line(64, 64, ahead)
        depth = np.full((64, 64), 9.0 - self.x, np.float32)  # a wall at the end of the line
        return CameraFrame(name, rgb, depth, Intrinsics(32, 32, 32, 32, 64, 64), Pose(np.zeros(3), np.eye(3)))


class FilmedTinyRobot(TinyRobot):
    """The same robot with an external camera for videos."""

    def film(self, width: int, height: int, target: str = "") -> Image:
        return _line(width, height, {**self.places, "robot": self.x})

    def look(self, camera: str, height: int | None = None) -> Image:
        return self.observe((camera,)).frames[camera].rgb


def _line(width: int, height: int, marks: dict[str, float]) -> Image:
    """Render the line, 5 m wide, as a picture (height, width, 3) with a coloured square for every mark."""
    picture = np.full((height, width, 3), 90, np.uint8)
    for name, x in marks.items():
        column = int(np.clip(x / 5.0, 0, 0.9) * width)
        picture[height // 3 : 2 * height // 3, column : column + width // 12] = COLOURS.get(name, (240, 240, 240))
    return picture


class TinySkill(Skill):
    """Go to drives up to the goal; Pick closes and Put opens the gripper and waits one second."""

    cameras = ()
    max_seconds = 20.0

    def __init__(self, action: str) -> None:
        self.name = f"tiny {action.lower()}"
        self.actions = (action,)
        self._outcome = Outcome.RUNNING

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._goal, self._began, self._outcome = goal, observation.stamp, Outcome.RUNNING

    def act(self, observation: Observation) -> Command:
        if self.actions == ("Go to",):
            away = float(self._goal.position[0]) - observation.body.base.x
            if abs(away) < 0.3:
                self._outcome = Outcome.SUCCEEDED
                return Command()
            return Command(base=(float(np.clip(away, -1.0, 1.0)), 0.0))
        if observation.stamp - self._began >= 1.0:
            self._outcome = Outcome.SUCCEEDED
        return Command(gripper=0.0 if self.actions == ("Pick",) else 0.1)

    @property
    def outcome(self) -> Outcome:
        return self._outcome


class TinyDetector(Detector):
    """Detector of the coloured squares in the front view."""

    name = "tiny"

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        detections = []
        for view, frame in observation.frames.items():
            for name, colour in COLOURS.items():
                rows, columns = np.nonzero((frame.rgb == colour).all(axis=2))
                if len(rows):
                    box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
                    detections.append(Detection(name, view, box))
        return tuple(detections)


class TinyLocator(Locator):
    """Locator that reads the positions of ball and box from the robot's own state."""

    name = "tiny"

    def __init__(self, robot: TinyRobot) -> None:
        self._robot = robot
        self.seen: list[float] = []

    def reset(self, *, seed: int) -> None:
        self.seen = []

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        self.seen.append(observation.stamp)

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        return words if words in self._robot.places else None

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        at = np.array([self._robot.places[entity], 0.0, 0.0])
        return Goal(entity, "", at, surfaces=(Surface(at, 0.2, 0.2, 0.0),) if self.has_place(entity) else ())

    def has_place(self, entity: str) -> bool:
        return entity == "box"

    def opens(self, entity: str) -> bool:
        return False

    def closed_container(self, entity: str) -> str | None:
        return None

    def pickable(self, entity: str) -> bool:
        return entity == "ball"

    def is_spot(self, entity: str) -> bool:
        return False

    def distance(self, entity: str, observation: Observation) -> float:
        # Never 0: the robot is a point and would always be "too close".
        return max(0.2, abs(self._robot.places[entity] - observation.body.base.x))

    def held(self, observation: Observation) -> str | None:
        return "ball" if observation.body.holding else None

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        return abs(self._robot.places["ball"] - self._robot.places[entity]) <= REACH


class LinesPlanner(Planner):
    """Planner that reads a file: `action | target | destination | model`, one per line; `!` and `Crash` raise."""

    name = "lines"

    def __init__(self, argument: str) -> None:
        self._lines = [line for line in Path(argument).read_text().splitlines() if line.strip()]
        self.inputs: list[PlannerInput] = []

    def reset(self, task: str, *, seed: int) -> None:
        self.inputs = []

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.inputs.append(planner_input)
        line = self._lines[(planner_input.round - 1) % len(self._lines)]
        if line == "!":
            raise PlannerError("The planner has nothing more to say.")
        if line == "Crash":
            raise ZeroDivisionError("a bug in a plug-in")
        action, target, destination, model = ([part.strip() for part in line.split("|")] + [""] * 4)[:4]
        return Decision((Subtask(action, target, destination),), f"line {planner_input.round}", model, raw=line)


def open_tiny(options: RunOptions) -> TinyRobot:
    """The robot factory behind the entry point."""
    return FilmedTinyRobot()


class TinySkills(SkillSet):
    """The skill set behind the entry point."""

    name = "tiny"
    actions = ("Go to", "Pick", "Put")

    def __init__(self, argument: str = "") -> None:
        pass

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        return [TinySkill(action) for action in self.actions]


class Gear(BaseModel):
    """The settings of `LostSkills`."""

    speed: int = 1


class LostSkills(TinySkills):
    """A model that needs a checkpoint."""

    name = "Lost-1"
    actions = ("Go to",)
    Settings = Gear

    def __init__(self, argument: str, settings: Gear) -> None:
        if not argument:
            raise MissingCheckpoint("Lost-1 needs its checkpoint: `--skills lost:FILE`.")
        self.description = {"checkpoint": argument, "speed": settings.speed}

    def describe(self) -> dict[str, object]:
        return self.description
