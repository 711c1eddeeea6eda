"""Command line parameters from an options model, so that API, CLI and config files share one definition."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import typer
import yaml
from pydantic import TypeAdapter, ValidationError

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.options import PLANNER_SETTINGS, Options
from homie.kernel.registry import OPTIONS
from homie.kernel.support.documents import parse_yaml

Command = Callable[..., None]
Config: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(help="A YAML file of options; may be repeated, the last wins. The command line wins over all."),
]
"""The parameter of every command that takes config files."""
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Model = TypeVar("Model", bound=Options)


def options_from(model: type[Options]) -> Callable[[Command], Command]:
    """Return a decorator that adds a parameter for every field of a model. The help text is the field's description.

    The command receives the fields as `**values`, None for those that were not given. The field that the usage of the
    model names is an argument; all others become `--options`.
    """

    def decorate(command: Command) -> Command:
        from_fields = [parameter for name in model.model_fields for parameter in _parameters(model, name)]
        own_parameters = [
            p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD
        ]
        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*from_fields, *own_parameters)]
        command.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        return command

    return decorate


PAIRS = {
    "planner_settings": ("set", "A setting of the planner; may be repeated.", "NAME=VALUE", "examples=3"),
    "skill_settings": (
        "skill-option",
        "A setting of a skill set; may be repeated.",
        "SET.NAME=VALUE",
        "nomad.topomap=maps/flat",
    ),
    "detector_settings": ("detector-option", "A setting of the detector; may be repeated.", "NAME=VALUE", "score=0.3"),
    "robot_settings": ("robot-option", "A setting of the robot; may be repeated.", "NAME=VALUE", "host=192.168.0.7"),
    "prompt_settings": ("prompt", "A setting of the prompt; may be repeated.", "NAME=VALUE", "examples=0"),
    "rewriter_settings": (
        "rewriter-option",
        "A setting of the planner that rewrites; may be repeated.",
        "NAME=VALUE",
        "temperature=1",
    ),
}
"""Fields that are mappings: the option that adds a pair to them, its help, its form and an example."""
SHORTCUTS = dict(
    zip(
        PLANNER_SETTINGS,
        (
            "Address of an OpenAI-compatible endpoint.",
            "Name of the environment variable that holds the API key.",
            "PEFT adapter of a local model.",
            "A prompt template: a name or a file.",
            "US dollars that an episode may cost.",
        ),
        strict=True,
    )
)
"""Planner settings that have an option of their own."""
VARIABLES = ("planner", "base_url", "api_key_env", "robot", "skills", "detector", "targets")
"""Options with an environment variable: `HOMIE_PLANNER`, `HOMIE_BASE_URL`, ... They depend on the machine, not on a
single run. Config files and the command line take precedence."""
COMPLETED = {**{option: kind.name for option, kind in OPTIONS.items()}, "suite": "suites"}
"""Options whose value is a registered name of some kind, for shell completion."""


def build(model: type[Model], config: Sequence[Path] | None, values: dict[str, Any]) -> Model:
    """Build the options of a command: environment variables, overridden by config files, overridden by `values`.

    Raises:
        BadInput: a config file or a value is wrong.
    """
    variables = {name: os.environ.get(variable(name)) or None for name in VARIABLES}
    defaults = settings({name: value for name, value in variables.items() if value is not None})
    fields = {name: value for name, value in defaults.items() if name in model.model_fields}
    typed = {name: _typed(model, name, value) for name, value in values.items()}
    return model.build(config or (), defaults=fields, **settings(typed, model.model_fields))


def _typed(model: type[Options], name: str, value: Any) -> Any:
    """Convert a value of the command line to the type of its field. One that does not fit stays text: the model refuses
    it."""
    kind = _plain(model.model_fields[name].annotation) if name in model.model_fields else None
    if kind not in (int, float) or not isinstance(value, str):
        return value
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return value


def variable(name: str) -> str:
    """Return the environment variable of an option.

    Example:
        >>> variable("base_url")
        'HOMIE_BASE_URL'
    """
    return f"HOMIE_{name.upper()}"


def settings(values: dict[str, Any], option_names: Collection[str] = ()) -> dict[str, Any]:
    """Collect the pairs and shortcuts of a command line in mappings of settings. Raises BadInput.

    option_names: the options of the command; one with the name of a shortcut is not a setting of a planner.
    """
    shortcuts = [name for name in SHORTCUTS if name not in option_names]
    remaining = {name: setting for name, setting in values.items() if name not in shortcuts}
    for field, (flag, _, form, example) in PAIRS.items():
        if field in remaining:
            remaining[field] = dict(_pair(pair, flag, form, example) for pair in remaining[field] or ())
    shortcut_values = {name: values[name] for name in shortcuts if values.get(name) is not None}
    remaining["planner_settings"] = {**shortcut_values, **remaining.get("planner_settings", {})}
    return {name: setting for name, setting in remaining.items() if setting != {}}


def _pair(pair: str, flag: str, form: str, example: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not equals or not name.strip():
        raise BadInput(f"--{flag} needs {form} (got '{pair}'), for example --{flag} {example}.")
    try:
        return name.strip(), parse_yaml(value) if value else ""
    except (ValueError, yaml.YAMLError):
        return name.strip(), value


def _parameters(model: type[Options], name: str) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a field: for a mapping of settings, the option for pairs and, for planners, the
    shortcuts."""
    if name not in PAIRS:
        yield _parameter(model, name)
        return
    flag, about, form, _ = PAIRS[name]
    option = typer.Option(f"--{flag}", help=about, metavar=form, show_default=False)
    yield _keyword(name, list[str] | None, option)
    if name != "planner_settings":
        return
    for shortcut, about in SHORTCUTS.items():
        option = typer.Option(f"--{shortcut.replace('_', '-')}", help=about + _from(shortcut), show_default=False)
        yield _keyword(shortcut, str | None, option)


