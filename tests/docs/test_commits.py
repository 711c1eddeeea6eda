"""Commits named beside figures are Homie's; those of others have their repository before them, as `rai@e54f8ca9`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMIT = re.compile(r"(?<![\w@/.-])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w-])")
"""A word of hexadecimal digits, with a letter and a digit in it."""


def git(*arguments: str) -> str:
    completed = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if completed.returncode:
        pytest.skip(f"no git checkout: {completed.stderr.strip()}")
    return completed.stdout


@pytest.fixture(scope="module")
def history() -> list[str]:
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        pytest.skip("a shallow clone does not have the whole history")
    return git("rev-list", "HEAD").split()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_commit_is_in_the_history(page: Path, history: list[str]) -> None:
    named = set(COMMIT.findall(page.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if not any(commit.startswith(name) for commit in history)] == []


def test_other_words_are_not_taken_for_commits() -> None:
    text = "ccef81d, (`a525465`); rai@e54f8ca9 20261121 defaced dea341e1-7 1.0c1e570 #0c1e570"
    assert COMMIT.findall(text) == ["ccef81d", "a525465", "0c1e570"]
