"""Files that would run code if they were unpickled as pickle does it, and habitat's configuration without habitat."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Runs:
    """Pickled, it is a call: `Runs(os.system, "touch FILE")`."""

    def __init__(self, function: Any, *arguments: object) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def touches(marker: Path) -> Runs:
    """A pickle that makes a file where it is unpickled; the test then looks for the file."""
    return Runs(os.system, f"touch {marker}")


@contextmanager
def habitat() -> Iterator[type]:
    """`habitat.config.default.Config`, a yacs node, as a class that can be pickled while the block runs."""

    class CfgNode(dict[str, object]):
        """As yacs has it: keys are attributes too, and its own state is in `__dict__`."""

        def __init__(self, values: dict[str, object] | None = None) -> None:
            super().__init__(values or {})
            self.__dict__.update({"__immutable__": True, "__deprecated_keys__": {"OLD"}, "__renamed_keys__": {}})

    class Config(CfgNode):
        pass

    CfgNode.__module__, CfgNode.__qualname__ = "yacs.config", "CfgNode"
    Config.__module__, Config.__qualname__ = "habitat.config.default", "Config"
    names = ("habitat", "habitat.config", "habitat.config.default", "yacs", "yacs.config")
    modules = {name: types.ModuleType(name) for name in names}
    modules["yacs.config"].CfgNode = CfgNode  # type: ignore[attr-defined]
    modules["habitat.config.default"].Config = Config  # type: ignore[attr-defined]
    assert not set(names) & set(sys.modules)
    sys.modules.update(modules)
    try:
        yield Config
    finally:
        for name in names:
            del sys.modules[name]
