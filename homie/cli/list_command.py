"""`homie list`: what can be chosen, built in and from other packages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from homie import registry
from homie.bench.suite import Suite, find_suite
from homie.cli.output import print_json
from homie.cli.parts import CONFIGURED, PartState, part_states
from homie.errors import BadInput, suggestion

KINDS = ("planners", "skills", "robots", "detectors", "locators", "checks", "suites")


def list_command(
    kind: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(KINDS)}.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List what can be chosen. For planners, skills and detectors: whether they can be used here, and their settings.
    For suites: their tasks."""
    if kind is not None and kind not in KINDS:
        hint = suggestion(kind, KINDS, f"choose one of: {', '.join(KINDS)}.")
        raise BadInput(f"There is no list of '{kind}': {hint}")
    if kind in CONFIGURED:
        _list_parts(kind, json=json)
    elif kind == "suites":
        _list_suites(json=json)
    else:
        found = {name: registry.targets(name) for name in KINDS if kind in (None, name)}
        if json:
            print_json(found)
            return
        for name, targets in found.items():
            typer.echo(name)
            for choice, target in targets.items():
                typer.echo(f"  {choice:<16}{target}")


def _list_parts(kind: str, *, json: bool) -> None:
    states = list(part_states(kind))
    if json:
        print_json({kind: {state.name: _part(state, kind) for state in states}})
        return
    typer.echo(kind)
    for state in states:
        typer.echo(f"  {state.name:<16}{state.problem or 'usable'}")
        if state.fix:
            typer.echo(f"  {'':<16}-> {state.fix}")
        for name, field in _fields(state):
            typer.echo(f"    {name:<20}{_default(field):<18} {field.description or ''}")


def _list_suites(*, json: bool) -> None:
    suites = {name: find_suite(name) for name in registry.targets("suites")}
    if json:
        shown = {name: _suite(name, suite) for name, suite in suites.items()}
        print_json({"suites": shown})
        return
    typer.echo("suites")
    for name, suite in suites.items():
        typer.echo(f"  {name:<16}{_counted(suite)}  {registry.targets('suites')[name]}")
        if suite.description:
            typer.echo(f"  {'':<16}{' '.join(suite.description.split())}")


def _counted(suite: Suite) -> str:
    return f"{len(suite.tasks)} tasks, {suite.protocol.trials} trials of up to {suite.protocol.rounds} rounds"


def _suite(name: str, suite: Suite) -> dict[str, object]:
    counts = {"tasks": len(suite.tasks), "trials": suite.protocol.trials, "rounds": suite.protocol.rounds}
    return {"target": registry.targets("suites")[name], **counts, "description": suite.description}


def _part(state: PartState, kind: str) -> dict[str, object]:
    settings = {name: {"default": _default(field), "about": field.description} for name, field in _fields(state)}
    fix = {"problem": state.problem, "fix": state.fix} if state.problem else {}
    keys = {"keys": state.keys} if kind == "planners" else {}
    return {"target": state.target, "usable": not state.problem, **fix, "settings": settings, **keys}


def _fields(state: PartState) -> Iterable[tuple[str, FieldInfo]]:
    return state.settings.model_fields.items() if state.settings is not None else ()


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    return "-" if default in (None, "") or field.is_required() else str(default)
