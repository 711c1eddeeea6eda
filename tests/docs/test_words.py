"""The words of `docs/words.txt` are found by `make lint`."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = [
    line.partition("->")[::2] for line in (ROOT / "docs" / "words.txt").read_text(encoding="utf-8").splitlines() if line
]


def codespell(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "codespell_lib", "--toml", "pyproject.toml", str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_word_of_the_list_is_found_in_prose_and_code(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("\n".join(f'"""This {word} stands here."""' for word, _ in WORDS), encoding="utf-8")
    lines = codespell(planted).stdout.splitlines()
    assert [line.split(":")[1] for line in lines] == [str(number) for number in range(1, len(WORDS) + 1)]


@pytest.mark.parametrize(
    "text", ["the held object", "sampled at random", "a SER of 0.5", "There is no path", "is no longer held", "told us"]
)
def test_plain_words_pass(tmp_path: Path, text: str) -> None:
    (tmp_path / "plain.md").write_text(text, encoding="utf-8")
    assert codespell(tmp_path / "plain.md").returncode == 0


NAMES = ["test_the_planner_is_told_it", "test_a_mended_file", "told_apart", "drawn_by_lot"]  # codespell:ignore


@pytest.mark.parametrize("name", NAMES)
def test_a_word_is_found_inside_a_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "names.py").write_text(f"def {name}(): ...\n", encoding="utf-8")
    assert codespell(tmp_path / "names.py").stdout.count("==>") == 1


PARTICIPLES = {"one", "found", "made", "told"}


def test_variables_are_named_for_what_they_hold() -> None:
    files = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [
        (file, name)
        for file in files.split()
        for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
        if (name := name_of(node)) in PARTICIPLES
    ]
    assert not names


def name_of(node: ast.AST) -> str:
    """The name of a variable that is assigned, of an argument or of a function; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else ""
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, ast.FunctionDef) else ""
