"""Parts of the page of a report: where rows lead, what its end holds, which episode is recorded, what it may run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, WANDERED, rewrite, rounds, write_run, write_single
from report_page import Page, add_frames

from homie import __version__
from homie.bench.options import ReportOptions
from homie.bench.report import page as page_module
from homie.bench.report import report
from homie.bench.report.episode_filters import catalogue
from homie.bench.report.media import Media, Views
from homie.bench.report.page import Links, Report, media_blocks
from homie.bench.report.runs_and_episodes import PageEpisode, Source
from homie.bench.score.scores import Results
from homie.bench.table_formats import Cell, Column, Table
from homie.kernel.actions import ACTIONS
from homie.kernel.errors import BadInput
from homie.kernel.types import Decision, ErrorCode, Subtask


def test_the_end_of_a_page(tmp_path: Path) -> None:
    media = Media(tmp_path, width=64)
    some = [Views({"1-front": "a<b"}, {"1-front": "c"}), Views(), Views({}, {}, "film")]
    data = '<script type="application/json" id="media-'
    blocks = (
        data + '1">{"shown": {"1-front": "a\\u003cb"}, "full": {"1-front": "c"}}</script>\n'
        f'{data}3">{{"shown": {{"video": "film"}}, "full": {{}}}}</script>\n'
    )
    assert media_blocks(some, media).decode() == f"{blocks}</body>\n</html>\n"
    for number, words in ((1, "1 file"), (2, "2 files")):
        media.linked = number
        note = f"{words} did not fit into this page: keep it here, or it cannot show them."
        assert media_blocks([], media).decode() == f'<p id="linked-note" hidden>{note}</p>\n</body>\n</html>\n'


def test_where_rows_lead() -> None:
    episodes = tuple(
        PageEpisode(
            run="rule",
            name=f"{task}-{trial}",
            task=task,
            text="text",
            trial=trial,
            folder=Path("x"),
            outcome="failed",
            rounds=(),
        )
        for task in "ab"
        for trial in (0, 1)
    )
    links = Links(
        catalogue([Source(label="rule", results=Results("homie", ()), episodes=episodes, facts={}, machine={})]),
        {"a": 1, "b": 2},
    )

    def target(**cells: Cell) -> str:
        return links.target(Table("t", tuple(map(Column, cells)), ()), tuple(cells.values()))

    assert target(run="rule", task="b", trial=1) == "episode-4"
    assert target(run="rule", task="a", trial=0, more="x") == "episode-1"
    assert target(run="other", task="b", trial=1) == target(task="b") == "task-2"
    assert target(run="rule") == target(task="c") == ""


def run_with_names(path: Path) -> Path:
    return write_run(path, {("task-0", 0): DONE, ("task-1", 1): LATE, ("task-2", 0): WANDERED})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episode": "task-0-0"}, "--episode says which episode to record: give --rerun FILE.rrd too."),
        ({"rerun": "a.rrd"}, "--rerun records one episode: name it, for example --episode task-0-0."),
        (
            {"rerun": "a.rrd", "episode": "task-1-2"},
            "There is no episode 'task-1-2' to record: did you mean 'task-1-1'?",
        ),
        ({"rerun": "a.rrd", "episode": "???"}, "There is no episode '???' to record: the page lists them."),
        ({"rerun": "a.rrd", "episode": "task-3-0"}, "There is no episode 'task-3-0' to record: did you mean 'task-"),
    ],
)
def test_which_episode_is_recorded(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput) as excinfo:
        report(ReportOptions.build(runs=[run_with_names(tmp_path / "run")], **options))
    assert str(excinfo.value).startswith(message) and not (tmp_path / "run" / "report.html").exists()


def test_no_episode_to_record(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {})
    with pytest.raises(BadInput, match=r"^There is no episode to record: none was started\.$"):
        report(ReportOptions.build(runs=[run], rerun="a.rrd"))
    two = [write_single(tmp_path / name, {"1": DONE}, planner=name) for name in ("rule", "chat")]
    with pytest.raises(BadInput) as excinfo:
        report(ReportOptions.build(runs=two, rerun="a.rrd"))
    assert str(excinfo.value) == "The episode '1' is in several runs (chat, rule): give only one of them with --rerun."


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Page]:
    """Of two runs, the second with decisions that took time."""
    folder = tmp_path_factory.mktemp("page")
    first = run_with_names(folder / "a")
    second = write_run(folder / "b", {("task-0", 0): WANDERED, ("task-1", 1): "crash: gone"}, planner="chat")
    for number, seconds in ((0, 2.0), (1, 4.0)):
        records = rounds(WANDERED)
        change = {records[number].round: seconds}
        rewrite(second / "episodes" / "task-0-0", lambda record, change=change: replace(
            record, timings={"plan": change[record.round]} if record.round in change else record.timings,
        ))  # fmt: skip
    odd = Decision((Subtask("Pick", "ap\u202eple"),), analysis="why")
    rewrite(
        first / "episodes" / "task-0-0", lambda record: replace(record, decision=odd) if record.round == 1 else record
    )
    add_frames(first / "episodes" / "task-0-0", 2)
    written = report(ReportOptions.build(runs=[first, second], out=folder / "page.html"))
    return written, Page(written.path)


def test_what_is_reported_of_a_page(page: tuple[Report, Page]) -> None:
    written, read = page
    assert written == Report(path=written.path, size=written.path.stat().st_size, episodes=16, linked=0, recording=0)
    assert f"Written by homie {__version__}." in read.text and "Report: rule, chat" in read.texts
    assert "decisions" not in read.outcomes and read.source.endswith("</script>\n</body>\n</html>\n")


def test_nothing_but_the_own_script_and_style_may_be_used(page: tuple[Report, Page]) -> None:
    _, read = page
    style, script = (re.search(f"<{tag}>(.*?)</{tag}>", read.source, re.DOTALL) for tag in ("style", "script"))
    assert style is not None and script is not None

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    (policy,) = [attributes["content"] for attributes in read.all("meta") if "http-equiv" in attributes]
    assert policy == (
        "default-src 'none'; img-src data: file: 'self'; media-src data: file: 'self'; "
        f"style-src {digest(style[1])}; script-src {digest(script[1])}; base-uri 'none'; form-action 'none'"
    )
    folder = Path(page_module.__file__).parent / "templates"
    parts = [(folder / f"{name}.js").read_text() for name in page_module.SCRIPTS]
    assert script[1] == "\n".join(parts) and style[1] == (folder / "page.css").read_text()


def test_tables_come_in_two_parts_and_their_numbers_can_be_sorted(page: tuple[Report, Page]) -> None:
    _, read = page
    headings = re.findall(r'<h2>(.*?)</h2>|<div class="card" id="(table-.*?)">', read.source.split('id="overview"')[1])
    order = [first or second for first, second in headings]
    results, more = order.index("Results"), order.index("More tables")
    assert order[results + 1 : order.index("Tasks and episodes")] == [
        *("table-metrics", "table-differences-to-rule", "table-tasks-that-only-one-run-did", "table-usage"),
    ]
    assert {"table-lost-episodes", "table-skills", "table-splits"} <= set(order[more:])
    metrics = re.search(r'id="table-metrics">.*?</table>', read.source, re.DOTALL)
    assert metrics is not None
    cells = re.findall(r'<td class="number" data-sort="(.*?)">(.*?)</td>', metrics[0])
    assert cells[:2] == [("8", "8"), ("5", "5")]
    assert cells[2][0] == "0.25" and re.fullmatch(r"25\.00<small>\[[\d.]+, [\d.]+\]</small>", cells[2][1])
    assert ("", "-") in re.findall(r'data-sort="(.*?)">(.*?)</td>', read.source)


def test_what_the_lists_say(page: tuple[Report, Page]) -> None:
    _, read = page
    rows = [json.loads(row["data-facets"]) for row in read.all("tr") if "data-facets" in row]
    assert [row["run"] for row in rows] == [["rule"]] * 8 + [["chat"]] * 8
    section = read.source.split('id="episode-9"')[1].split("</section>")[0]
    text = html.unescape(re.sub("<[^>]*>", "", section))
    assert "a decision 3.00 s, the longest 4.00 s" in text and "2 rounds, 2 steps, 1.0 s of robot time" in text
    assert r"[Pick, ap\u202eple]" in read.text and "\u202e" not in read.source
    assert list(read.media(1)) == [
        f"{number}-{view}" for number in (1, 2) for view in ("front", "left", "back", "right")
    ]


def test_the_size_that_is_asked_for_is_kept(tmp_path: Path) -> None:
    run = run_with_names(tmp_path / "run")
    bare = report(ReportOptions.build(runs=[run])).size
    (run / "episodes" / "task-0-0" / "video.mp4").write_bytes(b"\0" * 300_000)
    room = bare + 8 * 200 + 400_000 + 300
    for size, linked in ((room, 0), (room - 400, 1)):
        written = report(ReportOptions.build(runs=[run], max_size=size / 1024**2))
        assert written.linked == linked and written.size <= size and written.path == run / "report.html"
    with pytest.raises(BadInput, match=r"^Cannot write the report to .*report\.html/page\.html: Not a directory\.$"):
        report(ReportOptions.build(runs=[run], out=run / "report.html" / "page.html"))


def test_every_error_code_and_every_action_has_a_colour() -> None:
    styles = (Path(page_module.__file__).parent / "templates" / "page.css").read_text()
    classes = set(re.findall(r"\.([a-z][\w-]*)", styles))
    for code in ErrorCode:
        assert {str(code).lower(), f"on-{code}".lower()} <= classes
    assert {action.lower().replace(" ", "-") for action in ACTIONS} <= classes
