"""`homie list`: what can be chosen, built in and from other packages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from pydantic.fields import FieldInfo

from homie import registry
from homie.cli.parts import PlannerState, planner_states
from homie.errors import BadInput, suggestion
from homie.files import to_json

KINDS = ("planners", "skills", "robots", "detectors", "locators", "checks")


def list_command(
    kind: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(KINDS)}.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List what can be chosen. For planners: whether they can be used here, and their settings."""
    if kind is not None and kind not in KINDS:
        hint = suggestion(kind, KINDS, f"choose one of: {', '.join(KINDS)}.")
        raise BadInput(f"There is no list of '{kind}': {hint}")
    found = {name: registry.targets(name) for name in KINDS if kind in (None, name)}
    states = list(planner_states()) if kind == "planners" else []
    if json:
        shown = {"planners": {state.name: _planner(state) for state in states}} if states else found
        typer.echo(to_json(shown).decode(), nl=False)
        return
    for name, targets in found.items():
        typer.echo(f"{name}")
        for choice, target in () if states else targets.items():
            typer.echo(f"  {choice:<14}{target}")
    for state in states:
        typer.echo(f"  {state.name:<14}{state.problem or 'usable'}")
        if state.fix:
            typer.echo(f"  {'':<14}-> {state.fix}")
        for name, field in _fields(state):
            typer.echo(f"    {name:<20}{_default(field):<14}{field.description or ''}")


def _planner(state: PlannerState) -> dict[str, object]:
    settings = {name: {"default": _default(field), "about": field.description} for name, field in _fields(state)}
    fix = {"problem": state.problem, "fix": state.fix} if state.problem else {}
    return {"target": state.target, "usable": not state.problem, **fix, "settings": settings, "keys": state.keys}


def _fields(state: PlannerState) -> Iterable[tuple[str, FieldInfo]]:
    return state.settings.model_fields.items() if state.settings is not None else ()


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    return "-" if default is None or field.is_required() else str(default)
