"""Attribution of unexpected exceptions to a line of the user's code, or to Homie's own code.

exception --traceback--> the last frame outside Homie, Python and installed packages --> CodePlace --> PartError
"""

from __future__ import annotations

import inspect
import sysconfig
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from homie.kernel.errors import BadInput, HomieError, InfrastructureError, PartError
from homie.kernel.support.hiding_files import hiding_file
from homie.kernel.support.packages import OURS
from homie.kernel.support.text import one_line

INTERFACES = "homie.kernel.interfaces"
WORDS: Mapping[str, str] = {
    "Planner": "planner",
    "SkillSet": "skill set",
    "Skill": "skill",
    "Robot": "robot",
    "Detector": "detector",
    "Locator": "locator",
    "EpisodeListener": "listener",
}
"""Nouns for parts, by the name of their interface. The interfaces are not imported: this module also reports errors of
Homie's own imports."""
_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_TYPED_IN = ("<stdin>", "<ipython")
"""Prefixes of file names for code that a user has typed interactively."""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of a user's code.

    Attributes:
        part: The part that it belongs to, such as `planner 'Mine'`; "" for none.
    """

    file: str
    line: int
    function: str
    part: str = ""

    def __str__(self) -> str:
        """Format for a message: `mine.py, line 12, in decide`. Paths are relative to the current folder if possible."""
        path = Path(self.file)
        displayed = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        return f"{displayed}, line {self.line}" + ("" if self.function == "<module>" else f", in {self.function}")


def own_code(error: BaseException) -> CodePlace | None:
    """Return the last line of a user's code in a traceback; None if Homie's code did not call any.

    Code counts as a user's if it is neither Homie's nor installed, or if it belongs to an installed part.
    """
    part = ""
    below_homie = False
    place: CodePlace | None = None
    installed: CodePlace | None = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        kind = _class_of(frame)
        part = _part_label(kind) or part
        if _is_ours(str(frame.f_globals.get("__name__", ""))):
            below_homie = True
        elif below_homie:
            code_place = CodePlace(frame.f_code.co_filename, line, frame.f_code.co_name, part)
            if not _is_installed(code_place.file):
                place = code_place
            elif "'" in _part_label(kind):
                installed = code_place
    return place or installed


def unexpected_error(error: BaseException, remark: str = "") -> HomieError:
    """Convert an unexpected exception to a HomieError: a PartError if a user's code has raised it, a BadInput if a file
    of the user hides a module that Homie needs, else an InfrastructureError.

    Args:
        remark: A further sentence, about its traceback.
    """
    place = None if isinstance(error, MemoryError) else own_code(error)
    if place is None and (sentence := hiding_file(error)):
        return BadInput(sentence)
    beginning = "Unexpected " if place is None else f"Error in {_owner(place)} at {place}: "
    sentence = f"{beginning}{in_words(error)}. {remark}".rstrip()
    return InfrastructureError(sentence) if place is None else PartError(sentence)


def in_words(error: BaseException) -> str:
    """Format an exception for a message: its class and its text."""
    return ": ".join(filter(None, (type(error).__name__, one_line(error))))


def _owner(place: CodePlace) -> str:
    return f"the code of the {place.part}" if place.part else "code of your own"


def _class_of(frame: FrameType) -> type | None:
    """Return the class whose method a frame runs; None for a function."""
    name = next(iter(frame.f_code.co_varnames), "")
    owner = frame.f_locals.get(name) if name in ("self", "cls") else None
    return owner if owner is None or inspect.isclass(owner) else type(owner)


def _part_label(kind: type | None) -> str:
    """Return the noun for a part of a class, with the class's name unless it is Homie's; "" if it is not a part."""
    if kind is None:
        return ""
    interfaces = (base.__name__ for base in kind.__mro__ if base.__module__.startswith(INTERFACES))
    word = next((WORDS[name] for name in interfaces if name in WORDS), "")
    return word if not word or _is_ours(kind.__module__) else f"{word} '{kind.__name__}'"


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in OURS


def _is_installed(file: str) -> bool:
    if file.startswith("<"):
        return not file.startswith(_TYPED_IN)
    path = Path(file).resolve()
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(map(path.is_relative_to, _INSTALLED))
