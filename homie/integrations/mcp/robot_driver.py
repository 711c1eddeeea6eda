"""What the tools of a server do with a robot, whether it stands free or plays the tasks of a suite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from homie.integrations.mcp.tools import Tool, of_actions, of_robot
from homie.integrations.results import subtask_result
from homie.kernel.errors import BadInput, Stopped
from homie.kernel.interfaces import WorldState
from homie.kernel.types import Attempt, Detection, Feedback, Image, Outcome, Subtask
from homie.runtime.open_session import Session

Result = dict[str, Any]
"""What a tool answers, JSON-ready."""


class Driver(ABC):
    """Moves a robot for the server. Its methods block; each may be called from any thread."""

    simulated: bool = True
    """Whether nothing real can be broken."""

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """What there is to call."""

    @property
    @abstractmethod
    def views(self) -> tuple[str, ...]:
        """The names of the planner's pictures."""

    @abstractmethod
    def pictures(self, views: Sequence[str]) -> Mapping[str, Image]:
        """Some of the planner's pictures by view, (H, W, 3) uint8 RGB. Raises HomieError."""

    @abstractmethod
    def scene(self) -> Result:
        """What is known of the home. Raises HomieError."""

    @abstractmethod
    def status(self) -> Result:
        """Where things stand."""

    @abstractmethod
    def act(self, subtask: Subtask, model: str) -> Result:
        """Check and carry out a subtask. Raises HomieError where the robot failed, never for the subtask."""

    @abstractmethod
    def stop(self) -> None:
        """Stop the robot; returns once it stands. Raises RobotFault."""

    @abstractmethod
    def report(self, success: bool, reason: str, answer: str) -> Result:
        """The agent says how its task has ended. Raises HomieError."""

    def counted(self, tool: str) -> None:
        """A tool is called. Raises BadInput where no more may be."""

    def lost(self, name: str) -> None:
        """The client that held the robot has gone."""
        self.stop()

    def list_tasks(self) -> Result:
        """The tasks of a suite. Raises BadInput where none is played."""
        raise BadInput("This server has no list of tasks.")

    def start_task(self, task: str) -> Result:
        """Begin a task of a suite. Raises BadInput where none is played."""
        raise BadInput("This server plays no suite: there is no task to start.")

    @abstractmethod
    def close(self) -> None:
        """Stop and release everything. Idempotent."""


class FreeDriver(Driver):
    """A robot in a scene that goes on from call to call.

    Args:
        session: Open; closed by `close`.
        task: What the agent is to do, for `status`; "" where its own user says it.
    """

    def __init__(self, session: Session, task: str = "") -> None:
        self._session, self._task = session, task
        self._last: Result = {}
        self.simulated = isinstance(session.robot, WorldState)
        default_tools = of_robot(session.robot.views)
        acts = of_actions(session.actions, session.action_table, session.models, [tool.name for tool in default_tools])
        self._tools = (*default_tools, *acts)

    def tools(self) -> Sequence[Tool]:
        return self._tools

    @property
    def views(self) -> tuple[str, ...]:
        return self._session.robot.views

    def pictures(self, views: Sequence[str]) -> Mapping[str, Image]:
        return {name: frame.rgb for name, frame in self._session.observe(*views).frames.items()}

    def scene(self) -> Result:
        detections = self._session.detections()
        return {"in_sight": in_sight(detections), "in_hand": list(self._session.inventory)}

    def status(self) -> Result:
        status: Result = {"task": self._task, "in_hand": list(self._session.inventory), "last": self._last}
        return {**status, "subtasks": len(self._session.history)}

    def act(self, subtask: Subtask, model: str) -> Result:
        try:
            execution = self._session.call(subtask.action, subtask.target, subtask.destination, model=model)
        except Stopped as error:
            return {"ok": False, "code": "stopped", "message": str(error), "subtask": str(subtask), "attempts": 0}
        self._last = result_of(execution.feedback, subtask, execution.attempts)
        return {**self._last, "in_hand": list(self._session.inventory)}

    def stop(self) -> None:
        self._session.stop()

    def report(self, success: bool, reason: str, answer: str) -> Result:
        self._last = {"reported": "success" if success else "failure", "reason": reason, "answer": answer}
        return {"over": True, **self._last}

    def close(self) -> None:
        self._session.close()


def result_of(feedback: Feedback, subtask: Subtask, attempts: Sequence[Attempt] = ()) -> Result:
    """What became of a subtask: the code of the feedback, and its sentence where it failed."""
    stopped = [str(attempt.reason) for attempt in attempts if attempt.outcome is Outcome.STOPPED]
    message = {} if feedback.ok or not stopped else {"message": " ".join(stopped)}
    return {
        **subtask_result(feedback, subtask),
        **message,
        "attempts": len(attempts),
        "robot_seconds": round(float(np.sum([attempt.robot_seconds for attempt in attempts])), 2),
    }


def in_sight(detections: Sequence[Detection]) -> list[Result]:
    """What is in sight: each name with the views that show it and the states that they show."""
    seen: dict[str, Result] = {}
    for detection in detections:
        if detection.part and not detection.is_room:
            continue
        item = seen.setdefault(detection.called, {"name": detection.called, "views": [], "room": detection.is_room})
        if detection.view not in item["views"]:
            item["views"].append(detection.view)
        if detection.states:
            item["states"] = sorted({*item.get("states", ()), *detection.states})
    return list(seen.values())
