"""The agent loop of HomieBot (EMMOE, section 4 and appendix D).

instruction                     +------------------------------------------------+
    |                           |                                                |
    v      PlannerInput         v         Decision            Execution          |
observe -----------------> planner.decide ---------> executor.execute --> inventory, history, feedback
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from homie.kernel.actions import Action, acted_on, action_of, canonical_action
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Planner, kind_of
from homie.kernel.senses import Sight
from homie.kernel.types import (
    END,
    SUCCESS,
    Attempt,
    Check,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    HistoryItem,
    Image,
    Observation,
    PlannerInput,
    RoundRecord,
    SentCommand,
    Subtask,
)

log = logging.getLogger(__name__)
# Not in `homie/__init__.py`, which the command imports before it can take Ctrl-C: it must import next to nothing.
logging.getLogger("homie").addHandler(logging.NullHandler())


class EpisodeListener:
    """Told of everything that happens in an episode, as it happens. Subclasses override what they care for."""

    def started(self, task: str) -> None:
        """The episode begins."""

    def observed(self, given: PlannerInput, observation: Observation) -> None:
        """The planner is about to be asked."""

    def decided(self, round_number: int, decision: Decision) -> None:
        """The planner has answered."""

    def executing(self, round_number: int, subtask: Subtask) -> None:
        """A subtask goes to the executor."""

    def checked(self, check: Check) -> None:
        """A layer of error detection has looked at the subtask."""

    def attempted(self, attempt: Attempt) -> None:
        """A skill attempt is over."""

    def commanded(self, observation: Observation, sent: SentCommand) -> None:
        """The safety gate has let a command through, decided on this observation."""

    def ticked(self, observation: Observation) -> None:
        """One control period has passed."""

    def recorded(self, record: RoundRecord) -> None:
        """The subtask is over; this is what there is to keep."""

    def finished(self, result: EpisodeResult) -> None:
        """The episode is over."""


class Listeners(EpisodeListener):
    """Several listeners as one, told in order: those that the episode cannot do without, then the onlookers.

    What the first raise ends the episode. An onlooker that raises is told nothing more, and the log says why: a display
    that breaks must not stop a robot.
    """

    def __init__(self, listeners: Iterable[EpisodeListener], *, onlookers: Iterable[EpisodeListener] = ()) -> None:
        self._all = tuple(listeners)
        self._onlookers = list(onlookers)

    def started(self, task: str) -> None:
        self._tell(lambda listener: listener.started(task))

    def observed(self, given: PlannerInput, observation: Observation) -> None:
        self._tell(lambda listener: listener.observed(given, observation))

    def decided(self, round_number: int, decision: Decision) -> None:
        self._tell(lambda listener: listener.decided(round_number, decision))

    def executing(self, round_number: int, subtask: Subtask) -> None:
        self._tell(lambda listener: listener.executing(round_number, subtask))

    def checked(self, check: Check) -> None:
        self._tell(lambda listener: listener.checked(check))

    def attempted(self, attempt: Attempt) -> None:
        self._tell(lambda listener: listener.attempted(attempt))

    def commanded(self, observation: Observation, sent: SentCommand) -> None:
        self._tell(lambda listener: listener.commanded(observation, sent))

    def ticked(self, observation: Observation) -> None:
        self._tell(lambda listener: listener.ticked(observation))

    def recorded(self, record: RoundRecord) -> None:
        self._tell(lambda listener: listener.recorded(record))

    def finished(self, result: EpisodeResult) -> None:
        self._tell(lambda listener: listener.finished(result))

    def _tell(self, event: Callable[[EpisodeListener], None]) -> None:
        for listener in self._all:
            event(listener)
        for listener in tuple(self._onlookers):
            try:
                event(listener)
            except Exception as error:
                self._onlookers.remove(listener)
                name = type(listener).__name__
                log.warning("The listener %s failed and is told nothing more: %s", name, error, exc_info=error)


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """How an episode ended: `ended` when the planner said End, `rounds` when they ran out."""

    task: str
    ended_by: Literal["ended", "rounds"]
    rounds: int
    history: tuple[HistoryItem, ...]
    inventory: tuple[str, ...]
    robot_seconds: float


def run_episode(
    task: str, planner: Planner, executor: Executor, *, seed: int, rounds: int, listener: EpisodeListener
) -> EpisodeResult:
    """Run one task to End or to the last round. Robot and locator must have been reset."""
    episode = Episode(task, planner, executor, seed=seed, rounds=rounds, listener=listener)
    while not episode.over:
        episode.step()
    return episode.finish()


class Episode:
    """One task, round by round, and what the agent knows of it so far: inventory, history, feedback."""

    def __init__(
        self,
        task: str,
        planner: Planner,
        executor: Executor,
        *,
        seed: int,
        rounds: int,
        listener: EpisodeListener,
        inventory: tuple[str, ...] = (),
    ) -> None:
        """Robot and locator must have been reset. inventory: what is in the hand already."""
        self.task, self.planner, self.executor = task, planner, executor
        self.rounds, self.listener = rounds, listener
        self.inventory = inventory
        self.history: tuple[HistoryItem, ...] = ()
        self.feedback: Feedback | None = None
        self.round = 0
        self.ended = False
        log.info("task: %s", task)
        planner.reset(task, seed=seed)
        listener.started(task)

    @property
    def over(self) -> bool:
        """Whether the planner has said End or the rounds have run out."""
        return self.ended or self.round >= self.rounds

    def step(self) -> tuple[RoundRecord, ...]:
        """One round: look, decide, execute. Returns a record per subtask, or of an output that could not be read."""
        self.round += 1
        clock = _Clock()
        sight = self.executor.senses.look_around()
        given = self._given(sight)
        clock.lap("observe")
        self.listener.observed(given, sight.observation)
        clock.lap("listen")
        decision = self.planner.decide(given)
        clock.lap("plan")
        log.info("round %d: %s", self.round, " ".join(map(str, decision.subtasks)) or decision.problem)
        self.listener.decided(self.round, decision)
        clock.lap("listen")
        if decision.problem:
            execution = unreadable(decision)
            self.listener.checked(execution.checks[0])
            self.feedback = execution.feedback
            return (self._record(decision, execution, clock),)
        records = []
        for subtask in decision.subtasks:
            if canonical_action(subtask.action, self.executor.actions) == END.action:
                execution = Execution(END, decision.model, (), (), SUCCESS)
                self.ended = True
            else:
                self.listener.executing(self.round, subtask)
                clock.lap("listen")
                execution = self.executor.execute(decision, subtask, self.inventory, sight.observation, self.listener)
            clock.lap("execute")
            execution, self.inventory = aftermath(self.inventory, execution, self.executor)
            self.feedback = execution.feedback
            log.info("%s: %s %s", execution.subtask, self.feedback.status, self.feedback.message)
            self.history = (*self.history, HistoryItem(len(self.history) + 1, execution.subtask, self.feedback))
            records.append(self._record(decision, execution, clock))
            if self.ended or not self.feedback.ok:
                break
            if subtask is not decision.subtasks[-1]:
                sight = self.executor.senses.look_around()
                clock.lap("observe")
        return tuple(records)

    def finish(self) -> EpisodeResult:
        """Tell the listeners how it ended."""
        how: Literal["ended", "rounds"] = "ended" if self.ended else "rounds"
        stamp = self.executor.robot.observe().stamp
        log.info("ended by %s after round %d", "the planner" if self.ended else "the last round", self.round)
        result = EpisodeResult(self.task, how, self.round, self.history, self.inventory, stamp)
        self.listener.finished(result)
        return result

    def _given(self, sight: Sight) -> PlannerInput:
        executor = self.executor
        return PlannerInput(
            task=self.task,
            round=self.round,
            views={view: frame.rgb for view, frame in sight.observation.frames.items()},
            detections=executor.locator.arranged(sight.detections),
            inventory=self.inventory,
            history=self.history,
            feedback=self.feedback,
            actions=executor.actions,
            models=executor.skills.models,
            rounds=self.rounds,
            listing=executor.locator.listing(),
            arguments=executor.skills.arguments,
            words=executor.skills.words,
            abilities=executor.skills.abilities,
            knowledge=executor.locator.knowledge(self.round),
            hand=self._hand() if self.planner.looks_at_hand else None,
        )

    def _hand(self) -> Image:
        """What the camera at the hand sees; nothing is detected in it."""
        camera = self.executor.robot.hand
        return self.executor.senses.observe((camera,)).frames[camera].rgb

    def _record(self, decision: Decision, execution: Execution, clock: _Clock) -> RoundRecord:
        stamp = self.executor.robot.observe().stamp
        record = RoundRecord(
            self.round, decision, execution, self.inventory, stamp, clock.seconds(execution.skill_seconds)
        )
        self.listener.recorded(record)
        return record


def aftermath(
    inventory: tuple[str, ...], execution: Execution, executor: Executor
) -> tuple[Execution, tuple[str, ...]]:
    """What a subtask has really done, and the inventory after it.

    The inventory is what is in the hand, in the planner's words where they mean it. A Put is told by what was put. The
    feedback says what is not as the planner would take it to be: another thing in the hand, or none.
    """
    if executor.robot.inventory_by == "hand":
        return execution, in_hand(executor)
    action = action_of(execution.subtask.action, executor.skills.table)
    gives = action.inventory == "gives" and execution.feedback.ok
    expected = update_inventory(inventory, execution, action)
    observation = executor.robot.observe()
    held = executor.locator.held(observation)
    as_expected = not gives if inventory else held is not None and _takes(held, execution, action)
    after, remark = expected, ""
    if held is None and expected and not observation.body.holding:
        after, remark = (), f"{expected[-1]} is no longer in the hand"
    elif held is not None and not as_expected:
        after = (kind_of(held),)
        remark = f"what is in the hand is the {after[-1]}"
    subtask = execution.subtask
    if inventory and gives and not executor.locator.names_held(subtask.target, inventory, observation):
        place = acted_on(subtask, action.arguments)
        execution = replace(execution, subtask=replace(subtask, target=inventory[-1], destination=place))
        remark = f"what was put is the {inventory[-1]}"
    return (_remarked(execution, remark) if remark else execution), after


def _takes(held: str, execution: Execution, action: Action) -> bool:
    """Whether by the feedback just this has been taken into an empty hand."""
    return action.inventory == "takes" and execution.feedback.ok and execution.target in ("", held)


def _remarked(execution: Execution, remark: str) -> Execution:
    """With a remark behind the sentence of its feedback. That of a success begins with None, as EMMOE has it."""
    feedback = execution.feedback
    message = feedback.message.rstrip(".")
    return replace(execution, feedback=replace(feedback, message=f"{message}, but {remark}"))


def unreadable(decision: Decision) -> Execution:
    """What becomes of an output that could not be read: F1, and nothing is done. It is no item of the history."""
    check = Check("format", ErrorCode.F1, decision.problem)
    return Execution(Subtask(""), decision.model, (check,), (), check.feedback)


def update_inventory(inventory: tuple[str, ...], execution: Execution, action: Action) -> tuple[str, ...]:
    """The inventory after a subtask by its feedback (appendix D): a pick adds, a put removes, a lost object is gone."""
    feedback = execution.feedback
    if action.inventory == "takes" and feedback.ok:
        return (*inventory, execution.subtask.target)
    if action.inventory == "gives" and (feedback.ok or feedback.code is ErrorCode.E2):
        return inventory[:-1]
    return inventory


def in_hand(executor: Executor) -> tuple[str, ...]:
    """What the locator knows to be in the hand."""
    held = executor.locator.held(executor.robot.observe())
    return () if held is None else (held.replace("_", " "),)


class _Clock:
    """Seconds of wall clock by section of one round."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._spent: dict[str, float] = {}

    def lap(self, section: str) -> None:
        now = time.perf_counter()
        self._spent[section] = self._spent.get(section, 0.0) + now - self._last
        self._last = now

    def seconds(self, skill: float = 0.0) -> dict[str, float]:
        """Sections, the total, `overhead`: what the loop itself took, `skill`: how much of it a skill thought."""
        total = time.perf_counter() - self._began
        spent = {name: round(value, 6) for name, value in self._spent.items()}
        spent = {**spent, "skill": round(skill, 6)} if skill else spent
        return {**spent, "overhead": round(total - sum(self._spent.values()), 6), "total": round(total, 6)}
