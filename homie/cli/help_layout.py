"""Layout of the help of a command: its options in panels, an example at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import typer
import typer.core

from homie.cli.help_panels import FEW, FURTHER, PANEL_OF, PANELS, SHARED, WITHOUT_ROBOT
from homie.cli.output import say
from homie.cli.plugged import plugged

CHAPTERS = {
    "Run a robot": ("run", "scene", "studio", "teleop"),
    "Measure": ("bench", "report", "compare", "detector"),
    "Train": ("data", "train"),
    "Connect robots, agents and models": ("robot", "serve", "play-server", "env"),
    "Look at parts": ("plan", "skill"),
    "Find your way": ("list", "doctor"),
}
"""The commands of `homie` by purpose; those of other packages follow."""
EXAMPLES: dict[str, tuple[str, ...]] = {
    "run": (
        'homie run "put the tomato soup can in the fridge" --seed 4',
        'homie run "find the apple" --seed 7 --targets sensors --no-video',
        'homie run "put the apple in the bowl" --planner chat:MODEL --base-url http://127.0.0.1:8000/v1',
    ),
    "bench": (
        "homie bench homie-100 --planner rule --workers 2 --out runs/rule",
        "homie bench homie-100 --tasks 'fridge-*' --trials 1",
    ),
    "compare": ("homie compare runs/rule runs/random", "homie compare runs"),
    "report": ("homie report runs/rule", "homie report runs/rule --rerun episode.rrd --episode fridge-d1-0"),
    "plan": ('homie plan "put the apple in the bowl" --image front.png --planner chat:MODEL',),
    "play-server": ("homie play-server --port 8910",),
    "studio": ("homie studio --seed 7 --record recordings",),
    "teleop": ("homie teleop --seed 7 --record recordings",),
    "scene": ("homie scene --seed 7 --png map.png", "homie scene --seed 7 --rooms 3 --save house.json"),
    "list": ("homie list", "homie list planners", "homie list tasks homie-100"),
    "doctor": ("homie doctor", "homie doctor --all"),
    "data sft": ("homie data sft runs/rule --out data/sft",),
    "data dpo": ("homie data dpo runs/rule --out data/dpo",),
    "data emmoe": ("homie data emmoe runs/rule --out data/emmoe",),
    "data lerobot": ("homie data lerobot recordings --out data/lerobot",),
    "data tasks": ("homie data tasks tasks.json --seed 1",),
    "data generate": ("homie data generate tasks.json --out runs/generated",),
    "data split": ("homie data split runs/rule --out split.json",),
    "data stats": ("homie data stats runs/rule",),
    "data show": ("homie data show data/sft",),
    "data validate": ("homie data validate data/sft",),
    "train sft": ("homie train sft data/sft --model MODEL --out models/sft",),
    "train dpo": ("homie train dpo data/dpo --model models/sft --out models/dpo",),
    "train skill": ("homie train skill recordings --out skills/mine",),
    "robot profile": ("homie robot profile robot.urdf",),
    "robot check": ("homie robot check robot.yaml",),
    "robot guard": ("homie robot guard robot.yaml",),
    "skill info": ("homie skill info nomad.pth",),
    "skill generate": ("homie skill generate nomad nomad.pth",),
    "skill texts": ("homie skill texts rt1x homie-100",),
    "serve robot": (
        "homie serve robot franka:pick --listen unix:/tmp/table",
        "homie serve robot my_robot.py:MyRobot --python python3.9",
    ),
    "env make": ("homie env make robosuite",),
    "serve policy": ("homie serve policy nomad --checkpoint nomad.pth",),
}
"""Example command lines at the end of the help of a command."""
_TYPES = re.compile(r"<(?:list\[)?(str|path|Path|int|float)(?: range)?\]?>")
_NAMES = {"str": "TEXT", "path": "PATH", "Path": "PATH", "int": "INTEGER", "float": "NUMBER"}
"""Placeholders for the values of options in the help, by Typer's names of types."""

HELP_ALL = "help_all"
ALL = "homie.help_all"
"""Key in the `meta` of a context that requests all options."""


def show_all(context: typer.Context, value: bool) -> None:
    """Callback of `--help-all`: print the help with all options, and exit."""
    if value:
        context.meta[ALL] = True
        say(context.get_help())
        raise typer.Exit


class Grouped(typer.core.TyperCommand):
    """A command whose help shows, if it has many options, the first of them in panels, and all with `--help-all`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options panel by panel."""
        records = [(parameter, parameter.get_help_record(ctx)) for parameter in self.get_params(ctx)]
        visible = [(parameter, record) for parameter, record in records if record is not None]
        options = {str(parameter.name): record for parameter, record in visible if _is_option(parameter)}
        arguments = [record for parameter, record in visible if not _is_option(parameter)]
        _section(formatter, "Arguments", [(name.partition(" <")[0], about) for name, about in arguments])
        if len(options.keys() - SHARED) <= FEW:
            _section(formatter, "Options", (record for name, record in options.items() if name != HELP_ALL))
            return
        options[HELP_ALL] = ("--help-all", f"Show all {len(options)} options and exit.")
        visible_names = options.keys() - (() if ctx.meta.get(ALL) else FURTHER)
        panels = PANEL_OF if "robot" in options else PANEL_OF | WITHOUT_ROBOT
        ranks = {option: rank for rank, option in enumerate(panels)}
        names = sorted((name for name in options if name in visible_names), key=lambda name: ranks.get(name, -1))
        for panel in ("Options", *PANELS):
            _section(formatter, panel, [options[name] for name in names if panels.get(name, "Options") == panel])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, each on a line of its own."""
        path = ctx.command_path.removeprefix("homie ")
        plugged_examples = {words: lines for command in plugged().values() for words, lines in command.examples.items()}
        examples = EXAMPLES.get(path) or plugged_examples.get(path, ())
        if examples:
            with formatter.section("Examples" if len(examples) > 1 else "Example"):
                for example in examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class Chapters(typer.core.TyperGroup):
    """The commands of `homie` in groups, each with its full line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands group by group."""
        chapters = {chapter: list(names) for chapter, names in CHAPTERS.items()}
        own_names = {name for names in chapters.values() for name in names}
        for name, command in plugged().items():
            if name not in own_names:
                chapters.setdefault(command.chapter, []).append(name)
        for chapter, names in chapters.items():
            _section(formatter, chapter, ((name, self.commands[name].help or "") for name in names))


def _is_option(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "option")


def _section(formatter: Any, name: str, records: Iterable[tuple[str, str]]) -> None:
    rows = [(_TYPES.sub(lambda match: _NAMES[match[1]], name), about) for name, about in records]
    if rows:
        with formatter.section(name):
            formatter.write_dl(rows)
