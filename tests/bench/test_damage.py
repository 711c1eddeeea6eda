"""Whatever happens to the bytes of a run folder: no crash, and no number that changes without a word."""

from __future__ import annotations

import functools
import io
import json
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, WANDERED, write_run
from rich.console import Console

from homie.bench.finished_episodes import read_bench
from homie.bench.options import BenchOptions, ReportOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import bench
from homie.bench.report import report
from homie.bench.resume import unfinished_episodes
from homie.bench.score.compare import compare
from homie.bench.score.compare_tables import Intervals
from homie.bench.table_formats import to_json_text
from homie.kernel.errors import BadInput
from homie.runtime import session
from homie.runtime.runstore import read_run

QUICK = Intervals(resamples=100)
NO_NUMBERS = ("workers", "texts")
"""What a run folder holds for people to read; no number is made of it."""


def flip_bit(data: bytes, at: int) -> bytes:
    """With one bit of one byte changed."""
    return data[:at] + bytes([data[at] ^ (1 << at % 7)]) + data[at + 1 :]


def hurt(data: bytes, rng: random.Random) -> Iterator[bytes | None]:
    """A file after several accidents; None where it is gone."""
    yield None
    yield b""
    for _ in range(12):
        yield flip_bit(data, rng.randrange(len(data)))
    for _ in range(4):
        yield data[: rng.randrange(len(data))]
    cut = rng.randrange(len(data))
    yield data[:cut] + data[cut + 1 + rng.randrange(20) :]
    if b"\n" in data[:-1]:
        yield data[: data.rindex(b"\n", 0, -1) + 1]  # at the end of a line
        yield data.replace(b"\n", b"\n\n", 1)
    digits = [at for at, byte in enumerate(data) if chr(byte).isdigit()]
    for at in rng.sample(digits, min(8, len(digits))):
        yield data[:at] + (b"7" if data[at : at + 1] != b"7" else b"3") + data[at + 1 :]
    yield b"[" * 100_000


def numbers(run: Path) -> str:
    """The tables of a run, and the message where there are none."""
    try:
        return to_json_text(compare([run], intervals=QUICK))
    except BadInput as error:
        return f"BadInput: {error}"


@pytest.fixture(scope="module")
def play_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[BenchOptions], Path]:
    """A bench in the tiny world that was played once for all tests."""

    @functools.cache
    def play(options_json: str) -> Path:
        options = BenchOptions.model_validate_json(options_json)
        folder = tmp_path_factory.mktemp("played") / "run"
        bench(options.model_copy(update={"out": folder}), Progress(Console(file=io.StringIO())))
        return folder

    return lambda options: play(options.model_copy(update={"out": None}).model_dump_json())


@pytest.fixture(scope="module")
def suite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "suite.yaml"
    goal = {"in": ["ball", "box"]}
    tasks = [{"id": f"put-{n}", "text": "put the ball in the box", "goal": goal} for n in range(2)]
    path.write_text(json.dumps({"format": 1, "name": "tiny", "protocol": {"rounds": 6, "trials": 1}, "tasks": tasks}))
    return path


@pytest.fixture
def tiny(suite_file, tiny_bench, play_once, tmp_path) -> BenchOptions:
    """Options of a bench whose run folder is a fresh copy of a finished one."""
    options = tiny_bench(suite_file, video=True)
    shutil.copytree(play_once(options), tmp_path / "run")
    return options


def files(run: Path) -> list[Path]:
    return sorted(path for path in run.rglob("*") if path.is_file())


@pytest.mark.slow
def test_no_accident_changes_a_number_without_a_word(tiny):
    run = tiny.out
    before = numbers(run)
    rng = random.Random(5)
    looked_at = 0
    for path in files(run):
        data = path.read_bytes()
        inside = path.relative_to(run)
        for after in hurt(data, rng):
            if after == data:
                continue
            path.unlink() if after is None else path.write_bytes(after)
            now = numbers(run)
            looked_at += 1
            about = f"{inside}: {'gone' if after is None else after[:300]!r}\n{now[:600]}"
            assert "Unexpected" not in now, about
            if inside.parts[0] in NO_NUMBERS:
                assert now == before, about
            elif now != before:
                assert inside.name in now or "parts/ is damaged" in now or "no record" in now, about
            else:
                # Nothing changed, so nothing may depend on it: a copy, or white space in JSON with a checksum.
                assert inside.name in ("run.copy.json", "video.mp4", "run.json", "episode.json"), about
        path.write_bytes(data)
    assert numbers(run) == before and looked_at > 400


