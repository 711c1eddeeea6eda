"""The run folder: whole lines, atomic ends, resuming, and real kills."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.checksums import mark, seal
from homie.kernel.support.files import slug, to_json, write_atomically
from homie.kernel.types import (
    Answer,
    Attempt,
    Check,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    Outcome,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
)
from homie.runtime import session
from homie.runtime.provenance import PartsFile
from homie.runtime.runstore import (
    EpisodeStore,
    RunFolder,
    Usage,
    episode_folders,
    kind_of,
    lock_folder,
    read_episode,
    read_run,
    read_steps,
    recording,
    runs_folder,
    tries,
)

SUBTASK = Subtask("Put", "ball", "box")
NOTHING = PartsFile(planner={}, detector={}, skills={}, robot={}, settings={}, versions={})
"""What parts say of themselves that say nothing."""


def record(number: int = 1, raw: str = "raw", seconds: float = 1.5) -> RoundRecord:
    attempt = Attempt(1, "tiny put", Outcome.FAILED, "slipped", seconds, 12, 3)
    feedback = Feedback("fail", ErrorCode.E1, "Unable to put, the subtask is too difficult to perform")
    checks = (Check("format"), Check("execution", ErrorCode.E1, feedback.message))
    execution = Execution(SUBTASK, "tiny", checks, (attempt,), feedback, "box")
    return RoundRecord(number, Decision((SUBTASK,), "because", "tiny", raw), execution, ("ball",), 3.25, {"plan": 0.1})


@pytest.fixture
def robot():
    from homie_tiny import TinyRobot

    return TinyRobot()


@pytest.fixture
def store(tmp_path, robot):
    store = EpisodeStore(tmp_path, robot, seed=0, trial=0, frames=False)
    yield store
    store.close()


def test_a_record_comes_back_as_it_went(store):
    store.on(SubtaskRecorded(record()))
    store.on(SubtaskRecorded(record(2)))
    assert read_steps(store.folder) == (record(), record(2))


def test_timings_come_last_so_that_runs_can_be_compared(store):
    store.on(SubtaskRecorded(record()))
    assert list(json.loads((store.folder / "steps.jsonl").read_text()))[-1] == "timings"


@given(st.text(st.characters(), max_size=40))
def test_any_raw_text_of_a_model_makes_one_valid_line(tmp_path_factory, raw):
    from homie_tiny import TinyRobot

    store = EpisodeStore(tmp_path_factory.mktemp("episode"), TinyRobot(), seed=0, trial=0, frames=False)
    store.on(SubtaskRecorded(record(raw=raw)))
    store.close()
    data = (store.folder / "steps.jsonl").read_bytes()
    assert data.count(b"\n") == 1 and data.endswith(b"\n")
    assert json.loads(data.decode("utf-8"))["decision"]["raw"] == raw
    assert read_steps(store.folder)[0].decision.raw == raw


def strict(text: bytes) -> object:
    """What a parser that knows no NaN makes of it."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


@given(st.recursive(st.floats() | st.integers() | st.text() | st.none(), lambda inner: st.lists(inner), max_leaves=8))
def test_json_holds_no_nan(value):
    assert strict(to_json({"value": value})) is not None
    assert strict(to_json(math.inf)) is None


def test_a_torn_last_line_is_left_out_with_a_warning(store):
    store.on(SubtaskRecorded(record()))
    path = store.folder / "steps.jsonl"
    path.write_bytes(path.read_bytes() + b'{"round": 2, "deci')
    with pytest.warns(UserWarning, match="torn"):
        assert read_steps(store.folder) == (record(),)


def test_a_broken_line_in_the_middle_is_an_error(store):
    store.on(SubtaskRecorded(record()))
    path = store.folder / "steps.jsonl"
    path.write_bytes(b'{"round": 2, "deci\n' + path.read_bytes())
    with pytest.raises(BadInput, match="not a round record"):
        read_steps(store.folder)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "episode.json"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "not bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"


WRITER = """
import sys
from pathlib import Path
from homie.kernel.support.files import write_atomically
from homie.kernel.types import SubtaskRecorded
from homie.runtime.runstore import EpisodeStore
from homie_tiny import TinyRobot
from test_runstore import record
folder = Path(sys.argv[1])
store = EpisodeStore(folder, TinyRobot(), seed=0, trial=0, frames=False)
for number in range(1, 100000):
    store.on(SubtaskRecorded(record(number, raw="x" * (number % 5000))))
    if number == 1:
        print("ready", flush=True)
    write_atomically(folder / "whole.json", b"[" + b"1, " * 20000 + b"1]")
"""


