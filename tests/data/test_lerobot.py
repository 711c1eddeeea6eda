"""LeRobot data sets: what goes in comes out, appending and interrupting harm nothing, and lerobot itself loads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from demonstrations import FAR, LAYOUT, Rolling, demonstration
from episodes import files_of

from homie.data.episode import SkippedEpisode
from homie.data.lerobot_export import export_lerobot
from homie.data.options import LeRobotOptions
from homie.data.recording.demonstration import Demonstration, Film
from homie.data.recording.video_files import VideoFile
from homie.kernel.errors import BadInput
from homie.kernel.types import Image

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from homie.data.lerobot.reader import LeRobotReader  # noqa: E402
from homie.data.lerobot.writer import LeRobotWriter  # noqa: E402

STATISTICS = {"min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99"}


def write(out: Path, *episodes: Demonstration, language: str = "columns") -> Path:
    with LeRobotWriter(out, LAYOUT, language) as writer:
        for each in episodes:
            writer.add(each)
        writer.commit()
    return out


def pictures(film: Film) -> np.ndarray:
    return np.stack(list(film))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("lerobot") / "set", *(demonstration(seed, 12 + seed) for seed in range(3)))


def test_what_goes_in_comes_out(dataset):
    reader = LeRobotReader(dataset)
    assert len(reader) == 3
    for seed, episode in enumerate(reader):
        before = demonstration(seed, 12 + seed)
        for name in ("name", "task", "layout", "stages", "success"):
            assert getattr(episode, name) == getattr(before, name), name
        np.testing.assert_array_equal(episode.states, before.states)
        np.testing.assert_array_equal(episode.actions, before.actions)
        np.testing.assert_allclose(episode.stamps, before.stamps, atol=1e-6)
        for camera, film in episode.films.items():
            error = pictures(film).astype(float) - pictures(before.films[camera])
            assert np.abs(error).mean() < 4.0, camera


def test_films_that_are_files_are_copied(dataset, tmp_path):
    again = write(tmp_path / "again", *LeRobotReader(dataset))
    for video in dataset.glob("videos/*/*/*.mp4"):
        assert (again / video.relative_to(dataset)).read_bytes() == video.read_bytes()
    table = "data/chunk-000/file-000.parquet"
    assert pq.read_table(again / table).equals(pq.read_table(dataset / table))


def test_the_tables_are_those_of_the_format(dataset):
    info = json.loads((dataset / "meta/info.json").read_text())
    data = pq.read_table(dataset / "data/chunk-000/file-000.parquet")
    assert pq.ParquetFile(dataset / "data/chunk-000/file-000.parquet").num_row_groups == 3
    assert (info["codebase_version"], info["fps"], info["robot_type"]) == ("v3.0", 10, "cart")
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (3, 39, 2)
    assert info["splits"] == {"train": "0:3"}
    videos = [name for name, column in info["features"].items() if column["dtype"] == "video"]
    assert set(data.column_names) | set(videos) == set(info["features"])
    assert data.column("index").to_pylist() == list(range(39))
    assert data.column("timestamp").type == pa.float32()
    assert data.schema.field("observation.state").type == pa.list_(pa.float32(), 2)
    episodes = pq.read_table(dataset / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [row["dataset_to_index"] for row in episodes] == [12, 25, 39]
    assert [row["videos/observation.images.head/file_index"] for row in episodes] == [0, 1, 2]
    tasks = pq.read_table(dataset / "meta/tasks.parquet")
    assert json.loads(tasks.schema.metadata[b"pandas"])["index_columns"] == ["task"]
    assert tasks.to_pylist() == [
        {"task_index": 0, "task": "pick the apple 0"},
        {"task_index": 1, "task": "pick the apple 1"},
    ]


def test_every_column_has_its_ten_statistics(dataset):
    info = json.loads((dataset / "meta/info.json").read_text())
    counted = [name for name, column in info["features"].items() if column["dtype"] not in ("language", "string")]
    rows = pq.read_table(dataset / "meta/episodes/chunk-000/file-000.parquet")
    assert {f"stats/{name}/{key}" for name in counted for key in STATISTICS} <= set(rows.column_names)
    statistics = json.loads((dataset / "meta/stats.json").read_text())
    assert {name: set(statistics) for name, statistics in statistics.items()} == dict.fromkeys(counted, STATISTICS)
    states = np.concatenate([episode.states for episode in LeRobotReader(dataset)])
    for key, expected in (
        ("min", states.min(0)),
        ("max", states.max(0)),
        ("mean", states.mean(0)),
        ("std", states.std(0)),
    ):
        np.testing.assert_allclose(statistics["observation.state"][key], expected, rtol=1e-5)
    colours = np.concatenate([pictures(Rolling(12 + seed, (48, 64), seed)) for seed in range(3)]) / 255.0
    head = statistics["observation.images.head"]
    np.testing.assert_allclose(np.ravel(head["mean"]), colours.mean((0, 1, 2)), atol=0.02)
    np.testing.assert_allclose(np.ravel(head["std"]), colours.std((0, 1, 2)), atol=0.03)
    assert np.shape(head["q50"]) == (3, 1, 1) and 0.0 <= np.min(head["min"]) <= np.max(head["max"]) <= 1.0


def test_what_was_planned_and_answered_is_in_the_language_columns(dataset):
    frames = pq.read_table(dataset / "data/chunk-000/file-000.parquet").to_pylist()[:12]
    assert all(frame["language_persistent"] == frames[0]["language_persistent"] for frame in frames)
    rows = [(row["style"], row["content"], round(row["timestamp"], 3)) for row in frames[0]["language_persistent"]]
    assert rows == [
        ("plan", "It is far away.", 0.0),
        ("subtask", "go to the apple", 0.0),
        ("plan", "It is near.", 0.6),
        ("subtask", "pick the apple", 0.6),
    ]
    call = frames[0]["language_persistent"][1]["tool_calls"][0]["function"]
    assert (call["name"], json.loads(call["arguments"])["target"]) == ("subtask", "apple")
    events = {frame["frame_index"]: frame["language_events"] for frame in frames if frame["language_events"]}
    assert {index: (row["style"], row["role"], row["content"]) for index, (row,) in events.items()} == {
        0: ("interjection", "user", FAR.message)
    }


def test_language_in_plain_strings(tmp_path):
    out = write(tmp_path / "strings", demonstration(0), language="strings")
    frames = pq.read_table(out / "data/chunk-000/file-000.parquet").to_pylist()
    assert [frame["subtask"] for frame in frames] == ["go to the apple"] * 6 + ["pick the apple"] * 6
    assert [frame["failure"] for frame in frames] == [FAR.message] + [""] * 11


def test_subtasks_are_read_from_the_language_columns_of_others(dataset, tmp_path):
    strings = write(tmp_path / "strings", demonstration(0), language="strings")
    columns = write(tmp_path / "columns", demonstration(0))
    for folder in (strings, columns):
        (folder / "meta/homie_episodes.jsonl").unlink()
    (spoken,), (called,) = LeRobotReader(strings), LeRobotReader(columns)
    assert [(stage.first, stage.subtask.action) for stage in spoken.stages] == [
        (0, "go to the apple"),
        (6, "pick the apple"),
    ]
    assert [(stage.first, str(stage.subtask)) for stage in called.stages] == [
        (0, "[Go to, apple]"),
        (6, "[Pick, apple]"),
    ]


def test_sources_are_merged_and_added_once(dataset, tmp_path):
    other = write(tmp_path / "other", demonstration(7))
    options = LeRobotOptions.build(sources=[dataset, other], out=tmp_path / "both")
    assert (export_lerobot(options).added, export_lerobot(options).added) == (4, 0)
    reader = LeRobotReader(tmp_path / "both")
    assert [episode.name for episode in reader] == ["set/run/0", "set/run/1", "set/run/2", "other/run/7"]


def test_other_columns_are_refused(dataset, tmp_path):
    for wrong in (replace(LAYOUT, state=("base.x", "base.y")), replace(LAYOUT, fps=5), replace(LAYOUT, cameras={})):
        with pytest.raises(BadInput, match="other columns"):
            LeRobotWriter(dataset, wrong, "columns")
    (tmp_path / "letter.txt").write_text("hello")
    with pytest.raises(BadInput, match="not empty"):
        LeRobotWriter(tmp_path, LAYOUT, "columns")
    with LeRobotWriter(tmp_path / "new", LAYOUT, "columns") as writer:
        odd = replace(demonstration(0), films={**demonstration(0).films, "wrist": Rolling(11, (32, 32), 0)})
        with pytest.raises(SkippedEpisode, match="11 pictures for 12 frames"):
            writer.add(odd)


class Fatal(Film):
    """A film in whose middle the process is killed."""

    def __iter__(self) -> Iterator[Image]:
        yield from Rolling(5, (48, 64), 0)
        os._exit(9)


def die(out: str) -> None:
    """Add two episodes and be killed in the second."""
    deadly = replace(demonstration(9), films={**demonstration(9).films, "head": Fatal()})
    write(Path(out), demonstration(8), deadly)


def test_a_kill_leaves_the_old_data_set_whole(dataset, tmp_path):
    out = write(tmp_path / "set", *LeRobotReader(dataset))
    before = files_of(out)
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_lerobot as t; t.die({str(out)!r})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert len(LeRobotReader(out)) == 3
    assert files_of(out) != before
    LeRobotWriter(out, LAYOUT, "columns").close()  # the next export clears up
    assert files_of(out) == before
    write(out, demonstration(8))
    assert [episode.name for episode in LeRobotReader(out)] == [*(f"run/{seed}" for seed in range(3)), "run/8"]


def test_a_damaged_data_set_is_one_sentence(dataset, tmp_path):
    with pytest.raises(BadInput, match="no LeRobot data set"):
        LeRobotReader(tmp_path)
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta/info.json").write_text('{"codebase_version": "v2.1"}')
    with pytest.raises(BadInput, match=r"version v2\.1"):
        LeRobotReader(tmp_path)
    copied = write(tmp_path / "set", *LeRobotReader(dataset))
    (copied / "meta/episodes/chunk-000/file-000.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match=r"file-000\.parquet"):
        LeRobotReader(copied)


def test_a_damaged_note_is_not_passed_over(dataset, tmp_path):
    out = write(tmp_path / "set", *LeRobotReader(dataset))
    notes = out / "meta/homie_episodes.jsonl"
    lines = notes.read_bytes().splitlines(keepends=True)
    for damaged in (b"\n", lines[1][:40] + b"\n", lines[1].replace(b'"success": ', b'"success": 7')):
        notes.write_bytes(lines[0] + damaged + lines[2])
        before = files_of(out)
        for opened in (LeRobotReader, lambda folder: write(folder, demonstration(1))):
            with pytest.raises(BadInput, match=r"^Cannot read .*homie_episodes\.jsonl, line 2: .*\. Restore the file"):
                opened(out)
        assert files_of(out) == before


@pytest.mark.parametrize(
    "name",
    ["../kept.mp4", "/kept.mp4", "data/../../kept.mp4", "videos/../../kept.mp4", "videos/../chunk-000/file-000.mp4"],
)
def test_what_an_interrupted_export_has_left_is_deleted_inside_the_data_set_only(dataset, tmp_path, name):
    out = write(tmp_path / "set", *LeRobotReader(dataset))
    (tmp_path / "kept.mp4").write_text("mine")
    (out / "chunk-000").mkdir()
    (out / "chunk-000/file-000.mp4").write_text("mine")
    leftover = out / "meta/homie_unfinished.json"
    for content in ({"episodes": 99, "files": [name]}, {"files": []}, [], {"episodes": 99, "files": 3}):
        leftover.write_text(json.dumps(content))
        before = files_of(out)
        with pytest.raises(BadInput, match=r"^Cannot read .*homie_unfinished\.json: "):
            write(out, demonstration(8))
        assert files_of(out) == before and (tmp_path / "kept.mp4").exists()


LEROBOT = os.environ.get("HOMIE_LEROBOT_PYTHON", "")
"""The Python of an environment that has lerobot (docs/testing.md)."""


@pytest.mark.skipif(not LEROBOT, reason="HOMIE_LEROBOT_PYTHON names no Python that has lerobot (docs/testing.md)")
def test_lerobot_loads_batches_and_adds(tmp_path):
    def lerobot(*arguments: str) -> None:
        script = Path(__file__).with_name("with_lerobot.py")
        ran = subprocess.run(
            [LEROBOT, str(script), str(out), *arguments],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")},
        )
        assert ran.returncode == 0, ran.stderr[-2000:]

    out = write(tmp_path / "set", *(demonstration(seed) for seed in range(2)), language="strings")
    lerobot("frames", str(tmp_path / "frames.npz"))
    loaded = np.load(tmp_path / "frames.npz")
    episodes = list(LeRobotReader(out))
    np.testing.assert_array_equal(loaded["observation.state"], np.concatenate([e.states for e in episodes]))
    np.testing.assert_array_equal(loaded["action"], np.concatenate([e.actions for e in episodes]))
    for camera in LAYOUT.cameras:
        recorded = np.concatenate([pictures(episode.films[camera]) for episode in episodes])
        read = loaded[f"observation.images.{camera}"].transpose(0, 2, 3, 1) * 255.0
        assert np.abs(read - recorded).max() <= 1.0, camera
    assert loaded["task"].tolist() == ["pick the apple 0"] * 12 + ["pick the apple 1"] * 12
    assert loaded["subtask"].tolist()[5:7] == ["go to the apple", "pick the apple"]
    lerobot("append")
    write(out, demonstration(2), language="strings")  # and Homie after lerobot
    lerobot("append")
    reader = LeRobotReader(out)
    assert len(reader) == 5
    assert all(len(pictures(film)) == len(episode) for episode in reader for film in episode.films.values())


def test_a_film_is_read_from_any_moment_of_a_longer_file(dataset):
    path = next(dataset.glob("videos/observation.images.head/*/file-002.mp4"))
    statistics = pictures(VideoFile(path))
    np.testing.assert_array_equal(pictures(VideoFile(path, start=0.5, frames=4)), statistics[5:9])
