"""`homie env`: environments of their own for simulators of others."""

from __future__ import annotations

from typing import Annotated

import typer

from homie.cli.output import columns, print_json, say, tell
from homie.envs.remote import environments

Name = Annotated[str, typer.Argument(help="The environment: `robosuite`.")]


def make(
    name: Name,
    python: Annotated[str, typer.Option(help="The Python that it is made of (default: one that fits).")] = "",
    anew: Annotated[bool, typer.Option("--anew", help="Remove it first, if it is there.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Make the Python environment of a simulator, with its packages, in the user's cache. With uv if that is there."""
    environment = environments.find(name)
    environments.make(environment, python, anew=anew, tell=tell)
    tell(f"The environment is ready: {environment.about}.")
    if json:
        print_json({"name": name, "folder": str(environment.folder), "python": str(environment.interpreter)})


def list_environments(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List the environments that there are, and which of them are made."""
    known = environments.ENVIRONMENTS.values()
    if json:
        print_json({item.name: {"made": item.ready, "folder": str(item.folder), "about": item.about} for item in known})
        return
    say(columns([(item.name, f"{'made' if item.ready else 'not made'}; {item.about}") for item in known]))


def remove(name: Name) -> None:
    """Remove an environment."""
    environment = environments.find(name)
    was_removed = environments.remove(environment)
    tell(f"{environment.folder} {'is removed' if was_removed else 'was not there'}.")


env_command = {"make": make, "list": list_environments, "remove": remove}
