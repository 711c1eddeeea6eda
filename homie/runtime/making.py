"""One way to make parts: from a name, an argument and settings.

`NAME:ARGUMENT`, settings --named_part--> NamedPart (found and checked) --build--> `cls(argument, settings)`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Detector, Planner, Robot, SkillSet
from homie.kernel.setup.opening import checked_settings
from homie.runtime.objects import NO_OBJECTS, Objects, Part, path_of, resolve


@dataclass(frozen=True, slots=True)
class Kind(Generic[Part]):
    """A kind of parts. option: the one that names them. word: what users call one. interface: what it has to be."""

    option: str
    word: str
    interface: type[Part]


PLANNER = Kind("planner", "planner", Planner)  # type: ignore[type-abstract]
DETECTOR = Kind("detector", "detector", Detector)  # type: ignore[type-abstract]
ROBOT = Kind("robot", "robot", Robot)  # type: ignore[type-abstract]
SKILL_SET = Kind("skills", "skill set", SkillSet)  # type: ignore[type-abstract]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPart(Generic[Part]):
    """A part that is found and whose settings are checked, and that is not made yet.

    make: its class, a function that makes it, or the part itself where it was made in Python. settings: None where it
    has none.
    """

    kind: Kind[Part]
    name: str
    make: Any
    argument: str
    settings: BaseModel | None

    def build(self) -> Part:
        """The part. Raises BadInput, MissingPart, and whatever its constructor raises."""
        if isinstance(self.make, self.kind.interface):
            return self.make
        return constructed(
            f"{self.kind.word} '{self.name}'", self.make, [self.argument, self.settings], self.kind.interface
        )


def make_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> Part:
    """A part from NAME or NAME:ARGUMENT and its settings.

    Args:
        kind: such as PLANNER.
        text: `scripted:plan.yaml`, say.
        settings: by their names; what is not given is as usual.
        objects: the parts that were made in Python, which `text` may name.

    Raises:
        BadInput: There is no such part, or it does not take the argument or a setting.
        MissingPart: A package that it needs is not installed.
    """
    return named_part(kind, text, settings, objects).build()


def named_part(
    kind: Kind[Part], text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> NamedPart[Part]:
    """The part that `make_part` would make, not made yet. Raises as `make_part`."""
    make, argument = resolve(kind.option, text, objects)
    name = text.removesuffix(f":{argument}") if argument else text
    whose = f"{kind.word} '{name}'"
    if isinstance(make, kind.interface):
        if settings:
            raise BadInput(f"The {whose} is an object that was made in Python: give its settings to its constructor.")
        checked = None
    else:
        checked = settings_of(whose, getattr(make, "Settings", None), settings or {})
    return NamedPart(kind=kind, name=name, make=make, argument=argument, settings=checked)


def settings_of(whose: str, model: type[BaseModel] | None, values: Mapping[str, Any]) -> BaseModel | None:
    """Settings as their model has them, None where there is no model. whose: "planner 'chat'". Raises BadInput."""
    if model is not None:
        return checked_settings(whose, model, values)
    if values:
        raise BadInput(f"The {whose} has no settings (got {', '.join(values)}).")
    return None


def constructed(whose: str, make: Any, arguments: Sequence[Any], interface: type[Part]) -> Part:
    """A part from its class or factory, which gets the arguments that are not None, and need not take one that is "".

    Raises BadInput if it takes others, or makes something else.
    """
    wrong_class = inspect.isclass(make) and not issubclass(make, interface)
    part = _called(whose, make, arguments) if callable(make) and not wrong_class else make
    if not isinstance(part, interface):
        raise BadInput(f"The {whose} is no homie.kernel.interfaces.{interface.__name__}, but {path_of(part)}.")
    return part


def _called(whose: str, make: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    present = [argument for argument in arguments if argument is not None]
    try:
        signature = inspect.signature(make)
    except ValueError:  # some callables have none
        return make(*present)
    for fewer in (present, [argument for argument in present if argument != ""]):
        try:
            signature.bind(*fewer)
        except TypeError:
            continue
        return make(*fewer)
    raise BadInput(
        f"The {whose} cannot be made: {path_of(make)} takes {signature} and is given {len(present)} argument(s)."
    )
