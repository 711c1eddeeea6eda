"""The executor: checks a subtask in layers, runs the skill that the planner chose, retries, and gives feedback.

subtask -> format -> logical -> distance -> [ skill attempt -> execution check ] x attempts -> feedback
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homie.kernel.actions import (
    ACTIONS,
    Action,
    action_of,
    canonical_action,
    entity_words,
)
from homie.kernel.errors import BadInput, CommandRefused, HomieError, Stopped, TargetLost
from homie.kernel.interfaces import (
    CheckQuestion,
    EpisodeListener,
    ErrorCheck,
    ExecutionCheck,
    Locator,
    Skill,
    Trial,
)
from homie.kernel.interfaces.parts import brief, check_returned, is_line, method_of
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types import (
    Attempt,
    AttemptEnded,
    AttemptStarted,
    Check,
    Command,
    CommandSent,
    Decision,
    ErrorCode,
    Execution,
    Failure,
    FailureReason,
    Goal,
    Observation,
    Outcome,
    PeriodPassed,
    Subtask,
    SubtaskChecked,
    no_target,
    unknown_action,
    unskilled_model,
)


class Executor:
    """Executes subtasks on one robot. The state of an episode is in the locator, not here."""

    def __init__(
        self,
        senses: Senses,
        skills: SkillTable,
        checks: Sequence[ErrorCheck],
        execution: ExecutionCheck,
        *,
        attempts: int = 3,
        actions: tuple[str, ...] = ACTIONS,
    ) -> None:
        self.senses = senses
        self.robot = senses.robot
        self.locator = senses.locator
        self.skills = skills
        self.checks = checks
        self.execution = execution
        self.attempts = attempts
        self.actions = actions

    def execute(
        self,
        decision: Decision,
        subtask: Subtask,
        inventory: tuple[str, ...],
        observation: Observation,
        listener: EpisodeListener,
        task: str = "",
    ) -> Execution:
        """Check and run one subtask (not End) of a task. `observation` is the one of the planner's decision.

        Target and destination are only used if the action takes them by the action table.
        """
        canonical = canonical_action(subtask.action, self.actions)
        subtask = Subtask(canonical or subtask.action, subtask.target, subtask.destination)
        action = action_of(subtask.action, self.skills.table)
        words = entity_words(subtask, action.arguments)
        entity = _entity(self.locator, words, action, observation)
        question = CheckQuestion(
            decision=decision,
            subtask=subtask,
            action=action,
            entity=entity,
            inventory=inventory,
            observation=observation,
            world=self.locator,
            actions=self.actions,
            models=self.skills.models,
            skilled=self.skills.choose(decision.model, subtask.action) is not None,
        )
        results: list[Check] = []
        for check in self.checks:
            result = _validated(check(question), check)
            results.append(result)
            listener.on(SubtaskChecked(result))
            if result.code is not None:
                return Execution(subtask, decision.model, tuple(results), (), result.feedback, entity or "")
        skill = self.skills.choose(decision.model, subtask.action)
        if skill is None or (entity is None and action.arguments):
            result = _unrunnable(question)
            listener.on(SubtaskChecked(result))
            return Execution(subtask, decision.model, (*results, result), (), result.feedback, entity or "")
        return self._run(decision, _Task(subtask, action, entity or "", skill, task), results, listener)

    def _run(self, decision: Decision, task: _Task, results: list[Check], listener: EpisodeListener) -> Execution:
        subtask, skill, entity = task.subtask, task.skill, task.entity
        attempts: list[Attempt] = []
        timed_skill = _TimedSkill(skill)
        observation = self.senses.observe()
        held, arrangement = self.locator.held(observation), self.locator.arrangement(observation)
        if entity:
            self.locator.aim(entity, task.action, observation)
        verdict = Check("execution")
        for number in range(1, self.attempts + 1):
            attempt = self._attempt(number, task, timed_skill, listener)
            trial = Trial(
                subtask=subtask,
                action=task.action,
                entity=entity,
                held=held,
                attempt=replace(attempt, stands_in_for=self.skills.fallback_for(decision.model, subtask.action)),
                observation=self.senses.look(self.locator.cameras).observation,
                world=self.locator,
                feedback_message=skill.feedback_message,
                before=arrangement,
            )
            trial = replace(trial, attempt=self.execution.judged(trial))
            attempts.append(trial.attempt)
            listener.on(AttemptEnded(trial.attempt))
            verdict = self.execution.check(trial)
            if verdict.code is not ErrorCode.E1 or not skill.retryable or trial.attempt.outcome is Outcome.STOPPED:
                break
        if verdict.code is None and entity:
            self.locator.brought_about(entity, task.action.result)
        results.append(verdict)
        listener.on(SubtaskChecked(verdict))
        return Execution(
            subtask, decision.model, tuple(results), tuple(attempts), verdict.feedback, entity, timed_skill.seconds
        )

    def _start_skill(self, task: _Task, listener: EpisodeListener) -> Observation:
        """Observe with the cameras of locator and skill, and start the skill with its goal."""
        skill = task.skill
        sight = self.senses.look(tuple(dict.fromkeys((*self.locator.cameras, *skill.cameras))))
        goal = self._goal(task, sight.observation)
        if skill.cameras and task.entity:
            goal = replace(goal, seen=self.locator.seen(task.entity, sight.detections))
        skill.start(task.subtask, goal, sight.observation)
        listener.on(AttemptStarted(goal))
        return sight.observation

    def _goal(self, task: _Task, observation: Observation) -> Goal:
        """Make the goal for the entity, or for an action without a target the goal at the robot's position."""
        locator = self.locator
        goal = locator.goal(task.entity, task.action, observation) if task.entity else locator.here(observation)
        method = method_of("locator", locator, "goal" if task.entity else "here")
        return replace(check_returned(goal, Goal, method), text=str(task.subtask), task=task.instruction or goal.task)

    def _attempt(self, number: int, task: _Task, timed_skill: _TimedSkill, listener: EpisodeListener) -> Attempt:
        """Run the skill until it reports an outcome, times out, or the safety gate refuses a command."""
        skill = task.skill
        observation = self.senses.observe()
        start = observation.stamp
        commands = clamped = 0
        outcome, reason = Outcome.FAILED, ""
        try:
            if number == 1:
                self.robot.begin(str(task.subtask))
            observation = self._start_skill(task, listener)
            outcome = _outcome(skill)
            while outcome is Outcome.RUNNING:
                if observation.stamp - start > skill.max_seconds:
                    outcome, reason = Outcome.TIMED_OUT, Failure(FailureReason.TIMED_OUT, seconds=skill.max_seconds)
                    break
                sent_command = self.robot.act(timed_skill.act(observation))
                listener.on(CommandSent(observation, sent_command))
                commands += 1
                clamped += bool(sent_command.changes)
                cameras = skill.required_cameras()
                if cameras and skill.deliberates and not self.robot.waits:
                    self.robot.stop()  # the last command must not continue while the policy computes
                observation = self.senses.observe(cameras)
                listener.on(PeriodPassed(observation))
                if (due_cameras := self.locator.due(observation)) is not None:
                    observation = self.senses.look(due_cameras).observation if due_cameras else observation
                    skill.revise(self._goal(task, observation))
                outcome = _outcome(skill)
        except (CommandRefused, TargetLost) as error:
            outcome, reason = Outcome.FAILED, _reason(error)
        except Stopped as error:
            outcome, reason = Outcome.STOPPED, _reason(error)
        try:
            listener.on(CommandSent(observation, self.robot.act(Command())))  # the base stops, other groups hold
        except CommandRefused as error:  # a robot that was stopped from outside is already at rest
            outcome, reason = Outcome.FAILED, reason or _reason(error)
        seconds = round(observation.stamp - start, 6)
        about = () if reason else skill.about
        return Attempt(
            number, skill.name, outcome, reason or skill.reason, seconds, commands, clamped=clamped, about=about
        )


