"""Cache of reworded texts, so that a paid model is never queried twice for the same text.

FILE.jsonl: one line per text: {"text": ..., "names": [...], "versions": [...], "asked": 2}
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
"""Beginning of every line, also of a truncated one: a file whose last line begins otherwise is of another kind."""


class Rewritten(BaseModel):
    """One line: a text, the names in it that must be kept, and its rewordings.

    Attributes:
        asked: Number of rewordings requested; a rewriter may return fewer. 0 in lines of Homie 0.2.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    names: tuple[str, ...]
    versions: tuple[str, ...]
    asked: int = 0


class Rewritings:
    """Calls a rewriter for texts that the file does not have. Used as a context manager, and callable as
    `homie.data.examples.rewordings.Rewrite`. Raises BadInput for a file of another kind."""

    def __init__(self, path: Path, rewriter: Rewriter, versions: int) -> None:
        self._rewriter = rewriter
        self._versions = versions
        self._cache = dict[tuple[str, tuple[str, ...]], Rewritten]()
        self.asked = 0
        with writing(path, "the rewritten texts to"):
            data = path.read_bytes() if path.exists() else b""
            *lines, last = data.split(b"\n")
            truncated = last[: len(BEGIN)] == BEGIN[: len(last)] and _parse(last) is None
            for number, line in enumerate([*lines, last] if last and not truncated else lines, 1):
                self._load_line(line, f"{path}, line {number}")
            self._file = path.open("ab")
            if truncated:  # truncated by a kill
                self._file.truncate(len(data) - len(last))
            else:
                self._file.write(b"\n")

    def __call__(self, text: str, names: Sequence[str]) -> Sequence[str]:
        cached = self._cache.get((text, tuple(names)))
        if cached is None or max(cached.asked, len(cached.versions)) < self._versions:
            versions = tuple(self._rewriter.rewrite(text, names, self._versions))
            self.asked += 1
            cached = Rewritten(text=text, names=tuple(names), versions=versions, asked=self._versions)
            self._cache[text, cached.names] = cached
            self._file.write(to_json(cached.model_dump(), indent=None))
            self._file.flush()
        return cached.versions[: self._versions]

    def close(self) -> None:
        """Release the file. Idempotent."""
        self._file.close()

    def __enter__(self) -> Rewritings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _load_line(self, line: bytes, where: str) -> None:
        rewritten = _parse(line)
        if rewritten is None:
            raise BadInput(f"{where}, is not a rewritten text: choose another --rewritings.")
        self._cache[rewritten.text, rewritten.names] = rewritten


def _parse(line: bytes) -> Rewritten | None:
    """Parse a line; None if it is invalid."""
    try:
        return Rewritten.model_validate(parse_json(line))
    except ValueError:
        return None
