"""Texts in other words, kept as they come: what a model was paid for is never asked for twice.

FILE.jsonl: {"text": ..., "names": [...], "versions": [...]}, a line each
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Rewriter
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import to_json, writing


class Rewritings:
    """Asks a rewriter for what the file does not have. Used as a context manager, and called as
    `homie.data.examples.versions.Rewrite`. Raises BadInput for a file that is none of its kind."""

    def __init__(self, path: Path, rewriter: Rewriter, versions: int) -> None:
        self._rewriter = rewriter
        self._versions = versions
        self._known = dict[tuple[str, tuple[str, ...]], tuple[str, ...]]()
        self.asked = 0
        with writing(path, "the rewritten texts to"):
            data = path.read_bytes() if path.exists() else b""
            whole = data.rfind(b"\n") + 1  # a line that a kill has torn goes
            for number, line in enumerate(data[:whole].split(b"\n")[:-1], 1):
                self._take(line, f"{path}, line {number}")
            self._file = path.open("ab")
            self._file.truncate(whole)

    def __call__(self, text: str, names: Sequence[str]) -> Sequence[str]:
        key = (text, tuple(names))
        if key not in self._known:
            self._known[key] = self._rewriter.rewrite(text, names, self._versions)
            self.asked += 1
            line = {"text": text, "names": list(names), "versions": list(self._known[key])}
            self._file.write(to_json(line, indent=None))
            self._file.flush()
        return self._known[key][: self._versions]

    def close(self) -> None:
        """Release the file. Idempotent."""
        self._file.close()

    def __enter__(self) -> Rewritings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _take(self, line: bytes, where: str) -> None:
        try:
            read = parse_json(line)
            self._known[str(read["text"]), tuple(map(str, read["names"]))] = tuple(map(str, read["versions"]))
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput(f"{where}, is not a rewritten text: choose another --rewritings.") from error
