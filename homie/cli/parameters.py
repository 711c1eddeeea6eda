"""Command line parameters made from an options model, so that API, CLI and config files share one definition."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer
from pydantic import BaseModel

Command = Callable[..., None]


def options_from(model: type[BaseModel], positional: str = "") -> Callable[[Command], Command]:
    """Decorator: add a parameter for every field of the model; the command takes them as `**given`, None = not given.

    `positional` names the field that is an argument, if any; the others become `--options`. Help is the field's
    description.
    """

    def decorate(command: Command) -> Command:
        made = [_parameter(model, name, positional) for name in model.model_fields]
        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*made, *own)]
        command.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return decorate


def _parameter(model: type[BaseModel], name: str, positional: str) -> inspect.Parameter:
    field = model.model_fields[name]
    default = field.get_default()
    said = "" if default is None or field.is_required() else f" [default: {_shown(default)}]"
    info: Any
    if name == positional:
        info = typer.Argument(help=field.description, show_default=False)
    else:
        option = name.replace("_", "-")
        flag = f"--{option}/--no-{option}" if field.annotation is bool else f"--{option}"
        info = typer.Option(flag, help=f"{field.description}{said}", show_default=False)
    # None says "not given": then a config file may speak, and after it the model's own default.
    wanted: Any = field.annotation
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[wanted | None, info]
    )


def _shown(default: object) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
