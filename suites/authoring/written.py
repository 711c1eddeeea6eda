"""How a generated suite is written: YAML that people read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

WIDTH = 118
"""Columns of a line: what the sources have."""


def write_yaml(path: Path, head: str, content: Mapping[str, Any]) -> None:
    """Write a comment and what follows it, keys in their order. Raises OSError."""
    text = yaml.dump(
        dict(content), Dumper=_Plain, sort_keys=False, default_flow_style=None, width=WIDTH, allow_unicode=True
    )
    path.write_text(head + text, encoding="utf-8")


class _Plain(yaml.SafeDumper):
    """No anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
