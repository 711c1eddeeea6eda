"""A recording for Rerun, read back with Rerun's own reader: what of the episode is in it, and when."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import bench_runs
import numpy as np
import pytest
from bench_runs import DONE, LATE, write_run
from hypothesis import given
from hypothesis import strategies as st

from homie.bench.options import ReportOptions
from homie.bench.report import report
from homie.envs.mujoco.house.build import start_pose
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.support.packages import install_command
from homie.kernel.types import VIEWS, Attempt, Check, Decision, ErrorCode, Feedback, Outcome, Subtask
from homie.runtime import session
from homie.runtime.runstore import read_steps
from homie.runtime.video import END_HOLD, FPS, HOLD, SPEED, frame_stamps

pytest.importorskip("rerun", reason="the extra [rerun] is not installed")
from recordings import Recording, seconds

from homie.bench.report.rerun_export import lines, record

SCENE = Path(__file__).parents[2] / "examples" / "scenes"
RERUN = Path(sys.executable).with_name("rerun")


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the run of all tests is, once it was played."""
    return tmp_path_factory.mktemp("played") / "run"


@pytest.fixture
def tiny_run(tiny_options, finished_run: Path, tmp_path: Path) -> Path:
    """A copy of a run with a video."""
    if not finished_run.exists():
        session.run(tiny_options(video=True, out=finished_run))
    return Path(shutil.copytree(finished_run, tmp_path / "run"))


