"""The page of a report: it has every episode, holds together without a network, and lets nothing run but its own."""

from __future__ import annotations

import base64
import html
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import bench_runs
import pytest
from bench_runs import DONE, LATE, WANDERED, rewrite, write_run
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Picture

from homie.bench.report import Report, report
from homie.bench.report.data import load
from homie.bench.report.figures import figures, keypath_figure, steps_figure
from homie.bench.report.plots import Bar, Stack, _ticks, share_bars, stacked_bars
from homie.bench.statistics import Interval
from homie.bench.summary import Intervals
from homie.errors import BadInput
from homie.options import ReportOptions
from homie.types import VIEWS, Answer, Attempt, Decision, Feedback, Outcome, RoundRecord

NASTY = """</script><script>document.title="broken"</script><img src=x onerror='document.title="broken"'>"&{{ 7*7 }}"""
WAYS = {
    ("task-0", 0): DONE,
    ("task-0", 1): LATE,
    ("task-1", 0): WANDERED,
    ("task-1", 1): "killed: the worker was ended by signal 9",
    ("task-2", 0): DONE,
}
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def addresses(self) -> list[str]:
        return [value for _, given in self.tags for name, value in given.items() if name in ("src", "href", "data")]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


def write(*runs: Path, **options: object) -> tuple[Report, Page]:
    made = report(ReportOptions.build(runs=list(runs), **options))
    return made, Page(made.path)


def add_frames(episode: Path, rounds: int = 1) -> None:
    (episode / "frames").mkdir()
    for number in range(1, rounds + 1):
        for index, view in enumerate(VIEWS):
            colour = (40 * index, 20 * number, 90)
            Picture.new("RGB", (512, 384), colour).save(episode / "frames" / f"round-{number:02d}-{view}.png")


def test_every_episode_of_a_bench_is_there(tmp_path: Path) -> None:
    made, page = write(write_run(tmp_path / "run", WAYS))
    assert made.path == tmp_path / "run" / "report.html" and made.episodes == 8
    sections = [given["id"] for given in page.all("section")]
    assert sections == [f"episode-{number}" for number in range(1, 9)]
    rows = [given["data-outcome"] for given in page.all("tr") if "data-outcome" in given]
    assert rows == ["succeeded", "succeeded", "failed", "lost", "succeeded", "unfinished", "unfinished", "unfinished"]
    assert {f"#{name}" for name in sections} <= set(page.addresses)
    for part in (
        "killed: the worker was ended by signal 9",
        str(bench_runs.FAR.message),
        "key path",
        "Metrics",
        "Skills",
    ):
        assert part in page.text
    titles = [attributes["aria-label"] for attributes in page.all("svg")]
    assert titles == [
        "Success rate by attribute",
        "Errors per 100 steps by planner",
        "Episodes by steps",
        "Failed episodes along the key path",
    ]


def test_the_numbers_of_the_plots(tmp_path: Path) -> None:
    (source,) = load([write_run(tmp_path / "run", WAYS)])
    drawn = keypath_figure(source, many=False)
    assert drawn is not None
    assert "0 %: Pick 1" in drawn.drawing and drawn.drawing.count("<rect") == 1
    steps = steps_figure(source, many=False).drawing
    assert "2: succeeded 2" in steps and "2: failed 1" in steps and "3: succeeded 1" in steps and "lost" not in steps
    bars = figures([source], Intervals(resamples=100))[0].drawing
    assert "all: 37.5 % of 8 episodes" in bars and "short-horizon: 75.0 % of 4 episodes" in bars


def test_several_planners_share_the_plots(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, WAYS, planner=name) for name in ("rule", "chat")]
    _, page = write(*runs, out=tmp_path / "both.html")
    assert len(page.all("section")) == 16
    assert "Differences to rule" in page.text
    assert [one for one in page.texts if one == "Steps: chat"] == ["Steps: chat"]


