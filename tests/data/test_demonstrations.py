"""Recordings as demonstrations: every frame has what was felt, seen and told at its moment."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_recording import drive

from homie.data.episode import LeftOut
from homie.data.lerobot_export import export_lerobot
from homie.data.options import LeRobotOptions
from homie.data.recording.reader import read_recording
from homie.data.sources.opening import open_sources

pytest.importorskip("mcap")
pytest.importorskip("pyarrow")
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
    assert grip[: picked.first].tolist() == pytest.approx([0.1] * picked.first)  # open, as measured, until it is told
    assert grip[picked.first + 1] == 0.0 and grip[picked.first + 12] == 0.0  # and closed for as long as nothing is told
    x = demonstration.states[:, demonstration.layout.state.index("base.x")]
    np.testing.assert_allclose(np.diff(x)[:3], 0.1 * ahead[:3], atol=1e-5)
    pictures = dict(recording.frames("front"))
    for shown, stamp in zip(demonstration.films["front"], demonstration.stamps, strict=True):
        np.testing.assert_array_equal(shown, pictures[stamp])


def test_stages_begin_where_the_one_before_ended(recordings):
    (source,) = open_sources([recordings])
    demonstration = source.demonstration(*source.entries(), None)
    assert [stage.subtask.action for stage in demonstration.stages] == ["Go to", "Pick", "Go to", "Put", "End"]
    firsts = [stage.first for stage in demonstration.stages]
    assert firsts == sorted(firsts) and firsts[-1] == len(demonstration) - 1
    holding = demonstration.states[:, demonstration.layout.state.index("gripper.pos")]
    assert holding[firsts[2]] == 0.0 and holding[firsts[1]] > 0.0


def test_a_lower_rate_keeps_whole_frames(recordings):
    (source,) = open_sources([recordings])
    whole, thin = (source.demonstration(*source.entries(), fps) for fps in (10, 5))
    assert thin.layout.fps == 5 and abs(len(thin) - len(whole) / 2) <= len(whole.stages)
    assert set(thin.stamps) <= set(whole.stamps)
    assert all(sum(1 for _ in film) == len(thin) for film in thin.films.values())


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
    with pytest.raises(LeftOut, match="not recorded"):
        source.demonstration(*source.entries(), None)
