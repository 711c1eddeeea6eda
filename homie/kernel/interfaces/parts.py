"""What all parts that users choose by name have in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.support.deprecated_imports import renamed, renamed_members
from homie.kernel.support.text import listed, one_line

Returned = TypeVar("Returned")


class Configurable:
    """A part that users choose by name, made as `cls(argument, settings)`: of NAME:ARGUMENT and the settings beside it.

    A class whose constructor takes fewer gets fewer: no settings where it has no `Settings`, no argument where none is
    given.
    """

    word: ClassVar[str] = "part"
    """What users call one of its kind."""
    name: str = ""
    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings, or None if it has none."""
    note: ClassVar[str] = ""
    """What its users should know of it before all else, a few words for `homie list`."""
    extra: ClassVar[str] = ""
    """The extra of Homie that brings the packages it needs (`kernel.support.packages.requirements`), "" if none."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, {"enter": "bind", "looks_at_hand": "uses_wrist_camera"})  # codespell:ignore

    def __init__(self, argument: str = "", settings: BaseModel | None = None) -> None:
        """Raises BadInput for an argument, which a part may take that has a constructor of its own."""
        if argument:
            raise BadInput(f"The {self.word} '{self.name}' takes no argument (got '{argument}').")


class SharedPart(Protocol):
    """What planners in several processes share, such as a process that has loaded their model. Its owner closes it."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables by which they find it."""

    def ensure(self) -> None:
        """Start it, or start it again where it has died. Raises InfrastructureError."""

    def close(self) -> None:
        """End it. Idempotent."""


def returned(value: object, kind: type[Returned], subject: str) -> Returned:
    """What a method of a part has returned, which may be a user's own. Raises BadInput if it is of another class.

    Args:
        kind: What it has to be.
        subject: The method, as `method_of` has it.
    """
    if not isinstance(value, kind):
        public = kind.__module__.partition(".")[0] == "homie"
        raise BadInput(f"{subject} returned {brief(value)}: return a {'homie.' if public else ''}{kind.__name__}.")
    return value


def method_of(word: str, part: object, method: str) -> str:
    """A method of a part, at the beginning of a sentence: `The method act of the skill Wave`."""
    return f"The method {method} of the {word} {type(part).__name__}"


def brief(value: object) -> str:
    """A value in a sentence about what a part has returned."""
    return one_line(repr(value), longest=80)


def is_line(value: object) -> bool:
    """Whether a value is a text of one line that says something, as names have to be."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def misfit(kind: type, interface: type) -> str:
    """The first way in which the methods of a class are not those of its interface, as the end of a sentence: one is
    missing, or cannot be called as Homie calls it. "" where all fit."""
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        return f"has no {listed(missing)}: write {'it' if len(missing) == 1 else 'them'}"
    return _parameter_mismatch(kind, interface)


@lru_cache(maxsize=256)  # of the skills of every episode
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


def takes_one(function: Callable[..., object]) -> bool:
    """Whether a function can be called with one argument."""
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # some callables have no signature
        return True
    return True


def _untyped_parameters(function: Callable[..., object]) -> str:
    """The parameters of a method without their types."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"NamedByUsers": "Configurable"})  # codespell:ignore
