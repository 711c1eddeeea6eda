"""`homie teleop`: a person drives a robot from a terminal, also over ssh. Needs only standard input.

On a terminal single keys move the robot and `:` begins a typed order; from a pipe every line is an order.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from homie.data.recording.notes import is_discarded, mark_of, read_notes
from homie.data.recording.takes import repair_takes
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.support.text import format_count, printable
from homie.kernel.types import Event, PlannerAsked, in_sight
from homie.runtime.assembly import choose
from homie.studio.operation import Operation
from homie.studio.options import TeleopOptions
from homie.studio.orders import Desk, Quit, TypedLine
from homie.studio.teleop_commands import RELEASED, Stick
from homie.studio.typed_orders import urgent

KEYS: Mapping[str, Stick] = {
    "w": Stick(drive=0.5),
    "s": Stick(drive=-0.5),
    "a": Stick(turn=0.5),
    "d": Stick(turn=-0.5),
    "W": Stick(drive=1.0),
    "i": Stick(reach=(1.0, 0.0, 0.0)),
    "k": Stick(reach=(-1.0, 0.0, 0.0)),
    "j": Stick(reach=(0.0, 1.0, 0.0)),
    "l": Stick(reach=(0.0, -1.0, 0.0)),
    "u": Stick(reach=(0.0, 0.0, 1.0)),
    "m": Stick(reach=(0.0, 0.0, -1.0)),
    "y": Stick(wrist=1.0),
    "h": Stick(wrist=-1.0),
    "o": Stick(grip=1.0),
    "c": Stick(grip=-1.0),
    " ": RELEASED,
}
"""Keys that move the robot. A terminal does not report released keys: it repeats a key that is held."""
WHY = "            say why, as in `go to apple # it is nearest`: without a reason a step has none to learn from"
HELP = """w a s d   drive and turn (W faster)      i k j l   hand ahead, back, left, right
u m       hand up, down                  y h       turn the wrist
o c       open and close the hand        space     release       x  stop
:         a line, such as
  :begin put the apple in the bowl       :go to apple # it is nearest       :pick apple
  :end success   :end failure   :discard   :again   :note ...   :why 2 ...
  :take   :give   :forward 1   :hand up 0.5   :look   :quit        ?  this help"""


class Terminal:
    """User interface of an operation on a terminal."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._recording: Path | None = None
        self.sights = Sights()

    def tell(self, sentence: str) -> None:
        """Write one line on the terminal."""
        self._write(printable(sentence))

    def refresh(self, operation: Operation) -> None:
        """Report when a recording begins, and its verdict when it has ended."""
        previous, self._recording = self._recording, operation.recording
        current = self._recording
        if current is not None and current != previous:
            self.tell(f"recording   {current}")
            if operation.state.in_charge == "person":
                self.tell(WHY)
        if previous is not None and current is None:
            episode_folder = operation.state.last
            notes = read_notes(episode_folder) if episode_folder is not None else ()
            verdict = (
                "discarded" if is_discarded(notes) else f"marked {mark_of(notes) or 'neither success nor failure'}"
            )
            self.tell(f"recorded    {previous}  {verdict}")


class Sights(EpisodeListener):
    """Listener that keeps the detections of the robot's latest look around, as text."""

    def __init__(self) -> None:
        self.text = "Nothing was looked at yet: a subtask looks round."

    def on(self, event: Event) -> None:
        match event:
            case PlannerAsked(planner_input):
                names: dict[str, list[str]] = {view: [] for view in planner_input.views}
                for detection in in_sight(planner_input.detections):
                    names.setdefault(detection.view, []).append(detection.called)
                seen_by_view = {
                    view: ", ".join(dict.fromkeys(name_list)) or "nothing" for view, name_list in names.items()
                }
                self.text = "\n".join(f"  {view}: {name_list}" for view, name_list in seen_by_view.items())


def run_terminal(options: TeleopOptions, write: Callable[[str], None], listeners: tuple[EpisodeListener, ...]) -> None:
    """Drive until the input ends or a Quit. Raises BadInput, MissingPart, KeyboardInterrupt.

    Args:
        options: Those of `homie teleop`.
        write: Called with every line for the person.
        listeners: Get the events of every episode.
    """
    if options.record is not None:
        for repair in repair_takes(options.record):
            write(str(repair))
    desk, front = Desk(), Terminal(write)
    parts = choose(options)
    try:
        operation = Operation(options, parts, desk, front, listeners=(*listeners, front.sights))
    except BaseException:
        parts.close()
        raise
    reading = _queue_keys if sys.stdin.isatty() else _queue_lines
    input_thread = threading.Thread(target=reading, args=(desk, front), daemon=True)
    with _unbuffered():
        input_thread.start()
        operation.run()
    if reading is _queue_lines and operation.refused:
        nothing_done = "Nothing was done: no line of the input could be carried out."
        lines = format_count(operation.refused, "line")
        partly_done = f"{lines} of the input could not be carried out, as was said above; all others were."
        raise BadInput(f"{partly_done if operation.done else nothing_done} See docs/collect.md for the lines.")


def _queue_lines(desk: Desk, front: Terminal) -> None:
    """Queue orders from a pipe, and a Quit at its end."""
    for line in sys.stdin:
        if line.strip() and not line.startswith("#"):
            desk.order(TypedLine(line))
    desk.order(Quit(input_ended=True))


def _queue_keys(desk: Desk, front: Terminal) -> None:
    """Read single keys from a terminal; `:` begins a typed order."""
    front.tell(HELP)
    keys = _pressed_keys()
    for key in keys:
        if key in KEYS:
            desk.hold(KEYS[key])
        elif key == "x":
            desk.stop()
        elif key == "?":
            front.tell(HELP)
        elif key == ":":
            line = _typed_line(keys)
            if line.strip() == "look":
                front.tell(front.sights.text)
            elif urgent(line):
                desk.interrupt(TypedLine(line))
            elif line.strip():
                desk.order(TypedLine(line))
        elif key == "\x04":  # Ctrl-D
            desk.order(Quit())
            return
    desk.order(Quit(input_ended=True))


def _pressed_keys() -> Iterator[str]:
    """Yield keys as they are pressed."""
    while True:
        select.select([0], [], [])
        data = os.read(0, 64)
        if not data:
            return
        text = data.decode("utf-8", "replace")
        if text == "\x1b" or not text.startswith("\x1b"):  # more than Escape: an arrow or a function key
            yield from text


def _typed_line(keys: Iterator[str]) -> str:
    """Read and echo a line with backspace; return "" if it was cancelled with Escape."""
    line = ""
    _echo(":")
    for key in keys:
        if key in "\r\n":
            _echo("\n")
            return line
        if key in "\x1b\x03\x04":
            break
        if key in "\x7f\b":
            _echo("\b \b" if line else "")
            line = line[:-1]
        elif key.isprintable():
            line += key
            _echo(key)
    _echo("\n")
    return ""


def _echo(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


@contextmanager
def _unbuffered() -> Iterator[None]:
    """Let the terminal deliver keys as they are pressed; restore its mode on exit."""
    if not sys.stdin.isatty():
        yield
        return
    import termios
    import tty

    attributes = termios.tcgetattr(0)
    tty.setcbreak(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, attributes)
