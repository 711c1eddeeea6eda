"""Reading the golden cases of the protocols."""

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
