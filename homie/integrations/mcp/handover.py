"""A planner whose decisions come from elsewhere, one by one: what is between an episode and the tools of a server.

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
from homie.kernel.knowledge import Remembered
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
    """A planner that waits until somebody in another thread decides.

    Args:
        patience: Seconds that it waits for a decision, None for as long as it takes.
        about: Who decides, for the run folder.
    """

    name = "mcp"

    def __init__(self, patience: float | None, about: Mapping[str, object]) -> None:
        self._patience, self._about = patience, about
        self._changed = threading.Condition()
        self._asked: PlannerInput | None = None
        self._decision: Decision | None = None
        self._error: HomieError | None = None
        self._over = False

    def reset(self, task: str, *, seed: int) -> None:
        """Nothing is kept from round to round."""

    def decide(self, planner_input: PlannerInput) -> Decision:
        """The decision that is handed over. Raises PlannerError if none comes."""
        with self._changed:
            self._asked, self._decision = planner_input, None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._decision or self._error, self._patience)
            self._asked, decision, error = None, self._decision, self._error
        if error is not None:
            raise error
        if decision is None:
            raise PlannerError(f"The agent asked for nothing for {self._patience:g} s.")
        return decision

    def describe(self) -> Mapping[str, object]:
        return self._about

    def question(self) -> PlannerInput | None:
        """What is to be decided now, once the robot has come to it; None once the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked or self._over)
            return self._asked

    def answer(self, decision: Decision) -> PlannerInput | None:
        """Decide, and wait for the next question; None once the episode is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._asked or self._over)
            if self._asked is None:
                return None
            self._decision, self._asked = decision, None
            self._changed.notify_all()
        return self.question()

    def hand_over(self, decision: Decision) -> None:
        """Decide, and wait for nothing: no other question will come."""
        with self._changed:
            self._decision, self._asked = decision, None
            self._changed.notify_all()

    def fail(self, error: HomieError) -> None:
        """No decision will come: the episode ends with an error."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def finish(self) -> None:
        """The episode is over: nobody waits any longer."""
        with self._changed:
            self._over = True
            self._changed.notify_all()


class AskedDriver(Driver):
    """Sees what the planner of the episode under way is asked."""

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
        return known_in(self._question())

    @abstractmethod
    def _question(self) -> PlannerInput:
        """What is to be decided now. Raises BadInput where no task is under way."""


def known_in(planner_input: PlannerInput) -> Result:
    """What a planner is shown of the home, JSON-ready."""
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


def _place_text(item: Remembered) -> str:
    return f"{item.name} {item.whereabouts}".rstrip()


def seen_in(planner_input: PlannerInput, subtask: Subtask) -> Result:
    """What a planner gets to see of its last subtask."""
    result = {"subtask": str(subtask)} if planner_input.feedback is None else result_of(planner_input.feedback, subtask)
    return {
        **result,
        "in_hand": list(planner_input.inventory),
        "rounds_left": planner_input.rounds - planner_input.round + 1,
        "over": False,
    }


def reported(planner_input: PlannerInput, success: bool, reason: str, answer: str) -> Decision:
    """The decision that ends an episode with a report."""
    report = END_SUCCESS if success else END_FAILURE
    subtask = report if END_SUCCESS in planner_input.ends else END
    return Decision((subtask,), reason, report="success" if success else "failure", answer=answer)


class Halt(EpisodeListener):
    """Ends the subtask under way when another thread asks for it, or when the robot's time is up.

    Args:
        seconds: Of the robot for the whole episode, None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self._limit = seconds
        self._asked = threading.Event()
        self.began: float | None = None
        self.robot_seconds = 0.0

    @property
    def up(self) -> bool:
        """Whether the robot's time is up."""
        return self._limit is not None and self.robot_seconds >= self._limit

    @property
    def asked(self) -> bool:
        """Whether the present subtask was to end early."""
        return self._asked.is_set()

    def ask(self) -> None:
        """End what is under way. Nothing that begins later is ended by it."""
        self._asked.set()

    def clear(self) -> None:
        """A new subtask is decided on."""
        self._asked.clear()

    def on(self, event: Event) -> None:
        """Raises Stopped."""
        if not isinstance(event, PeriodPassed):
            return
        self.began = event.observation.stamp if self.began is None else self.began
        self.robot_seconds = event.observation.stamp - self.began
        if self._asked.is_set() or self.up:
            raise Stopped(TIME_UP if self.up else STOPPED)