@pytest.mark.parametrize("seed", range(6))
def test_sigkill_at_any_moment_leaves_whole_lines(tmp_path, environment, seed):
    environment["PYTHONPATH"] += f":{Path(__file__).parent}"
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0.02, 0.4))
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a torn last line is allowed, and nothing else
        records = read_steps(tmp_path)
    assert records and [item.round for item in records] == list(range(1, len(records) + 1))
    intact = tmp_path / "whole.json"
    assert not intact.exists() or len(json.loads(intact.read_text())) == 20001


def test_a_run_leaves_everything(tiny_options, tmp_path):
    summary = session.run(tiny_options())
    run = read_run(tmp_path / "run")
    assert run.options == tiny_options() and run.seed == 0
    assert {"python", "mujoco", "numpy", "homie-robot", "source"} <= set(run.versions)
    folder = summary.episode_folder
    assert episode_folders(tmp_path / "run") == (folder,)
    assert len(read_steps(folder)) == 5
    ending = read_episode(folder)
    assert ending is not None and ending.ended_by == "ended" and ending.rounds == 5
    assert json.loads((folder / "final_state.json").read_text())["held"] is None
    assert sorted(path.name for path in (folder / "frames").iterdir())[:4] == [
        f"round-01-{view}.png" for view in ("back", "front", "left", "right")
    ]


def test_every_command_is_kept_as_requested_and_as_sent(tiny_options):
    folder = session.run(tiny_options()).episode_folder
    lines = [json.loads(line) for line in (folder / "commands.jsonl").open()]
    attempts = [attempt for record in read_steps(folder) for attempt in record.execution.attempts]
    assert len(lines) == sum(attempt.commands + 1 for attempt in attempts), "and one to stand still after each attempt"
    assert sum(bool(line["changes"]) for line in lines) >= sum(attempt.clamped for attempt in attempts) > 0
    first = lines[0]
    assert first["requested"] == {"base": [1.0, 0.0]} and first["sent"] == {"base": [0.2, 0.0]}
    assert first["changes"] == ["base: acceleration limited"]
    assert {"gripper": [0.0]} in [line["requested"] for line in lines]
    assert first["pose"] == [0.0, 0.0, 0.0]
    for line, after in pairwise(lines):  # a command moves the base from its own pose to the next one
        speed = line["sent"].get("base", [0.0, 0.0])[0]
        assert after["pose"][0] == pytest.approx(line["pose"][0] + 0.1 * speed, abs=2e-4)


def test_two_runs_differ_in_nothing_but_timings(tiny_options, tmp_path):
    runs = [session.run(tiny_options(out=tmp_path / name)) for name in ("one", "two")]
    lines = [[json.loads(line) for line in (run.episode_folder / "steps.jsonl").open()] for run in runs]
    for line in (*lines[0], *lines[1]):
        assert line.pop("timings")["total"] > 0
    assert lines[0] == lines[1]
    for name in ("final_state.json", "commands.jsonl"):
        first, second = ((run.episode_folder / name).read_bytes() for run in runs)
        assert first == second


def test_a_finished_run_is_not_touched(tiny_options, tmp_path):
    options = tiny_options()
    session.run(options)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(BadInput, match="holds a finished run"):
        session.run(options)
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}


def test_an_unfinished_episode_is_set_aside_and_run_again(tiny_options, tmp_path):
    first = session.run(tiny_options())
    (first.episode_folder / "episode.json").unlink()
    second = session.run(tiny_options())
    (second.episode_folder / "episode.json").unlink()
    session.run(tiny_options())
    names = sorted(path.name for path in (tmp_path / "run" / "episodes").iterdir())
    name = first.episode_folder.name
    assert names == [name, f"{name}-partial-1", f"{name}-partial-2"]


def test_another_configuration_is_refused_by_name(tiny_options):
    first = session.run(tiny_options())
    (first.episode_folder / "episode.json").unlink()
    with pytest.raises(BadInput, match=r"different: attempts, seed"):
        session.run(tiny_options(seed=3, attempts=1))


