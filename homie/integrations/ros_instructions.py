"""`homie serve agent`: ROS 2 programs give instructions to a planner and its robot, see `ros_bridge.instructions`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from typing import Any

from homie.integrations.results import subtask_result
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.options import MAX_TASK, OpenOptions
from homie.kernel.types import EpisodeResult
from homie.runtime.open_session import Round, Session, open_session
from homie.runtime.task_outcome import Conclusion


def serve_agent(options: OpenOptions, *, transport: str, ready: Callable[[str], None]) -> None:
    """Carry out instructions until a signal arrives; the world persists from one to the next.

    Args:
        options: Robot, planner and skills.
        transport: Transport of the instructions: `rclpy`, `dds` or `auto`.
        ready: Called with the transport when instructions can be received.

    Raises:
        BadInput, MissingPart, InfrastructureError: The server cannot start.
        InfrastructureError: The robot, its guard or a server failed during an instruction.
    """
    with closing(open_session(None, False, options.model_dump(exclude_defaults=True))) as session:

        def begin(text: str) -> Generator[Mapping[str, Any], None, Mapping[str, Any]]:
            if len(text) > MAX_TASK:
                raise BadInput(f"The instruction is too long: {len(text)} characters, at most {MAX_TASK}.")
            return _feedback(session, session.rounds(text))

        registry.load("ros", "instructions")(begin, session.stop, transport, ready)


def _feedback(
    session: Session, rounds: Generator[Round, None, EpisodeResult]
) -> Generator[Mapping[str, Any], None, Mapping[str, Any]]:
    """Yield the rounds in the form for other programs, and return the result."""
    analysis = ""
    while True:
        try:
            played = next(rounds)
        except StopIteration as ended:
            return _result(ended.value, analysis)
        analysis = played.decision.analysis
        subtasks = [
            subtask_result(execution.feedback, execution.subtask)
            for execution in played.executions
            if execution.subtask
        ]
        yield {"round": played.number, "subtasks": subtasks, "in_hand": list(session.inventory)}


def _result(result: EpisodeResult, analysis: str) -> Mapping[str, Any]:
    """Return how an episode ended; whether its goal holds is unknown here."""
    conclusion = Conclusion.of(result, None, analysis)
    return {
        "outcome": conclusion.status,
        "reason": conclusion.reason,
        "answer": result.answer,
        "planner": conclusion.planner,
        "subtasks": conclusion.subtasks,
        "rounds": result.rounds,
        "robot_seconds": round(result.robot_seconds, 2),
    }
