"""What files and tables say to the letter, where a typing error would be silent."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from demonstrations import LAYOUT, demonstration
from episodes import DONE, episode, write_run

from homie.data.data_set_checks import validate
from homie.data.emmoe_export import export_emmoe
from homie.data.episode_counts import count
from homie.data.examples.analyses import add_analyses, analysis, in_words
from homie.data.options import EmmoeOptions, TrainingOptions
from homie.data.read_data_set import format_line, read_lines
from homie.data.recording import topics
from homie.data.recording.takes import _fresh, list_takes, repair_takes
from homie.data.sources.source_kinds import open_sources
from homie.data.split import make_split, side_of
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput

pytest.importorskip("pyarrow")
import pyarrow as pa
import pyarrow.parquet as pq

from homie.data.lerobot.folder import read_notes
from homie.data.lerobot.writer import LeRobotWriter


def dataset(out: Path, *seeds: int) -> Path:
    with LeRobotWriter(out, LAYOUT, "columns") as writer:
        for seed in seeds:
            writer.add(demonstration(seed))
        writer.commit()
    return out


def test_info_of_a_lerobot_data_set(tmp_path):
    info = json.loads((dataset(tmp_path / "set", 0) / "meta/info.json").read_text())
    features, tools = info.pop("features"), info.pop("tools")
    assert info == {
        "codebase_version": "v3.0",
        "robot_type": "cart",
        "total_episodes": 1,
        "total_frames": 12,
        "total_tasks": 1,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": 10,
        "splits": {"train": "0:1"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
    }
    assert features["observation.images.head"] == {
        "dtype": "video",
        "shape": [48, 64, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": 48,
            "video.width": 64,
            "video.codec": "h264",
            "video.pix_fmt": "yuv420p",
            "video.is_depth_map": False,
            "is_depth_map": False,
            "video.fps": 10,
            "video.channels": 3,
            "has_audio": False,
        },
    }
    assert features["language_events"] == {"dtype": "language", "shape": [1], "names": None}
    assert features["timestamp"] == {"dtype": "float32", "shape": [1], "names": None}
    assert [features[name]["dtype"] for name in ("frame_index", "episode_index", "index", "task_index")] == [
        "int64"
    ] * 4
    (tool,) = tools
    assert (tool["type"], tool["function"]["name"]) == ("function", "subtask")
    parameters = tool["function"]["parameters"]
    assert (parameters["type"], parameters["required"]) == ("object", ["action"])
    assert {name: about["type"] for name, about in parameters["properties"].items()} == dict.fromkeys(
        ("action", "target", "destination"), "string"
    )
    assert all(about["description"] for about in parameters["properties"].values())


def test_statistics_that_somebody_has_left_out_or_spoilt_are_in_no_summary(tmp_path):
    for spoilt in ([float("nan"), 0.0], None):
        out = dataset(tmp_path / str(spoilt is None), 0)
        path = out / "meta/episodes/chunk-000/file-000.parquet"
        rows = pq.read_table(path).to_pylist()
        rows[0]["stats/action/mean"] = spoilt
        pq.write_table(pa.Table.from_pylist(rows), path)
        dataset(out, 1)
        statistics = json.loads((out / "meta/stats.json").read_text())
        assert "action" not in statistics and "observation.state" in statistics
        assert "null" not in (out / "meta/stats.json").read_text()


def test_notes_of_an_export_that_was_interrupted_do_not_count(tmp_path):
    out = dataset(tmp_path / "set", 0, 1)
    assert sorted(read_notes(out, 2)) == [0, 1] and sorted(read_notes(out, 1)) == [0]


def test_schemas_of_a_recording():
    time = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
    picture = {
        "timestamp": time,
        "frame_id": {"type": "string"},
        "data": {"type": "string", "contentEncoding": "base64"},
        "format": {"type": "string"},
    }
    pair = {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "string"}}}
    scalar = {"type": "object", "properties": {"label": {"type": "string"}, "value": {"type": "number"}}}
    expected = {
        "lerobot.Scalars": {"scalars": {"type": "array", "items": scalar}},
        "foxglove.CompressedImage": picture,
        "homie.DepthImage": {**picture, "lens": {"type": "array", "items": {"type": "number"}}},
        "foxglove.Event": {"start_time": time, "end_time": time, "metadata": {"type": "array", "items": pair}},
    }
    for title, properties in expected.items():
        assert json.loads(topics.schema_text(title)) == {"title": title, "type": "object", "properties": properties}
    moment = json.loads(topics.event("begin", 1.5, 2.25, {"round": "1"}))
    assert moment == {
        "start_time": {"sec": 1, "nsec": 500_000_000},
        "end_time": {"sec": 2, "nsec": 250_000_000},
        "metadata": [{"key": "kind", "value": "begin"}, {"key": "round", "value": "1"}],
    }
    assert topics.image_topic("wrist.left") == "/observation/images/wrist_left"
    assert topics.depth_topic("wrist.left") == "/observation/depth/wrist_left"
    assert [topics.schema_of(topic) for topic in ("/events", "/action/state", "/observation/depth/a")] == [
        "foxglove.Event",
        "lerobot.Scalars",
        "homie.DepthImage",
    ]


def test_recordings_of_one_second_are_counted(tmp_path):
    names = set()
    for _ in range(3):
        path = _fresh(tmp_path, "push")
        path.mkdir()
        names.add(path.name[15:])
    assert names <= {"-push", "-push-2", "-push-3"} and "-push" in names


def test_looking_after_recordings_leaves_no_file_open(tmp_path):
    from test_recording import drive

    drive(tmp_path, ("begin drive", "forward 0.2", "end"))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        repair_takes(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before and len(list_takes(tmp_path)) == 1


def test_counts_of_episodes(tmp_path):
    run = write_run(tmp_path / "run", ["a-0", "a-1", "b-0"], DONE)
    report = count(open_sources([run])).report()
    assert (report["episodes"], report["tasks"], report["splits"]) == (3, 1, {"not said": 3})
    assert sum(report["models"].values()) == 3 * 4, "each subtask but End names one"
    assert report["conversations"] == 15 and sum(report["actions"].values()) == 15


def test_two_groups_can_be_split(tmp_path):
    from test_splits_and_files import Listed

    _, sizes = make_split([Listed([("a", "x"), ("b", "x")])], "task", 0.5, seed=0)
    assert sizes == {"train": 1, "test": 1}
    with pytest.raises(BadInput, match="All episodes are of one task"):
        make_split([Listed([("a", "x"), ("a", "y")])], "task", 0.5, seed=0)


def test_a_side_is_that_of_the_suite_or_all_is_train():
    sample = episode(DONE)
    sides = {"test": "test", "train": "train", "": "train"}
    for declared, side in sides.items():
        assert side_of("suite", replace(sample, split=declared)) == side
        assert side_of("none", replace(sample, split=declared)) == "train"


def test_a_card_says_how_the_trained_model_is_asked(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    options = TrainingOptions.build(
        sources=[run], out=tmp_path / "set", keep="all", template="emmoe-text", prompt_settings={"examples": 0}
    )
    make_dataset(options, "sft")
    card = (tmp_path / "set/README.md").read_text()
    assert (
        "    homie run TASK --planner transformers:MODEL --adapter ADAPTER --template emmoe-text --set examples=0"
        in card
    )
    assert '`datasets.load_dataset("THIS FOLDER")` loads them' in card


def test_a_folder_of_somebody_is_no_place_for_an_export(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    out = tmp_path / "out"
    out.mkdir()
    (out / "letter.txt").write_text("hello")
    with pytest.raises(BadInput, match="has other files in it"):
        export_emmoe(EmmoeOptions.build(sources=[run], out=out, keep="all"))
    assert [path.name for path in out.iterdir()] == ["letter.txt"]


def test_reasons_that_are_made_up_of_what_happened():
    sample = episode(DONE)
    silent = replace(sample, steps=tuple(replace(step, analysis="") for step in sample.steps))
    steps = add_analyses(silent).steps
    assert [step.analysis for step in steps] == [
        "According to my final task, I should go to the apple first",
        "I successfully arrived at the apple, so I should pick the apple next",
        "I successfully picked the apple, so I should go to the fridge next",
        "I successfully arrived at the fridge, so I should put the apple down at the fridge next",
        "According to the historical execution and final task, I have finally finished the task and it's time to end",
    ]
    go, _, _, put_step, _ = steps
    assert analysis(go, put_step) == "I successfully put the apple down at the fridge, so I should go to the apple next"
    opened = replace(go, subtask=replace(go.subtask, action="Open", target="kitchen_drawer"))
    closed = replace(go, subtask=replace(go.subtask, action="Close", target="kitchen_drawer"))
    assert analysis(closed, opened) == (
        "I successfully opened the kitchen drawer, so I should close the kitchen drawer next"
    )
    assert analysis(go, closed).startswith("I successfully closed the kitchen drawer, ")
    assert in_words(opened.subtask) == "open the kitchen drawer"


def test_who_says_what_in_the_lines(tmp_path):
    run = write_run(tmp_path / "run", ["a-0"])
    for purpose, answers in (("sft", ("completion",)), ("dpo", ("chosen", "rejected"))):
        options = TrainingOptions.build(sources=[run], out=tmp_path / purpose, keep="all")
        make_dataset(options, purpose)
        for line in read_lines(tmp_path / purpose, "train"):
            assert [message["role"] for name in answers for message in line[name]] == ["assistant"] * len(answers)
            assert line["prompt"][-1]["role"] == "user" and all(f"[{name}]" in format_line(line) for name in answers)
    options = TrainingOptions.build(sources=[run], out=tmp_path / "theirs", keep="all", form="emmoe")
    make_dataset(options, "sft")
    assert list(validate(tmp_path / "theirs")) == []
    (first, *_) = read_lines(tmp_path / "theirs", "train")
    assert format_line(first).startswith("[human]\n") and "\n\n[gpt]\n" in format_line(first)
    assert np.all([turn["from"] in ("human", "gpt") for turn in first["conversations"]])
    text = (tmp_path / "theirs/train.json").read_text()
    (tmp_path / "theirs/train.json").write_text(text.replace("Subtask: [", "Subtask: (", 1))
    assert len(list(validate(tmp_path / "theirs"))) >= 1
