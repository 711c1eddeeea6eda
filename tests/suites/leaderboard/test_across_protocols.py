"""One page about planners across protocols: what it has of each folder, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, WANDERED, suite, write_run

from homie.bench.intervals_and_tests import Estimate
from homie.cli.main import main
from homie.kernel.errors import BadInput
from homie.kernel.support.files import to_json, write_atomically
from homie.runtime.runstore import write_model
from suites.leaderboard_page import render, table, write_page
from suites.leaderboard_results import read_sheets
from suites.questions.asking import Asked
from suites.questions.table import Row


def write_answers(folder: Path, planner: str, right: int) -> Path:
    """A folder of `homie questions ask`: ten questions of one dimension, some of them answered right."""
    folder.mkdir()
    write_model(folder / "asked.json", Asked(questions="ab" * 32, dimension=None, planner=planner, described={}))
    row = Row(
        dimension="perception_reasoning",
        n=10,
        accuracy=right / 10,
        low=0.0,
        high=0.9,
        score=right / 10,
        unreadable=0,
        chance=0.25,
        constant=0.3,
        text_only=0.2,
    )
    rows = [row, row.model_copy(update={"dimension": "all"})]
    write_atomically(folder / "results.json", to_json([each.model_dump(mode="json") for each in rows]))
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    ways = {(f"task-{number}", 0): DONE if number < 3 else WANDERED for number in range(4)}
    return [
        write_run(tmp_path / "rule", ways, trials=1),
        write_run(tmp_path / "chat", dict.fromkeys(ways, LATE), planner="chat:m", trials=1),
        write_answers(tmp_path / "q", "chat:m", 4),
    ]


def test_a_row_for_each_group_and_planner_of_each_protocol(folders: list[Path]) -> None:
    rows = table(read_sheets(folders)).rows
    shares = {row[:3]: (row[3], row[4].value) for row in rows if isinstance(row[4], Estimate)}
    assert shares == {
        ("small, version 1", "all", "rule"): (4, 0.75),
        ("small, version 1", "all", "chat:m"): (4, 1.0),
        ("small, version 1", "short-horizon", "rule"): (2, 1.0),
        ("small, version 1", "short-horizon", "chat:m"): (2, 1.0),
        ("small, version 1", "long-horizon", "rule"): (2, 0.5),
        ("small, version 1", "long-horizon", "chat:m"): (2, 1.0),
        ("questions abababab", "all", "chat:m"): (10, 0.4),
        ("questions abababab", "perception reasoning", "chat:m"): (10, 0.4),
    }
    assert [row[5] for row in rows] == [None] * 6 + [0.25] * 2


def test_the_page_has_a_panel_a_protocol_and_leads_to_every_episode(folders: list[Path], tmp_path: Path) -> None:
    (folders[0] / "report.html").write_text("a report")
    out = tmp_path / "pages" / "across.html"
    out.parent.mkdir()
    assert write_page(read_sheets(folders), out) == out.stat().st_size
    page = out.read_text()
    assert re.findall(r'id="panel-\d"><h3>(.*?)</h3>', page) == ["small, version 1", "questions abababab"]
    links = re.findall(r'<li><a href="(.*?)">', page)
    assert links == ["../rule/report.html", "../chat", "../q/results.md"]
    assert all((out.parent / link).resolve().exists() or link.endswith(".md") for link in links)
    assert "n 10</text>" in page and "n 2</text>" in page and "perception reasoning 25.0 %" in page


def test_the_page_leads_to_each_episode_with_all_planners_in_a_row(folders: list[Path], tmp_path: Path) -> None:
    page = render(read_sheets(folders), tmp_path)
    assert page.count("Episode by episode") == 1, "questions have no episodes"
    rows = dict(re.findall(r'<tr><td class="nowrap">(.*?)</td>(.*?)</tr>', page))
    assert list(rows) == [f"task-{number}-0" for number in range(4)]
    marks = {name: re.findall(r'class="mark (\w+)" href="(.*?)"', cells) for name, cells in rows.items()}
    assert marks["task-3-0"] == [("bad", "rule/episodes/task-3-0"), ("good", "chat/episodes/task-3-0")]
    assert all((tmp_path / link).is_dir() for cells in marks.values() for _, link in cells)


def test_an_episode_that_was_not_played_is_no_failure(tmp_path: Path) -> None:
    write_run(tmp_path / "part", {("task-0", 0): DONE}, planner="part", trials=1)
    (sheet,) = read_sheets([tmp_path / "part"])
    assert [episode.good for episode in sheet.episodes] == [True, None, None, None]
    assert 'class="mark odd"' in render([sheet], tmp_path)


def test_a_model_cannot_write_markup_into_the_page(tmp_path: Path) -> None:
    run = write_answers(tmp_path / "q", "chat:<script>alert(1)</script>", 4)
    assert "<script>" not in render(read_sheets([run]), tmp_path)


def test_two_runs_of_a_planner_in_one_protocol_are_distinguished(folders: list[Path], tmp_path: Path) -> None:
    again = write_run(tmp_path / "again", {("task-0", 0): DONE}, trials=1)
    assert [sheet.planner for sheet in read_sheets([*folders, again])] == [
        "rule (rule)",
        "chat:m",
        "chat:m",
        "rule (again)",
    ]


def test_versions_of_a_suite_are_two_protocols(folders: list[Path], tmp_path: Path) -> None:
    newer = write_run(tmp_path / "newer", {("task-0", 0): DONE}, tasks=suite(2, version=2), trials=1)
    protocols = [sheet.protocol for sheet in read_sheets([folders[0], newer])]
    assert protocols == ["small, version 1", "small, version 2"]


def test_what_has_no_results_is_refused(folders: list[Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="no results of a protocol"):
        read_sheets([folders[0], empty])
    with pytest.raises(BadInput, match="given twice"):
        read_sheets([folders[0], folders[0]])
    (folders[2] / "results.json").write_text("[{")
    with pytest.raises(BadInput, match="is damaged"):
        read_sheets(folders)
    (folders[2] / "results.json").unlink()
    with pytest.raises(BadInput, match="not answered to the end"):
        read_sheets(folders)


def test_the_command_writes_the_page_and_prints_the_table(
    folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as ending:
        main(["compare", *map(str, folders), "--protocols", str(page)])
    assert ending.value.code == 0
    printed = capsys.readouterr()
    assert "| questions abababab | all" in " ".join(printed.out.split()) and str(page) in printed.err and page.exists()