def _keyword(name: str, kind: Any, info: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info])


def _parameter(model: type[Options], name: str) -> inspect.Parameter:
    field = model.model_fields[name]
    default = field.get_default(call_default_factory=True, validated_data={})
    default_text = "" if default in (None, (), {}, []) or field.is_required() else f" [default: {_shown(default)}]"
    annotation = _plain(field.annotation)
    choices = [str(choice) for choice in get_args(annotation)] if get_origin(annotation) is Literal else []
    complete = _completion(COMPLETED[name]) if name in COMPLETED else _one_of(choices) if choices else None
    # Numbers and choices are checked by the model, whose sentences are the same for files and for Python.
    kind: Any = str if choices or annotation in (str, int, float) else field.annotation
    metavar = f"[{'|'.join(choices)}]" if choices else {int: "INTEGER", float: "NUMBER"}.get(annotation)
    info: Any
    if name == model.usage.argument:
        is_list = get_origin(annotation) is list
        info = typer.Argument(
            help=field.description,
            show_default=False,
            metavar=f"{name.upper()}{'...' if is_list else ''}",
            autocompletion=complete,
        )
    else:
        option = name.replace("_", "-")
        info = typer.Option(
            f"--{option}/--no-{option}" if annotation is bool else f"--{option}",
            help=f"{field.description}{default_text}{_from(name)}",
            show_default=False,
            metavar=metavar,
            autocompletion=complete,
        )
    # None means "not given": then a config file applies, and after it the model's own default.
    return _keyword(name, kind | None, info)


def _plain(annotation: Any) -> Any:
    """Return an annotation without `| None` and without further constraints of pydantic."""
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    inner = kinds[0] if type(None) in get_args(annotation) and len(kinds) == 1 else annotation
    return get_args(inner)[0] if get_origin(inner) is Annotated else inner


def _from(name: str) -> str:
    return f" [env: {variable(name)}]" if name in VARIABLES else ""


def _completion(kind: str) -> Callable[[str], list[str]]:
    return lambda incomplete: [name for name in registry.names(kind) if name.startswith(incomplete)]


def _one_of(choices: Sequence[str]) -> Callable[[str], list[str]]:
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def _shown(default: object) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
