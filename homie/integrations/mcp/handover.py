"""Planner whose decisions come from another thread: the connection between an episode and the tools of a server.

episode (its own thread) --decide(PlannerInput)--> Handover --PlannerInput--> tools
                         <--------- Decision -----          <--- Decision ---
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from homie.integrations.mcp.robot_driver import Driver, Result, in_sight, result_of
from homie.integrations.mcp.tools import Tool
from homie.kernel.errors import HomieError, PlannerError, Stopped
from homie.kernel.interfaces import EpisodeListener, Planner
from homie.kernel.knowledge import RememberedThing
from homie.kernel.types import (
    END,
    END_FAILURE,
    END_SUCCESS,
    Decision,
    Event,
    Image,
    PeriodPassed,
    PlannerInput,
    Subtask,
)
from homie.runtime.thread_turns import STOPPED

TIME_UP = "The robot's time for this task is up."


class Handover(Planner):
    """Planner that waits until another thread decides.

    Args:
        patience: Seconds to wait for a decision, None for no limit.
        about: Description of the deciding agent, for the run folder.
    """

    name = "mcp"

    def __init__(self, patience: float | None, about: Mapping[str, object]) -> None:
        self._patience, self._about = patience, about
        self._changed = threading.Condition()
        self._request: PlannerInput | None = None
        self._decision: Decision | None = None
        self._error: HomieError | None = None
        self._over = False

    def reset(self, task: str, *, seed: int) -> None:
        """Do nothing: there is no state."""

    def decide(self, planner_input: PlannerInput) -> Decision:
        """Return the next decision of the other thread. Raises PlannerError if none comes."""
        with self._changed:
            self._request, self._decision = planner_input, None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._decision or self._error, self._patience)
            self._request, decision, error = None, self._decision, self._error
        if error is not None:
            raise error
        if decision is None:
            raise PlannerError(f"The agent asked for nothing for {self._patience:g} s.")
        return decision

    def describe(self) -> Mapping[str, object]:
        return self._about

    def question(self) -> PlannerInput | None:
        """Wait for the next input of the planner and return it; None once the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._request or self._over)
            return self._request

    def answer(self, decision: Decision) -> PlannerInput | None:
        """Decide, and wait for the next input; None once the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._request or self._over)
            if self._request is None:
                return None
            self._decision, self._request = decision, None
            self._changed.notify_all()
        return self.question()

    def hand_over(self, decision: Decision) -> None:
        """Decide without waiting: there will be no other input."""
        with self._changed:
            self._decision, self._request = decision, None
            self._changed.notify_all()

    def fail(self, error: HomieError) -> None:
        """End the episode with an error instead of a decision."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def finish(self) -> None:
        """Mark the episode as over and release all waiting threads."""
        with self._changed:
            self._over = True
            self._changed.notify_all()


class EpisodeDriver(Driver):
    """Driver whose pictures and scene are those of the planner input in the current episode."""

    def __init__(self) -> None:
        self._tools: Sequence[Tool] = ()
        self._views: tuple[str, ...] = ()

    def tools(self) -> Sequence[Tool]:
        return self._tools

    @property
    def views(self) -> tuple[str, ...]:
        return self._views

    def pictures(self, views: Sequence[str]) -> Mapping[str, Image]:
        seen = self._question().views
        return {view: seen[view] for view in views}

    def scene(self) -> Result:
        return describe_input(self._question())

    @abstractmethod
    def _question(self) -> PlannerInput:
        """Return the current planner input. Raises BadInput if no task is in progress."""


def describe_input(planner_input: PlannerInput) -> Result:
    """Return what a planner input says of the home, JSON-ready."""
    known = planner_input.knowledge
    scene: Result = {
        "in_sight": in_sight(planner_input.detections),
        "in_hand": list(planner_input.inventory),
        "room": known.room,
        "rooms": list(known.rooms),
        "seen_before": [_place_text(item) for item in known.remembered],
        "doorways": [doorway.name for doorway in known.doorways],
    }
    if known.taken:
        scene["before_taken"] = [_place_text(item) for item in known.taken]
    if planner_input.listing:
        scene["listing"] = list(planner_input.listing)
    if planner_input.choices:
        scene["possible"] = [str(choice.subtask) for choice in planner_input.choices]
    return scene


def _place_text(item: RememberedThing) -> str:
    return f"{item.name} {item.whereabouts}".rstrip()


def describe_result(planner_input: PlannerInput, subtask: Subtask) -> Result:
    """Return the result of the last subtask as shown to a planner."""
    result = {"subtask": str(subtask)} if planner_input.feedback is None else result_of(planner_input.feedback, subtask)
    return {
        **result,
        "in_hand": list(planner_input.inventory),
        "rounds_left": planner_input.rounds - planner_input.round + 1,
        "over": False,
    }


def report_decision(planner_input: PlannerInput, success: bool, reason: str, answer: str) -> Decision:
    """Return the decision that ends an episode with a report."""
    report = END_SUCCESS if success else END_FAILURE
    subtask = report if END_SUCCESS in planner_input.ends else END
    return Decision((subtask,), reason, report="success" if success else "failure", answer=answer)


class Halt(EpisodeListener):
    """Ends the current subtask when another thread requests it, or when the robot's time is up.

    Args:
        seconds: Robot time for the whole episode, None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self._limit = seconds
        self._request = threading.Event()
        self.began: float | None = None
        self.robot_seconds = 0.0

    @property
    def up(self) -> bool:
        """Whether the robot's time is up."""
        return self._limit is not None and self.robot_seconds >= self._limit

    @property
    def asked(self) -> bool:
        """Whether the current subtask was requested to end early."""
        return self._request.is_set()

    def ask(self) -> None:
        """End the current subtask. Later subtasks are not affected."""
        self._request.set()

    def clear(self) -> None:
        """Clear the request, for a new subtask."""
        self._request.clear()

    def on(self, event: Event) -> None:
        """Raises Stopped if the subtask has to end."""
        if not isinstance(event, PeriodPassed):
            return
        self.began = event.observation.stamp if self.began is None else self.began
        self.robot_seconds = event.observation.stamp - self.began
        if self._request.is_set() or self.up:
            raise Stopped(TIME_UP if self.up else STOPPED)
