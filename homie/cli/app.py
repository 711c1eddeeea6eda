"""The Typer app. Only the module of the chosen command is imported, so that help is fast."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeAlias

import typer

from homie import __version__
from homie.cli import logs
from homie.cli.failures import reported
from homie.cli.output import say
from homie.cli.signals import on_stop, stop
from homie.cli.streams import make_lasting

Command: TypeAlias = Callable[..., None] | Mapping[str, Callable[..., None]]

COMMANDS = {
    "run": "Run one task: an instruction in, a household task done and a run folder out.",
    "bench": "Run a suite of tasks: every trial into one run folder, interrupted or not.",
    "compare": "Compare runs of a suite: metrics, intervals, paired differences, as tables.",
    "data": "Make training data: tasks, episodes by the thousand, conversations, preferences, files of EMMOE.",
    "questions": "Questions about pictures, without a robot: make them, ask a model, judge answers, look for leaks.",
    "vigil": "Does a planner know when it is done? Episodes of native control that end by its own report.",
    "report": "Show runs in one HTML page: tables, plots, every episode round by round.",
    "train": "Train planners on data sets of `homie data`.",
    "skill": "Look at checkpoints of low-level policies, or make some to try Homie with.",
    "plan": "Ask a planner for one decision from pictures and a task, without a robot.",
    "serve": "Serve a policy to robots on other machines, or a simulated robot to programs of ROS 2.",
    "play-server": "Answer a planner's questions yourself, in a browser, as a model would.",
    "studio": "Watch, drive and record a robot in a browser.",
    "teleop": "Drive a robot yourself from the terminal, and record it.",
    "robot": "A ROS 2 robot: make and check its profile, guard it.",
    "scene": "Show a scene: its rooms, receptacles and objects.",
    "list": "List what can be chosen: planners, skills, robots, detectors, ...",
    "doctor": "Check this machine: versions, rendering, video, optional parts.",
}
"""Help by name. The command `name` is `<name>_command` in `homie.cli.commands.<name>` (with `_` for `-`): a function,
or a dictionary of functions for `homie NAME PART`."""

COMPLETING = "_TYPER_COMPLETE_ARGS"
"""The environment variable with the command line so far, set by the shell for completion."""
HELP = {"help_option_names": ["-h", "--help"]}


def run(arguments: Sequence[str]) -> NoReturn:
    """Run a command line, given as the words after `homie`, and exit."""
    make_lasting()
    logs.configure()
    words = os.environ[COMPLETING].split()[1:] if COMPLETING in os.environ else arguments
    command = next((word for word in words if not word.startswith("-")), "")
    with reported(json="--json" in arguments):
        code = build(command)(args=list(arguments), prog_name="homie", standalone_mode=False)
    raise SystemExit(code or 0)


def build(chosen: str) -> typer.Typer:
    """The Typer app with the chosen command, and with the names and help texts of the others."""
    app = typer.Typer(
        help="Homie: a robot in a house takes an instruction to a finished household task.",
        no_args_is_help=True,
        context_settings=HELP,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for name, text in COMMANDS.items():
        command: Command = _elsewhere
        if name == chosen:
            place = name.replace("-", "_")
            command = getattr(importlib.import_module(f"homie.cli.commands.{place}"), f"{place}_command")
        if isinstance(command, Mapping):
            parts = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            for part, function in command.items():
                parts.command(part)(_guarded(function))
            app.add_typer(parts, name=name, help=text)
        else:
            app.command(name, help=text)(_guarded(command))
    return app


def _show_version(asked: bool) -> None:
    if asked:
        say(f"homie {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Options of `homie` itself."""


def _elsewhere() -> None:
    """Placeholder for a command that was not chosen."""


def _logging(
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show everything that is logged.")] = False,
    log_file: Annotated[
        Path | None, typer.Option(help="Append everything that is logged to this file. [env: HOMIE_LOG_FILE]")
    ] = None,
) -> None:
    """Options of every command."""
    named = os.environ.get("HOMIE_LOG_FILE")
    logs.configure(quiet=quiet, verbose=verbose, file=log_file or (Path(named) if named else None))


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the shared options added and its errors reported."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    shared = inspect.signature(_logging, eval_str=True).parameters

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        with reported(json=bool(options.get("json"))):
            on_stop(stop)  # from here on a robot may have to be stopped
            _logging(**{name: options.pop(name) for name in shared})
            command(*args, **options)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own, *shared.values())]
    guarded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    guarded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return guarded
