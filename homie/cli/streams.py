"""Standard streams that may go away: a closed pipe, a full disk, a terminal that is gone."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TextIO


class OutputLost(Exception):
    """Stdout cannot be written any more. gone: its reader has left (`homie list | head -1`), no error."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"Cannot write the output: {cause.strerror or cause}.")
        self.gone = isinstance(cause, BrokenPipeError)


def make_lasting() -> None:
    """Make stdout and stderr of this process outlive what they are connected to.

    From the first write that fails on, what is written goes nowhere. For stderr that is all: a run goes on without its
    progress. For stdout, which has the result, OutputLost is raised, once. A stream that was closed before the start
    is nowhere from the beginning, so that no file of a run can get its number.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = _lasting(sys.stdout, 1, _raise)
    sys.stderr = _lasting(sys.stderr, 2, lambda error: None)


class _Lasting(io.TextIOWrapper):
    def __init__(self, stream: TextIO, lost: Callable[[OSError], None]) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        self._stream, self._lost = stream, lost  # the first is kept: it would close the buffer when it goes

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._to_nowhere(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._to_nowhere(error)

    def _to_nowhere(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        self._lost(error)


def _lasting(stream: TextIO | None, number: int, lost: Callable[[OSError], None]) -> TextIO:
    if stream is None:
        return os.fdopen(number, "w", encoding="utf-8", closefd=False)
    # Only a stream of the system can go away; one that somebody has put in its place is left alone.
    return _Lasting(stream, lost) if isinstance(stream, io.TextIOWrapper) else stream


def _raise(error: OSError) -> None:
    raise OutputLost(error) from error
