"""Drivers, which carry out tool calls on a robot, either free or within the tasks of a suite."""

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
"""Result of a tool, JSON-ready."""


class Driver(ABC):
    """Carries out tool calls. Methods block; each may be called from any thread."""

    simulated: bool = True
    """Whether the robot is simulated, so that nothing real can be damaged."""

    @abstractmethod
    def tools(self) -> Sequence[Tool]:
        """Return the available tools."""

    @property
    @abstractmethod
    def views(self) -> tuple[str, ...]:
        """Names of the planner's views."""

    @abstractmethod
    def pictures(self, views: Sequence[str]) -> Mapping[str, Image]:
        """Return some of the planner's pictures by view, (H, W, 3) uint8 RGB. Raises HomieError."""

    @abstractmethod
    def scene(self) -> Result:
        """Return what is known of the home. Raises HomieError."""

    @abstractmethod
    def status(self) -> Result:
        """Return the status of the task and the robot."""

    @abstractmethod
    def act(self, subtask: Subtask, model: str) -> Result:
        """Check and carry out a subtask. Raises HomieError if the robot failed, never for a failed subtask."""

    @abstractmethod
    def stop(self) -> None:
        """Stop the robot and wait until it stands still. Raises RobotFault."""

    @abstractmethod
    def report(self, success: bool, reason: str, answer: str) -> Result:
        """Record the agent's report on how its task ended. Raises HomieError."""

    def counted(self, tool: str) -> None:
        """Count a tool call. Raises BadInput if the budget is used up."""

    def lost(self, name: str) -> None:
        """Handle the loss of the client that controlled the robot."""
        self.stop()

    def list_tasks(self) -> Result:
        """Return the tasks of a suite. Raises BadInput if there is no suite."""
        raise BadInput("This server has no list of tasks.")

    def start_task(self, task: str) -> Result:
        """Begin a task of a suite. Raises BadInput if there is no suite."""
        raise BadInput("This server plays no suite: there is no task to start.")

    @abstractmethod
    def close(self) -> None:
        """Stop and release everything. Idempotent."""


class FreeDriver(Driver):
    """Driver for a robot in a scene that persists from call to call.

    Args:
        session: Open session; closed by `close`.
        task: Instruction for the agent, for `status`; "" if its own user gives it.
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
    """Return the result of a subtask: the code of the feedback, and its message if it failed."""
    stopped = [str(attempt.reason) for attempt in attempts if attempt.outcome is Outcome.STOPPED]
    message = {} if feedback.ok or not stopped else {"message": " ".join(stopped)}
    return {
        **subtask_result(feedback, subtask),
        **message,
        "attempts": len(attempts),
        "robot_seconds": round(float(np.sum([attempt.robot_seconds for attempt in attempts])), 2),
    }


def in_sight(detections: Sequence[Detection]) -> list[Result]:
    """Return the visible objects: each name with the views and the states in which it is seen."""
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
