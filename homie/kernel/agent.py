"""The agent loop of HomieBot (EMMOE, section 4 and appendix D).

instruction                     +------------------------------------------------+
    |                           |                                                |
    v      PlannerInput         v         Decision            Execution          |
observe -----------------> planner.decide ---------> executor.execute --> inventory, history, feedback
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from homie.kernel.actions import canonical_action
from homie.kernel.episode_rules import EMMOE_RULES, EpisodeRules
from homie.kernel.errors import LimitReached, Unanswered
from homie.kernel.executor import Executor
from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.interfaces.planner import call_planner
from homie.kernel.inventory import apply_effects
from homie.kernel.look_and_detect import Sight
from homie.kernel.pose_action import MOVE
from homie.kernel.types import (
    END,
    END_FAILURE,
    END_SUCCESS,
    HELD,
    SUCCESS,
    Check,
    Decision,
    EndedBy,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    ErrorCode,
    Execution,
    Feedback,
    HistoryItem,
    Image,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    Report,
    RoundRecord,
    Subtask,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
    Who,
    with_held,
)
from homie.kernel.types.limits import UNREADABLE_ROUNDS

log = logging.getLogger(__name__)
# Not in `homie/__init__.py`, which the command imports before it can handle Ctrl-C: it must import almost nothing.
logging.getLogger("homie").addHandler(logging.NullHandler())


def run_episode(
    task: str,
    planner: Planner,
    executor: Executor,
    rules: EpisodeRules = EMMOE_RULES,
    *,
    seed: int,
    listener: EpisodeListener,
) -> EpisodeResult:
    """Run one task to End or to a limit. Robot and locator must have been reset.

    Args:
        task: The instruction.
        planner: Decides in each round; it is reset with the task and the seed.
        executor: Checks and executes its subtasks.
        rules: Limits, the planner's input and choices, and end conditions.
        seed: Seed of the planner, and of random fallbacks in the rules.
        listener: Receives every event.

    Raises:
        BadInput: The planner, or another part, has returned an invalid value.
        Unanswered: No output of the planner could be parsed.
    """
    episode = Episode(task, planner, executor, rules, seed=seed, listener=listener)
    while not episode.over:
        episode.step()
    return episode.finish()


class Episode:
    """One task, run round by round, with the state of the agent: inventory, history, feedback."""

    def __init__(
        self,
        task: str,
        planner: Planner,
        executor: Executor,
        rules: EpisodeRules = EMMOE_RULES,
        *,
        seed: int,
        listener: EpisodeListener,
        inventory: tuple[str, ...] = (),
    ) -> None:
        """Start an episode. Robot and locator must have been reset. Parameters are those of `run_episode`, and:

        Args:
            inventory: The objects held at the start.
        """
        self.task, self.planner, self.executor = task, planner, executor
        self.rules, self.listener = rules, listener
        self.inventory = inventory
        self.history: tuple[HistoryItem, ...] = ()
        self.feedback: Feedback | None = None
        self.round = 0
        self.failures = 0
        """Number of failed subtasks and unreadable answers."""
        self.ended = False
        self.report: Report = ""
        self.answer = ""
        self.who: Who = "planner"
        """Who made the last decision."""
        self.readable = False
        """Whether any output of the planner could be parsed."""
        self.done = False
        """Whether the episode has ended because its goal was reached."""
        self.used_up: EndedBy | None = None
        """The limit outside the rules that has ended the episode (`LimitReached`)."""
        self._rng = random.Random(seed)
        self.choices = () if rules.action_list is None else rules.action_list(executor)
        self._listed_subtasks = frozenset(choice.subtask for choice in self.choices)
        log.info("task: %s", task)
        planner.reset(task, seed=seed)
        listener.on(EpisodeStarted(task))

    @property
    def over(self) -> bool:
        """Whether the planner has said End or a limit has been reached."""
        return self.ended_by is not None

    @property
    def ended_by(self) -> EndedBy | None:
        """Why the episode has ended; None while it continues."""
        if self.ended:
            return "ended"
        if self.done:
            return "goal"
        return self.used_up or self._limit or ("rounds" if self.round >= self.rules.rounds else None)

    def step(self) -> tuple[RoundRecord, ...]:
        """Run one round: observe, decide, execute. Returns one record per subtask, or one for an unreadable output;
        none if a limit outside the rules has ended the episode.

        Raises Unanswered if no output could be parsed so far, after `UNREADABLE_ROUNDS` or in the last round, and
        BadInput as `run_episode`.
        """
        self.round += 1
        clock = _Clock()
        sight = self.executor.senses.look_around(self.rules.views)
        planner_input = self._planner_input(sight)
        clock.lap("observe")
        self.listener.on(PlannerAsked(planner_input, sight.observation))
        clock.lap("listen")
        try:
            decision = self._with_fallback(call_planner(self.planner, planner_input))
        except LimitReached as reached:
            self.used_up = reached.limit
            self.round -= 1
            return ()
        self.who = decision.who
        clock.lap("plan")
        log.info("round %d: %s", self.round, " ".join(map(str, decision.subtasks)) or decision.problem)
        self.listener.on(PlannerAnswered(self.round, decision))
        clock.lap("listen")
        if decision.problem:
            execution = unreadable(decision)
            self.listener.on(SubtaskChecked(execution.checks[0]))
            if self.rules.quirks.explains:
                self.feedback = execution.feedback
            self.failures += 1
            record = self._record(decision, execution, clock)
            self._check_answered(decision)
            return (record,)
        self.readable = True
        records = []
        plan = decision.subtasks[: self.rules.limits.plan]
        for number, subtask in enumerate(plan, 1):
            is_end = canonical_action(subtask.action, self.executor.actions) == END.action
            if is_end:
                report = _report_of(subtask, decision)
                subtask = self._normalize_end(subtask, report)
            if not self._is_listed(subtask):
                execution = unlisted_execution(decision, subtask, len(self.choices))
                self.listener.on(SubtaskChecked(execution.checks[0]))
            elif is_end and subtask not in self.rules.endings and not self.choices:
                execution = no_end(decision, subtask, self.rules.endings)
                self.listener.on(SubtaskChecked(execution.checks[0]))
            elif is_end:
                execution = Execution(subtask, decision.model, (), (), SUCCESS)
                self.ended = True
                self.report = report or ("success" if subtask == END_SUCCESS else "")
                self.answer = decision.answer
            else:
                subtask = with_held(subtask, self.inventory)
                self.listener.on(SubtaskStarted(self.round, subtask))
                clock.lap("listen")
                execution = self.executor.execute(
                    decision, subtask, self.inventory, sight.observation, self.listener, self.task
                )
            clock.lap("execute")
            execution, self.inventory = apply_effects(self.inventory, execution, self.executor)
            self.feedback = execution.feedback
            log.info("%s: %s %s", execution.subtask, self.feedback.status, self.feedback.message)
            self.history = (*self.history, HistoryItem(len(self.history) + 1, execution.subtask, self.feedback))
            records.append(self._record(decision, execution, clock))
            counts = self.rules.quirks.counts_unlisted or self._is_listed(subtask)
            self.failures += counts and not self.feedback.ok
            self.done = not self.ended and self.rules.goal_check is not None and self.rules.goal_check()
            if self.ended or self.done or self._limit or not (self.feedback.ok or self.rules.quirks.continues):
                break
            if number < len(plan):
                sight = self.executor.senses.look_around(self.rules.views)
                clock.lap("observe")
        return tuple(records)

    def _check_answered(self, decision: Decision) -> None:
        """Raise Unanswered if due. A published evaluator that explains nothing counts such episodes as failed."""
        if self.readable or not self.rules.quirks.explains or not (self.round >= UNREADABLE_ROUNDS or self.over):
            return
        last_answer = f" The last one began: {quoted}." if (quoted := _quoted(decision.raw)) else ""
        rounds = "the first round" if self.round == 1 else f"the first {self.round} rounds"
        raise Unanswered(
            f"No answer of the planner could be read in {rounds}, so the episode is no result: "  # codespell:ignore
            f"{decision.problem}{last_answer}"
            f" {decision.advice or 'Look at the answers in steps.jsonl, and at docs/prompts.md.'}"
        )

    def _with_fallback(self, decision: Decision) -> Decision:
        """Replace an unreadable decision by the fallback of the rules, if they have one."""
        if not decision.problem:
            return decision
        subtask = self.rules.quirks.fallback(self.choices, self.executor.actions, self._rng)
        if subtask is None:
            return decision
        log.info("round %d: %s The fallback is %s.", self.round, decision.problem, subtask)
        return replace(decision, subtasks=(subtask,), problem="")

    def _normalize_end(self, subtask: Subtask, report: Report) -> Subtask:
        """Normalize End to the endings of the rules. If planners report, a bare End means that the task is done, unless
        the decision reports otherwise; without action list and reports every End becomes a bare one."""
        if END_SUCCESS in self.rules.endings and subtask.target.lower() in ("", "declined"):
            return END_FAILURE if report in ("failure", "declined") else END_SUCCESS
        if self.choices or END_SUCCESS in self.rules.endings:
            return replace(subtask, action=END.action)
        return END

    def _is_listed(self, subtask: Subtask) -> bool:
        """Whether a subtask may be executed. Published evaluators accept an End that is not in their list."""
        unlisted_end = subtask == END and not self.rules.quirks.explains
        # The list has one word for any held object; a planner that writes subtasks uses the object's name.
        by_name = subtask.target in self.inventory and replace(subtask, target=HELD) in self._listed_subtasks
        return not self.choices or subtask in self._listed_subtasks or by_name or unlisted_end

    @property
    def _limit(self) -> Literal["steps", "failures"] | None:
        """The limit of the rules, other than rounds, that has been reached."""
        return self.rules.limits.reached(steps=len(self.history), failures=self.failures)

    def finish(self) -> EpisodeResult:
        """End the episode: return its result and send it to planner and listener."""
        ended_by = self.ended_by or "rounds"
        stamp = self.executor.senses.observe().stamp
        result = EpisodeResult(
            self.task, ended_by, self.round, self.history, self.inventory, stamp, self.report, self.answer, self.who
        )
        log.info("%s after round %d", result.ending, self.round)
        self.planner.conclude(result)
        self.listener.on(EpisodeEnded(result))
        return result

    def _planner_input(self, sight: Sight) -> PlannerInput:
        executor, rules, visibility = self.executor, self.rules, self.rules.visibility
        end_arguments = {END.action: ("target",)} if END_SUCCESS in rules.endings else {}
        listing = executor.locator.listing() if MOVE in executor.actions else ()
        return PlannerInput(
            task=self.task,
            round=self.round,
            views={
                view: frame.rgb.copy() for view, frame in sight.observation.frames.items()
            },  # copies, as a planner may draw on them
            detections=visibility.detections(executor.locator.arranged(sight.detections), listing),
            inventory=visibility.inventory(self.inventory),
            history=visibility.subtasks(self.history),
            feedback=visibility.last_result(self.feedback),
            actions=executor.actions,
            models=executor.skills.models,
            rounds=rules.rounds,
            listing=visibility.listing(listing),
            arguments={**executor.skills.arguments, **end_arguments},
            words=executor.skills.words,
            explanations=executor.skills.explanations,
            abilities=executor.skills.abilities,
            knowledge=executor.locator.knowledge(self.round),
            hand=self._wrist_picture() if self.planner.uses_wrist_camera else None,
            visibility=visibility,
            quirks=rules.quirks,
            choices=self.choices,
            ends=rules.endings,
        )

    def _wrist_picture(self) -> Image:
        """Take a picture with the wrist camera, without detection."""
        camera = self.executor.robot.hand
        return self.executor.senses.observe((camera,)).frames[camera].rgb

    def _record(self, decision: Decision, execution: Execution, clock: _Clock) -> RoundRecord:
        stamp = self.executor.senses.observe().stamp
        record = RoundRecord(
            self.round, decision, execution, self.inventory, stamp, clock.seconds(execution.skill_seconds)
        )
        self.listener.on(SubtaskRecorded(record))
        return record


def _report_of(end: Subtask, decision: Decision) -> Report:
    """Return the report of a decision that ends the episode: the target of End, or else its `report`."""
    targets: Mapping[str, Report] = {report: report for report in get_args(Report) if report}
    return targets.get(end.target.lower(), decision.report)


def _quoted(text: str, length: int = 120) -> str:
    """Quote the beginning of an output on one line; "" for an empty output."""
    line = " ".join(text.split())
    return json.dumps(line if len(line) <= length else f"{line[:length]} ...", ensure_ascii=False) if line else ""


def unreadable(decision: Decision) -> Execution:
    """Create the execution of an unreadable output: F1, and no motion. The history does not contain it."""
    check = Check("format", ErrorCode.F1, decision.problem)
    return Execution(Subtask(""), decision.model, (check,), (), check.feedback)


def unlisted_execution(decision: Decision, subtask: Subtask, number: int) -> Execution:
    """Create the execution of a subtask that is not one of the numbered actions: F1, and no motion."""
    sentence = f"{subtask} is none of the {number} numbered actions! You should only choose numbers of the list."
    check = Check("format", ErrorCode.F1, sentence)
    return Execution(subtask, decision.model, (check,), (), check.feedback)


def no_end(decision: Decision, subtask: Subtask, endings: Sequence[Subtask]) -> Execution:
    """Create the execution of an End that the rules do not allow: F1, and the episode continues."""
    sentence = f"{subtask} is no report! You should only end with {' or '.join(map(str, endings))}."  # codespell:ignore
    check = Check("format", ErrorCode.F1, sentence)
    return Execution(subtask, decision.model, (check,), (), check.feedback)


class _Clock:
    """Wall time (s) by section of one round."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._sections: dict[str, float] = {}

    def lap(self, section: str) -> None:
        now = time.perf_counter()
        self._sections[section] = self._sections.get(section, 0.0) + now - self._last
        self._last = now

    def seconds(self, skill: float = 0.0) -> dict[str, float]:
        """Return the times of the sections, the total, `overhead` (of the loop itself) and `skill` (compute time of a
        skill)."""
        total = time.perf_counter() - self._start
        sections = {name: round(value, 6) for name, value in self._sections.items()}
        sections = {**sections, "skill": round(skill, 6)} if skill else sections
        return {**sections, "overhead": round(total - sum(self._sections.values()), 6), "total": round(total, 6)}
