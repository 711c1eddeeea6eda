"""Orders as text: the lines of `homie teleop`, and the command field of the studio.

pick apple                      a subtask, as for the planner `human`; text after # is the reason
begin put the apple in the bowl         an episode, recorded if there is a folder; `begin ... with chat:MODEL`
end success | end failure | end | discard | again
forward 1 | back | left | right | hand up | ...         manual motion, for seconds of robot time
open hand | close hand
take | give | stop | note TEXT | why ROUND TEXT | mark success | quit
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from homie.data.recording import notes
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.studio.orders import Begin, Do, Finish, Give, Move, Order, Quit, Say, Take
from homie.studio.teleop_commands import Stick

MOTIONS: Mapping[str, tuple[Stick, float]] = {
    "forward": (Stick(drive=0.5), 1.0),
    "back": (Stick(drive=-0.5), 1.0),
    "left": (Stick(turn=0.5), 0.5),
    "right": (Stick(turn=-0.5), 0.5),
    "hand forward": (Stick(reach=(1.0, 0.0, 0.0)), 0.5),
    "hand back": (Stick(reach=(-1.0, 0.0, 0.0)), 0.5),
    "hand left": (Stick(reach=(0.0, 1.0, 0.0)), 0.5),
    "hand right": (Stick(reach=(0.0, -1.0, 0.0)), 0.5),
    "hand up": (Stick(reach=(0.0, 0.0, 1.0)), 0.5),
    "hand down": (Stick(reach=(0.0, 0.0, -1.0)), 0.5),
    "wrist left": (Stick(wrist=1.0), 0.5),
    "wrist right": (Stick(wrist=-1.0), 0.5),
    "open hand": (Stick(grip=1.0), 1.0),
    "close hand": (Stick(grip=-1.0), 1.0),
}
"""Stick deflections of each motion, and the default duration in seconds of robot time."""
STOP = "stop"
"""The only line that is not an order."""
_URGENT = (STOP, "take", "end", "discard", "again", "quit")
_MOTION = re.compile(rf"({'|'.join(MOTIONS)})(?: (\d+(?:\.\d+)?))?(?: ?s)?")
_BEGIN = re.compile(r"begin (?P<task>.+?)(?: with (?P<planner>\S+))?")
_FIXED_LINES: Mapping[str, tuple[Order, ...]] = {
    "end": (Finish(),),
    "end success": (Finish("success"),),
    "end failure": (Finish("failure"),),
    "discard": (Finish(discard=True),),
    "take": (Take(),),
    "give": (Give(),),
    "quit": (Quit(),),
}
_FIRST_WORDS = (*_FIXED_LINES, *MOTIONS, STOP, "again", "begin", "note", "mark", "why", "look")
"""First words of lines that are not subtasks."""


def read_line(line: str, actions: Sequence[str], task: str, *, record: bool) -> tuple[Order, ...]:
    """Parse a typed line into orders.

    Args:
        line: With or without the colon that begins a line at the keyboard. `stop` gives no order: the caller has
            called `Desk.stop` already.
        actions: Those of the robot.
        task: Of the current episode, "" for none.
        record: Whether episodes are recorded.

    Raises:
        BadInput: The line is not understood.
    """
    plain = _normalise(line)
    lower = plain.lower()
    if lower in _FIXED_LINES:
        return _FIXED_LINES[lower]
    if lower == STOP:
        return ()
    if lower == "again":
        if not task:
            raise BadInput("No episode goes on that could be done again: begin a task.")
        return (Finish(discard=True), Begin(task=task, record=record))
    if begin := _BEGIN.fullmatch(plain):
        return (Begin(task=begin["task"], planner=begin["planner"] or "", record=record),)
    if motion := _MOTION.fullmatch(lower):
        stick, seconds = MOTIONS[motion[1]]
        return (Move(stick, float(motion[2]) if motion[2] else seconds),)
    if note := _note(plain):
        return (Say(note),)
    text, _, reason = plain.partition("#")
    subtask = registry.load("tools", "spoken-subtask")(text.strip(), tuple(actions), _FIRST_WORDS)
    return (Do(subtask, reason.strip()),)


def urgent(line: str) -> bool:
    """Return whether a typed line must not wait for the running subtask."""
    return _normalise(line).lower().partition(" ")[0] in _URGENT


def _normalise(line: str) -> str:
    return " ".join(line.strip().removeprefix(":").split())


def _note(plain: str) -> notes.Note | None:
    """Parse a line as a note; None if it is not one. Raises BadInput for an invalid note."""
    word, _, content = plain.partition(" ")
    match word.lower():
        case "note":
            return notes.note("remark", content)
        case "mark":
            return notes.note("mark", content.lower())
        case "why":
            number, _, text = content.partition(" ")
            if not number.isdecimal() or int(number) < 1:
                raise BadInput("Say of which round: why 3 The fridge is shut.")
            return notes.note("analysis", text, round=int(number))
    return None
