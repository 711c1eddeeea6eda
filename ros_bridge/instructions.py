"""Instructions from other ROS 2 programs to an agent: `/homie/do` and `/homie/stop`.

/homie/do           (std_msgs/msg/String)       an instruction; or JSON with `instruction` and an `id` of the sender's,
                                                which may be repeated until it is heard: it is carried out once,
                                                and every repetition is answered with the last message about it
/homie/do/feedback  (std_msgs/msg/String)       JSON: when it begins, and after every round
/homie/do/result    (std_msgs/msg/String, kept) JSON: how it ended
/homie/stop         (std_msgs/msg/Bool)         true: end what is under way, and stop the robot
/homie/stop         (std_srvs/srv/Trigger)      the same; answered when the robot stands

They are topics and not an action: no package of ROS 2 has an action that takes a text, a package of Homie's own would
have to be built in the workspace of each caller, and topics pass between all middlewares, actions do not.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeAlias

from homie.kernel.errors import BadInput, HomieError, InfrastructureError, Stopped
from homie.kernel.support.documents import parse_json
from ros_bridge.process_signals import watch_signals
from ros_bridge.profiles.homie_topics import TEXT
from ros_bridge.transport.interface import LATCHED, Message, Node, Publisher, on_press
from ros_bridge.transport.opening import Transport, open_node

log = logging.getLogger("homie.ros_bridge")

DO, STOP = "/homie/do", "/homie/stop"
FEEDBACK, RESULT = f"{DO}/feedback", f"{DO}/result"
TRIGGER = "std_srvs/srv/Trigger"
REMEMBERED = 1000
"""Number of instruction ids kept, each with its last answer."""
LOOK = 0.05
"""Seconds between two checks whether serving is over."""

Fields: TypeAlias = Mapping[str, Any]
Doing: TypeAlias = Generator[Fields, None, Fields]
"""An instruction in execution: it yields feedback and returns the result."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction to an agent.

    Attributes:
        number: Index in the order of arrival, from 1.
        text: The instruction.
        id: Id chosen by the sender, "" for none.
    """

    number: int
    text: str
    id: str


class Desk:
    """Executes one instruction at a time and reports on it. Rejects those that arrive meanwhile.

    Args:
        node: The node that offers the topics.
        begin: Called with an instruction in the thread of the node: must return quickly. The generator that it returns
            is executed in its own thread. Raises BadInput for an instruction that cannot be carried out.
        stop: Stops the execution and returns when the robot stands. Raises HomieError where that is not measured.
    """

    def __init__(self, node: Node, begin: Callable[[str], Doing], stop: Callable[[], None]) -> None:
        self._node, self._begin, self._stop = node, begin, stop
        self._lock, self._speaking = threading.Lock(), threading.Lock()
        self._count = 0
        self._answers: OrderedDict[str, tuple[Publisher, Message] | None] = OrderedDict()
        """Last answers by instruction id; None before the first."""
        self._stopping: Future[Message] | None = None
        """The stop requested since the last instruction."""
        self._worker: threading.Thread | None = None
        self._busy = False
        self.failure: InfrastructureError | None = None
        """The failure of the last instruction that prevents any other."""
        self._feedback = node.publisher(TEXT, FEEDBACK)
        self._result = node.publisher(TEXT, RESULT, LATCHED)
        node.service(TRIGGER, STOP, lambda _: self._stop_aside(), self._stop_unanswered)
        on_press(node, STOP, self._stop_unanswered)
        node.subscription(TEXT, DO, self._take)

    def close(self) -> None:
        """Stop, and wait for the current execution."""
        try:
            self._stop()
        except HomieError as error:
            log.error("%s", error)
        if self._worker is not None:
            self._worker.join()

    def _take(self, message: Message) -> None:
        try:
            text, sender = _read(str(message.data))
        except BadInput as error:
            self._count += 1
            self._end(Instruction(self._count, "", ""), {"status": "rejected", "reason": str(error)})
            return
        if sender and not self._is_first_time(sender):
            return
        self._count += 1
        instruction = Instruction(self._count, text, sender)
        try:
            with self._lock:
                if self.failure is not None:
                    raise BadInput(f"The agent ends, since an instruction before has failed: {self.failure}")
                if self._busy:
                    raise BadInput("Another instruction is under way: wait for its result, or stop it.")
                execution = self._begin(text)
                self._busy, self._stopping = True, None
                self._worker = threading.Thread(target=self._carry_out, args=(instruction, execution), daemon=True)
                self._worker.start()
        except BadInput as error:
            self._end(instruction, {"status": "rejected", "reason": str(error)})

    def _is_first_time(self, sender: str) -> bool:
        """Return whether an instruction id is new. For a known id the last answer may have been lost: it is sent
        again."""
        with self._speaking:
            if sender not in self._answers:
                self._answers[sender] = None
                if len(self._answers) > REMEMBERED:
                    self._answers.popitem(last=False)
                return True
            if (answer := self._answers[sender]) is not None:
                publisher, message = answer
                publisher.publish(message)
            return False

    def _carry_out(self, instruction: Instruction, execution: Doing) -> None:
        """Carry out an instruction in its own thread, and report its result in every case."""
        log.info("Instruction %d: %s", instruction.number, instruction.text)
        self._say(self._feedback, instruction, {"round": 0, "subtasks": []})
        try:
            while True:
                self._say(self._feedback, instruction, next(execution))
        except StopIteration as ended:
            result = {"status": "finished", **ended.value}
        except Stopped as error:
            result = {"status": "stopped", "reason": str(error)}
        except InfrastructureError as error:
            self.failure, result = error, {"status": "failed", "reason": str(error)}
        except HomieError as error:
            result = {"status": "failed", "reason": str(error)}
        except Exception as error:
            log.exception("Instruction %d failed", instruction.number)
            self.failure = InfrastructureError(f"An instruction failed unexpectedly: {type(error).__name__}: {error}")
            result = {"status": "failed", "reason": str(self.failure)}
        # Whoever has the result may send the next instruction at once.
        with self._lock:
            self._busy = False
            self._end(instruction, result)

    def _end(self, instruction: Instruction, result: Fields) -> None:
        log.info("Instruction %d: %s %s", instruction.number, result["status"], result.get("reason", ""))
        self._say(self._result, instruction, result)

    def _say(self, publisher: Publisher, instruction: Instruction, fields: Fields) -> None:
        entries = {"number": instruction.number, "id": instruction.id, "instruction": instruction.text}
        message = self._node.message(TEXT, data=json.dumps({**entries, **fields}))
        with self._speaking:
            if instruction.id in self._answers:
                self._answers[instruction.id] = publisher, message
            publisher.publish(message)

    def _stop_unanswered(self) -> None:
        """Stop on a message of the topic, or on a call over a middleware that cannot answer it."""
        self._stop_aside()

    def _stop_aside(self) -> Future[Message]:
        """Stop in a separate thread, since the node's must not wait; return the future response. A stop button repeats
        its message many times a second: one stop is enough until an instruction arrives."""
        with self._lock:
            if self._stopping is not None and not self._stopping.done():
                return self._stopping
            answer: Future[Message] = Future()
            self._stopping = answer

        def stop() -> None:
            try:
                self._stop()
                response = {"success": True, "message": "The robot stands."}
            except HomieError as error:
                log.error("%s", error)
                response = {"success": False, "message": str(error)}
            answer.set_result(self._node.message(f"{TRIGGER}_Response", **response))

        threading.Thread(target=stop, name="stop", daemon=True).start()
        return answer


def serve_instructions(
    begin: Callable[[str], Doing], stop: Callable[[], None], transport: Transport, ready: Callable[[str], None]
) -> None:
    """Let ROS 2 programs instruct an agent until SIGINT or SIGTERM.

    Args:
        begin, stop: See `Desk`.
        transport: `rclpy`, `dds` or `auto`.
        ready: Called with the transport when instructions are accepted.

    Raises:
        MissingPart, BadInput, InfrastructureError: The network cannot be joined.
        InfrastructureError: The robot, its guard or a server failed during an instruction.
    """
    with open_node("/homie_agent", transport) as node, watch_signals() as is_ended:
        desk = Desk(node, begin, stop)
        try:
            ready(node.transport)
            stopped = threading.Event()
            while not is_ended() and desk.failure is None:
                stopped.wait(LOOK)
        finally:
            desk.close()
    if desk.failure is not None:
        raise desk.failure


def _read(text: str) -> tuple[str, str]:
    """Parse a message into the instruction and its sender's id. Raises BadInput."""
    if not text.lstrip().startswith("{"):
        return text.strip(), ""
    try:
        entries = parse_json(text)
    except ValueError as error:
        raise BadInput(f"This is neither an instruction nor JSON: {error}.") from error
    if not isinstance(entries, dict) or not isinstance(entries.get("instruction"), str):
        raise BadInput('The JSON of an instruction is as {"instruction": "put the apple in the bowl", "id": "7"}.')
    return entries["instruction"].strip(), str(entries.get("id", ""))
