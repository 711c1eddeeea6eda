"""The page of a report: it has every episode, holds together without a network, and lets nothing run but its own."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import av
import bench_runs
import numpy as np
import pytest
from bench_runs import DONE, LATE, WANDERED, rewrite, write_run
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Picture
from report_page import NASTY, WAYS, Page, add_frames, write

from homie.bench.intervals_and_tests import Interval
from homie.bench.report.episode_filters import catalogue
from homie.bench.report.plots_and_tables import figures, glossary, keypath_figure, steps_figure
from homie.bench.report.runs_and_episodes import load
from homie.bench.report.svg_drawing import Bar, Stack, _ticks, share_bars, stacked_bars
from homie.bench.score.compare_tables import Intervals
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.support.text import printable
from homie.kernel.types import ENDED_BY_PERSON, VIEWS, Answer, Attempt, Decision, Feedback, Outcome, RoundRecord
from homie.runtime.provenance import PartsFile, keep


def test_every_episode_of_a_bench_is_there(tmp_path: Path) -> None:
    report, page = write(write_run(tmp_path / "run", WAYS))
    assert report.path == tmp_path / "run" / "report.html" and report.episodes == 8
    assert page.sections == [f"episode-{number}" for number in range(1, 9)]
    ways = ["succeeded", "succeeded", "failed", "lost", "succeeded", "unfinished", "unfinished", "unfinished"]
    assert page.outcomes == ways
    assert {f"#{name}" for name in page.sections} <= set(page.addresses)
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
    assert len(page.sections) == 16
    assert "Differences to rule" in page.text
    assert [text for text in page.texts if text == "Steps: chat"] == ["Steps: chat"]


def test_a_person_who_ended_a_task_is_no_planner(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE, ("task-1", 0): DONE}, planner="human")
    person = Decision((bench_runs.END,), ENDED_BY_PERSON["failure"], report="failure")
    rewrite(run / "episodes" / "task-0-0", lambda record: replace(record, decision=person), report="failure")
    _, page = write(run)
    assert "the person: End" in page.text and "the planner: End" in page.text
    assert "the person says that the task is not done" in page.text


def test_what_a_run_was_made_with_is_shown_with_its_prompt(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    prompt = f"You are a robot. {NASTY}"
    digest = hashlib.sha256(prompt.encode()).hexdigest()
    for number, (temperature, some) in enumerate(((0.0, ["task-0-0", "task-0-1"]), (1.0, ["task-1-0", "task-2-0"]))):
        described = {"planner": {"model": "demo", "temperature": temperature, "prompt": digest}}
        parts = PartsFile.of({**described, "detector": {}, "skills": {}, "robot": {}}, RunOptions(task="x"))
        name = keep(run, parts, {digest: prompt}, mixed=True)
        for folder in some:
            rewrite(run / "episodes" / folder, parts=name)
        _, page = write(run)
        assert page.text.count(prompt) == number + 1 and page.texts.count(digest) == number + 1
        assert len(page.programs) == 1
    assert "Mixed runs" in page.text and "planner.temperature" in page.text and "task-1-0, task-2-0" in page.text


def test_a_damaged_episode_is_lost_to_its_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    steps = run / "episodes" / "task-0-1" / "steps.jsonl"
    steps.write_bytes(steps.read_bytes()[:-40])
    _, page = write(run)
    assert page.outcomes[1] == "lost"
    rows = [json.loads(row["data-facets"]) for row in page.all("tr") if "data-facets" in row]
    assert (rows[1]["lost by"], rows[3]["lost by"]) == (["damaged"], ["killed"])
    assert "damaged: steps.jsonl" in page.text


def test_tasks_by_run(tmp_path: Path) -> None:
    other = {("task-0", 0): WANDERED, ("task-1", 0): DONE, ("task-1", 1): DONE}
    runs = [write_run(tmp_path / "rule", WAYS), write_run(tmp_path / "chat", other, planner="chat")]
    sources = load(runs)
    listed = catalogue(sources)
    assert [(task.name, task.done_by) for task in listed.tasks] == [
        ("task-0", "only rule"),
        ("task-1", "only chat"),
        ("task-2", "only rule"),
        ("task-3", ""),
    ]
    first = listed.tasks[0]
    assert [[episode.number for episode in some] for some in first.by_run.values()] == [[1, 2], [9, 10]]
    assert first.rivals is not None and [episode.number for episode in first.rivals] == [1, 9]
    assert listed.facets["done by"] == ("only rule", "only chat")
    assert listed.facets["code"] == ("D1",) and "run" in listed.facets
    assert "run" not in catalogue(sources[:1]).facets and "done by" not in catalogue(sources[:1]).facets
    _, page = write(*runs, out=tmp_path / "page.html")
    marks = [attributes["href"] for attributes in page.all("a") if attributes.get("class", "").startswith("mark")]
    assert marks == [f"#episode-{number}" for number in (1, 2, 9, 10, 3, 4, 11, 12, 5, 6, 13, 14, 7, 8, 15, 16)]


def test_rows_of_tables_lead_to_what_they_are_about(tmp_path: Path) -> None:
    run = write_run(tmp_path / "rule", WAYS, held=[("task-1", 0), ("task-0", 0), ("task-0", 1), ("task-2", 0)])
    other = write_run(tmp_path / "chat", {("task-3", 1): DONE}, planner="chat")
    report, page = write(run, other, out=tmp_path / "page.html")
    source = report.path.read_text()

    def leads(title: str) -> list[str]:
        (table,) = re.findall(rf'id="table-{title}">(.*?)</table>', source, re.DOTALL)
        return re.findall(r'<a href="#([^"]*)">', table)

    assert leads("where-key-path-and-world-disagree") == ["episode-3"]
    assert leads("lost-episodes")[:2] == ["episode-4", "episode-6"]
    assert leads("tasks-that-only-one-run-did") == ["task-1", "task-3", "task-4"]
    assert "Usage" in page.text


def test_headings_leave_no_level_out(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    _, page = write(run)
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels)) and levels[0] == 1


@pytest.mark.slow
def test_single_runs(homie, tiny_arguments, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("two", ("--no-video",))):
        completed = homie("run", "put the ball in the box", *tiny_arguments, *more, "--out", name)
        assert completed.returncode == 0, completed.stderr
    completed = homie("report", "one", "two", "--out", "nowhere/page.html", "--json")
    assert completed.returncode == 2 and "Cannot write" in completed.stderr
    completed = homie("report", "one", "two", "--out", "page.html", "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    assert printed["episodes"] == 2 and printed["bytes"] == (tmp_path / "page.html").stat().st_size
    page = Page(tmp_path / "page.html")
    assert len(page.all("article")) == 10 and len(page.all("img")) == 40 and len(page.all("video")) == 1
    assert "success is not judged" in page.text


def test_the_first_screen_says_the_result_in_words_and_explains_its_heads(tmp_path: Path) -> None:
    _, page = write(write_run(tmp_path / "run", WAYS))
    text = " ".join(page.text.split())
    assert "episodes succeeded: " in text and "with 95 % confidence the true rate is between" in text
    assert "few episodes: play more before you compare" in text
    for head, meaning in glossary().items():
        assert meaning in text, "below the table"
        assert any(button.get("title") == meaning for button in page.all("button")), f"at {head}"
    assert text.index("episodes succeeded") < text.index("Runs and their settings")


def test_what_the_planner_said_at_the_end(homie, tiny_arguments, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("- {subtask: '[End]', report: declined, answer: two <b>}", encoding="utf-8")
    completed = homie(
        "run", "how many?", *tiny_arguments, "--planner", f"scripted:{plan}", "--no-video", "--out", "run"
    )
    assert completed.returncode == 1, "nothing was done"
    _, page = write(tmp_path / "run")
    assert "the planner declined the task: nothing was begun" in page.text and "two <b>" in page.text


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
        decision = Decision((subtask,), NASTY, NASTY, NASTY + "\ud800\x00\x1b[31m\u202e", "", (answer,))
        return replace(record, decision=decision, execution=execution, inventory=(NASTY,))

    rewrite(run / "episodes" / "task-0-0", poison)
    _, page = write(run)
    assert len(page.programs) == 1 and page.all("img") == []
    names = {name for _, attributes in page.tags for name in attributes}
    assert not [name for name in names if name.startswith("on") or name == "style"]
    assert page.text.count(NASTY) >= 20
    # What turns a line around, colours a terminal or cannot be encoded is shown by its number.
    assert NASTY + r"\ud800\x00\x1b[31m\u202e" in page.text and not re.search("[\x00\x1b\u202e]", page.source)


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=60))
def test_any_text_of_a_model_is_shown(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    run = write_run(tmp_path_factory.mktemp("any") / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    rewrite(run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), f"<{text}>")))
    _, page = write(run)
    assert printable(f"<{text}>") in page.text and len(page.programs) == 1


def test_the_page_needs_no_network(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    add_frames(run / "episodes" / "task-0-0", 2)
    report, page = write(run)
    assert len(page.media()) == 8
    for address in (*page.addresses, *page.media().values()):
        near = address.startswith(("#", "data:image/webp;base64,")) or (run / unquote(address)).is_file()
        assert near, address
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes} | {"tasks", "episodes"}
    assert {address[1:].partition("?")[0] for address in page.addresses if address.startswith("#")} <= ids
    text = report.path.read_text()
    assert not re.search(r"https?://|@import|url\(", text)
    (policy,) = [attributes["content"] for attributes in page.all("meta") if "http-equiv" in attributes]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_views_are_small_and_a_torn_one_is_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE})
    episode = run / "episodes" / "task-0-0"
    add_frames(episode)
    torn = episode / "frames" / "round-01-back.png"
    torn.write_bytes(torn.read_bytes()[:200])
    report, page = write(run)
    pictures = page.media()
    assert list(pictures) == ["1-front", "1-left", "1-right"]
    for address in pictures.values():
        data = base64.b64decode(address.partition(",")[2])
        with Picture.open(io.BytesIO(data)) as picture:
            assert (picture.format, picture.size) == ("WEBP", (192, 144))
    page = write(run, views=0)[1]
    assert page.all("img") == [] and page.media() == {}
    assert report.linked == 0


def test_a_robot_that_stood_still_has_its_pictures_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): LATE})
    episode = run / "episodes" / "task-0-0"
    add_frames(episode, 2)
    for view in VIEWS:
        shutil.copy(episode / "frames" / f"round-01-{view}.png", episode / "frames" / f"round-02-{view}.png")
    pictures = write(run)[1].media()
    assert [pictures[f"2-{view}"] for view in VIEWS] == [f"1-{view}" for view in VIEWS]


def film(path: Path, size: int) -> None:
    """Something of this size that is not a video."""
    path.write_bytes(b"\0" * size)


def test_what_has_no_room_in_the_page_is_linked(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a run #1", {("task-0", 0): DONE})
    episode = run / "episodes" / "task-0-0"
    add_frames(episode)
    film(episode / "video.mp4", 5000)
    out = tmp_path / "pages" / "page.html"
    out.parent.mkdir()
    report, page = write(run, out=out, max_size=0)
    assert report.linked == len(page.media()) == 5
    assert all((out.parent / unquote(address)).is_file() for address in page.media().values())
    assert any("5 files did not fit into this page" in text for text in page.texts)
    _, page = write(run, out=out)
    assert page.media()["video"].startswith("data:video/mp4;base64,")


def test_videos_of_failures_come_first_and_small_ones_before_long_ones(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    mebibyte = 1024 * 1024
    for name, size in (("task-0-0", 1), ("task-1-0", 3), ("task-0-1", 2), ("task-2-0", 6)):
        film(run / "episodes" / name / "video.mp4", size * mebibyte)
    report, page = write(run, max_size=9)  # base64 takes four bytes for three: 3 + 1 + 2 have room
    inside = {number for number in range(1, 9) if page.media(number).get("video", "").startswith("data:")}
    assert inside == {1, 2, 3} and report.linked == 1  # the failed one (3) is the longest of them
    assert report.size <= 9 * mebibyte
    report, page = write(run, max_size=5)  # room for the one of 3 MiB, and no other
    assert page.media(3)["video"].startswith("data:") and report.linked == 3 and report.size <= 5 * mebibyte


def test_a_video_has_a_picture_before_it_is_played(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE})
    with av.open(run / "episodes" / "task-0-0" / "video.mp4", "w") as out:
        stream = out.add_stream("mpeg4", rate=5)
        stream.width = stream.height = 64
        for _ in range(5):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((64, 64, 3), (200, 30, 30), np.uint8))))
        out.mux(stream.encode())
    poster = write(run)[1].media()["poster"]
    with Picture.open(io.BytesIO(base64.b64decode(poster.partition(",")[2]))) as picture:
        red, green, blue = picture.convert("RGB").getpixel((32, 32))
    assert red > 150 > 100 > max(green, blue)


@pytest.mark.filterwarnings("error")
def test_an_unfinished_episode_shows_what_there_is(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): LATE})
    episode = run / "episodes" / "task-0-0"
    (episode / "episode.json").unlink()
    with (episode / "steps.jsonl").open("ab") as file:
        file.write(b'{"round": 4, "deci')
    _, page = write(run)
    assert len(page.all("article")) == 3
    assert set(page.outcomes) == {"unfinished"}


def test_what_is_no_run_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no run in"):
        write(tmp_path)
    run = write_run(tmp_path / "run", WAYS)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="Cannot write the report"):
        write(run, out=tmp_path / "file" / "page.html")


@given(st.floats(0, 1), st.floats(0, 1))
def test_bars_are_as_long_as_their_shares(first: float, second: float) -> None:
    drawn = share_bars(
        "shares",
        [
            Bar(label="a", value=first),
            Bar(label="b", value=second, interval=Interval(0.0, 1.0)),
            Bar(label="c", value=None),
        ],
    )
    widths = [float(width) for width in re.findall(r'<rect.*?width="([\d.]+)"', drawn)]
    (full,) = re.findall(r"M150\.0 \d+H([\d.]+)M", drawn)
    assert widths == pytest.approx([share * (float(full) - 150) for share in (first, second)], abs=0.1)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5))
def test_stacks_stay_on_the_plot(amounts: list[int]) -> None:
    drawn = stacked_bars("errors", [Stack("a", {f"L{number}": amount for number, amount in enumerate(amounts)})])
    ends = [float(x) + float(width) for x, width in re.findall(r'<rect.*? x="([\d.]+)".*?width="([\d.]+)"', drawn)]
    assert len(ends) == sum(amount > 0 for amount in amounts)
    assert max(ends, default=0) <= 460 - 44 + 0.2


@given(st.floats(0, 1e6), st.booleans())
def test_ticks_cover_the_largest(most: float, integers: bool) -> None:
    ticks = _ticks(most, integers=integers)
    assert ticks[0] == 0 and ticks[-1] >= most * (1 - 1e-6) and 2 <= len(ticks) <= 6
    assert not integers or all(tick == int(tick) for tick in ticks)


def test_what_a_profile_cannot_score_says_so(tmp_path: Path) -> None:
    def rename(record: RoundRecord) -> RoundRecord:
        subtask = replace(record.execution.subtask, target="spaceship")
        execution = replace(record.execution, subtask=subtask, target="")
        return replace(record, decision=Decision((subtask,)), execution=execution) if record.round == 1 else record

    run = write_run(tmp_path / "run", {("task-0", 0): DONE, ("task-1", 0): DONE})
    rewrite(run / "episodes" / "task-0-0", rename)  # a word that the notebooks look up in vain
    _, page = write(run, profile="strict-emmoe")
    assert (page.outcomes[0], page.outcomes[2]) == ("not scored", "succeeded")
    assert "KeyError" in page.text