def test_a_run_from_its_folder_to_a_recording(homie, tiny_run: Path, tmp_path: Path) -> None:
    completed = homie("report", "run", "--out", "page.html", "--rerun", "run.rrd", "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    path = tmp_path / "run.rrd"
    assert printed["recording"] == "run.rrd" and printed["recording_bytes"] == path.stat().st_size
    if RERUN.exists():
        checked = subprocess.run([RERUN, "rrd", "verify", path], capture_output=True, text=True, check=False)
        assert checked.returncode == 0 and "without error" in checked.stdout + checked.stderr
    recording = Recording(path)
    (episode,) = (tiny_run / "episodes").iterdir()
    records = read_steps(episode)
    assert recording.store.recording_id == f"run/{episode.name}"
    assert recording.timelines == {"robot_seconds", "round"}

    for view in VIEWS:
        pictures = recording.of(f"cameras/{view}", "EncodedImage:blob")
        assert [row["round"] for row in pictures] == [1, 2, 3, 4, 5]
        blob = bytes(pictures[2]["EncodedImage:blob"][0])
        assert blob == (episode / "frames" / f"round-03-{view}.png").read_bytes()
        assert [seconds(row) for row in pictures[1:]] == [pytest.approx(record.stamp) for record in records[:-1]]

    commands = [json.loads(line) for line in (episode / "commands.jsonl").open()]
    places = recording.of("world/robot", "Transform3D:translation")
    assert [row["Transform3D:translation"][0][0] for row in places] == pytest.approx(
        [line["pose"][0] for line in commands]
    )
    assert [seconds(row) for row in places] == pytest.approx([line["stamp"] for line in commands])
    assert len(recording.of("world/path", "LineStrips3D:strips")[0]["LineStrips3D:strips"][0]) == len(commands)

    log = recording.rows["log"]
    assert [row["TextLog:text"][0] for row in log] == [line.text for line in lines(records)]
    assert {row["TextLog:level"][0] for row in log} >= {"decision", "check", "attempt", "feedback", "inventory"}
    (about,) = recording.of("instruction", "TextDocument:text")
    assert about["TextDocument:text"][0].startswith("put the ball in the box\nended by: ended, 5 rounds")

    (video,) = recording.of("video", "AssetVideo:blob")
    assert bytes(video["AssetVideo:blob"][0]) == (episode / "video.mp4").read_bytes()
    rows = recording.of("video", "VideoFrameReference:timestamp")
    assert seconds(rows[-1]) == pytest.approx(records[-1].stamp)
    frames = [row["VideoFrameReference:timestamp"][0] for row in rows]
    assert frames == sorted(frames) and len(set(frames)) == len(frames) > 5


def test_the_log_tells_what_happened_in_order() -> None:
    (first, second, _) = bench_runs.rounds(LATE)
    log = [(line.kind, line.stamp, line.round, line.text) for line in lines([first, second])]
    assert log == [
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


def test_every_line_of_the_log_has_its_kind_time_and_colour() -> None:
    (_, late, end) = bench_runs.rounds(LATE)
    subtask = Subtask("Put", "apple", "box")
    checks = (
        Check("format"),
        Check("distance", ErrorCode.D1, "Too far."),
        Check("execution", ErrorCode.E1, "It fell."),
    )
    tries = (
        Attempt(1, "classical", Outcome.FAILED, "it slipped", 0.5, 3),
        Attempt(2, "classical", Outcome.SUCCEEDED, "", 0.25, 3),
    )
    feedback = Feedback("fail", ErrorCode.E1, "It fell.")
    execution = replace(late.execution, subtask=subtask, checks=checks, attempts=tries, feedback=feedback)
    decision = Decision((subtask, Subtask("End")), "It is near.", "octo")
    first = replace(late, round=4, decision=decision, execution=execution, inventory=(), stamp=9.0)
    same = replace(end, round=4, stamp=9.0, inventory=("apple", "mug"))
    torn = replace(end, round=5, decision=Decision((), problem="no JSON"), stamp=9.5)
    grey, white, good, bad = (150, 156, 166), (238, 238, 238), (96, 211, 120), (255, 110, 98)
    entry = "[Put, apple, box]"
    assert [(line.kind, line.stamp, line.round, line.text, line.colour) for line in lines([first, same, torn])] == [
        ("analysis", 8.25, 4, "It is near.", grey),
        ("decision", 8.25, 4, f"{entry}, [End]  with octo", white),
        ("check", 8.25, 4, f"{entry}  format  ok", grey),
        ("check", 8.25, 4, f"{entry}  distance  D1: Too far.", bad),
        ("attempt", 8.75, 4, f"{entry}  1 with classical: failed it slipped", bad),
        ("attempt", 9.0, 4, f"{entry}  2 with classical: succeeded ", good),
        ("check", 9.0, 4, f"{entry}  execution  E1: It fell.", bad),
        ("feedback", 9.0, 4, f"{entry}  E1: It fell.", bad),
        ("inventory", 9.0, 4, "nothing", grey),
        ("feedback", 9.0, 4, "[End]  success", good),
        ("inventory", 9.0, 4, "apple mug", grey),
        ("decision", 9.5, 5, "unreadable: no JSON", white),
        ("feedback", 9.5, 5, "[End]  success", good),
        ("inventory", 9.5, 5, "apple", grey),
    ]


def test_what_the_viewer_shows_where(tiny_run: Path, tmp_path: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    (episode / "frames" / "round-02-above.png").write_bytes((episode / "frames" / "round-02-left.png").read_bytes())
    (episode / "frames" / "round-xx-left.png").touch()
    record(episode, tmp_path / "a.rrd", name="a", task="put the ball in the box")
    recording = Recording(tmp_path / "a.rrd")
    (video,) = recording.of("video", "AssetVideo:blob")
    assert "robot_seconds" not in video and "robot_seconds" not in recording.rows["instruction"][0]
    assert {name for name in recording.rows if name.startswith("cameras/")} == {f"cameras/{view}" for view in VIEWS}
    rows_of_left = recording.of("cameras/left", "EncodedImage:blob")
    assert seconds(rows_of_left[0]) == 0.0 and {row["EncodedImage:media_type"][0] for row in rows_of_left} == {
        "image/png"
    }
    (line, *_) = recording.rows["log"]
    assert line["TextLog:level"] == ["analysis"]
    assert line["TextLog:color"] == [(150 << 24) + (156 << 16) + (166 << 8) + 255]
    layout = recording.layout()
    views = {
        row["ViewBlueprint:space_origin"][0]: (name, row["ViewBlueprint:class_identifier"][0])
        for rows in layout.values() for row in rows if "ViewBlueprint:space_origin" in row
        for name in row["ViewBlueprint:display_name"]
    }  # fmt: skip
    assert views == {
        **{f"cameras/{view}": (view, "2D") for view in VIEWS},
        "video": ("video", "2D"),
        "world": ("scene", "3D"),
        "log": ("decisions, checks, attempts, feedback", "TextLog"),
        "instruction": ("instruction", "TextDocument"),
    }

    def values(name: str) -> list[Any]:
        return sorted(row[name] for rows in layout.values() for row in rows if name in row)

    assert values("ContainerBlueprint:row_shares") == [[2.0, 7.0, 5.0], [3.0, 2.0]]
    assert values("ContainerBlueprint:col_shares") == [[3.0, 2.0]]
    assert values("ContainerBlueprint:grid_columns") == [[2]]
    assert values("TimePanelBlueprint:timeline") == [["robot_seconds"]]
    assert layout["time_panel"][0]["TimePanelBlueprint:state"] == [3], "expanded"
    assert [layout[f"{panel}_panel"][0]["PanelBlueprint:state"] for panel in ("blueprint", "selection")] == [[2], [2]]
    assert values("ViewportBlueprint:auto_views") == [[False]]
    (episode / "video.mp4").unlink()
    record(episode, tmp_path / "b.rrd", name="b", task="put the ball in the box")
    layout = Recording(tmp_path / "b.rrd").layout()
    assert values("ContainerBlueprint:row_shares") == [[2.0, 7.0, 5.0], [3.0]]


def test_the_rounds_of_commands_are_those_in_which_they_were(tiny_run: Path, tmp_path: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    record(episode, tmp_path / "a.rrd", name="a", task="put the ball in the box")
    rows = Recording(tmp_path / "a.rrd").of("world/robot", "Transform3D:translation")
    ends = [record.stamp for record in read_steps(episode)]
    assert [row["round"] for row in rows] == [
        next(number for number, end in enumerate(ends, 1) if seconds(row) <= end + 1e-9) for row in rows
    ]
    assert {row["round"] for row in rows} >= {1, 2, 3, 4}


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
    recording = Recording(tmp_path / "a.rrd")
    assert {name.split("/")[2] for name in recording.rows if name.startswith("world/furniture/")} == {
        piece.name for piece in scene.furniture
    }
    labels = recording.of("world/rooms", "Boxes3D:labels")[0]["Boxes3D:labels"]
    assert labels == [room.name for room in scene.rooms]
    before, ended = recording.of(f"world/objects/{moved}", "Transform3D:translation")
    assert before["Transform3D:translation"][0] == pytest.approx(start_pose(scene, scene.objects[0])[0])
    assert ended["Transform3D:translation"][0] == pytest.approx([1.0, 2.0, 0.5])
    assert seconds(before) == 0.0 and seconds(ended) == 2.0
    (new,) = recording.of("world/objects/new", "Transform3D:translation")
    assert seconds(new) == 2.0
    places = [row["Transform3D:translation"][0][:2] for row in recording.of("world/robot", "Transform3D:translation")]
    assert places == [pytest.approx([scene.robot.x, scene.robot.y]), pytest.approx([3.0, 1.0])]


def test_what_a_kill_leaves_is_recorded(tiny_run: Path, tmp_path: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    (episode / "episode.json").unlink()
    for name in ("steps.jsonl", "commands.jsonl", "video.mp4", "frames/round-05-left.png"):
        path = episode / name
        path.write_bytes(path.read_bytes()[: -path.stat().st_size // 3])
    record(episode, tmp_path / "a.rrd", name="a", task="a lone \ud800 surrogate")
    recording = Recording(tmp_path / "a.rrd")
    assert recording.of("instruction", "TextDocument:text")[0]["TextDocument:text"][0].endswith("\nunfinished")
    assert len(recording.of("world/robot", "Transform3D:translation")) > 0
    assert len(recording.of("cameras/left", "EncodedImage:blob")) == 4
    assert len(recording.of("cameras/front", "EncodedImage:blob")) == 5


def test_an_episode_without_anything(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): "killed: at once"}, tasks=bench_runs.suite(1), trials=1)
    written = report(ReportOptions(runs=[run], rerun=tmp_path / "a.rrd"))
    assert written.recording == (tmp_path / "a.rrd").stat().st_size
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
    with pytest.raises(BadInput, match="Cannot write the recording"):
        ask(episode="task-0-0", rerun=tmp_path / "nowhere" / "a.rrd")
    assert not out.exists() and not (run / "report.html").exists()
    ask(episode="task-1-1")
    assert Recording(out).store.recording_id == "run/task-1-1"


def test_without_rerun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    monkeypatch.setitem(sys.modules, "rerun", None)
    monkeypatch.delitem(sys.modules, "homie.bench.report.rerun_export")
    with pytest.raises(MissingPart, match=re.escape(install_command("rerun"))):
        report(ReportOptions(runs=[run], rerun=tmp_path / "a.rrd"))


def test_frames_of_a_video_and_robot_time_agree(tiny_run: Path) -> None:
    (episode,) = (tiny_run / "episodes").iterdir()
    records = read_steps(episode)
    with av.open(str(episode / "video.mp4")) as video:
        count = video.streams.video[0].frames
    holds = len(records) * (round(HOLD * FPS) + round(HOLD * FPS) // 2 + 2) + round(END_HOLD * FPS) + 1
    passed = records[-1].stamp - records[0].began
    assert count - holds == pytest.approx(passed * FPS / SPEED, abs=1.5), "what stands still is known"
    stamps = frame_stamps(records, count)
    assert len(stamps) == count and stamps[0] == records[0].began and stamps[-1] == records[-1].stamp
    assert np.sum(stamps == records[-1].stamp) >= round(END_HOLD * FPS)


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=8), st.integers(0, 3000))
def test_the_robot_time_of_frames_never_goes_back(ends: list[float], count: int) -> None:
    (record,) = bench_runs.rounds(DONE)[:1]
    records = [replace(record, round=number, stamp=end + 1.0) for number, end in enumerate(sorted(ends), 1)]
    stamps = frame_stamps(records, count)
    assert stamps.shape == (count,) and np.all(np.diff(stamps) >= 0)
    assert np.all((stamps >= records[0].began) & (stamps <= records[-1].stamp))
