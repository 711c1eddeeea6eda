"""The map of the repository points at what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`([\w./-]+/[\w./-]+|[\w-]+\.(?:toml|txt))`", PAGE)))


@pytest.mark.parametrize("path", PATHS)
def test_what_the_map_names_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_map_names_many_places() -> None:
    assert len(PATHS) > 30
