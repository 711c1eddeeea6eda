"""Support of moved modules: imports, configurations and entry points with an old name work for one release, with a
DeprecationWarning that names the new one."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Mapping
from importlib.machinery import ModuleSpec

from homie.kernel.support.moved_modules import MOVED

TYPE_CHECKING = False  # as in `homie`, which imports this module first
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from types import ModuleType
    from typing import Any
else:
    Loader = object


def new_name(name: str) -> str | None:
    """Return the new name of a module, None for a module that has not moved."""
    head, tail = name, ""
    while head and head not in MOVED:
        head, _, leaf = head.rpartition(".")
        tail = f".{leaf}{tail}"
    if not head:
        return None
    new = MOVED[head]
    if not new.endswith("_"):
        new += tail
    else:
        new = new + tail[1:] if tail else new.rpartition(".")[0]
    return new_name(new) or new  # it may have moved twice


class MovedModules:
    """Import finder for old module names. Comes first: the path of a moved package would import its modules twice."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a moved module, None for any other."""
        new = new_name(name)
        if new is None:
            return None
        warnings.warn(
            f"{name} has moved: import {new}. The old name works for one release.", DeprecationWarning, stacklevel=2
        )
        return ModuleSpec(name, _Alias(new), is_package=True)


class _Alias(Loader):
    """Loads the module with the new name, and makes the old name refer to the same object."""

    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: the module is created under its new name."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module of the old name by the module with the new name."""
        new = importlib.import_module(self._new)
        if not hasattr(new, "__path__"):
            new.__path__ = []  # the old name may have been a package, and Python imports submodules of packages only
        sys.modules[module.__name__] = new


def attribute(old: str, name: str, new: str) -> Any:
    """Return a name that has moved to another module, for the `__getattr__` of the old one. Raises AttributeError for
    other names."""
    try:
        value = None if name.startswith("_") else getattr(importlib.import_module(new), name, None)
    except ImportError:
        value = None
    if value is None:
        raise AttributeError(f"module {old!r} has no attribute {name!r}")
    warnings.warn(
        f"{old}.{name} has moved: import it from {new}. The old name works for one release.",
        DeprecationWarning,
        stacklevel=3,
    )
    return value


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Create a `__getattr__` for a module with names that have changed since version 0.1.

    Args:
        module: The module's `__name__`.
        names: New names by old names.

    Returns:
        A function that returns the attribute with the new name, with a DeprecationWarning. It raises AttributeError for
        names that are not in `names`.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(
            f"{module}.{name} is called {names[name]} now. The old name works for one release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(sys.modules[module], names[name])

    return getattribute


def renamed_members(cls: type, names: Mapping[str, str]) -> None:
    """Copy members that a class of another package defines under an old name to the new name, with a warning.

    Args:
        cls: The class.
        names: New names by old names; `not NAME` for a property with the negated value.
    """
    for old, name in names.items():
        new = name.removeprefix("not ")
        if old in cls.__dict__ and new not in cls.__dict__:
            warnings.warn(
                f"{cls.__name__}.{old} is called {new} now. The old name works for one release.",
                DeprecationWarning,
                stacklevel=4,
            )
            setattr(cls, new, cls.__dict__[old] if new == name else _negated(old))


def _negated(name: str) -> property:
    return property(lambda self: not getattr(self, name))


def install() -> None:
    """Install the import finder of old names."""
    sys.meta_path.insert(0, MovedModules())
