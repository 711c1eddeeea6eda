"""One small action: a move by 25 cm, a turn by 90 degrees, a nod by 30.

What the base measures is off by a centimetre after each; so a step goes on from where the last one was meant to end.
"""

from __future__ import annotations

import math

import numpy as np

from homie.kernel.interfaces import Kinematics
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Goal, Observation, Pose2, Subtask, wrapped_angle
from skills.discrete_actions.step_actions import METRES, SMALL, Move, Tilt, Turn
from skills.motion.driving import MobileSkill
from skills.motion.motions import Motion, NotRetryable

ROOM = 0.02
"""Metres beyond the footprint that a way has to be clear, on a map with cells of 5 cm."""
SPEED, MOVE_SECONDS = 0.5, 4.0
"""m/s of a move, and seconds after which it has failed."""
TURN_SECONDS = 6.0
"""Seconds after which a turn has failed."""
EXACT = 0.015
"""Radians within which a turn has come to its end."""
SHORT = 0.05
"""Metres that a move may be short."""
ELSEWHERE, ASKEW = 0.08, 0.15
"""Metres and radians off from where the last step was meant to end from which somebody else has moved the robot."""
NODDED, NOD_SECONDS = 0.01, 2.0
"""Radians within which the head is where it should be, and seconds that it has for that."""
IN_THE_WAY = "something is in the way"
NO_FURTHER = "the camera cannot be tilted any further"


class Step(MobileSkill):
    """Takes one of the small actions, or none of it: a move that something stops is taken back."""

    name = "steps/step"
    actions = tuple(SMALL)
    max_seconds = 30.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics) -> None:
        super().__init__(spec, kinematics)
        self._meant: Pose2 | None = None
        self._looks = math.inf  # where the last nod was meant to end (rad); there was none

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        super().start(subtask, goal, observation)
        self._here = begun(observation.body.base, self._meant)

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
        """Move that way. A base that cannot drive aside turns there, drives, and turns back."""
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
        if self._short(line, forwards, target) > SHORT:
            yield from self._drive_to(line, forwards, start)
            target = start
        if sideways:
            yield from self._face(start.yaw)
        yield from self._rest()
        self._meant = target
        if target is start:
            raise NotRetryable(IN_THE_WAY)

    def _check_floor(self, start: Pose2, target: Pose2) -> None:
        """Raises NotRetryable where the floor between two places is not free: nothing is touched to find that out."""
        costs = self.costs
        margin = min(self.spec.footprint_radius + ROOM, costs.clear_at(start.xy))
        points = (start.xy + (target.xy - start.xy) * share for share in np.linspace(0.1, 1.0, 10))
        if any(costs.clear_at(point) < margin for point in points):
            raise NotRetryable(IN_THE_WAY)

    def _short(self, line: Pose2, forwards: float, place: Pose2) -> float:
        """Metres that are left on a line to a place, in the direction in which it is driven."""
        direction = forwards * np.array([math.cos(line.yaw), math.sin(line.yaw)])
        return float((place.xy - self.base.xy) @ direction)

    def _drive_to(self, line: Pose2, forwards: float, place: Pose2) -> Motion:
        remaining = forwards * self._short(line, forwards, place)
        yield from self.straight(remaining, speed=SPEED, seconds=MOVE_SECONDS, line=line)

    # ------------------------------------------------------------ turns and nods

    def _turn(self, angle: float) -> Motion:
        start = self._here
        yield from self._face(start.yaw + angle)
        yield from self._rest()
        self._meant = Pose2(start.x, start.y, wrapped_angle(start.yaw + angle))

    def _face(self, yaw: float) -> Motion:
        """Turn to a heading on the spot. Raises NotRetryable if something holds the base, which turns back then."""
        start_yaw = self.base.yaw
        is_turned = yield from self._turn_here(yaw, EXACT, TURN_SECONDS)
        if not is_turned:
            yield from self._turn_here(start_yaw, EXACT, TURN_SECONDS)
            self._meant = None
            raise NotRetryable(IN_THE_WAY)

    def _tilt(self, angle: float) -> Motion:
        head = self.spec.head
        assert head is not None  # the skill set has seen to it
        tilt = float(head.measured(self.seen.body)[1])
        aim = angle + (self._looks if abs(self._looks - tilt) < ASKEW else tilt)
        low, high = head.limits[1]
        if not low <= aim <= high:
            raise NotRetryable(NO_FURTHER)
        self._looks = aim
        for _ in range(round(NOD_SECONDS / self.spec.period)):
            if abs(float(head.measured(self.seen.body)[1]) - aim) < NODDED:
                return
            yield Command({head.name: (0.0, aim)})

    def _rest(self) -> Motion:
        """Wait until the base stands, so that the next picture is that of a robot at rest."""
        for _ in range(round(1.0 / self.spec.period)):
            if max(abs(speed) for speed in self.seen.body.base_velocity) < 0.01:
                return
            yield self.spec.drive(0.0, 0.0)


def begun(base: Pose2, intended: Pose2 | None) -> Pose2:
    """Where a step begins: where the last one was meant to end, unless the robot is somewhere else."""
    if (
        intended is None
        or math.dist(intended.xy, base.xy) > ELSEWHERE
        or abs(wrapped_angle(intended.yaw - base.yaw)) > ASKEW
    ):
        return base
    return intended
