"""Validation errors of pydantic as one plain sentence: `must be a whole number (got '1.5')`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from homie.kernel.errors import did_you_mean
from homie.kernel.support.field_names import names_beside
from homie.kernel.support.text import HALF_CHARACTER

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

WHOLE, NUMBER, MAPPING = "must be a whole number", "must be a number", "must be a mapping of names to values"
_PHRASES = {
    "int_type": WHOLE,
    "int_parsing": WHOLE,
    "int_from_float": WHOLE,
    "int_parsing_size": "must be a smaller whole number",
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be text",
    "path_type": "must be a path",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "dict_type": MAPPING,
    "mapping_type": MAPPING,
    "model_type": MAPPING,
    "model_attributes_type": MAPPING,
    "dataclass_type": MAPPING,
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "enum": "must be {expected}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length:,} characters",
    "too_short": "needs at least {min_length} of them (got {actual_length})",
    "too_long": "takes at most {max_length} of them (got {actual_length})",
    "string_pattern_mismatch": "must match the pattern {pattern}",
}
"""Format strings by pydantic's error type, filled with the error's context. Other types keep pydantic's message."""
_WITHOUT_VALUE = ("missing", "too_long", "too_short")
"""Error types without the value in the message: it is missing, or too long."""
_NOT_DECODED = re.compile(r"[\udc80-\udcff]")
"""Python's replacement of a command-line byte that is invalid in the terminal's encoding."""
_VERBS = ("must ", "is ", "needs ", "takes ")
"""Beginnings of phrases that follow a name without a colon."""
_MEMBER = re.compile(r"(constrained|function|lax-or-strict|json-or-python|nullable|is-instance|literal)[-\[]|.*\[.*\]$")
"""Pydantic's names for a member of a union, or for a key, in a location: `constrained-str`, `tuple[str, ...]`."""
LONGEST = 120
"""Maximum characters of a value in a message; a longer one, such as a whole mapping, would hide the problem."""


def _lone_surrogate(text: str) -> str:
    """Describe the lone surrogate in a text."""
    surrogate = HALF_CHARACTER.search(text)
    if surrogate is None:
        return "is not valid text"
    escape, place = f"\\u{ord(surrogate[0]):04x}", surrogate.start() + 1
    return f"is text that cannot be written: its character {place} is {escape}, which is half of one"


def phrase_of(problem: ErrorDetails, bounds: tuple[float, float] | None = None) -> str:
    """Describe an error of a value, to follow the value's name, without a period.

    Args:
        problem: An item of `ValidationError.errors()`.
        bounds: Minimum and maximum of the value, inclusive, if it has both.

    Returns:
        `must be at least 1 (got 0)`; for a ValueError raised by a validator its own message.
    """
    kind = problem["type"]
    context = {name: _shorten(value) for name, value in problem.get("ctx", {}).items()}
    if kind == "string_unicode":
        return _lone_surrogate(str(problem["input"]))
    if kind in ("value_error", "assertion_error"):
        words, scalar = own_words(problem["msg"]), isinstance(problem["input"], str | int | float)
        return f"{words} (got {problem['input']!r})" if scalar and "got" not in words else words
    if kind in ("greater_than_equal", "less_than_equal") and bounds is not None:
        phrase = f"must be between {_shorten(bounds[0])} and {_shorten(bounds[1])}"
    elif kind == "string_too_short" and context["min_length"] == 1:
        return "must not be empty"
    elif kind == "literal_error":
        phrase = f"must be {re.sub('True|False', lambda word: word[0].lower(), context['expected'])}"
    elif kind in _PHRASES:
        phrase = _PHRASES[kind].format(**context)
    else:
        phrase = problem["msg"].replace("Input should be", "must be").rstrip(".")
    if kind == "string_too_long":
        return f"{phrase} (got {len(problem['input']):,})"
    value = problem["input"]
    value_text = str(value).lower() if isinstance(value, bool) else repr(as_typed(value))
    return phrase if kind in _WITHOUT_VALUE or len(value_text) > LONGEST else f"{phrase} (got {value_text})"


def sentence_of(
    problem: ErrorDetails,
    name: str,
    bounds: tuple[float, float] | None = None,
    *,
    error: ValidationError | None = None,
) -> str:
    """Describe an error of a named value, without a period: `--seed must be a whole number (got '1.5')`.

    Args:
        error: The error that the problem is from, to suggest a similar valid name for an unknown one.
    """
    phrase = phrase_of(problem, bounds)
    if error is not None and problem["type"] == "extra_forbidden":
        place = problem["loc"]
        if hint := did_you_mean(str(place[-1]), names_beside(error, place), " (", ")"):
            phrase = f"{_PHRASES['extra_forbidden']}{hint}"
    if not name:
        return phrase
    return f"{name} {phrase}" if phrase.startswith(_VERBS) else f"{name}: {phrase}"


