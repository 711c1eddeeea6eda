"""Reading the golden cases of the protocols, and writing files like those of their data sets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[2] / "golden"


def content(name: str) -> bytes:
    """The bytes of a golden file, unpacked: `protocol/file`."""
    path = GOLDEN / name
    return path.read_bytes() if path.exists() else gzip.decompress(path.with_name(f"{path.name}.gz").read_bytes())


def cases(name: str) -> Any:
    """A golden JSON file."""
    return json.loads(content(name))


def write(path: Path, value: object) -> None:
    """A JSON file, in a folder that is made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
