"""Texts in other words, kept as they come: what a model was paid for is never asked for twice.

FILE.jsonl: {"text": ..., "names": [...], "versions": [...], "asked": 2}, a line each
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Rewriter
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import to_json, writing

BEGIN = b'{"text": '
"""What a line begins with, a torn one too: a file that ends in something else is of another kind."""


class Rewritten(BaseModel):
    """A line: a text, the names in it that have to stay, and the text in other words.

    Attributes:
        asked: How many versions were asked for; a rewriter may give fewer. 0 in lines of Homie 0.2.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    names: tuple[str, ...]
    versions: tuple[str, ...]
    asked: int = 0


class Rewritings:
    """Asks a rewriter for what the file does not have. Used as a context manager, and called as
    `homie.data.examples.rewordings.Rewrite`. Raises BadInput for a file that is none of its kind."""

    def __init__(self, path: Path, rewriter: Rewriter, versions: int) -> None:
        self._rewriter = rewriter
        self._versions = versions
        self._known = dict[tuple[str, tuple[str, ...]], Rewritten]()
        self.asked = 0
        with writing(path, "the rewritten texts to"):
            data = path.read_bytes() if path.exists() else b""
            *lines, last = data.split(b"\n")
            torn = last[: len(BEGIN)] == BEGIN[: len(last)] and _read(last) is None
            for number, line in enumerate([*lines, last] if last and not torn else lines, 1):
                self._take(line, f"{path}, line {number}")
            self._file = path.open("ab")
            if torn:  # by a kill
                self._file.truncate(len(data) - len(last))
            else:
                self._file.write(b"\n")

    def __call__(self, text: str, names: Sequence[str]) -> Sequence[str]:
        known = self._known.get((text, tuple(names)))
        if known is None or max(known.asked, len(known.versions)) < self._versions:
            versions = tuple(self._rewriter.rewrite(text, names, self._versions))
            self.asked += 1
            known = Rewritten(text=text, names=tuple(names), versions=versions, asked=self._versions)
            self._known[text, known.names] = known
            self._file.write(to_json(known.model_dump(), indent=None))
            self._file.flush()
        return known.versions[: self._versions]

    def close(self) -> None:
        """Release the file. Idempotent."""
        self._file.close()

    def __enter__(self) -> Rewritings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _take(self, line: bytes, where: str) -> None:
        read = _read(line)
        if read is None:
            raise BadInput(f"{where}, is not a rewritten text: choose another --rewritings.")
        self._known[read.text, read.names] = read


def _read(line: bytes) -> Rewritten | None:
    """What a line holds, None where it is none."""
    try:
        return Rewritten.model_validate(parse_json(line))
    except ValueError:
        return None
