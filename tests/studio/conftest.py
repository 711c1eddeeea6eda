"""Fixtures of the studio's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra [studio] is not installed")
pytest.importorskip("uvicorn", reason="the extra [studio] is not installed")

from pages import Studio, opened


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with opened(tmp_path) as running:
        yield running
