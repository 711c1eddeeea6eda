"""What commands print on stdout."""

from __future__ import annotations

import typer

from homie.files import to_json


def print_json(value: object) -> None:
    """One JSON object, for `--json`: nothing else may be on stdout."""
    typer.echo(to_json(value).decode(), nl=False)
