"""The current state of a guard and its severity."""

from __future__ import annotations

from dataclasses import dataclass

from ros_bridge.profiles.diagnostics import ERROR, OK, WARN


@dataclass(frozen=True, slots=True)
class GuardState:
    """The current state of a guard. Texts that do not apply are "".

    Attributes:
        armed: Whether anything may move.
        approval: `none`, or `subtask`: a person must approve each subtask.
        moving: Whether anything is commanded to move.
        stopping: Why a stop is in progress.
        emergency: Why the emergency stop is active.
        question: The subtask that waits for approval.
        unmeasured: Which part of the robot is not measured.
        refused: Why the last refused command was refused.
    """

    armed: bool
    approval: str
    moving: bool
    stopping: str
    emergency: str
    question: str
    unmeasured: str
    refused: str


def diagnose(state: GuardState, dry_run: bool) -> tuple[int, str]:
    """Return the diagnostic level and message of a state."""
    if state.emergency:
        return ERROR, f"Emergency stop ({state.emergency})"
    if state.unmeasured:
        return ERROR, f"The robot cannot be watched: {state.unmeasured}"
    if state.stopping:
        return WARN, f"The robot is being stopped ({state.stopping})"
    if dry_run:
        return WARN, "Dry run: nothing is sent"
    if not state.armed:
        return WARN, "Not armed: nothing moves"
    if state.question:
        return WARN, f"A person is asked: {state.question}"
    return OK, "The robot moves" if state.moving else "Armed"
