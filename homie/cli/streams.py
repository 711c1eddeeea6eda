"""Standard streams that survive a closed pipe, a full disk or a closed terminal."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TextIO


class OutputLost(Exception):
    """Stdout cannot be written any more. gone: whether its reader has exited (`homie list | head -1`), which is not an
    error."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"Cannot write the output: {cause.strerror or cause}.")
        self.gone = isinstance(cause, BrokenPipeError)


def make_lasting() -> None:
    """Make stdout and stderr of this process survive the loss of what they are connected to.

    After the first failed write all output is discarded. For stderr that is all: a run continues without progress
    messages. For stdout, which has the result, OutputLost is raised once. A stream that was closed before the start is
    connected to the null device, so that no file of a run gets its descriptor number.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = _loss_tolerant(sys.stdout, 1, _raise)
    sys.stderr = _loss_tolerant(sys.stderr, 2, lambda error: None)


class _LossTolerant(io.TextIOWrapper):
    def __init__(self, stream: TextIO, lost: Callable[[OSError], None]) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        self._stream, self._lost = stream, lost  # a reference to the stream: it closes the buffer when it is deleted

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._discard_output(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._discard_output(error)

    def _discard_output(self, error: OSError) -> None:
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self.fileno())
        os.close(null_device)
        self._lost(error)


def _loss_tolerant(stream: TextIO | None, number: int, lost: Callable[[OSError], None]) -> TextIO:
    if stream is None:
        return os.fdopen(number, "w", encoding="utf-8", closefd=False)
    # Only a system stream can be lost; a replacement, such as that of a test, is left alone.
    return _LossTolerant(stream, lost) if isinstance(stream, io.TextIOWrapper) else stream


def _raise(error: OSError) -> None:
    raise OutputLost(error) from error
