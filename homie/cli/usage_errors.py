"""Usage errors found by Typer, each in one sentence of Homie's: `--port must be a whole number`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from homie.kernel.errors import suggestion

_NUMBERS = (
    (r"unable to parse string as an? (?:integer|number)|valid integer", "must be a whole number"),
    (r"valid number", "must be a number"),
    (r"less than or equal to (\S+)", "must be at most {}"),
    (r"greater than or equal to (\S+)", "must be at least {}"),
    (r"less than (\S+)", "must be less than {}"),
    (r"greater than (\S+)", "must be more than {}"),
    (r"is not one of (.+?)\.?$", "must be one of {}"),
    (r"[Ii]nput should be (.+?)\.?$", "must be {}"),
)
"""Patterns in the messages of Typer and pydantic, and their sentences; the first that fits counts."""


def usage_sentence(error: Any, words: Sequence[str]) -> str:
    """Return the sentence for a usage error of Typer, whose classes have moved between packages: their names count.

    Args:
        error: With `message`, and `ctx`, `param`, `option_name` or `possibilities` as its class has them.
        words: The command line.
    """
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "homie"
    seek = f"`{command} -h` lists them."
    message = str(getattr(error, "message", "") or error.format_message())
    match type(error).__name__:
        case "NoSuchOption":
            name = str(error.option_name)
            known = _options(context)
            hint = f"`{command} --help-all` lists them." if "--help-all" in known else seek
            return f"There is no option {name}: {suggestion(name, known, hint)}"
        case "MissingParameter":
            return f"{_shown(error)} is missing: `{_synopsis(context, command)}`."
        case "BadParameter":
            return f"{_shown(error)} {_phrase(message, _typed_value(error, words))}."
        case "BadOptionUsage":
            return f"{error.option_name} needs a value." if "requires an argument" in message else message
    if unknown := re.match(r"No such command '(.*?)'", message):
        commands = list(getattr(getattr(context, "command", None), "commands", {}))
        return f"There is no command '{unknown[1]}': {suggestion(unknown[1], commands, seek)}"
    if extra := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)$", message, re.DOTALL):
        quoted = " Put an instruction in quotes." if command in ("homie run", "homie plan") else ""
        return f"`{command}` takes no further '{extra[1]}'.{quoted}"
    return message if message.endswith(".") else f"{message}."


def _shown(error: Any) -> str:
    """Return the option or argument that an error is about, as it is typed."""
    parameter = error.param
    if parameter is None:
        return str(error.param_hint or "A value").strip("'")
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name).upper()


def _options(context: Any) -> list[str]:
    if context is None:
        return []
    return [name for parameter in context.command.get_params(context) for name in parameter.opts if name[:2] == "--"]


def _synopsis(context: Any, command: str) -> str:
    """Return the command with its arguments: `homie skill generate POLICY OUT`."""
    arguments = [parameter for parameter in context.command.params if parameter.param_type_name == "argument"]
    return " ".join([command, *(str(parameter.metavar or parameter.name).upper() for parameter in arguments)])


def _typed_value(error: Any, words: Sequence[str]) -> str:
    """Return the value that was typed for the option of an error, "" if it cannot be found."""
    names = error.param.opts if error.param is not None else ()
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else next(iter(words[number + 1 :]), "")
    return ""


def _phrase(message: str, argument: str) -> str:
    for pattern, phrase in _NUMBERS:
        if match := re.search(pattern, message):
            sentence = "must be a number" if "as a number" in message else phrase.format(*match.groups())
            return f"{sentence} (got {argument!r})" if argument else sentence
    return f"is wrong: {message.rstrip('.')}"
