"""What a guard does just now, and how serious that is."""

from __future__ import annotations

from dataclasses import dataclass

from ros_bridge.profiles.diagnostics import ERROR, OK, WARN


@dataclass(frozen=True, slots=True)
class GuardState:
    """What a guard does just now. Texts are "" where there is nothing to say.

    Attributes:
        armed: Whether anything may move at all.
        approval: `none`, or `subtask`: a person lets each subtask begin.
        moving: Whether anything is commanded to move.
        stopping: Why a stop is under way.
        emergency: Why the emergency stop is in force.
        question: The subtask that waits for a person.
        unmeasured: What of the robot is not measured.
        refused: Why the last command that was refused is.
    """

    armed: bool
    approval: str
    moving: bool
    stopping: str
    emergency: str
    question: str
    unmeasured: str
    refused: str


def judged(state: GuardState, dry_run: bool) -> tuple[int, str]:
    """The level and the sentence of a state in diagnostics."""
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
