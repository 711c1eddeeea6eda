"""Write a skill for an action of your own: turn until the robot faces something.

    python examples/own_skill.py

Each control period `act` gets an observation and returns a command, until `outcome` is no longer RUNNING. The executor
sends the command through the safety gate, which enforces the limits of the robot.
"""

from __future__ import annotations

import math

import homie
from homie import Action, Command, Goal, Kinematics, Observation, Outcome, RobotSpec, Skill, SkillSet, Subtask


class Face(Skill):
    """Turns the base on the spot."""

    name, actions, cameras, max_seconds = "facing/face", ("Face",), (), 15.0

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._goal, self._off = goal, math.pi

    def act(self, observation: Observation) -> Command:
        base = observation.body.base
        x, y = self._goal.position[:2]
        self._off = math.remainder(math.atan2(y - base.y, x - base.x) - base.yaw, math.tau)
        return Command(base=(0.0, 2.0 * self._off))  # m/s ahead, rad/s to the left

    @property
    def outcome(self) -> Outcome:
        return Outcome.SUCCEEDED if abs(self._off) < 0.02 else Outcome.RUNNING


class Facing(SkillSet):
    """What `--skills own_skill:Facing,classical` loads. Planners see the action, and call the set a model."""

    name, actions = "facing", ("Face",)
    own_actions = (Action(name="Face", arguments=("target",)),)

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> list[Skill]:
        return [Face()]


def main() -> None:
    with homie.open(seed=7, rooms=2, objects=4, skills=[Facing(), "ideal"], picture_size=64) as session:
        for target in ("fridge", "sofa"):
            execution = session.call("Face", target)
            (attempt,) = execution.attempts
            turned = math.degrees(session.observe().body.base.yaw)
            print(f"{target}: {execution.feedback.status}, {attempt.robot_seconds:.1f} s, heading {turned:.0f} degrees")


if __name__ == "__main__":
    main()
