"""Reporting of every error as one sentence on stderr, with its exit code."""

from __future__ import annotations

import errno
import logging
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from json import dumps
from typing import NoReturn, Protocol, runtime_checkable

from homie.cli.streams import OutputLost
from homie.cli.usage_errors import usage_sentence
from homie.kernel import exit_codes
from homie.kernel.errors import HomieError, Interrupted
from homie.kernel.stop_signals import STOPPED, forget_signals, stop_came
from homie.kernel.support.text import json_safe, printable

log = logging.getLogger("homie.cli")

PLACES = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)
"""Errors about a path that the user named, for which the system's message is enough."""


@contextmanager
def report_errors(words: Sequence[str] = (), *, json: bool) -> Iterator[None]:
    """Report errors in one sentence and exit with their code.

    Args:
        words: The command line, from which usage errors show the wrong value.
        json: Also print an object on stdout.
    """
    try:
        yield
        sys.stdout.flush()
    except OutputLost as error:
        if not error.gone:
            _fail(str(error), 4, json=False)
        raise SystemExit(0) from None
    except KeyboardInterrupt:
        _fail(STOPPED, exit_codes.STOPPED, json=json)
    except (SystemExit, GeneratorExit) as error:
        from homie.kernel.support.own_code import own_code  # not at start-up, which needs none of it

        if own_code(error) is None:
            raise
        _fail_with(error, words, json=json)
    except Exception as error:
        log.debug("The command failed.", exc_info=error)
        _fail_with(error, words, json=json)
    finally:
        forget_signals()


def _fail_with(error: BaseException, words: Sequence[str], *, json: bool) -> NoReturn:
    if _was_stopped(error):
        _fail(str(error) if isinstance(error, Interrupted) else STOPPED, exit_codes.STOPPED, json=json)
    if isinstance(error, HomieError):
        _fail(str(error), error.exit_code, json=json)
    if stop_came():  # pydantic makes an error of its own of a KeyboardInterrupt while it writes JSON
        _fail(STOPPED, exit_codes.STOPPED, json=json)
    if type(error).__module__.startswith(("typer.", "click.")):
        _fail_usage(error, words, json=json)
    if isinstance(error, OSError) and error.filename is not None and error.errno in PLACES:
        _fail(f"Cannot use {os.fsdecode(error.filename)}: {error.strerror}.", 2, json=json)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _fail(
            f"Cannot write{_where(error)}: {error.strerror}. Make room and give the same command again.", 4, json=json
        )
    try:
        with tempfile.NamedTemporaryFile("w", prefix="homie-", suffix=".log", delete=False) as file:
            traceback.print_exception(error, file=file)
        place = f"The traceback is in {file.name}."
    except OSError:
        place = "Its traceback could not be saved: give --log-file FILE to save it."
    from homie.kernel.support.own_code import unexpected_error  # not at start-up, which needs none of it

    failure = unexpected_error(error, place)
    _fail(str(failure), failure.exit_code, json=json)


def _where(error: OSError) -> str:
    return "" if error.filename is None else f" {os.fsdecode(error.filename)}"


def _was_stopped(error: BaseException) -> bool:
    """Return whether an error was caused by Ctrl-C, which an import may turn into another exception.

    A HomieError raised while something was being stopped is reported by itself, unless it names its cause.
    """
    if isinstance(error, KeyboardInterrupt | Interrupted):
        return True
    cause = error.__cause__ or (None if isinstance(error, HomieError) else error.__context__)
    return cause is not None and _was_stopped(cause)


def _fail_usage(error: BaseException, words: Sequence[str], *, json: bool) -> NoReturn:
    """Report a usage error of Typer, such as an unknown option; a command without its part shows its help."""
    if not isinstance(error, _UsageError):
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        raise SystemExit(error.exit_code)
    _fail(usage_sentence(error, words), error.exit_code, json=json)


@runtime_checkable
class _UsageError(Protocol):
    """The members of usage errors in all versions of Typer, whose class has moved between packages."""

    exit_code: int

    def show(self) -> None: ...
    def format_message(self) -> str: ...


def _fail(sentence: str, code: int, *, json: bool) -> NoReturn:
    sys.stderr.write(printable(f"homie: {sentence}") + "\n")
    if json:
        # Not `print_json`, which imports more: a file of the user may hide what it needs.
        text = dumps({"error": sentence, "exit_code": code}, ensure_ascii=False, indent=2)
        sys.stdout.write(json_safe(text.encode("utf-8", errors="backslashreplace").decode()) + "\n")
    raise SystemExit(code)
