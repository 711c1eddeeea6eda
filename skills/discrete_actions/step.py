"""One small action: a move by 25 cm, a turn by 90 degrees, a nod by 30 degrees.

Odometry drifts by a centimetre per action; so a step starts where the last one was meant to end.
"""

from __future__ import annotations

import math

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Goal, Observation, Pose2, Subtask, wrap_angle
from skills.discrete_actions.step_actions import METRES, SMALL, Move, Tilt, Turn
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable

ROOM = 0.02
"""Clearance (m) beyond the footprint required of a path, on a map with cells of 5 cm."""
SPEED, MOVE_SECONDS = 0.5, 4.0
"""Speed (m/s) and timeout (s) of a move."""
TURN_SECONDS = 6.0
"""Timeout (s) of a turn."""
EXACT = 0.015
"""Tolerance (rad) of a turn."""
SHORT = 0.05
"""Tolerance (m) by which a move may end short."""
ELSEWHERE, ASKEW = 0.08, 0.15
"""Deviation (m and rad) from the intended end of the last step from which the robot counts as moved externally."""
NODDED, NOD_SECONDS = 0.01, 2.0
"""Tolerance (rad) and timeout (s) of a nod."""
IN_THE_WAY = "something is in the way"
NO_FURTHER = "the camera cannot be tilted any further"


class Step(MobileSkill):
    """Takes one of the small actions, or none of it: a move that is stopped by an obstacle is reversed."""

    name = "steps/step"
    actions = tuple(SMALL)
    max_seconds = 30.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(spec, kinematics)
        self._intended_pose: Pose2 | None = None
        self._intended_tilt = math.inf  # intended tilt of the last nod (rad); none yet

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().start(subtask, goal, observation)
        self._here = step_start(observation.body.base, self._intended_pose)

    @property
    def feedback_message(self) -> str:
        return f"Unable to {self.subtask.action.lower()}, {self.reason}" if self.reason else ""

    def routine(self) -> Motion:
        match SMALL[self.subtask.action]:
            case Move(aside):
                yield from self._move(aside)
            case Turn(angle):
                yield from self._turn(angle)
            case Tilt(angle):
                yield from self._tilt(angle)

    # ------------------------------------------------------------ moves

    def _move(self, aside: float) -> Motion:
        """Move in a direction. A base that cannot drive sideways turns there, drives, and turns back."""
        start, way = self._here, self._here.yaw + aside
        cosine = math.cos(aside)  # 1 ahead, -1 back, 0 aside
        target = Pose2(start.x + METRES * math.cos(way), start.y + METRES * math.sin(way), start.yaw)
        self._check_floor(start, target)
        sideways = abs(cosine) < 0.5
        line = Pose2(start.x, start.y, way if sideways else start.yaw)
        forwards = 1.0 if sideways or cosine > 0.0 else -1.0
        if sideways:
            yield from self._face(way)
        yield from self._drive_to(line, forwards, target)
        if self._remaining(line, forwards, target) > SHORT:
            yield from self._drive_to(line, forwards, start)
            target = start
        if sideways:
            yield from self._face(start.yaw)
        yield from self._rest()
        self._intended_pose = target
        if target is start:
            raise NotRetryable(IN_THE_WAY)

    def _check_floor(self, start: Pose2, target: Pose2) -> None:
        """Raise NotRetryable if the floor between two places is not free, before anything is touched."""
        costs = self.costs
        margin = min(self.spec.footprint_radius + ROOM, costs.clear_at(start.xy))
        points = (start.xy + (target.xy - start.xy) * share for share in np.linspace(0.1, 1.0, 10))
        if any(costs.clear_at(point) < margin for point in points):
            raise NotRetryable(IN_THE_WAY)

    def _remaining(self, line: Pose2, forwards: float, place: Pose2) -> float:
        """Return the distance (m) left on a line to a place, in the driving direction."""
        direction = forwards * np.array([math.cos(line.yaw), math.sin(line.yaw)])
        return float((place.xy - self.base.xy) @ direction)

    def _drive_to(self, line: Pose2, forwards: float, place: Pose2) -> Motion:
        remaining = forwards * self._remaining(line, forwards, place)
        yield from self.straight(remaining, speed=SPEED, seconds=MOVE_SECONDS, line=line)

    # ------------------------------------------------------------ turns and nods

    def _turn(self, angle: float) -> Motion:
        start = self._here
        yield from self._face(start.yaw + angle)
        yield from self._rest()
        self._intended_pose = Pose2(start.x, start.y, wrap_angle(start.yaw + angle))

    def _face(self, yaw: float) -> Motion:
        """Turn in place to a heading. Raises NotRetryable if an obstacle holds the base, after turning back."""
        start_yaw = self.base.yaw
        is_turned = yield from self._turn_here(yaw, EXACT, TURN_SECONDS)
        if not is_turned:
            yield from self._turn_here(start_yaw, EXACT, TURN_SECONDS)
            self._intended_pose = None
            raise NotRetryable(IN_THE_WAY)

    def _tilt(self, angle: float) -> Motion:
        head = self.spec.head
        assert head is not None  # checked by the skill set
        tilt = float(head.measured(self.seen.body)[1])
        aim = angle + (self._intended_tilt if abs(self._intended_tilt - tilt) < ASKEW else tilt)
        low, high = head.limits[1]
        if not low <= aim <= high:
            raise NotRetryable(NO_FURTHER)
        self._intended_tilt = aim
        for _ in range(round(NOD_SECONDS / self.spec.period)):
            if abs(float(head.measured(self.seen.body)[1]) - aim) < NODDED:
                return
            yield Command({head.name: (0.0, aim)})

    def _rest(self) -> Motion:
        """Wait until the base stands, so that the next image is that of a robot at rest."""
        for _ in range(round(1.0 / self.spec.period)):
            if max(abs(speed) for speed in self.seen.body.base_velocity) < 0.01:
                return
            yield self.spec.drive(0.0, 0.0)


def step_start(base: Pose2, intended: Pose2 | None) -> Pose2:
    """Return the start of a step: the intended end of the last one, unless the robot is somewhere else."""
    if (
        intended is None
        or math.dist(intended.xy, base.xy) > ELSEWHERE
        or abs(wrap_angle(intended.yaw - base.yaw)) > ASKEW
    ):
        return base
    return intended
