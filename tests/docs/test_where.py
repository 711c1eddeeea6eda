"""The map of the repository points at what exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_imports import CONTRACTS, FOLDERS, LAYERS, MAY_IMPORT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`([\w./-]+/[\w./-]+|[\w-]+\.(?:toml|txt))`", PAGE)))


@pytest.mark.parametrize("path", PATHS)
def test_what_the_map_names_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_map_names_many_places() -> None:
    assert len(PATHS) > 30


@pytest.mark.parametrize(("name", "path"), re.findall(r"`(\w+)` in(?: the)? `([\w./-]+\.\w+)`", PAGE))
def test_a_name_is_in_the_file_that_the_map_names(name: str, path: str) -> None:
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`python -m ((?:benchmarks|suites)\.[^`]+)`", PAGE))))
def test_a_command_of_the_map_can_be_called(command: str) -> None:
    subprocess.run([sys.executable, "-m", *command.split(), "--help"], cwd=ROOT, check=True, capture_output=True)


def _may_import() -> dict[str, str]:
    """The last column of the table of folders, by folder."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[\w/]+/`(?:, `[\w/]+/`)*) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    return {folder: column for folders, column in rows for folder in re.findall(r"`([\w/]+)/`", folders)}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_table_of_folders_says_what_each_may_import(folder: str) -> None:
    names = {name.removeprefix("homie.") for name in MAY_IMPORT[folder] if name not in CONTRACTS}
    assert set(re.findall(r"`([\w.]+)`", _may_import()[folder])) == names


def test_the_table_of_folders_has_every_room_of_homie() -> None:
    rooms = {room for floor in LAYERS["homie"] for room in floor}
    assert rooms == {folder.split("/")[1] for folder in _may_import() if folder.startswith("homie/")}


@pytest.mark.parametrize("room", [room for floor in LAYERS["homie"] for room in floor])
def test_what_a_room_of_homie_may_import_is_below_it(room: str) -> None:
    floors = {name: number for number, floor in enumerate(LAYERS["homie"]) for name in floor}
    column = next(text for folder, text in _may_import().items() if folder.split("/")[:2] == ["homie", room])
    if column.startswith("all but"):
        others = {name for name, floor in floors.items() if floor >= floors[room]} - {room}
        assert set(re.findall(r"`(\w+)`", column)) == others
    else:
        assert all(floors[name] < floors[room] for name in re.findall(r"\w+", column) if name in floors)