def test_the_length_of_a_video_is_looked_at(tiny):
    video = next(tiny.out.rglob("video.mp4"))
    video.write_bytes(video.read_bytes()[:-1])
    assert "damaged: video.mp4 (it has" in numbers(tiny.out)


def test_a_report_names_what_is_damaged_and_never_crashes(tiny, tmp_path):
    run = tiny.out
    rng = random.Random(7)
    for path in files(run):
        data = path.read_bytes()
        accidents = list(hurt(data, rng))
        for after in (accidents[0], rng.choice(accidents[1:]), accidents[-1]):
            path.unlink() if after is None else path.write_bytes(after)
            page = tmp_path / "page.html"
            try:
                report(ReportOptions(runs=[run], out=page, views=16))
                text = page.read_text(encoding="utf-8")
            except BadInput as error:
                text = str(error)
            if path.name in ("steps.jsonl", "final_state.json", "commands.jsonl") and after != data:
                assert f"damaged: {path.name}" in text, path
        path.write_bytes(data)


@pytest.mark.slow
def test_a_resume_plays_damaged_episodes_again_and_keeps_what_was_there(tiny):
    run = tiny.out
    good = numbers(run)
    steps = run / "episodes" / "put-0-0" / "steps.jsonl"
    steps.write_bytes(steps.read_bytes()[:-100])
    (run / "episodes" / "put-1-0" / "final_state.json").unlink()
    assert [episode.name for episode in unfinished_episodes(read_bench(run)[2])] == ["put-0-0", "put-1-0"]
    output = io.StringIO()
    summary = bench(tiny, Progress(Console(file=output, width=300)))
    assert summary.infrastructure == 0 and summary.episodes == 2
    again = json.loads(numbers(run))["tables"]
    assert again[0]["rows"] == json.loads(good)["tables"][0]["rows"]
    assert (run / "episodes" / "put-0-0-partial-1" / "episode.json").exists()
    bench(tiny.model_copy(update={"clean": True}), Progress(Console(file=io.StringIO())))
    assert {path.name for path in (run / "episodes" / "put-0-0-partial-1").iterdir()} == {"episode.json"}
    assert json.loads(numbers(run))["tables"][0]["rows"] == json.loads(good)["tables"][0]["rows"]
    assert "damaged: steps.jsonl" in output.getvalue() and "damaged: final_state.json" in output.getvalue()


