"""Conformance kit for skill sets. Each skill moves the robot for a moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from homie.kernel.actions import action_table
from homie.kernel.errors import BadInput, CommandRefused
from homie.kernel.interfaces import Robot, Skill, SkillSet
from homie.kernel.registry import SKILL_SET
from homie.kernel.types import Box, Command, Goal, Outcome, Subtask
from homie.testing.violations import check_description, check_name, describe_error, settle, usable_part

STEPS = 10
"""Number of control periods for which each skill runs."""


def check_skills(skill_set: SkillSet, robot: Robot, goals: Sequence[tuple[Subtask, Goal]] = ()) -> None:
    """Check a skill set against `homie.kernel.interfaces.SkillSet`, with a robot that it can move. The robot moves.

    The declared actions must be those of its skills, with arguments that actions can take; `act` must return finite
    commands, and `start` must be repeatable. A skill may fail at its goal; its outcome then says so.

    Args:
        skill_set: Skill set.
        robot: Robot.
        goals: Subtasks with their goals, for actions that need a real goal. All others are tried on a small object
            floating 1 m ahead, without further properties.

    Raises:
        NotConforming: Lists every violation.
    """
    skill_set = usable_part(SKILL_SET, skill_set)
    violations = [*check_name(skill_set), *check_description(skill_set, "at the start")]
    skills: list[Skill] = []
    try:
        skills += skill_set.skills(robot.spec, robot.kinematics)
    except BadInput as error:
        settle([*violations, f"It cannot move this robot: {error}"])
    except Exception as error:
        settle([*violations, describe_error("skills", error)])
    actions = {action for skill in skills for action in skill.actions}
    if set(skill_set.actions) != actions:
        violations.append(f"`actions` says {sorted(skill_set.actions)}, and its skills have {sorted(actions)}.")
    try:
        action_table([skill_set.own_actions])
    except BadInput as error:
        violations.append(f"`own_actions`: {error}")
    goals_by_action = {subtask.action: (subtask, goal) for subtask, goal in goals}
    for skill in skills:
        for action in skill.actions:
            robot.reset(seed=0)
            violations += [
                f"{skill.name or action}: {sentence}"
                for sentence in _check_attempt(skill, action, robot, goals_by_action.get(action))
            ]
    settle(violations)


def _check_attempt(
    skill: Skill, action: str, robot: Robot, subtask_and_goal: tuple[Subtask, Goal] | None
) -> Iterator[str]:
    if not skill.name:
        yield "`name` is empty; every attempt in the records has it."
    if not skill.max_seconds > 0.0:
        yield f"`max_seconds` must be more than 0 (is {skill.max_seconds})."
    try:
        subtask, goal = subtask_and_goal or _floating_object(action, robot)
        for _ in range(2):
            skill.start(subtask, goal, robot.observe(skill.cameras))
            yield from _check_run(skill, robot)
            if skill.outcome not in Outcome:
                yield f"`outcome` must be one of homie.kernel.types.Outcome (is {skill.outcome!r})."
    except Exception as error:
        yield describe_error(f"start or act ({action})", error)


def _check_run(skill: Skill, robot: Robot) -> Iterator[str]:
    for _ in range(STEPS):
        if skill.outcome is not Outcome.RUNNING:
            return
        command: object = skill.act(robot.observe(skill.required_cameras()))
        if not isinstance(command, Command):
            yield f"act must return a Command (returned {type(command).__name__})."
            return
        numbers = [number for values in command.targets.values() for number in values]
        if not np.isfinite(numbers).all():
            yield "act gave a command that is not finite."
            return
        try:
            robot.act(command)
        except CommandRefused as refusal:
            yield f"the safety gate refused a command: {refusal}"
            return


def _floating_object(action: str, robot: Robot) -> tuple[Subtask, Goal]:
    base = robot.observe().body.base
    at = base.transform(np.array([1.0, 0.0, 0.8]))
    subtask = Subtask(action, "apple", "table") if action == "Put" else Subtask(action, "apple")
    return subtask, Goal("apple_1", str(subtask), at, box=Box(at, np.full(3, 0.03)))
