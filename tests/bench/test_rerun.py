"""A recording for Rerun, read back with Rerun's own reader: what of the episode is in it, and when."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import av
import bench_runs
import numpy as np
import pytest
from bench_runs import DONE, LATE, write_run
from hypothesis import given
from hypothesis import strategies as st

from homie import session
from homie.bench.report import report
from homie.envs.mujoco.build import start_pose
from homie.envs.mujoco.spec import SceneSpec
from homie.errors import BadInput, MissingPart
from homie.options import ReportOptions
from homie.runstore import read_steps
from homie.types import VIEWS
from homie.video import END_HOLD, FPS, HOLD, SPEED, frame_stamps

pytest.importorskip("rerun", reason="the extra [rerun] is not installed")
from recordings import Recording, seconds

from homie.bench.report.rerun_export import lines, record

SCENE = Path(__file__).parents[2] / "examples" / "scenes"
RERUN = Path(sys.executable).with_name("rerun")


@pytest.fixture
def tiny_run(tiny_options) -> Path:
    return session.run(tiny_options(video=True)).run_folder


def test_a_run_from_its_folder_to_a_recording(homie, tiny_run: Path, tmp_path: Path) -> None:
    done = homie("report", "run", "--out", "page.html", "--rerun", "run.rrd", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    path = tmp_path / "run.rrd"
    assert told["recording"] == "run.rrd" and told["recording_bytes"] == path.stat().st_size
    if RERUN.exists():
        checked = subprocess.run([RERUN, "rrd", "verify", path], capture_output=True, text=True, check=False)
        assert checked.returncode == 0 and "without error" in checked.stdout + checked.stderr
    made = Recording(path)
    (episode,) = (tiny_run / "episodes").iterdir()
    records = read_steps(episode)
    assert made.store.recording_id == f"run/{episode.name}"
    assert made.timelines == {"robot_seconds", "round"}

    for view in VIEWS:
        pictures = made.of(f"cameras/{view}", "EncodedImage:blob")
        assert [row["round"] for row in pictures] == [1, 2, 3, 4, 5]
        blob = bytes(pictures[2]["EncodedImage:blob"][0])
        assert blob == (episode / "frames" / f"round-03-{view}.png").read_bytes()
        assert [seconds(row) for row in pictures[1:]] == [pytest.approx(one.stamp) for one in records[:-1]]

    commands = [json.loads(line) for line in (episode / "commands.jsonl").open()]
    places = made.of("world/robot", "Transform3D:translation")
    assert [row["Transform3D:translation"][0][0] for row in places] == pytest.approx(
        [line["pose"][0] for line in commands]
    )
    assert [seconds(row) for row in places] == pytest.approx([line["stamp"] for line in commands])
    assert len(made.of("world/path", "LineStrips3D:strips")[0]["LineStrips3D:strips"][0]) == len(commands)

    log = made.rows["log"]
    assert [row["TextLog:text"][0] for row in log] == [line.text for line in lines(records)]
    assert {row["TextLog:level"][0] for row in log} >= {"decision", "check", "attempt", "feedback", "inventory"}
    (about,) = made.of("instruction", "TextDocument:text")
    assert about["TextDocument:text"][0].startswith("put the ball in the box\nended by: ended, 5 rounds")

    (video,) = made.of("video", "AssetVideo:blob")
    assert bytes(video["AssetVideo:blob"][0]) == (episode / "video.mp4").read_bytes()
    shown = made.of("video", "VideoFrameReference:timestamp")
    assert seconds(shown[-1]) == pytest.approx(records[-1].stamp)
    frames = [row["VideoFrameReference:timestamp"][0] for row in shown]
    assert frames == sorted(frames) and len(set(frames)) == len(frames) > 5


def test_the_log_tells_what_happened_in_order() -> None:
    (first, second, _) = bench_runs.rounds(LATE)
    said = [(line.kind, line.stamp, line.round, line.text) for line in lines([first, second])]
    assert said == [
        ("decision", 1.0, 1, "[Pick, apple]"),
        ("feedback", 1.0, 1, f"[Pick, apple]  D1: {bench_runs.FAR.message}"),
        ("inventory", 1.0, 1, "apple"),
        ("decision", 1.0, 2, "[Pick, apple]"),
        ("attempt", 2.0, 2, "[Pick, apple]  1 with classical: succeeded "),
        ("feedback", 2.0, 2, "[Pick, apple]  success"),
        ("inventory", 2.0, 2, "apple"),
    ]
    both = [first, replace(second, round=1)]
    assert [line.kind for line in lines(both)].count("decision") == 1, "one decision may have several subtasks"


def test_scene_and_objects(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    episode = run / "episodes" / "task-0-0"
    source = next(iter(sorted(SCENE.glob("*.json"))))
    shutil.copy(source, episode / "scene.json")
    scene = SceneSpec.load(source)
    moved = scene.objects[0].name
    state = {
        "objects": {
            moved: {"position": [1.0, 2.0, 0.5], "quaternion": [1.0, 0.0, 0.0, 0.0]},
            "new": {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0]},
        },
        "robot": {"x": 3.0, "y": 1.0, "yaw": 0.0},
        "held": None,
    }
    (episode / "final_state.json").write_text(json.dumps(state))
    record(episode, tmp_path / "a.rrd", name="a", task="take the apple")
    made = Recording(tmp_path / "a.rrd")
    assert {name.split("/")[2] for name in made.rows if name.startswith("world/furniture/")} == {
        piece.name for piece in scene.furniture
    }
    labels = made.of("world/rooms", "Boxes3D:labels")[0]["Boxes3D:labels"]
    assert labels == [room.name for room in scene.rooms]
    begun, ended = made.of(f"world/objects/{moved}", "Transform3D:translation")
    assert begun["Transform3D:translation"][0] == pytest.approx(start_pose(scene, scene.objects[0])[0])
    assert ended["Transform3D:translation"][0] == pytest.approx([1.0, 2.0, 0.5])
    assert seconds(begun) == 0.0 and seconds(ended) == 2.0
    (new,) = made.of("world/objects/new", "Transform3D:translation")
    assert seconds(new) == 2.0
    places = [row["Transform3D:translation"][0][:2] for row in made.of("world/robot", "Transform3D:translation")]
    assert places == [pytest.approx([scene.robot.x, scene.robot.y]), pytest.approx([3.0, 1.0])]


def test_what_a_kill_leaves_is_recorded(tiny_run: Path, tmp_path: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    (episode / "episode.json").unlink()
    for name in ("steps.jsonl", "commands.jsonl", "video.mp4", "frames/round-05-left.png"):
        path = episode / name
        path.write_bytes(path.read_bytes()[: -path.stat().st_size // 3])
    record(episode, tmp_path / "a.rrd", name="a", task="a lone \ud800 surrogate")
    made = Recording(tmp_path / "a.rrd")
    assert made.of("instruction", "TextDocument:text")[0]["TextDocument:text"][0].endswith("\nunfinished")
    assert len(made.of("world/robot", "Transform3D:translation")) > 0
    assert len(made.of("cameras/left", "EncodedImage:blob")) == 4
    assert len(made.of("cameras/front", "EncodedImage:blob")) == 5


def test_an_episode_without_anything(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): "killed: at once"}, tasks=bench_runs.suite(1), trials=1)
    made = report(ReportOptions(runs=[run], rerun=tmp_path / "a.rrd"))
    assert made.recording == (tmp_path / "a.rrd").stat().st_size
    about = Recording(tmp_path / "a.rrd").rows["instruction"][0]["TextDocument:text"][0]
    assert about == "take the apple\nended by: infrastructure (killed: at once), 0 rounds, 1.0 s"


def test_which_episode(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE, ("task-1", 1): LATE})
    out = tmp_path / "a.rrd"

    def ask(**options: object) -> None:
        report(ReportOptions.build(**{"runs": [run], "rerun": out, **options}))

    with pytest.raises(BadInput, match=r"one episode: name it, for example --episode task-0-0\."):
        ask()
    with pytest.raises(BadInput, match="did you mean 'task-1-1'"):
        ask(episode="task-1-2")
    with pytest.raises(BadInput, match=r"give --rerun FILE\.rrd too"):
        ask(episode="task-0-0", rerun=None)
    other = write_run(tmp_path / "other", {("task-0", 0): DONE}, planner="chat")
    with pytest.raises(BadInput, match=r"in several runs \(rule, chat\)"):
        ask(runs=[run, other], episode="task-0-0")
    with pytest.raises(BadInput, match="Can not write the recording"):
        ask(episode="task-0-0", rerun=tmp_path / "nowhere" / "a.rrd")
    assert not out.exists() and not (run / "report.html").exists()
    ask(episode="task-1-1")
    assert Recording(out).store.recording_id == "run/task-1-1"


def test_without_rerun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    monkeypatch.setitem(sys.modules, "rerun", None)
    monkeypatch.delitem(sys.modules, "homie.bench.report.rerun_export")
    with pytest.raises(MissingPart, match=r"pip install '?rerun"):
        report(ReportOptions(runs=[run], rerun=tmp_path / "a.rrd"))


def test_frames_of_a_video_and_robot_time_agree(tiny_run: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    records = read_steps(episode)
    with av.open(str(episode / "video.mp4")) as video:
        count = video.streams.video[0].frames
    holds = len(records) * (round(HOLD * FPS) + round(HOLD * FPS) // 2 + 2) + round(END_HOLD * FPS) + 1
    passed = records[-1].stamp - records[0].began
    assert count - holds == pytest.approx(passed * FPS / SPEED, rel=0.2), "what stands still is known"
    stamps = frame_stamps(records, count)
    assert len(stamps) == count and stamps[0] == records[0].began and stamps[-1] == records[-1].stamp
    assert np.sum(stamps == records[-1].stamp) >= round(END_HOLD * FPS)


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=8), st.integers(0, 3000))
def test_the_robot_time_of_frames_never_goes_back(ends: list[float], count: int) -> None:
    (one,) = bench_runs.rounds(DONE)[:1]
    records = [replace(one, round=number, stamp=end + 1.0) for number, end in enumerate(sorted(ends), 1)]
    stamps = frame_stamps(records, count)
    assert stamps.shape == (count,) and np.all(np.diff(stamps) >= 0)
    assert np.all((stamps >= records[0].began) & (stamps <= records[-1].stamp))
