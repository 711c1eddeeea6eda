"""Parts that were made in Python, where an option has a name: `planner=MyPlanner()` instead of `--planner mine`.

given --split--> options, in which every part has a name, and the parts that no name makes again

A class or function of a module becomes `MODULE:NAME`, which the command line takes too. An object, or a class of a
notebook, becomes `object:MODULE.NAME`: the record says what it was, and that no command line makes it again.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from homie.kernel.setup import registry

Objects: TypeAlias = Mapping[tuple[str, str], Any]
"""Parts made in Python, by option and the name that they have in it."""
NO_OBJECTS: Objects = MappingProxyType({})

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "planner": "planners",
        "robot": "robots",
        "skills": "skills",
        "detector": "detectors",
        "targets": "locators",
        "check_order": "checks",
    }
)
"""The options that name parts, and the kind in the registry."""

Part = TypeVar("Part")


def split(values: Mapping[str, Any]) -> tuple[dict[str, Any], Objects]:
    """What was given as options with names, and the objects behind names that cannot be looked up."""
    options = dict(values)
    objects: dict[tuple[str, str], Any] = {}
    for option in KINDS.keys() & values.keys():
        value = values[option]
        if value is None or isinstance(value, str):
            continue
        several = option == "skills" and isinstance(value, list | tuple)
        names = [part if isinstance(part, str) else _name(part) for part in (value if several else [value])]
        options[option] = ",".join(names)
        objects |= {
            (option, name): part
            for name, part in zip(names, value if several else [value], strict=True)
            if name.startswith(f"{registry.OBJECT}:")
        }
    return options, objects


def resolve(option: str, text: str, objects: Objects) -> tuple[Any, str]:
    """What the name of a part in an option means, and its argument. Raises BadInput, MissingPart."""
    if (option, text) in objects:
        return objects[option, text], ""
    return registry.find(KINDS[option], text)


def path_of(value: object) -> str:
    """Module and name of the class of an object, of a class, or of a function, as `MODULE:NAME`."""
    named: Any = value if inspect.isclass(value) or inspect.isroutine(value) else type(value)
    return f"{named.__module__}:{named.__qualname__}"


def _name(value: object) -> str:
    """What the record calls a part that was given as it is."""
    if isinstance(value, list | tuple):
        return f"{registry.OBJECT}:{'+'.join(path_of(part).replace(':', '.') for part in value)}"
    module, _, name = path_of(value).partition(":")
    if module != "__main__" and getattr(sys.modules.get(module), name, None) is value:
        return f"{module}:{name}"
    return f"{registry.OBJECT}:{module}.{name}"