def _entity(locator: Locator, words: str, action: Action, observation: Observation) -> str | None:
    """Resolve words to an entity, None for no words. Raises BadInput if the locator returns anything but a name."""
    entity = locator.resolve(words, action, observation) if words else None
    return None if entity is None else check_returned(entity, str, method_of("locator", locator, "resolve"))


def _outcome(skill: Skill) -> Outcome:
    """Return the outcome of a skill. Raises BadInput for another type, which would seem to end the attempt."""
    return check_returned(skill.outcome, Outcome, method_of("skill", skill, "outcome"))


def _reason(error: HomieError) -> str:
    """Return the reason in an error, which may be a Failure."""
    reason = error.args[0] if error.args else ""
    return reason if isinstance(reason, str) else str(error)


def _validated(answer: object, check: ErrorCheck) -> Check:
    """Validate the result of a check, which may be user code. Raises BadInput if it is not a Check with an official
    code."""
    name = getattr(check, "__name__", type(check).__name__)
    if not isinstance(answer, Check):
        raise BadInput(
            f"The check '{name}' returned {brief(answer)}: a check returns a homie.kernel.types.Check, without a code "
            "if it has no objection."
        )
    texts = isinstance(answer.about, tuple | list) and all(isinstance(item, str) for item in answer.about)
    for member, is_valid, kind in (
        ("layer", is_line(answer.layer), "a text of one line"),
        ("message", isinstance(answer.message, str), "a text"),
        ("about", texts, "a tuple of texts"),
        ("lasting", isinstance(answer.lasting, bool), "True or False"),
    ):
        if not is_valid:
            value = brief(getattr(answer, member))
            raise BadInput(f"The check '{name}' answered with {value} as `{member}`: write {kind}.")
    if answer.code is not None and not isinstance(answer.code, ErrorCode):
        raise BadInput(
            f"The check '{answer.layer}' answered with the code {answer.code!r}: a check answers with one of "
            f"{', '.join(ErrorCode)} (homie.kernel.types.ErrorCode) and a sentence of its own."
        )
    return answer


def _unrunnable(question: CheckQuestion) -> Check:
    """Return F1 or F2 for a subtask without a skill or without an entity that the configured checks let through."""
    subtask = question.subtask
    if subtask.action not in question.actions:
        return Check("format", ErrorCode.F1, unknown_action(subtask.action, question.actions))
    if not question.skilled:
        return Check("format", ErrorCode.F1, unskilled_model(question.decision.model, subtask.action))
    words = entity_words(subtask, question.action.arguments)
    if not words:
        return Check("format", ErrorCode.F2, no_target(subtask.action, declared=question.action.is_declared))
    objection = question.world.objection(words, question.action)
    return Check("format", ErrorCode.F2, objection or ErrorCode.F2.filled(item=words))


@dataclass(frozen=True, slots=True)
class _Task:
    """A subtask that has passed the checks, with its entity ("" for none) and its skill."""

    subtask: Subtask
    action: Action
    entity: str
    skill: Skill
    instruction: str


class _TimedSkill:
    """Wrapper of a skill that measures the wall time of its commands, s."""

    def __init__(self, skill: Skill) -> None:
        self._skill = skill
        self.seconds = 0.0

    def act(self, observation: Observation) -> Command:
        start = time.perf_counter()
        try:
            return check_returned(self._skill.act(observation), Command, method_of("skill", self._skill, "act"))
        finally:
            self.seconds += time.perf_counter() - start


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"SkillBook": "SkillTable"})  # codespell:ignore