def test_single_runs(homie, tiny_arguments, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("two", ("--no-video",))):
        done = homie("run", "put the ball in the box", *tiny_arguments, *more, "--out", name)
        assert done.returncode == 0, done.stderr
    done = homie("report", "one", "two", "--out", "nowhere/page.html", "--json")
    assert done.returncode == 2 and "Can not write" in done.stderr
    done = homie("report", "one", "two", "--out", "page.html", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["episodes"] == 2 and told["bytes"] == (tmp_path / "page.html").stat().st_size
    page = Page(tmp_path / "page.html")
    assert len(page.all("article")) == 10 and len(page.all("img")) == 40 and len(page.all("video")) == 1
    assert "whether the task was done is not judged" in page.text


def test_what_comes_from_outside_is_text(tmp_path: Path) -> None:
    tasks = bench_runs.suite(1)
    tasks = tasks.model_copy(update={"tasks": (tasks.tasks[0].model_copy(update={"text": f"take {NASTY}"}),)})
    run = write_run(
        tmp_path / "run", {("task-0", 0): LATE, ("task-0", 1): f"error: {NASTY}"}, tasks=tasks, planner=NASTY
    )

    def poison(record: RoundRecord) -> RoundRecord:
        answer = Answer(NASTY + "a", NASTY, NASTY)
        attempt = Attempt(1, NASTY, Outcome.FAILED, NASTY, 1.0, 1)
        feedback = Feedback(record.execution.feedback.status, record.execution.feedback.code, NASTY)
        subtask = replace(record.execution.subtask, target=NASTY)
        execution = replace(
            record.execution, subtask=subtask, attempts=(attempt,), feedback=feedback, target=NASTY + "b", model=NASTY
        )
        decision = Decision((subtask,), NASTY, NASTY, NASTY + "\ud800\x00", "", (answer,))
        return replace(record, decision=decision, execution=execution, inventory=(NASTY,))

    rewrite(run / "episodes" / "task-0-0", poison)
    _, page = write(run)
    assert len(page.all("script")) == 1 and page.all("img") == []
    names = {name for _, given in page.tags for name in given}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    assert page.text.count(NASTY) >= 20


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=60))
def test_any_text_of_a_model_is_shown_as_it_is(tmp_path_factory: pytest.TempPathFactory, said: str) -> None:
    run = write_run(tmp_path_factory.mktemp("any") / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    rewrite(run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), f"<{said}>")))
    _, page = write(run)
    written = f"<{said}>".replace("\r\n", "\n").replace("\r", "\n")
    assert written in page.text and len(page.all("script")) == 1


def test_the_page_needs_no_network(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    add_frames(run / "episodes" / "task-0-0", 2)
    made, page = write(run)
    for address in page.addresses:
        near = address.startswith(("#", "data:image/jpeg;base64,")) or (run / unquote(address)).is_file()
        assert near, address
    ids = {given["id"] for _, given in page.tags if "id" in given}
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= ids
    text = made.path.read_text()
    assert not re.search(r"https?://|@import|url\(", text)
    (policy,) = [given["content"] for given in page.all("meta") if "http-equiv" in given]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_views_are_small_and_a_torn_one_is_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE})
    episode = run / "episodes" / "task-0-0"
    add_frames(episode)
    torn = episode / "frames" / "round-01-back.png"
    torn.write_bytes(torn.read_bytes()[:200])
    made, page = write(run)
    pictures = page.all("img")
    assert [one["alt"].split()[0] for one in pictures] == ["front", "left", "right"]
    for one in pictures:
        data = base64.b64decode(one["src"].partition(",")[2])
        with Picture.open(io.BytesIO(data)) as picture:
            assert (picture.format, picture.size) == ("JPEG", (192, 144))
    assert write(run, views=0)[1].all("img") == []
    assert made.linked == 0


def test_what_has_no_room_in_the_page_is_linked(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a run #1", {("task-0", 0): DONE})
    episode = run / "episodes" / "task-0-0"
    add_frames(episode)
    (episode / "video.mp4").write_bytes(b"\0" * 5000)
    out = tmp_path / "pages" / "page.html"
    out.parent.mkdir()
    made, page = write(run, out=out, megabytes=0)
    sources = [one["src"] for one in (*page.all("img"), *page.all("video"))]
    assert made.linked == len(sources) == 5
    assert all((out.parent / unquote(source)).is_file() for source in sources)
    assert any("5 pictures and videos are not in this page" in text for text in page.texts)
    _, page = write(run, out=out)
    assert page.all("video")[0]["src"].startswith("data:video/mp4;base64,")
    (episode / "video.mp4").write_bytes(b"\0" * (3 * 1024 * 1024))
    made, page = write(run, out=out)
    assert made.linked == 1 and not page.all("video")[0]["src"].startswith("data:")


@pytest.mark.filterwarnings("error")
def test_an_unfinished_episode_shows_what_there_is(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): LATE})
    episode = run / "episodes" / "task-0-0"
    (episode / "episode.json").unlink()
    with (episode / "steps.jsonl").open("ab") as file:
        file.write(b'{"round": 4, "deci')
    _, page = write(run)
    assert len(page.all("article")) == 3
    assert {given["data-outcome"] for given in page.all("tr") if "data-outcome" in given} == {"unfinished"}


def test_what_is_no_run_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no run in"):
        write(tmp_path)
    (tmp_path / "sweep.json").write_text("{}")
    with pytest.raises(BadInput, match="runs of a sweep"):
        write(tmp_path)
    run = write_run(tmp_path / "run", WAYS)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="Can not write the report"):
        write(run, out=tmp_path / "file" / "page.html")


@given(st.floats(0, 1), st.floats(0, 1))
def test_bars_are_as_long_as_their_shares(one: float, two: float) -> None:
    drawn = share_bars("shares", [Bar("a", one), Bar("b", two, Interval(0.0, 1.0)), Bar("c", None)])
    widths = [float(width) for width in re.findall(r'<rect.*?width="([\d.]+)"', drawn)]
    (full,) = re.findall(r"M150\.0 \d+H([\d.]+)M", drawn)
    assert widths == pytest.approx([share * (float(full) - 150) for share in (one, two)], abs=0.1)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5))
