"""The golden files are the ones that were handed over."""

from __future__ import annotations

import hashlib
import json

import pytest
from protocol_cases import GOLDEN, content

CHECKSUMS: dict[str, str] = json.loads((GOLDEN / "CHECKSUMS.json").read_bytes())


@pytest.mark.parametrize("name", CHECKSUMS)
def test_a_golden_file_is_unchanged(name: str) -> None:
    assert hashlib.sha256(content(name)).hexdigest() == CHECKSUMS[name]
