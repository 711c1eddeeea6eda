"""Actions of ROS 2, implemented once for every transport: an action is three services and two topics.

A goal is sent, accepted or rejected, and finally has a result; until then there is feedback, and it can be cancelled.
"""

from __future__ import annotations

import enum
import logging
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from homie.kernel.errors import InfrastructureError
from ros_bridge.transport.interface import LATCHED, Message, Node
from ros_bridge.transport.stamps import now, seconds, stamp

log = logging.getLogger("homie.ros_bridge")

CANCEL = "action_msgs/srv/CancelGoal"
STATUS = "action_msgs/msg/GoalStatusArray"
ID_BYTES = 16
ALL_GOALS = bytes(ID_BYTES)
"""Goal id that, with the time 0, cancels every goal of the server."""
MOST_GOALS = 16
"""Most goals at once: a server rejects further ones."""
KEPT = 64
"""Ended goals whose results are kept."""


class Status(enum.IntEnum):
    """The state of a goal, as `action_msgs/msg/GoalStatus` numbers it."""

    UNKNOWN = 0
    ACCEPTED = 1
    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


class CancelCode(enum.IntEnum):
    """Response of a server to a cancel request, as `action_msgs/srv/CancelGoal` numbers it."""

    NONE = 0
    REJECTED = 1
    UNKNOWN_GOAL = 2
    TERMINATED = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a goal ended. A goal that was not accepted has the status UNKNOWN and no result."""

    status: Status
    result: Message | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SentGoal:
    """A sent goal. The futures fail with InfrastructureError if the server disappears."""

    id: bytes
    accepted: Future[bool] = field(default_factory=Future)
    outcome: Future[Outcome] = field(default_factory=Future)


class ActionClient:
    """Sends goals to one action server.

    ```python
    arm = ActionClient(node, "control_msgs/action/FollowJointTrajectory", "/arm_controller/follow_joint_trajectory")
    goal = arm.send({"trajectory": {"joint_names": names, "points": points}})
    if goal.outcome.result(timeout=10).status is not Status.SUCCEEDED: ...
    ```
    """

    def __init__(self, node: Node, kind: str, name: str) -> None:
        self._node = node
        self._kind = kind
        self._feedback: dict[bytes, Callable[[Message], None]] = {}
        base = f"{name}/_action"
        self._send = node.client(f"{kind}_SendGoal", f"{base}/send_goal")
        self._get = node.client(f"{kind}_GetResult", f"{base}/get_result")
        self._cancel = node.client(CANCEL, f"{base}/cancel_goal")
        self._subscription = node.subscription(f"{kind}_FeedbackMessage", f"{base}/feedback", self._on_feedback)

    def ready(self) -> bool:
        """Return whether a server is available."""
        return self._send.ready() and self._get.ready() and self._cancel.ready()

    def send(self, goal: Message, feedback: Callable[[Message], None] | None = None) -> SentGoal:
        """Send a goal, a message of the kind `..._Goal` or a mapping of its fields.

        Args:
            goal: The goal.
            feedback: Called in the thread of the node with every `..._Feedback` of the goal.

        Raises:
            BadInput: The goal does not fit its type.
        """
        sent = SentGoal(uuid.uuid4().bytes)
        if feedback is not None:
            self._feedback[sent.id] = feedback
            sent.outcome.add_done_callback(lambda _: self._feedback.pop(sent.id, None))
        request = self._node.message(f"{self._kind}_SendGoal_Request", goal_id={"uuid": sent.id}, goal=goal)
        self._send.call(request).add_done_callback(lambda answer: self._on_answer(sent, answer))
        return sent

    def cancel(self, goal: SentGoal) -> Future[CancelCode]:
        """Request the cancellation of a goal; its outcome says whether it succeeded."""
        return self._ask_to_cancel(goal.id)

    def cancel_all(self) -> Future[CancelCode]:
        """Request the cancellation of every goal of the server, also of those of other clients."""
        return self._ask_to_cancel(ALL_GOALS)

    def close(self) -> None:
        """Stop sending goals."""
        for part in (self._send, self._get, self._cancel, self._subscription):
            part.close()

    def _ask_to_cancel(self, goal_id: bytes) -> Future[CancelCode]:
        code: Future[CancelCode] = Future()
        request = self._node.message(f"{CANCEL}_Request", goal_info={"goal_id": {"uuid": goal_id}})
        answer = self._cancel.call(request)
        answer.add_done_callback(
            lambda response: _forward_result(response, code, lambda message: CancelCode(message.return_code))
        )
        return code

    def _on_answer(self, sent: SentGoal, answer: Future[Message]) -> None:
        _forward_result(answer, sent.accepted, lambda message: bool(message.accepted))
        if answer.cancelled() or answer.exception() is not None:
            _forward_result(answer, sent.outcome, Outcome)
        elif not answer.result().accepted:
            sent.outcome.set_result(Outcome(Status.UNKNOWN))
        else:
            request = self._node.message(f"{self._kind}_GetResult_Request", goal_id={"uuid": sent.id})
            self._get.call(request).add_done_callback(
                lambda response: _forward_result(response, sent.outcome, _outcome)
            )

    def _on_feedback(self, message: Message) -> None:
        listener = self._feedback.get(bytes(message.goal_id.uuid))
        if listener is not None:
            listener(message.feedback)


@dataclass(slots=True, eq=False)
class ServedGoal:
    """A goal on the side of its server. Its executor checks `cancelled` (an event) and may publish feedback.

    Attributes:
        began: Time of acceptance, as in message stamps (s).
        accepted: The same on a monotonic clock.
    """

    id: bytes
    message: Message
    server: ActionServer
    began: float = field(default_factory=now)
    accepted: float = field(default_factory=time.monotonic)
    status: Status = Status.ACCEPTED
    cancelled: threading.Event = field(default_factory=threading.Event)
    result: Future[Message] = field(default_factory=Future)

    def feedback(self, message: Message) -> None:
        """Publish feedback: a message of the kind `..._Feedback` or a mapping of its fields."""
        self.server.send_feedback(self.id, message)


class ActionServer:
    """Executes goals, each in its own thread.

    Args:
        node: The node that offers it.
        kind: Type of the action.
        name: Its name.
        execute: Executes a goal. Returns an Outcome with the result as a message or as a mapping of its fields. A goal
            whose execution raises an exception is aborted.
        accept: Whether to accept a goal; by default every one.
    """

    def __init__(
        self,
        node: Node,
        kind: str,
        name: str,
        execute: Callable[[ServedGoal], Outcome],
        accept: Callable[[Message], bool] = lambda goal: True,
    ) -> None:
        self._node = node
        self._kind = kind
        self._execute = execute
        self._accept = accept
        self._lock = threading.Lock()
        self._goals: dict[bytes, ServedGoal] = {}
        base = f"{name}/_action"
        self._feedback = node.publisher(f"{kind}_FeedbackMessage", f"{base}/feedback")
        self._status = node.publisher(STATUS, f"{base}/status", LATCHED)
        self._services = [
            node.service(f"{kind}_SendGoal", f"{base}/send_goal", self._on_goal),
            node.service(f"{kind}_GetResult", f"{base}/get_result", self._on_result),
            node.service(CANCEL, f"{base}/cancel_goal", self._on_cancel),
        ]

    def send_feedback(self, goal_id: bytes, feedback: Message) -> None:
        """Publish feedback of a goal."""
        kind = f"{self._kind}_FeedbackMessage"
        self._feedback.publish(self._node.message(kind, goal_id={"uuid": goal_id}, feedback=feedback))

    def close(self) -> None:
        """Accept no more goals, and cancel those that run."""
        for service in self._services:
            service.close()
        for goal in self._running():
            goal.cancelled.set()
        self._feedback.close()
        self._status.close()

    def _on_goal(self, request: Message) -> Message:
        goal = ServedGoal(bytes(request.goal_id.uuid), request.goal, self)
        with self._lock:
            running_count = goal.id not in self._goals and sum(
                not other.result.done() for other in self._goals.values()
            )
        accepted = running_count is not False and running_count < MOST_GOALS and self._accept(goal.message)
        if accepted:
            with self._lock:
                self._goals[goal.id] = goal
                self._forget()
            threading.Thread(target=self._run, args=(goal,), name=f"goal of {self._kind}", daemon=True).start()
        kind = f"{self._kind}_SendGoal_Response"
        return self._node.message(kind, accepted=accepted, stamp=stamp(goal.began))

    def _run(self, goal: ServedGoal) -> None:
        goal.status = Status.EXECUTING
        self._publish_status()
        try:
            outcome = self._execute(goal)
        except Exception:
            log.exception("A goal of %s failed", self._kind)
            outcome = Outcome(Status.ABORTED)
        goal.status = outcome.status
        result = self._node.message(
            f"{self._kind}_GetResult_Response", status=int(outcome.status), result=outcome.result or {}
        )
        try:
            self._publish_status()
        except InfrastructureError as error:  # closed while it ran
            log.info("The end of a goal of %s is not published: %s", self._kind, error)
        goal.result.set_result(result)

    def _on_result(self, request: Message) -> Future[Message]:
        with self._lock:
            goal = self._goals.get(bytes(request.goal_id.uuid))
        if goal is not None:
            return goal.result
        unknown: Future[Message] = Future()
        unknown.set_result(self._node.message(f"{self._kind}_GetResult_Response", status=int(Status.UNKNOWN)))
        return unknown

    def _on_cancel(self, request: Message) -> Message:
        goal_id, latest = bytes(request.goal_info.goal_id.uuid), seconds(request.goal_info.stamp)
        running = self._running()
        everything = goal_id == ALL_GOALS and latest == 0
        chosen = [goal for goal in running if everything or goal.id == goal_id or goal.began <= latest]
        for goal in chosen:
            goal.status = Status.CANCELING
            goal.cancelled.set()
        code = CancelCode.NONE
        if not chosen and goal_id != ALL_GOALS:
            code = CancelCode.TERMINATED if goal_id in self._goals else CancelCode.UNKNOWN_GOAL
        infos = [_info(goal) for goal in chosen]
        return self._node.message(f"{CANCEL}_Response", return_code=int(code), goals_canceling=infos)

    def _running(self) -> list[ServedGoal]:
        with self._lock:
            return [goal for goal in self._goals.values() if not goal.result.done()]

    def _forget(self) -> None:
        ended_ids = [goal.id for goal in self._goals.values() if goal.result.done()]
        for goal_id in ended_ids[:-KEPT]:
            del self._goals[goal_id]

    def _publish_status(self) -> None:
        with self._lock:
            goals = list(self._goals.values())
        entries = [{"goal_info": _info(goal), "status": int(goal.status)} for goal in goals]
        self._status.publish(self._node.message(STATUS, status_list=entries))


def _info(goal: ServedGoal) -> dict[str, Any]:
    """Return the fields of `action_msgs/msg/GoalInfo`."""
    return {"goal_id": {"uuid": goal.id}, "stamp": stamp(goal.began)}


def _outcome(message: Message) -> Outcome:
    return Outcome(Status(message.status), message.result)


def _forward_result(source: Future[Message], target: Future[Any], converted: Callable[[Message], Any]) -> None:
    """Settle a future with the result or the exception of another one."""
    if not target.set_running_or_notify_cancel():
        return
    try:
        target.set_result(converted(source.result()))
    except Exception as error:  # whatever ended the call ends this, too
        target.set_exception(error)
