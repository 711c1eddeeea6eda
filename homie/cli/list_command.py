"""`homie list`: what can be chosen, built in and from other packages."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from homie import registry
from homie.errors import BadInput
from homie.files import to_json

KINDS = ("planners", "skills", "robots", "detectors", "locators", "checks")


def list_command(
    kind: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(KINDS)}.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List what can be chosen."""
    if kind is not None and kind not in KINDS:
        close = difflib.get_close_matches(kind, KINDS, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"choose one of: {', '.join(KINDS)}."
        raise BadInput(f"There is no list of '{kind}': {hint}")
    found = {name: registry.targets(name) for name in KINDS if kind in (None, name)}
    if json:
        typer.echo(to_json(found).decode(), nl=False)
        return
    for name, targets in found.items():
        typer.echo(f"{name}")
        for choice, target in targets.items():
            typer.echo(f"  {choice:<14}{target}")
