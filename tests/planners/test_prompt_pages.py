"""`python -m benchmarks.prompt_episodes` prints what a model gets; the fixed part is what the page of prompts says."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "prompts.md"
SYSTEM = {
    ("arm", 3): "29e184d5408147912335d45880b92314867d6b6fe4b10798fe28b79c8076ea60",
    ("embodiedbench-arm", 1): "59abde91b3b0ce35d5bba0d8f9a55dfab8f46ee92277b198d7a0a967d1cf4a9d",
    ("embodiedbench-ids", 3): "06a9c2d6f6444f79053a4116815d084cf9b48fb315f195b49010800d28e45b05",
    ("embodiedbench", 4): "8ca0fbed17772ed27031fab1c2513cf968c5461e7279898612b08d3d8c8ad502",
    ("emmoe-json", 4): "2cb3a67078521ebf99f802df445a02a54792718c2ffec4481f9072b66dd64ffd",
    ("emmoe-text", 4): "8d90383b37d6dd46f4a58cef6021c470ad4fa75a7ca40f79b57017c657adb5e9",
}
"""By template and version: SHA-256 of the system message. Another text needs a new version of its template."""

UNPLAYED = ("compact", "embodiedbench-nav")
"""Templates of which no episode is printed."""


def print_template(template: str) -> str:
    command = [sys.executable, "-m", "benchmarks.prompt_episodes", "--only", template]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def versions() -> dict[str, str]:
    """Of the table of templates on the page."""
    section = PAGE.read_text(encoding="utf-8").split("## Templates\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([\w-]+)`[^|]* \| (\d+) \|", section, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize(("template", "version"), SYSTEM)
def test_the_prompt_of_a_version_stays_as_it_is(template: str, version: int) -> None:
    text = print_template(template)
    head, _, rounds = text.partition("\n## Round 1\n")
    assert head.startswith(f"# An episode with {template}\n\nVersion {version} of the template with default settings")
    system = head.split("````text\n")[1].split("\n````")[0]
    assert hashlib.sha256(system.encode()).hexdigest() == SYSTEM[template, version]
    assert rounds.count("Answer:\n\n````text\n") >= 2 and "Task: " in rounds


def test_the_page_has_the_version_of_every_template() -> None:
    matches = {}
    for path in sorted((ROOT / "planners/llm/prompt_templates").glob("*.md")):
        (matches[path.stem],) = re.findall(r"^version: (\d+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert versions() == matches
    played = {(name, int(version)) for name, version in versions().items() if name not in UNPLAYED}
    assert played == set(SYSTEM)