def test_stacks_stay_on_the_plot(amounts: list[int]) -> None:
    drawn = stacked_bars("errors", [Stack("a", {f"L{number}": amount for number, amount in enumerate(amounts)})])
    ends = [float(x) + float(width) for x, width in re.findall(r'<rect.*? x="([\d.]+)".*?width="([\d.]+)"', drawn)]
    assert len(ends) == sum(amount > 0 for amount in amounts)
    assert max(ends, default=0) <= 460 - 44 + 0.2


@given(st.floats(0, 1e6), st.booleans())
def test_ticks_cover_the_largest(most: float, whole: bool) -> None:
    ticks = _ticks(most, whole=whole)
    assert ticks[0] == 0 and ticks[-1] >= most * (1 - 1e-6) and 2 <= len(ticks) <= 6
    assert not whole or all(tick == int(tick) for tick in ticks)


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
def test_in_a_browser_the_script_runs_and_only_that(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    add_frames(run / "episodes" / "task-0-0")
    rewrite(
        run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), NASTY, raw=f"<pre>{NASTY}"))
    )
    made, _ = write(run)
    shown = browse(f"{made.path.as_uri()}#episode-1", tmp_path)
    assert "<title>Report: rule</title>" in shown.stdout
    assert '<span id="count" class="soft">8 of 8</span>' in shown.stdout  # the filter has counted
    assert [line for line in shown.stderr.splitlines() if "CONSOLE" in line] == []


DRIVER = """<iframe src="report.html" style="width: 400px; height: 900px"></iframe><script>
const frame = document.querySelector("iframe");
const pause = () => new Promise((done) => setTimeout(done, 100));
frame.onload = async () => {
  frame.onload = null;
  const page = frame.contentDocument, told = {};
  const shown = (name) => page.querySelector(name).getBoundingClientRect().height > 0;
  const press = async (key) => {
    page.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    await pause();
  };
  const state = () => [frame.contentWindow.location.hash, shown("#overview"), shown("#episode-1"), shown("#episode-3")];
  told.overflow = [page.documentElement.scrollWidth];
  told.first = state();
  const words = page.querySelector("#words");
  words.value = "task-0 SUCC"; words.dispatchEvent(new Event("input"));
  told.words = page.querySelector("#count").textContent;
  words.value = ""; page.querySelector("#ways").value = "failed";
  page.querySelector("#ways").dispatchEvent(new Event("change"));
  told.failed = page.querySelector("#count").textContent;
  page.querySelector("#ways").value = ""; words.dispatchEvent(new Event("input"));
  page.querySelector("#episodes a[href='#episode-1']").click(); await pause();
  told.opened = state();
  told.overflow.push(page.documentElement.scrollWidth);
  await press("ArrowRight"); await press("ArrowRight");
  told.turned = state();
  page.querySelector("#episode-3 .jump a").click(); await pause();
  told.round = state();
  await press("Escape");
  told.back = state();
  const result = document.createElement("pre");
  result.id = "result"; result.textContent = JSON.stringify(told);
  document.body.append(result);
};
</script>"""


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
def test_in_a_browser_episodes_can_be_clicked_through(tmp_path: Path) -> None:
    long = "a-word-that-is-never-cut" * 40
    run = write_run(tmp_path / "run", WAYS)
    rewrite(run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), long, raw=long)))
    write(run)
    (run / "driver.html").write_text(DRIVER)
    handler = partial(QuietHandler, directory=str(run))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            shown = browse(f"http://127.0.0.1:{server.server_port}/driver.html", tmp_path)
        finally:
            server.shutdown()
    (result,) = re.findall(r'<pre id="result">(.*?)</pre>', shown.stdout)
    told = json.loads(html.unescape(result))
    assert told["first"] == ["", True, False, False]
    assert (told["words"], told["failed"]) == ("2 of 8", "1 of 8")
    assert told["opened"] == ["#episode-1", False, True, False]
    assert told["turned"] == ["#episode-3", False, False, True]
    assert told["round"] == ["#episode-3-round-1", False, False, True]
    assert told["back"] == ["#episodes", True, False, False]
    assert max(told["overflow"]) <= 400  # nothing is wider than a telephone


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def browse(address: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What Chromium has made of a page."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=5000"]
    return subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_what_a_profile_can_not_score_says_so(tmp_path: Path) -> None:
    def rename(record: RoundRecord) -> RoundRecord:
        subtask = replace(record.execution.subtask, target="spaceship")
        execution = replace(record.execution, subtask=subtask, target="")
        return replace(record, decision=Decision((subtask,)), execution=execution) if record.round == 1 else record

    run = write_run(tmp_path / "run", {("task-0", 0): DONE, ("task-1", 0): DONE})
    rewrite(run / "episodes" / "task-0-0", rename)  # a word that the notebooks look up in vain
    _, page = write(run, profile="strict-emmoe")
    rows = [given["data-outcome"] for given in page.all("tr") if "data-outcome" in given]
    assert (rows[0], rows[2]) == ("not scored", "succeeded")
    assert "KeyError" in page.text
