"""Tasks of a suite for an agent: with the rules, budget and run folder of `homie bench`, and without revealing whether
the goal was reached before the end of the bench."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from homie.bench.episode import Episode
from homie.bench.play.one_by_one import OpenBench
from homie.bench.play.runner import episode_options
from homie.integrations.mcp.handover import TIME_UP, EpisodeDriver, Halt, Handover, describe_result, report_decision
from homie.integrations.mcp.robot_driver import Result
from homie.integrations.mcp.tools import of_actions, of_robot, of_suite
from homie.kernel.errors import BadInput, HomieError, Interrupted, LimitReached, PlannerError
from homie.kernel.types import END, Decision, PlannerInput, Subtask
from homie.runtime.assembly import assemble
from homie.runtime.thread_turns import STOPPED

NOT_BEGUN = "No task is under way: call start_task."
FREE_OF_CHARGE = ("status", "stop", "report", "list_tasks", "start_task")
"""Tools that are not counted in the budget."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits for a task besides the rounds of its protocol; None for no limit.

    Attributes:
        calls: Number of tool calls that observe or act.
        robot_seconds: Robot time in s.
        idle_seconds: Seconds without a call after which the agent counts as gone.
    """

    calls: int | None = None
    robot_seconds: float | None = None
    idle_seconds: float = 600.0


@dataclass
class _Playing:
    """The current episode."""

    episode: Episode
    handover: Handover
    halt: Halt
    thread: threading.Thread
    calls: int = 0
    last: Result = field(default_factory=dict)
    over: Result | None = None
    error: str = ""


class SuiteDriver(EpisodeDriver):
    """Plays a suite, one episode after the other.

    Args:
        bench: Open bench, with a planner that stands for the agent; closed by `close`.
        budget: Limits for each task.
        about: Description of the agent, for the run folder.
    """

    def __init__(self, bench: OpenBench, budget: Budget, about: Mapping[str, object] | None = None) -> None:
        """Raises BadInput, MissingPart."""
        super().__init__()
        self.bench = bench
        self._budget, self._about = budget, dict(about or {})
        self._playing: _Playing | None = None
        self._call_lock = threading.RLock()
        self._closed = False
        with assemble(episode_options(bench.options, bench.suite, bench.episodes[0])) as parts:
            self._views = parts.robot.views
            default_tools = [*of_robot(self._views), *of_suite()]
            skills, actions = parts.executor.skills, parts.executor.actions
            acts = of_actions(actions, skills.table, skills.models, [tool.name for tool in default_tools])
        self._tools = (*default_tools, *acts)

    def counted(self, tool: str) -> None:
        current = self._playing
        if current is None or current.over is not None or tool in FREE_OF_CHARGE:
            return
        current.calls += 1
        if self._budget.calls is not None and current.calls > self._budget.calls:
            used_up = f"The {self._budget.calls} calls of this task are used up"
            self._abort_episode(LimitReached(f"{used_up}.", "calls"))
            raise BadInput(f"{used_up}: it has ended. Call start_task.")

    def status(self) -> Result:
        current = self._playing
        remaining = len(self.bench.unfinished())
        if current is None:
            return {"task": "", "message": NOT_BEGUN, "tasks_left": remaining}
        status: Result = {
            "task": current.episode.task.text,
            "id": current.episode.task.id,
            "last": current.last,
            "calls": current.calls,
            "robot_seconds": round(current.halt.robot_seconds, 2),
            "budget": {"calls": self._budget.calls, "robot_seconds": self._budget.robot_seconds},
            "tasks_left": remaining,
        }
        return {**status, **(current.over or {})}

    # ------------------------------------------------------------ doing

    def list_tasks(self) -> Result:
        remaining = {(episode.task.id, episode.trial) for episode in self.bench.unfinished()}
        return {
            "suite": self.bench.suite.name,
            "tasks": [
                {
                    "task": episode.task.id,
                    "trial": episode.trial,
                    "text": episode.task.text,
                    "left": (episode.task.id, episode.trial) in remaining,
                }
                for episode in self.bench.episodes
            ],
        }

    def start_task(self, task: str) -> Result:
        with self._call_lock:
            if self._playing is not None and self._playing.over is None:
                text = self._playing.episode.task.text
                raise BadInput(f"A task is under way ({text}): end it with report first.")
            episode = self._next(task)
            self._begin(episode)
            question = self._next_question()
            if question is None:
                raise BadInput(f"The task '{episode.task.id}' could not begin: {self._reason()}")
            rounds = {"rounds": question.rounds, "ends_by_report": not question.choices or END in question.ends}
            return {"task": episode.task.text, "id": episode.task.id, "trial": episode.trial, **rounds}

    def act(self, subtask: Subtask, model: str) -> Result:
        with self._call_lock:
            current = self._current()
            self._question()
            current.halt.clear()
            question = current.handover.answer(Decision((subtask,), model=model))
            if question is None:
                return self._end_result(subtask)
            current.last = describe_result(question, subtask)
            if current.halt.asked and not current.last.get("ok", True):
                current.last["message"] = STOPPED
            if current.halt.up:
                self._abort_episode(LimitReached(TIME_UP, "robot_seconds"))
                return {**current.last, **self._end_result(subtask), "message": TIME_UP}
            return current.last

    def stop(self) -> None:
        current = self._playing
        if current is not None and current.over is None:
            current.halt.ask()
            current.handover.question()  # the subtask has ended when the planner is queried again

    def report(self, success: bool, reason: str, answer: str) -> Result:
        with self._call_lock:
            planner_input = self._question()
            decision = report_decision(planner_input, success, reason, answer)
            playing = self._current()
            playing.handover.answer(decision)
            return self._end_result(decision.subtasks[0])

    def lost(self, name: str) -> None:
        self.stop()
        self._abort_episode(PlannerError(f"The agent '{name}' has gone in the middle of the task."))

    def close(self) -> None:
        self._closed = True
        self.stop()
        self._abort_episode(Interrupted("The server was stopped; the episode is played again by the same command."))
        self.bench.close()

    # ------------------------------------------------------------ the episode

    def _next(self, task: str) -> Episode:
        remaining = self.bench.unfinished()
        chosen = [episode for episode in remaining if task in ("", episode.task.id)]
        if chosen:
            return chosen[0]
        if not remaining:
            raise BadInput("Every task of the suite is done: there is nothing left to start.")
        if task in {episode.task.id for episode in self.bench.episodes}:
            raise BadInput(
                f"The task '{task}' is done: {len(remaining)} others are left, such as {remaining[0].task.id}."
            )
        raise BadInput(f"The suite has no task '{task}': ask list_tasks. The next one left is {remaining[0].task.id}.")

    def _begin(self, episode: Episode) -> None:
        if self._closed:
            raise BadInput("The server is being stopped.")
        handover = Handover(self._budget.idle_seconds, self._about)
        halt = Halt(self._budget.robot_seconds)

        def play() -> None:
            try:
                self.bench.play(episode.task.id, handover, trial=episode.trial, required=[halt])
            except HomieError as error:
                current.error = str(error)
            finally:
                handover.finish()

        current = _Playing(episode, handover, halt, threading.Thread(target=play, name=f"homie-{episode.name}"))
        self._playing = current
        current.thread.start()

    def _next_question(self) -> PlannerInput | None:
        """Return the current planner input; None, after recording the end, once the episode is over."""
        current = self._current()
        question = current.handover.question()
        if question is None:
            current.thread.join()
            ending = current.episode.ending
            ended_by = ending.ended_by if ending is not None else "infrastructure"
            current.over = {"over": True, "ended_by": ended_by, "tasks_left": len(self.bench.unfinished())}
        return question

    def _question(self) -> PlannerInput:
        question = self._next_question()
        if question is None:
            raise BadInput(f"This task has ended ({self._reason()}): call start_task for the next.")
        return question

    def _current(self) -> _Playing:
        if self._playing is None:
            raise BadInput(NOT_BEGUN)
        return self._playing

    def _reason(self) -> str:
        current = self._current()
        ending = current.episode.ending
        return current.error or (ending.cause or ending.ended_by if ending is not None else "it was stopped")

    def _end_result(self, subtask: Subtask) -> Result:
        """Return the result at the end of the episode: how it ended, but not whether the goal was reached."""
        self._next_question()
        current = self._current()
        return {"subtask": str(subtask), **(current.over or {"over": False})}

    def _abort_episode(self, error: HomieError) -> None:
        current = self._playing
        if current is None or current.over is not None:
            return
        current.handover.fail(error)
        current.thread.join()
        self._next_question()
