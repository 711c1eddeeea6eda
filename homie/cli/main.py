"""The `homie` command. Only the module of the command that was asked for is imported, so that help comes at once."""

from __future__ import annotations

import functools
import importlib
import os
import select
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Protocol, TypeAlias, runtime_checkable

import typer

from homie import __version__
from homie.errors import HomieError

Command: TypeAlias = Callable[..., None] | Mapping[str, Callable[..., None]]

COMMANDS = {
    "run": "Run one task: an instruction in, a household task done and a run folder out.",
    "bench": "Run a suite of tasks: every trial into one run folder, interrupted or not.",
    "compare": "Compare runs of a suite: metrics, intervals, paired differences, as tables.",
    "report": "Show runs in one HTML page: tables, plots, every episode round by round.",
    "skill": "Look at checkpoints of low-level policies, or make some to try Homie with.",
    "plan": "Ask a planner for one decision from pictures and a task, without a robot.",
    "serve": "Serve the policy of a skill set to robots on other machines.",
    "scene": "Show a scene: its rooms, receptacles and objects.",
    "list": "List what can be chosen: planners, skills, robots, detectors, ...",
    "doctor": "Check this machine: versions, rendering, video, optional parts.",
}
"""Name to help. The command `name` is `name` + `_command` of `homie.cli.<name>_command`: a function, or a dictionary of
functions for `homie NAME PART`."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with 0, 2 (bad input), 3 (missing part), 4 (infrastructure) or 130 (Ctrl-C)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    wanted = next((argument for argument in given if not argument.startswith("-")), "")
    with _told(json="--json" in given):
        code = build(wanted)(args=given, prog_name="homie", standalone_mode=False)
    raise SystemExit(code or 0)


def build(wanted: str) -> typer.Typer:
    """The Typer app with the wanted command whole and the others as names with their help."""
    app = typer.Typer(
        help="Homie: a robot in a house takes an instruction to a finished household task.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for name, text in COMMANDS.items():
        command: Command = _elsewhere
        if name == wanted:
            module = importlib.import_module(f"homie.cli.{name}_command")
            command = getattr(module, f"{name}_command")
        if isinstance(command, Mapping):
            parts = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            for part, function in command.items():
                parts.command(part)(_guarded(function))
            app.add_typer(parts, name=name, help=text)
        else:
            app.command(name, help=text)(_guarded(command))
    return app


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"homie {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_tell_version)
    ] = False,
) -> None:
    """Options of `homie` itself."""


def _elsewhere() -> None:
    """Stands for a command that was not asked for."""


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its errors told as `_told` does."""

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        with _told(json=bool(options.get("json"))):
            command(*args, **options)

    return guarded


@contextmanager
def _told(*, json: bool) -> Iterator[None]:
    """Tell every error in one sentence and turn it into its exit code."""
    try:
        yield
    except HomieError as error:
        _fail(str(error), error.exit_code, json=json)
    except KeyboardInterrupt:
        _fail("Stopped by the user.", 130, json=json)
    except Exception as error:
        if type(error).__module__.startswith(("typer.", "click.")):
            _fail_usage(error, json=json)
        if isinstance(error, BrokenPipeError) and _reader_is_gone():
            raise SystemExit(0) from None
        with tempfile.NamedTemporaryFile("w", prefix="homie-", suffix=".log", delete=False) as log:
            traceback.print_exc(file=log)
        _fail(f"Unexpected {type(error).__name__}: {error}. The traceback is in {log.name}.", 4, json=json)


def _reader_is_gone() -> bool:
    """Whether nobody reads stdout any more (`homie list | head -1`); then the rest of it goes nowhere."""
    stdout = select.poll()
    stdout.register(sys.stdout.fileno(), 0)
    gone = any(events & select.POLLERR for _, events in stdout.poll(0))
    if gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return gone


def _fail_usage(error: Exception, *, json: bool) -> None:
    """Tell an error of Typer's own, such as an unknown option, in its words and with the usage."""
    if not isinstance(error, _UsageError):
        raise error
    error.show()
    if json:
        _tell_json(error.format_message(), error.exit_code)
    raise SystemExit(error.exit_code)


@runtime_checkable
class _UsageError(Protocol):
    """What the usage errors of every version of Typer have; their class has moved between packages."""

    exit_code: int

    def show(self) -> None: ...
    def format_message(self) -> str: ...


def _fail(sentence: str, code: int, *, json: bool) -> None:
    typer.echo(f"homie: {sentence}", err=True)
    if json:
        _tell_json(sentence, code)
    raise SystemExit(code)


def _tell_json(sentence: str, code: int) -> None:
    from homie.cli.output import print_json  # not at start-up

    print_json({"error": sentence, "exit_code": code})
