"""Logging: `--quiet`, `--verbose` and `--log-file` of every command.

The library logs to `homie` and its child loggers (standard `logging`) and installs no handlers itself.
"""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import TextIO

from homie.cli.output import progress
from homie.kernel.errors import BadInput
from homie.kernel.support.text import printable

log = logging.getLogger("homie")


def configure(*, quiet: bool = False, verbose: bool = False, file: Path | None = None) -> None:
    """Set up the log. By default it shows progress, and warnings as sentences.

    Args:
        quiet: show only errors.
        verbose: show everything, with time and logger name.
        file: append everything to this file, with tracebacks.

    Raises:
        BadInput: the file cannot be written, or both quiet and verbose were given.
    """
    if quiet and verbose:
        raise BadInput("--quiet and --verbose ask for opposite things: leave one out.")
    logging.raiseExceptions = False  # a log that cannot be written must neither end a run nor fill the screen
    level = logging.ERROR if quiet else logging.DEBUG if verbose else logging.WARNING
    screen = logging.StreamHandler()
    screen.setLevel(level)
    screen.setFormatter(_Timed() if verbose else _Sentence())
    line = logging.StreamHandler()
    line.setFormatter(_Line())
    log.setLevel(logging.DEBUG if file is not None else level)
    log.handlers = [screen]
    progress.setLevel(logging.ERROR if quiet else logging.INFO)
    progress.propagate = False
    progress.handlers = [line]
    if file is not None:
        from homie.kernel.support.files import (
            writing,  # reads YAML and validates: too heavy for the start of every command
        )

        with writing(file, "the log file"):
            file_handler = logging.FileHandler(file, encoding="utf-8", errors="backslashreplace")
        file_handler.setFormatter(_Timed())
        log.addHandler(file_handler)
        progress.addHandler(file_handler)
    warnings.showwarning = _log_warning


def _log_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Log a Python warning. Warnings for programmers, such as deprecations in libraries, have the level DEBUG."""
    level = logging.WARNING if issubclass(category, UserWarning) else logging.DEBUG
    logging.getLogger("homie.warnings").log(level, "%s", message)


class _Line(logging.Formatter):
    """Only the text."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(record.getMessage())


class _Sentence(_Line):
    """A sentence for a user: `warning: The skill set ...`. No traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{record.levelname.lower()}: {super().format(record)}"


class _Timed(logging.Formatter):
    """A line with time, level and logger, and the traceback if there is one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
