"""Recorded picks as motions of the hand: against the robot, its gripper and the scene of the Panda's table."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from homie.data.episode import SkippedEpisode
from homie.data.lerobot_export import export_lerobot
from homie.data.options import LeRobotOptions
from homie.data.recording.hand_motions import hand_demonstrations
from homie.data.recording.notes import add_note, note
from homie.data.recording.reader import read_recording
from homie.data.recording.takes import list_takes
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.kernel.errors import BadInput

pytest.importorskip("pyarrow")

from homie.data.lerobot.reader import LeRobotReader

SEED, FPS = 3, 10
LINES = "begin pick the star\nhand left 0.4\npick pink_star\npick pink_star\nend success\n"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("picks") / "recordings"
    options = f"--robot franka:pick --seed {SEED} --skills classical --speed 0 --cameras front --picture-size 32"
    command = [sys.executable, "-m", "homie", "teleop", *options.split(), "--fps", str(FPS), "--record", str(folder)]
    ran = subprocess.run(command, input=LINES, text=True, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return folder


def export(recorded: Path, out: Path, **options) -> Path:
    sources = [take.run for take in list_takes(recorded)]
    return export_lerobot(LeRobotOptions.build(sources=sources, out=out, **{"action": "Pick", **options})).path


@pytest.mark.slow
def test_a_pick_is_an_episode_of_hand_and_target(recorded, tmp_path):
    reader = LeRobotReader(export(recorded, tmp_path / "picks"))
    (episode,) = reader  # the second Pick was refused: the hand was full
    assert episode.task == "pick pink star" and episode.layout.fps == FPS and list(episode.films) == ["front"]
    states, actions = episode.states, episode.actions
    np.testing.assert_array_equal(actions[:-1, :9], states[1:, :9])  # where the hand is next
    opening, holding = states[:, 9], states[:, 10]
    assert opening[0] == pytest.approx(1.0, abs=0.05) and set(holding) == {0.0, 1.0} and holding[-1] == 1.0
    held = int(np.argmax(holding))
    assert actions[: held // 2, 9].min() > 0.9 and actions[held, 9] < 0.5  # commanded open, then closed
    star = next(thing for thing in scene_of("pick", SEED).things if thing.name == "pink_star")
    goals = episode.environments
    assert goals is not None and (goals == goals[0]).all()
    (take,) = list_takes(recorded)
    recording = read_recording(take.episode)
    base = dict(zip(recording.measured.labels, recording.measured.values[0], strict=True))
    np.testing.assert_allclose(goals[0, :2], [star.x - base["base.x"], star.y - base["base.y"]], atol=0.01)
    np.testing.assert_allclose(states[held, :2], 0.0, atol=0.02)  # grasped in the middle of the target
    assert states[-1, 2] > states[held, 2] + 0.1  # and lifted


@pytest.mark.slow
def test_pictures_are_left_out_if_asked(recorded, tmp_path):
    (episode,) = LeRobotReader(export(recorded, tmp_path / "none", cameras="none"))
    assert not episode.films
    (episode,) = LeRobotReader(export(recorded, tmp_path / "front", cameras="front"))
    assert list(episode.films) == ["front"]
    with pytest.raises(BadInput, match=r"it has no camera 'wrist' \(it has: front\)"):
        export(recorded, tmp_path / "wrist", cameras="wrist")


@pytest.mark.slow
def test_what_cannot_be_exported_says_why(recorded, tmp_path):
    with pytest.raises(BadInput, match="it has no Put that succeeded at the first attempt"):
        export(recorded, tmp_path / "out", action="Put")
    copy = tmp_path / "copy"
    shutil.copytree(recorded, copy)
    (take,) = list_takes(copy)
    add_note(take.episode, note("discard"))
    with pytest.raises(BadInput, match="a person discarded it"):
        export(copy, tmp_path / "discarded")


@pytest.mark.slow
def test_a_recording_without_the_hand_is_refused(recorded, monkeypatch):
    """Homie 0.1 did not record it, nor does a robot without an arm."""
    (take,) = list_takes(recorded)
    monkeypatch.setattr("homie.data.recording.topics.HAND", "/observation/another")
    with pytest.raises(SkippedEpisode, match="the hand was not recorded"):
        list(hand_demonstrations(take.episode, name="a", action="Pick", robot="franka", fps=None))


@pytest.mark.slow
def test_the_command_counts_what_it_added(recorded, homie):
    sources = [str(take.run) for take in list_takes(recorded)]
    first = json.loads(homie("data", "lerobot", *sources, "--action", "Pick", "--out", "picks", "--json").stdout)
    again = json.loads(homie("data", "lerobot", *sources, "--action", "Pick", "--out", "picks", "--json").stdout)
    assert (first["added"], again["added"], again["episodes"]) == (1, 0, 1)