def test_run_files_are_put_back(tiny):
    run = tiny.out
    good = numbers(run)
    for name in ("run.json", "suite.json"):
        path = run / name
        data = path.read_bytes()
        for after in (b"", flip_bit(data, len(data) // 2), data[:-30]):
            path.write_bytes(after)
            assert name in numbers(run) and "repairs the run folder" in numbers(run)
            with pytest.warns(UserWarning, match=f"{name} was damaged"):
                bench(tiny, Progress(Console(file=io.StringIO())))
            assert path.read_bytes() == data and numbers(run) == good


def swap_episodes(run: Path) -> None:
    first, second = run / "episodes" / "put-0-0", run / "episodes" / "put-1-0"
    shutil.rmtree(first)
    shutil.copytree(second, first)


def another_trial(run: Path) -> None:
    edit(run, trial=1)


def another_text(run: Path) -> None:
    edit(run, task="put the box in the ball")


def change_seed(run: Path) -> None:
    edit(run, seed=1)


def shorter_history(run: Path) -> None:
    path = run / "episodes" / "put-0-0" / "episode.json"
    edit(run, history=json.loads(path.read_text())["history"][:-1])


def edit(run: Path, **values: object) -> None:
    """As an old or clever editor leaves it: without checksums, so that only agreement can tell."""
    path = run / "episodes" / "put-0-0" / "episode.json"
    loaded = {name: value for name, value in json.loads(path.read_text()).items() if name not in ("files", "checksum")}
    path.write_text(json.dumps({**loaded, "format": 1, **values}))


@pytest.mark.parametrize(
    ("accident", "message"),
    [
        (swap_episodes, "damaged: episode.json (it is of another episode: its seed is"),
        (another_trial, "damaged: episode.json (it is of another episode: its trial is 1, not 0)"),
        (another_text, "damaged: episode.json (it is of another episode: its task is"),
        (change_seed, "damaged: episode.json (it is of another episode: its seed is 1,"),
        (shorter_history, "damaged: steps.jsonl (its subtasks are not the history in episode.json)"),
    ],
)
def test_what_does_not_agree_is_damaged(tiny, accident, message):
    accident(tiny.out)
    printed = numbers(tiny.out)
    assert message in printed
    metrics = json.loads(printed)["tables"][0]["rows"][0]
    assert (metrics["episodes"], metrics["lost"]) == (2, 1)


def test_copies_of_users_are_left_alone(tiny, tmp_path):
    run = tiny.out
    before = numbers(run)
    for name in ("put-0-0-partial-old copy", "put-0-0 copy", "put-0-0-partial-"):
        shutil.copytree(run / "episodes" / "put-0-0", run / "episodes" / name)
    (run / "episodes" / "notes.txt").write_text("mine")
    assert numbers(run) == before
    report(ReportOptions(runs=[run], out=tmp_path / "page.html", views=0))
    bench(tiny, Progress(Console(file=io.StringIO())))
    assert numbers(run) == before


def test_an_unreadable_file_is_damage(tiny):
    path = tiny.out / "episodes" / "put-0-0" / "final_state.json"
    path.unlink()
    path.mkdir()  # what nobody may read, for the superuser too
    assert "damaged: final_state.json (it cannot be read: Is a directory)" in numbers(tiny.out)
    (tiny.out / "episodes" / "put-1-0" / "episode.json").unlink()
    (tiny.out / "episodes" / "put-1-0" / "episode.json").mkdir()
    assert "damaged: episode.json (Cannot read" in numbers(tiny.out)


@pytest.mark.slow
def test_the_commands_tell_and_never_crash(tiny, homie, tmp_path):
    run = str(tiny.out)
    state = tiny.out / "episodes" / "put-0-0" / "final_state.json"
    state.write_bytes(flip_bit(state.read_bytes(), 40))
    compared = homie("compare", run, "--resamples", "100")
    assert compared.returncode == 0 and "damaged: final_state.json" in compared.stdout
    reported = homie("report", run, "--out", "page.html", "--views", "0")
    assert reported.returncode == 0 and "damaged: final_state.json" in (tmp_path / "page.html").read_text()
    (tiny.out / "run.json").write_text("{")
    for command in ("compare", "report"):
        completed = homie(command, run)
        assert (
            completed.returncode == 2
            and "run.json is damaged" in completed.stderr
            and "Unexpected" not in completed.stderr
        )
    words = [word for name in ("robot", "skills", "detector", "targets") for word in (f"--{name}", "tiny")]
    resumed = homie("bench", tiny.suite, *words, "--planner", "trouble", "--video", "--out", run)
    assert resumed.returncode == 0, resumed.stderr
    assert "run.json was damaged and is put back" in resumed.stderr
    assert "damaged" not in homie("compare", run, "--resamples", "100").stdout


def test_many_episodes_of_every_kind(tmp_path):
    ways = {("task-0", 0): DONE, ("task-0", 1): LATE, ("task-1", 0): WANDERED, ("task-1", 1): "killed: by hand"}
    run = write_run(tmp_path / "run", ways)
    before = json.loads(numbers(run))["tables"][0]["rows"][0]
    assert (before["episodes"], before["lost"]) == (8, 5)
    for name in ("task-0-0", "task-0-1", "task-1-0"):
        steps = run / "episodes" / name / "steps.jsonl"
        steps.write_bytes(steps.read_bytes() + steps.read_bytes())
    now = json.loads(numbers(run))["tables"][0]["rows"][0]
    assert (now["episodes"], now["lost"], now["SR"]["value"]) == (8, 8, 0.0)


def test_a_single_run_is_checked_too(tiny_options, tmp_path):
    folder = session.run(tiny_options()).episode_folder
    steps = folder / "steps.jsonl"
    steps.write_bytes(steps.read_bytes()[:-5])
    page = tmp_path / "page.html"
    with warnings.catch_warnings(action="error"):
        report(ReportOptions(runs=[tmp_path / "run"], out=page, views=0))
    assert "damaged: steps.jsonl" in page.read_text(encoding="utf-8")
    file = tmp_path / "run" / "run.json"
    file.write_bytes(flip_bit(file.read_bytes(), 60))
    with pytest.raises(BadInput, match=r"run\.json is damaged"):
        read_run(tmp_path / "run")
