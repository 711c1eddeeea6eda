"""Config files: YAML mappings of option names to values, read strictly."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading


def read_config(path: Path) -> dict[str, Any]:
    """The options in a file. Names may be written as on the command line (`check-order`). Raises BadInput.

    A name that stands twice is refused: YAML would take the last and say nothing.
    """
    with reading(path, "the config file"):
        loaded = load_strictly(path.read_text(encoding="utf-8"))
    if not isinstance(loaded, dict):
        raise BadInput(f"The config file {path} must hold a mapping of option names to values.")
    values: dict[str, Any] = {}
    for name, value in loaded.items():
        if not isinstance(name, str):
            raise BadInput(f"The config file {path} must hold option names, such as `seed: 7` (got {name!r}).")
        field = name.replace("-", "_")
        if field in values:
            raise BadInput(f"The config file {path} gives the option '{field}' twice.")
        values[field] = value
    return values


def load_strictly(text: str) -> Any:
    """What YAML says, without a key twice in one mapping. Raises yaml.YAMLError."""
    return yaml.load(text, Loader=_Strict)


class _Strict(yaml.SafeLoader):
    """YAML without a key twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in names:
                raise yaml.constructor.ConstructorError(None, None, f"'{key.value}' stands twice", key.start_mark)
            names.add(key.value)
        return super().construct_mapping(node, deep)