def first_problem(error: ValidationError, content_name: str = "") -> str:
    """Describe the first error in a file, without a period: `field.name must be ...`. Unknown names come first, since a
    misspelt name makes another one missing.

    Args:
        content_name: Name of the file's content, for errors that do not concern one field.
    """
    problem = fault_of(error)
    return sentence_of(problem, where(problem["loc"]) or content_name, error=error)


class Usage(NamedTuple):
    """Syntax of a command: its words after `homie`, the option that is its positional argument ("" for none), and an
    example."""

    command: str = ""
    argument: str = ""
    example: str = ""

    def __str__(self) -> str:
        return f"homie {self.command} {self.example}".strip()


RUN_USAGE = Usage("run", "task", '"put the apple in the bowl"')
"""Usage of `homie run`."""


def explain(error: ValidationError, model: type[BaseModel] | None = None) -> str:
    """Describe the first error in options as one sentence with the name of the option; unknown names come first.

    Args:
        model: The model of the options. Those of a command are named as on the command line (`--seed`).
    """
    problems = error.errors()
    fault = fault_of(error)
    place = where(fault["loc"]) or "options"
    field = model.model_fields.get(place) if model is not None else None
    model_usage: Usage = getattr(model, "usage", Usage())
    usage = model_usage if model_usage.command else None
    if place == "task" and fault["type"] in ("string_too_short", "missing") and (usage is None or usage.argument):
        example = usage or RUN_USAGE
        return f"The instruction is empty: say what to do, for example `{example}`."
    is_plain = usage is None or field is None or usage.argument == place
    name = place if is_plain else f"--{place.replace('_', '-')}"
    if fault["type"] == "missing" or (fault["type"] == "too_short" and usage is not None and usage.argument == place):
        description = re.split(r"(?<=[^.])\.(?= |$)|;", (field.description or "") if field is not None else "")[0]
        description = description[:1].lower() + description[1:]
        if description and usage is not None and usage.argument == place:
            return f"Give {description}: `{usage}`."
        return f"{name} is missing: {description}." if description else f"{name} is missing."
    remainder = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    if fault["type"] == "string_unicode" and _NOT_DECODED.search(str(fault["input"])):
        terminal = "The locale of this terminal is not UTF-8: set LC_ALL=C.UTF-8 and try again"
        return f"{name} is not valid UTF-8. {terminal}{remainder}."
    return f"{sentence_of(fault, name, _bounds(field), error=error)}{remainder}."


def fault_of(error: ValidationError) -> ErrorDetails:
    """Select the error to report: an unknown name before all others. For a union, the error of the best matching type;
    pydantic's names of types are removed from its location."""
    problems = error.errors()
    fault = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
    place = fault["loc"]
    member = next((index for index, part in enumerate(place) if _MEMBER.match(str(part))), None)
    if member is not None:
        alternatives = [problem for problem in problems if problem["loc"][:member] == place[:member]]
        fault = max(alternatives, key=lambda problem: (len(problem["loc"]), not problem["type"].endswith("_type")))
    fault["loc"] = tuple(part for part in fault["loc"] if not _MEMBER.match(str(part)))
    return fault


def _bounds(field: FieldInfo | None) -> tuple[float, float] | None:
    """Return minimum and maximum of a field, inclusive, if it has both."""
    limits = field.metadata if field is not None else []
    lowest = next((limit.ge for limit in limits if hasattr(limit, "ge")), None)
    highest = next((limit.le for limit in limits if hasattr(limit, "le")), None)
    return None if lowest is None or highest is None else (lowest, highest)


def _shorten(value: Any) -> Any:
    """Convert a float with an integer value to int; other values are unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def where(location: Sequence[int | str]) -> str:
    """Format the location of a value: `tasks.3.goal`."""
    return ".".join(str(part) for part in location)


def own_words(message: str) -> str:
    """Strip pydantic's prefix from the message of a ValueError raised by a validator."""
    return message.removeprefix("Value error, ").removeprefix("Assertion failed, ")


def as_typed(value: Any) -> Any:
    """Return a value as typed by the user: paths as text."""
    if isinstance(value, list | tuple):
        return [as_typed(part) for part in value]
    return str(value) if isinstance(value, Path) else value
