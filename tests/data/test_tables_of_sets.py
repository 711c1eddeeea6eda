"""What stands in the tables and lines of data sets, to the letter, and what is said of tables that are damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from demonstrations import FAR, LAYOUT, Rolling, demonstration

from homie.data.episode import SkippedEpisode
from homie.data.options import LeRobotOptions
from homie.data.recording.demonstration import Stage
from homie.data.recording.video_files import Coding, FilmWriter, VideoFile
from homie.data.sources.source_kinds import open_sources
from homie.kernel.errors import BadInput
from homie.kernel.types import SUCCESS, Subtask

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from homie.data.lerobot import writer as writing  # noqa: E402
from homie.data.lerobot.columns import coding_in  # noqa: E402
from homie.data.lerobot.info import Feature  # noqa: E402
from homie.data.lerobot.reader import LeRobotReader  # noqa: E402
from homie.data.lerobot.task_tables import TASKS, read_tasks, write_tasks  # noqa: E402
from homie.data.lerobot.writer import LeRobotWriter  # noqa: E402
from homie.data.lerobot_export import export_lerobot  # noqa: E402

ROW = "meta/episodes/chunk-000/file-000.parquet"
COUNTED = ("observation.state", "action", "timestamp", "frame_index", "episode_index", "index", "task_index")
CAMERAS = ("observation.images.head", "observation.images.wrist")
NAMES = ("min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99")


def write_set(out: Path, *seeds: int, language: str = "columns") -> Path:
    with LeRobotWriter(out, LAYOUT, language) as writer:
        for seed in seeds:
            writer.add(demonstration(seed, 12 + seed))
        writer.commit()
    return out


def test_the_rows_of_episodes_say_where_everything_is(tmp_path):
    rows = pq.read_table(write_set(tmp_path / "set", 0, 1) / ROW).to_pylist()
    plain = [{name: value for name, value in row.items() if not name.startswith("stats/")} for row in rows]
    films = {
        f"videos/{key}/{column}": [value, later]
        for key in CAMERAS
        for column, value, later in (
            ("chunk_index", 0, 0),
            ("file_index", 0, 1),
            ("from_timestamp", 0.0, 0.0),
            ("to_timestamp", 1.2, 1.3),
        )
    }
    columns = {
        "episode_index": [0, 1],
        "tasks": [["pick the apple 0"], ["pick the apple 1"]],
        "length": [12, 13],
        "data/chunk_index": [0, 0],
        "data/file_index": [0, 0],
        "dataset_from_index": [0, 12],
        "dataset_to_index": [12, 25],
        **films,
        "meta/episodes/chunk_index": [0, 0],
        "meta/episodes/file_index": [0, 0],
    }
    assert plain == [{name: values[number] for name, values in columns.items()} for number in range(2)]
    counted = {f"stats/{name}/{key}" for name in (*COUNTED, *CAMERAS) for key in NAMES}
    assert {name for name in rows[0] if name.startswith("stats/")} == counted
    assert rows[1]["stats/index/min"] == [12] and rows[1]["stats/index/count"] == [13]


def test_frames_count_on_and_know_their_task(tmp_path):
    table = pq.read_table(write_set(tmp_path / "set", 0, 1) / "data/chunk-000/file-000.parquet").to_pylist()
    assert [row["frame_index"] for row in table] == [*range(12), *range(13)]
    assert [row["index"] for row in table] == list(range(25))
    assert [row["episode_index"] for row in table] == [row["task_index"] for row in table] == [0] * 12 + [1] * 13
    np.testing.assert_allclose([row["timestamp"] for row in table[12:]], np.arange(13) / 10.0, atol=1e-6)


def test_a_table_that_is_written_again_keeps_its_mode(tmp_path):
    (tmp_path / "meta").mkdir()
    write_tasks(tmp_path, ["wave"])
    (tmp_path / TASKS).chmod(0o600)
    write_tasks(tmp_path, ["wave", "push"])
    assert (tmp_path / TASKS).stat().st_mode & 0o777 == 0o600
    assert read_tasks(tmp_path) == ["wave", "push"]


def test_pandas_takes_the_instruction_as_the_index_of_tasks(tmp_path):
    (tmp_path / "meta").mkdir()
    write_tasks(tmp_path, ["wave", "push"])
    schema = pq.read_schema(tmp_path / "meta/tasks.parquet")
    number = {"pandas_type": "int64", "numpy_type": "int64"}
    unicode = {"pandas_type": "unicode", "numpy_type": "object"}
    assert json.loads(schema.metadata[b"pandas"]) == {
        "index_columns": ["task"],
        "column_indexes": [{"name": None, "field_name": None, **unicode, "metadata": {"encoding": "UTF-8"}}],
        "columns": [
            {"name": "task_index", "field_name": "task_index", **number, "metadata": None},
            {"name": "task", "field_name": "task", **unicode, "metadata": None},
        ],
        "pandas_version": "2.2.0",
    }
    assert sorted(path.name for path in (tmp_path / "meta").iterdir()) == ["tasks.parquet"]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"task_index": [0]}, "has not the columns 'task_index' and 'task'"),
        ({"task": ["wave"]}, "has not the columns 'task_index' and 'task'"),
        ({"task_index": [0, 2], "task": ["wave", "push"]}, "its task_index does not count from 0 to 1"),
        ({"task_index": [1, 1], "task": ["wave", "push"]}, "its task_index does not count from 0 to 1"),
    ],
)
def test_a_table_of_tasks_that_is_none(tmp_path, columns, sentence):
    (tmp_path / "meta").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "meta/tasks.parquet")
    with pytest.raises(BadInput, match=sentence):
        read_tasks(tmp_path)


def test_tasks_in_any_order_and_by_another_name(tmp_path):
    (tmp_path / "meta").mkdir()
    columns = {"task_index": [1, 0], "__index_level_0__": ["push", "wave"]}
    pq.write_table(pa.table(columns), tmp_path / "meta/tasks.parquet")
    assert read_tasks(tmp_path) == ["wave", "push"]


def test_a_batch_is_part_of_the_set_as_soon_as_it_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "BATCH", 2)
    with LeRobotWriter(tmp_path / "set", LAYOUT, "columns") as writer:
        for seed in range(3):
            writer.add(demonstration(seed))
        assert (writer.episodes, writer.frames) == (3, 36)
        assert len(LeRobotReader(tmp_path / "set")) == 2
    assert len(LeRobotReader(tmp_path / "set")) == 2, "the third was never made part of it"
    names = {path.name for path in (tmp_path / "set/videos/observation.images.head/chunk-000").iterdir()}
    assert names == {"file-000.mp4", "file-001.mp4"}
    write_set(tmp_path / "set", 5)
    assert [episode.name for episode in LeRobotReader(tmp_path / "set")] == ["run/0", "run/1", "run/5"]


def test_one_number_of_command_is_a_plain_column(tmp_path):
    layout = replace(LAYOUT, action=("base.linear.vel",))
    single = replace(demonstration(0), layout=layout, actions=demonstration(0).actions[:, :1])
    with LeRobotWriter(tmp_path / "set", layout, "columns") as writer:
        writer.add(single)
        writer.commit()
    table = pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")
    assert table.schema.field("action").type == pa.float32()
    (again,) = LeRobotReader(tmp_path / "set")
    np.testing.assert_array_equal(again.actions, single.actions)


def test_a_failure_after_the_last_frame_is_reported_in_the_last_one(tmp_path):
    stages = (
        Stage(first=0, subtask=Subtask("Pick", "apple"), feedback=FAR, analysis="It is near."),
        Stage(first=6, subtask=Subtask("Put", "apple", "bowl"), feedback=SUCCESS),
        Stage(first=9, subtask=Subtask("Pick", "plum"), feedback=FAR),
    )
    with LeRobotWriter(tmp_path / "set", LAYOUT, "strings") as writer:
        writer.add(replace(demonstration(0), stages=stages))
        writer.commit()
    rows = pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet").to_pylist()
    assert {number: row["failure"] for number, row in enumerate(rows) if row["failure"]} == {
        6: FAR.message,
        11: FAR.message,
    }
    assert [row["subtask"] for row in rows] == ["pick the apple"] * 6 + ["put the apple down at the bowl"] * 3 + [
        "pick the plum"
    ] * 3
    assert [row["plan"] for row in rows] == ["It is near."] * 6 + [""] * 6


def test_calls_of_subtasks_are_whole(tmp_path):
    rows = pq.read_table(write_set(tmp_path / "set", 0) / "data/chunk-000/file-000.parquet").to_pylist()
    plan, subtask, *_ = rows[0]["language_persistent"]
    row = {"role": "assistant", "timestamp": 0.0, "camera": None}
    assert plan == {**row, "content": "It is far away.", "style": "plan", "tool_calls": None}
    (call,) = subtask.pop("tool_calls")
    assert subtask == {**row, "content": "go to the apple", "style": "subtask"}
    assert call["type"] == "function" and call["function"]["name"] == "subtask"
    assert json.loads(call["function"]["arguments"]) == {"action": "Go to", "target": "apple", "destination": ""}
    (event,) = rows[0]["language_events"]
    reported = {"role": "user", "content": FAR.message, "style": "interjection", "camera": None, "tool_calls": None}
    assert {name: event[name] for name in reported} == reported


def test_how_films_are_coded_is_known_with_their_sound():
    info = {"video.codec": "hevc", "video.pix_fmt": "gray12le", "has_audio": True}

    def coding(**changes: Any) -> Coding | None:
        return coding_in(Feature(dtype="video", shape=(48, 64, 3), info={**info, **changes}))

    assert coding() == Coding("hevc", "gray12le", True)
    assert coding(has_audio=False) == coding(has_audio=None) == Coding("hevc", "gray12le", False)
    assert coding(**{"video.codec": None}) is coding(**{"video.pix_fmt": 3}) is None


def test_a_film_is_even_where_every_picture_is_at_its_time(tmp_path):
    with FilmWriter(tmp_path / "even.mp4", height=32, width=32, fps=10) as film:
        for picture in Rolling(5, (32, 32), 0):
            film.add(picture)
    assert VideoFile(tmp_path / "even.mp4").is_even(10) and not VideoFile(tmp_path / "even.mp4").is_even(12)
    assert VideoFile(tmp_path / "even.mp4").coding() == Coding("h264", "yuv420p", False)
    with av.open(str(tmp_path / "late.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width = stream.height = 32
        stream.pix_fmt, stream.codec_context.time_base = "yuv420p", Fraction(1, 100)
        for moment, picture in zip((0, 10, 23, 30), Rolling(4, (32, 32), 0), strict=True):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = moment, Fraction(1, 100)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    assert not VideoFile(tmp_path / "late.mp4").is_even(10)
    with pytest.raises(BadInput, match="even width and height"):
        FilmWriter(tmp_path / "odd.mp4", height=31, width=32, fps=10)
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        sound = container.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
    with pytest.raises(BadInput, match=r"sound\.mp4: it has no pictures\.$"):
        list(VideoFile(tmp_path / "sound.mp4"))


def test_a_lerobot_set_as_a_source(tmp_path):
    (source,) = open_sources([write_set(tmp_path / "set", 0, 1)])
    assert source.describe() == {"kind": "LeRobot data set", "planner": "", "versions": ""}
    first, second = source.entries()
    assert (first.number, second.number, second.name) == (0, 1, "set/run/1")
    with pytest.raises(SkippedEpisode, match=r"^a LeRobot data set has no planner input: use it to train"):
        source.read(first)
    assert len(source.demonstration(second, 10)) == 13
    with pytest.raises(SkippedEpisode, match=r"^it has 10 frames a second, and --fps asks for 5$"):
        source.demonstration(second, 5)
    (tmp_path / "set/data/chunk-000/file-000.parquet").write_bytes(b"PAR1")
    with pytest.raises(SkippedEpisode, match=r"^damaged: "):
        open_sources([tmp_path / "set"])[0].demonstration(second, None)


def test_what_failed_is_left_out_of_a_set_of_demonstrations(tmp_path):
    with LeRobotWriter(tmp_path / "set", LAYOUT, "columns") as writer:
        for seed, success in enumerate((True, False, None)):
            writer.add(replace(demonstration(seed), success=success))
        writer.commit()
    reported: dict[str, str] = {}
    options = LeRobotOptions.build(sources=[tmp_path / "set"], out=tmp_path / "done")
    export = export_lerobot(options, lambda entry, reason: reported.update({entry.name: reason}))
    assert reported == {"set/run/0": "", "set/run/1": "the task was not done", "set/run/2": ""}
    assert (export.path, export.added, export.episodes, export.frames) == (tmp_path / "done", 2, 2, 24)
    every = export_lerobot(LeRobotOptions.build(sources=[tmp_path / "set"], out=tmp_path / "all", keep="all"))
    assert every.added == 3
    with pytest.raises(BadInput, match="cannot be added to itself"):
        export_lerobot(LeRobotOptions.build(sources=[tmp_path / "set"], out=tmp_path / "set"))
    with pytest.raises(BadInput, match=r"^No episode can be exported \(the last: it has 10 frames a second"):
        export_lerobot(LeRobotOptions.build(sources=[tmp_path / "set"], out=tmp_path / "five", fps=5))
