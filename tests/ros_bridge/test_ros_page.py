"""What docs/ros.md names: messages of the code in its troubleshooting, tests that measure its promises."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def section(name):
    """The rows of the first table of a section."""
    text = (ROOT / "docs" / "ros.md").read_text().split(f"\n## {name}\n")[1].split("\n## ")[0]
    return re.search(r"^\|.*?(?=\n\n|\Z)", text.strip(), re.MULTILINE | re.DOTALL).group().splitlines()


def test_what_homie_says_is_what_its_code_says():
    files = [file for folder in ("ros_bridge", "homie") for file in (ROOT / folder).rglob("*.py")]
    code = re.sub(r'"\s*\n\s*f?"', "", "\n".join(file.read_text() for file in files))
    printed = [text for row in section("Troubleshooting") for text in re.findall(r'"([^"]+)"', row.split(" | ")[0])]
    assert len(printed) > 10
    assert all(text in code for text in printed), [text for text in printed if text not in code]


def test_every_promise_is_measured_by_a_test_that_is_there():
    names = [name for row in section("What is proven") for name in re.findall(r"`(test_\w+)`", row)]
    assert len(names) > 10
    there = {file.stem for file in (ROOT / "tests" / "ros_bridge" / "real").glob("test_*.py")}
    assert set(names) <= there
