"""Config files: YAML mappings of option names to values, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import reading


def read_config(path: Path) -> dict[str, Any]:
    """Read the options in a file. Names may be written as on the command line (`check-order`). Raises BadInput.

    Duplicate names are refused: YAML would silently take the last.
    """
    advice = "It has options in YAML, such as `seed: 7` (docs/command-line.md)."
    with reading(path, "the config file", advice=advice):
        document = load_yaml(path)
    if not isinstance(document, dict):
        raise BadInput(f"The config file {path} must hold a mapping of option names to values. {advice}")
    values: dict[str, Any] = {}
    for name, value in document.items():
        if not isinstance(name, str):
            raise BadInput(f"The config file {path} must hold option names, such as `seed: 7` (got {name!r}).")
        field = name.replace("-", "_")
        if field in values:
            raise BadInput(f"The config file {path} gives the option '{field}' twice.")
        values[field] = value
    return values
