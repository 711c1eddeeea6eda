"""The Typer app. Only the module of the chosen command is imported, so that help is fast."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from homie.cli import logs
from homie.cli.failures import report_errors
from homie.cli.help_layout import Chapters, Grouped, show_all
from homie.cli.output import say
from homie.cli.plugged import Command, plugged
from homie.cli.streams import make_lasting
from homie.kernel import registry
from homie.kernel.stop_signals import on_stop, stop
from homie.kernel.support.version import __version__

COMMANDS = {
    "run": "Run one task from an instruction, and write a run folder with everything that happened.",
    "bench": "Run a suite of tasks, and write every episode into one run folder.",
    "compare": "Compare runs of a suite in tables: metrics, intervals, paired differences.",
    "data": "Make training data: tasks, episodes, conversations, preferences, LeRobot data sets.",
    "report": "Show runs in one HTML page: results, videos, every episode round by round.",
    "train": "Train planners and skills on data sets of `homie data`.",
    "detector": "Measure detectors on labelled pictures.",
    "skill": "Inspect checkpoints of learned skills, or make random ones to try Homie with.",
    "plan": "Ask a planner for one decision from pictures and a task, without a robot.",
    "serve": "Serve a robot to agents (MCP) or over ROS 2, or a learned policy or a planner over the network.",
    "env": "Make separate Python environments for simulators whose packages conflict with Homie's.",
    "play-server": "Answer the prompts of a planner yourself, in a browser.",
    "studio": "Watch, drive and record a robot in a browser.",
    "teleop": "Drive a robot yourself from the terminal, and record it.",
    "robot": "Describe a ROS 2 robot, check the description, guard the robot.",
    "scene": "Show a house: its rooms, furniture and objects.",
    "list": "List what can be chosen: planners, skills, robots, detectors, ...",
    "doctor": "Check your setup: versions, rendering, video, optional parts.",
}
"""Help of our own commands by name. The command `name` is `<name>_command` in `homie.cli.commands.<name>` (with `_` for
`-`): a function, or a dictionary of functions for `homie NAME PART`."""
SHARED = {"teleop": "studio"}
"""Commands that are defined in the file of another command."""

COMPLETING = "_TYPER_COMPLETE_ARGS"
"""The environment variable with the command line so far, set by the shell for completion."""
HELP = {"help_option_names": ["-h", "--help"]}


def run(arguments: Sequence[str]) -> NoReturn:
    """Run a command line, given as the words after `homie`, and exit."""
    make_lasting()
    logs.configure()
    words = os.environ[COMPLETING].split()[1:] if COMPLETING in os.environ else arguments
    command = next((word for word in words if not word.startswith("-")), "")
    with report_errors(arguments, json="--json" in arguments):
        code = build(command)(args=list(arguments), prog_name="homie", standalone_mode=False)
    raise SystemExit(code or 0)


def build(chosen: str) -> typer.Typer:
    """Build the Typer app with the chosen command, and with the names and help texts of the others."""
    app = typer.Typer(
        help='Tell a household robot what you want, and it does it: homie run "put the apple in the bowl".',
        cls=Chapters,
        no_args_is_help=True,
        context_settings=HELP,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    if chosen not in COMMANDS and chosen in registry.names("commands"):
        registry.load("commands", chosen)  # raises what its package lacks; the help omits such commands
    for name, text in helps().items():
        command = _load(name) if name == chosen else _placeholder
        if isinstance(command, Mapping):
            parts = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            for part, function in command.items():
                parts.command(part, cls=Grouped)(_guarded(function))
            app.add_typer(parts, name=name, help=text)
        else:
            app.command(name, help=text, cls=Grouped)(_guarded(command))
    return app


def helps() -> dict[str, str]:
    """Return the help of every command by its name: our own ones, then those of other packages."""
    return {**{name: command.help for name, command in plugged().items()}, **COMMANDS}


def _load(name: str) -> Command:
    if name not in COMMANDS:
        return plugged()[name].load()
    function = name.replace("-", "_")
    place = SHARED.get(name, function)
    command: Command = getattr(importlib.import_module(f"homie.cli.commands.{place}"), f"{function}_command")
    return command


def _show_version(value: bool) -> None:
    if value:
        say(f"homie {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Options of `homie` itself."""


def _placeholder() -> None:
    """Placeholder for a command that was not chosen."""


def _logging(
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show everything that is logged.")] = False,
    log_file: Annotated[
        Path | None, typer.Option(help="Append everything that is logged to this file. [env: HOMIE_LOG_FILE]")
    ] = None,
    help_all: Annotated[
        bool, typer.Option("--help-all", help="Show all options and exit.", is_eager=True, callback=show_all)
    ] = False,
) -> None:
    """Options of every command."""
    variable = os.environ.get("HOMIE_LOG_FILE")
    logs.configure(quiet=quiet, verbose=verbose, file=log_file or (Path(variable) if variable else None))


def _guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command: add the shared options, and report its errors."""
    own_parameters = inspect.signature(command, eval_str=True).parameters.values()
    shared = inspect.signature(_logging, eval_str=True).parameters

    @functools.wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        with report_errors(json=bool(options.get("json"))):
            on_stop(stop)  # from here on a robot may have to be stopped
            _logging(**{name: options.pop(name) for name in shared})
            command(*args, **options)

    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own_parameters, *shared.values())
    ]
    guarded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    guarded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return guarded
