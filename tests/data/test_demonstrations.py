"""Recordings as demonstrations: every frame has what was felt, seen and told at its moment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import homie_tiny
import numpy as np
import pytest
from test_recording import drive

from homie.data.episode import SkippedEpisode
from homie.data.lerobot_export import export_lerobot
from homie.data.options import LeRobotOptions
from homie.data.recording.reader import read_recording
from homie.data.recording.recording_to_demonstration import rate_of
from homie.data.recording.takes import list_takes
from homie.data.sources.source_kinds import open_sources

pytest.importorskip("mcap")
pytest.importorskip("pyarrow")
import pyarrow.parquet as pq

from homie.data.lerobot.reader import LeRobotReader

LINES = ("begin put the ball in the box", "forward 0.5", "go to ball", "pick ball", "go to box", "put ball in box")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    assert drive(folder, (*LINES, "end success")) == []
    return folder


def test_frames_are_the_moments_of_the_pictures(recordings):
    (source,) = open_sources([recordings])
    (entry,) = source.entries()
    demonstration = source.demonstration(entry, None)
    recording = read_recording(entry.folder)
    assert (demonstration.layout.robot, demonstration.layout.fps, demonstration.success, demonstration.task) == (
        "tiny",
        10,
        True,
        "put the ball in the box",
    )
    commands = [json.loads(line) for line in (entry.folder / "commands.jsonl").read_text().splitlines()]
    assert demonstration.stamps.tolist() == sorted({command["stamp"] for command in commands})
    assert set(demonstration.layout.action) == {"base.linear.vel", "base.angular.vel", "lift.pos", "gripper.pos"}
    ahead = demonstration.actions[:, demonstration.layout.action.index("base.linear.vel")]
    sent = {command["stamp"]: command["sent"]["base"][0] for command in reversed(commands)}
    np.testing.assert_allclose(ahead, [sent[stamp] for stamp in demonstration.stamps], rtol=1e-6)
    grip = demonstration.actions[:, demonstration.layout.action.index("gripper.pos")]
    picked = next(stage for stage in demonstration.stages if stage.subtask.action == "Pick")
    assert grip[: picked.first].tolist() == pytest.approx([0.1] * picked.first)  # open until the first command
    assert grip[picked.first + 1] == 0.0 and grip[picked.first + 12] == 0.0  # and closed as long as there is no command
    x = demonstration.states[:, demonstration.layout.state.index("base.x")]
    np.testing.assert_allclose(np.diff(x)[:3], 0.1 * ahead[:3], atol=1e-5)
    pictures = dict(recording.frames("front"))
    for picture, stamp in zip(demonstration.films["front"], demonstration.stamps, strict=True):
        np.testing.assert_array_equal(picture, pictures[stamp])


def test_stages_begin_where_the_one_before_ended(recordings):
    (source,) = open_sources([recordings])
    demonstration = source.demonstration(*source.entries(), None)
    assert [stage.subtask.action for stage in demonstration.stages] == ["Go to", "Pick", "Go to", "Put", "End"]
    firsts = [stage.first for stage in demonstration.stages]
    assert firsts == sorted(firsts) and firsts[-1] == len(demonstration) - 1
    holding = demonstration.states[:, demonstration.layout.state.index("gripper.pos")]
    assert holding[firsts[2]] == 0.0 and holding[firsts[1]] > 0.0


def test_a_step_without_a_reason_has_no_plan(tmp_path):
    """`Chosen by a person.` is nothing that a model should learn to say."""
    lines = ("begin fetch", "go to ball # it is nearest", "pick ball", "end")
    assert drive(tmp_path / "takes", lines) == []
    for language in ("columns", "strings"):
        out = tmp_path / language
        export_lerobot(LeRobotOptions.build(sources=[tmp_path / "takes"], out=out, keep="all", language=language))
        table = pq.read_table(out / "data/chunk-000/file-000.parquet").to_pylist()
        if language == "strings":
            assert {row["plan"] for row in table} == {"it is nearest", ""}
        else:
            plans = [row["content"] for row in table[0]["language_persistent"] if row["style"] == "plan"]
            assert plans == ["it is nearest"]


def test_a_lower_rate_keeps_whole_frames(recordings):
    (source,) = open_sources([recordings])
    full, thin = (source.demonstration(*source.entries(), fps) for fps in (10, 5))
    assert thin.layout.fps == 5 and abs(len(thin) - len(full) / 2) <= len(full.stages)
    assert set(thin.stamps) <= set(full.stamps)
    assert all(sum(1 for _ in film) == len(thin) for film in thin.films.values())


@pytest.mark.parametrize("fps", [3, 7, 10, 12, 20, 30])
def test_every_picture_and_every_episode_of_a_session_is_kept(tmp_path, monkeypatch, fps):
    """Of a robot with 25 control periods a second: pictures at 10 Hz come 0.08 and 0.12 s after each other."""
    monkeypatch.setattr(homie_tiny, "SPEC", replace(homie_tiny.SPEC, period=0.04))
    moves = ("forward 3.3", "left 0.5"), ("forward 1.7", "left 2"), ("right 0.9",)
    lines = [line for number, some in enumerate(moves) for line in (f"begin drive {number}", *some, "end")]
    assert drive(tmp_path / "session", lines, fps=fps) == []
    exported = export_lerobot(LeRobotOptions.build(sources=[tmp_path / "session"], out=tmp_path / "set", keep="all"))
    reader = LeRobotReader(tmp_path / "set")
    assert (exported.added, reader.layout.fps) == (3, min(fps, 25))
    for episode, take in zip(reader, list_takes(tmp_path / "session"), strict=True):
        recording = read_recording(take.episode)
        assert set(recording.pictures.values()) == {len(episode)} and recording.fps == fps
        assert all(sum(1 for _ in film) == len(episode) for film in episode.films.values())
        np.testing.assert_allclose(episode.stamps, [stamp for stamp, _ in recording.jpegs("front")], atol=1e-6)
    table = pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet").to_pylist()
    assert all(abs(row["timestamp"] - row["frame_index"] / reader.layout.fps) < 1e-5 for row in table)


@pytest.mark.parametrize("recorded", [3, 7, 8, 10, 12, 15, 20, 25])
def test_the_rate_of_an_older_recording_is_its_mean(recorded):
    periods = np.arange(2000) * 0.04
    due = np.floor(periods * recorded + 1e-9)
    moments = periods[np.flatnonzero(np.diff(due, prepend=-1.0))]
    assert round(rate_of(moments, None)) == recorded
    paused = np.concatenate([moments, moments[-1] + 30.0 + moments])
    assert round(rate_of(paused, None)) == recorded == rate_of(paused, recorded)
    assert rate_of(moments, 2.0 * recorded) == pytest.approx(recorded, rel=0.01)  # not what was asked for


def test_more_frames_than_were_recorded_are_refused(recordings):
    (source,) = open_sources([recordings])
    with pytest.raises(SkippedEpisode, match="recorded at 10 frames a second, and --fps asks for 30"):
        source.demonstration(*source.entries(), 30)


def test_a_rate_that_is_no_whole_number_is_left_out_with_the_way_out(tmp_path):
    assert drive(tmp_path, ("begin drive", "forward 9", "end"), fps=0.4) == []
    assert drive(tmp_path, ("begin drive", "forward 9", "end"), fps=3.5) == []
    slow, odd = open_sources([tmp_path])
    with pytest.raises(SkippedEpisode, match=r"recorded at 0\.4 frames a second.*: record with a whole number"):
        slow.demonstration(*slow.entries(), None)
    with pytest.raises(SkippedEpisode, match=r"recorded at 3\.5 frames a second.*: give --fps 3, or record"):
        odd.demonstration(*odd.entries(), None)
    assert odd.demonstration(*odd.entries(), 3).layout.fps == 3


def test_what_differs_is_named_with_both_values(recordings, tmp_path):
    assert drive(tmp_path / "other", ("begin drive", "forward 1", "end"), fps=5) == []
    assert drive(tmp_path / "other", ("begin drive", "forward 1", "end"), cameras=["front"]) == []
    reasons = []
    options = LeRobotOptions.build(sources=[recordings, tmp_path / "other"], out=tmp_path / "set", keep="all")
    assert export_lerobot(options, lambda entry, reason: reasons.append(reason)).added == 1
    cameras = ", ".join(f"{name} (64x64)" for name in ("back", "front", "left", "right"))
    assert reasons == [
        "",
        "it does not fit the data set: its rate is 5 frames a second, not 10",
        f"it does not fit the data set: its cameras are front (64x64), not {cameras}",
    ]


def test_recordings_become_a_lerobot_data_set(recordings, tmp_path):
    options = LeRobotOptions.build(sources=[recordings], out=tmp_path / "set")
    exported = export_lerobot(options)
    (source,) = open_sources([recordings])
    expected = source.demonstration(*source.entries(), None)
    (episode,) = LeRobotReader(tmp_path / "set")
    assert (exported.added, exported.frames) == (1, len(expected))
    assert episode.stages == expected.stages and episode.name == expected.name
    np.testing.assert_array_equal(episode.actions, expected.actions)


def test_what_was_not_recorded_is_left_out(tmp_path):
    from episodes import write_run

    (source,) = open_sources([write_run(tmp_path / "run", ["a-0"])])
    with pytest.raises(SkippedEpisode, match="not recorded"):
        source.demonstration(*source.entries(), None)
