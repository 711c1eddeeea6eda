"""Base class and helpers of all parts that users choose by name (planners, skill sets, detectors)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.support.deprecated_imports import renamed, renamed_members
from homie.kernel.support.text import join_words, one_line

Returned = TypeVar("Returned")


class Configurable:
    """Base class of parts that users choose by name, constructed as `cls(argument, settings)` from NAME:ARGUMENT and
    the settings given with it.

    A constructor may take fewer parameters: `settings` is only passed if the class has `Settings`, `argument` only if
    the user gave one.
    """

    word: ClassVar[str] = "part"
    """Noun for this kind of part in messages to users."""
    name: str = ""
    Settings: ClassVar[type[BaseModel] | None] = None
    """Pydantic model of its settings, or None if it has none."""
    note: ClassVar[str] = ""
    """Most important remark for users, a few words for `homie list`."""
    extra: ClassVar[str] = ""
    """Homie's extra that installs the packages it needs (`kernel.support.packages.requirements`), "" if none."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, {"enter": "bind", "looks_at_hand": "uses_wrist_camera"})  # codespell:ignore

    def __init__(self, argument: str = "", settings: BaseModel | None = None) -> None:
        """Raises BadInput if an argument is given: parts that take one override the constructor."""
        if argument:
            raise BadInput(f"The {self.word} '{self.name}' takes no argument (got '{argument}').")


class SharedPart(Protocol):
    """Resource shared by planners in several processes, such as a process with their model. Its owner closes it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables that tell the planners where to find it."""

    def ensure(self) -> None:
        """Start it, or restart it if it has died. Raises InfrastructureError."""

    def close(self) -> None:
        """Shut it down. Idempotent."""


def check_returned(value: object, kind: type[Returned], subject: str) -> Returned:
    """Check the class of a value returned by a part, which may be user code. Raises BadInput if it is another one.

    Args:
        kind: Expected class.
        subject: The method, as worded by `method_of`.
    """
    if not isinstance(value, kind):
        public = kind.__module__.partition(".")[0] == "homie"
        raise BadInput(f"{subject} returned {brief(value)}: return a {'homie.' if public else ''}{kind.__name__}.")
    return value


def method_of(word: str, part: object, method: str) -> str:
    """Name a method of a part, for the beginning of an error message: `The method act of the skill Wave`."""
    return f"The method {method} of the {word} {type(part).__name__}"


def brief(value: object) -> str:
    """Shorten the repr of a returned value for an error message."""
    return one_line(repr(value), longest=80)


def is_line(value: object) -> bool:
    """Whether a value is a single-line, non-blank string, as names have to be."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def misfit(kind: type, interface: type) -> str:
    """Describe the first method of a class that violates its interface (missing or with incompatible parameters), as
    the end of a sentence. "" if all methods fit."""
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        return f"has no {join_words(missing)}: write {'it' if len(missing) == 1 else 'them'}"
    return _parameter_mismatch(kind, interface)


@lru_cache(maxsize=256)  # called for the skills of every episode
def _parameter_mismatch(kind: type, interface: type) -> str:
    for name in dir(interface):
        expected, actual = (inspect.getattr_static(owner, name, None) for owner in (interface, kind))
        if (
            actual is expected
            or name.startswith("__")
            or not (inspect.isfunction(expected) and inspect.isfunction(actual))
        ):
            continue
        parameters = list(inspect.signature(expected).parameters.values())
        keywords = {parameter.name: None for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
        positional = [None for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        try:
            inspect.signature(actual).bind(*positional, **keywords)
        except TypeError:
            current, required = _untyped_parameters(actual), _untyped_parameters(expected)
            return f"has {name}{current}, which is called as {name}{required}: write it with these parameters"
    return ""


def accepts_one_argument(function: Callable[..., object]) -> bool:
    """Whether a function can be called with one argument."""
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # some callables have no signature
        return True
    return True


def _untyped_parameters(function: Callable[..., object]) -> str:
    """Format a method's parameters without their annotations."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"NamedByUsers": "Configurable"})  # codespell:ignore