def test_a_folder_of_something_else_is_refused(tiny_options, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(BadInput, match="not empty and not a run folder"):
        session.run(tiny_options())
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.tex"]


def test_a_file_is_refused(tiny_options, tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        session.run(tiny_options())


def test_a_broken_run_file_is_refused(tiny_options, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{")
    with pytest.raises(BadInput, match=r"run\.json is damaged: it is not valid JSON"):
        session.run(tiny_options())


def test_two_runs_can_not_share_a_folder(tiny_options, robot):
    folder = RunFolder.open(tiny_options(), robot, NOTHING, {})
    with pytest.raises(BadInput, match="in use"):
        RunFolder.open(tiny_options(), robot, NOTHING, {})
    folder.close()
    RunFolder.open(tiny_options(), robot, NOTHING, {}).close()


class Lamp(BaseModel):
    """A scene as small as can be."""

    name: str = "lamp"


def staged_robot(name: str = "lamp"):
    """A robot whose scene can be written down."""
    from homie_tiny import FilmedTinyRobot

    class Staged(FilmedTinyRobot):
        scene = Lamp(name=name)

    return Staged()


def test_the_scene_of_a_run_is_kept_and_stays_the_same(tiny_options, tmp_path):
    RunFolder.open(tiny_options(), staged_robot(), NOTHING, {}).close()
    path = tmp_path / "run" / "scene.json"
    assert json.loads(path.read_bytes()) == {"name": "lamp"}
    assert read_run(tmp_path / "run").files == {"scene.json": mark(path)}
    RunFolder.open(tiny_options(), staged_robot(), NOTHING, {}).close()
    for _ in range(2):  # the lock is released, so it is not "in use" the second time
        with pytest.raises(BadInput, match=r"The run folder .*run was made in another scene: choose another --out\."):
            RunFolder.open(tiny_options(), staged_robot("desk"), NOTHING, {})
    path.write_text("{}")
    with pytest.raises(BadInput, match="made in another scene"):
        RunFolder.open(tiny_options(), staged_robot(), NOTHING, {})


def test_a_run_of_a_robot_without_a_scene_has_none(tiny_options, tmp_path, robot):
    RunFolder.open(tiny_options(), robot, NOTHING, {}).close()
    assert not (tmp_path / "run" / "scene.json").exists() and read_run(tmp_path / "run").files == {}


def test_other_parts_are_refused_by_what_differs(tiny_options, robot):
    RunFolder.open(tiny_options(), robot, NOTHING, {}).close()
    other = NOTHING.model_copy(update={"planner": {"model": "demo"}, "versions": {"numpy": "9"}})
    message = r"was made with other parts \(different: .*planner\.model \(-, now demo\); .*versions\.numpy \(-, now 9\)"
    with pytest.raises(BadInput, match=message):
        RunFolder.open(tiny_options(), robot, other, {})
    RunFolder.open(tiny_options(), robot, NOTHING, {}).close()


def test_a_run_folder_that_cannot_be_written_is_a_sentence(tiny_options, tmp_path):
    (tmp_path / "run" / "scene.json").mkdir(parents=True)
    for _ in range(2):
        with pytest.raises(BadInput, match=r"^Cannot write into the run folder .*/run: Is a directory\.$"):
            RunFolder.open(tiny_options(), staged_robot(), NOTHING, {})
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=r"^Cannot write the run folder .*/file/run: Not a directory\.$"):
        RunFolder.open(tiny_options(out=tmp_path / "file" / "run"), staged_robot(), NOTHING, {})
    with pytest.raises(BadInput, match=r"^Cannot write the run folder .*: File name too long\.$"):
        RunFolder.check(tiny_options(out=tmp_path / ("x" * 300)))


def test_a_finished_episode_is_not_begun_again(tiny_options, robot):
    folder = RunFolder.open(tiny_options(), robot, NOTHING, {})
    path = folder.episode("Put the ball!", 3)
    assert path == folder.path / "episodes" / "put-the-ball-3" and path.is_dir()
    (path / "episode.json").touch()
    with pytest.raises(BadInput, match=r"^The episode .*put-the-ball-3 is finished already\.$"):
        folder.episode("Put the ball!", 3)
    folder.close()
    folder.close()


def test_tries_that_were_set_aside_are_in_their_order(tmp_path):
    for name in ("put-0", "put-0-partial-10", "put-0-partial-2", "put-0-partial-x", "put-00-partial-1"):
        (tmp_path / "episodes" / name).mkdir(parents=True)
    (tmp_path / "episodes" / "put-0-partial-3").touch()
    (tmp_path / "episodes" / "notes.txt").touch()
    names = [path.name for path in tries(tmp_path / "episodes" / "put-0")]
    assert names == ["put-0-partial-2", "put-0-partial-10"]
    assert [path.name for path in episode_folders(tmp_path)] == ["put-0", "put-0-partial-x"]


def test_a_file_of_another_form_names_the_field(tmp_path):
    path = tmp_path / "episode.json"
    write_atomically(path, seal({"format": 2, "task": "go"}))
    with pytest.raises(BadInput, match=r"^.*episode\.json is not a valid EpisodeFile: trial is missing\.$"):
        read_episode(tmp_path)
    with pytest.raises(BadInput, match=r"^Cannot read .*run\.json: No such file or directory\.$"):
        read_run(tmp_path)


def test_whose_run_folder_it_is(tmp_path):
    assert kind_of(tmp_path) == ""
    for content, kind in ((b"{", ""), (b"{}", "run"), (seal({"format": 2, "kind": "bench"}), "bench")):
        (tmp_path / "run.json").write_bytes(content)
        assert kind_of(tmp_path) == kind


def test_a_disk_that_fails_says_what_to_do(tmp_path):
    with pytest.raises(InfrastructureError) as failure, recording(tmp_path):
        raise OSError(28, "No space left on device")
    assert str(failure.value) == (
        f"Cannot write into {tmp_path}: No space left on device. Make room there and give the same command again with "
        "--out: it runs this episode again."
    )
    with pytest.raises(InfrastructureError, match=r"Cannot write into .*: what\. Make room"), recording(tmp_path):
        raise OSError("what")


def test_a_warning_of_a_torn_line_is_about_the_caller(store):
    store.on(SubtaskRecorded(record()))
    path = store.folder / "steps.jsonl"
    path.write_bytes(path.read_bytes() + b"torn")
    with pytest.warns(
        UserWarning, match=r"steps\.jsonl: left out a last line that a kill has torn \(4 bytes\)"
    ) as warned:
        read_steps(store.folder)
    assert warned[0].filename == __file__


def test_what_a_model_took_adds_up():
    first = Answer("a", "", "unreadable", 100, 10, 0.5, False, 1.0, 40, ("fence",))
    second = Answer("b", "", "", 20, 3, 0.25, True, 1.0, 5, ("fence", "words"))
    usage = Usage().plus([first]).plus([second, Answer("c")])
    assert usage == Usage(
        answers=3, unreadable=1, lenient=2, leniencies={"fence": 2, "words": 1}, cached=1,
        input_tokens=120, output_tokens=13, cost=0.75, cache_read_tokens=45,
    )  # fmt: skip
    assert Usage() == Usage(
        answers=0, unreadable=0, lenient=0, cached=0, input_tokens=0, output_tokens=0, cost=0.0, cache_read_tokens=0
    )


def test_runs_go_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HOMIE_RUNS", "~/runs of mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert runs_folder() == tmp_path / "runs of mine"
    monkeypatch.delenv("HOMIE_RUNS")
    assert runs_folder() == Path("runs")


def test_default_folders_are_new_every_time(tiny_options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = {session.run(tiny_options(out=None)).run_folder for _ in range(3)}
    assert len(folders) == 3
    assert all(folder.parent.name == "runs" and "put-the-ball-in-the-box" in folder.name for folder in folders)


def test_runs_of_one_second_are_numbered(tmp_path, monkeypatch):
    monkeypatch.setenv("HOMIE_RUNS", str(tmp_path / "runs"))
    by_second: dict[str, list[str]] = {}
    for _ in range(40):
        path, lock = lock_folder(None, "Put it!")
        os.close(lock)
        stamp, _, number = path.name.partition("-put-it")
        by_second.setdefault(stamp, []).append(number)
    assert max(map(len, by_second.values())) > 2, "several within a second"
    for numbers in by_second.values():
        assert numbers == ["", *(f"-{number}" for number in range(2, len(numbers) + 1))]


@given(st.text())
def test_a_slug_is_a_short_file_name(text):
    name = slug(text)
    assert name and len(name) <= 48
    assert "/" not in name and "." not in name and name == name.strip("-")


def test_slugs_can_be_read():
    assert slug("Put the Apple in the bowl!") == "put-the-apple-in-the-bowl"
    assert slug("把苹果放进碗里") == "把苹果放进碗里"
    assert slug("../../etc/passwd") == "etc-passwd"
