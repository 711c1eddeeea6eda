"""`commands.jsonl`: what was asked for and what was sent, line by line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from homie_tiny import TinyRobot

from homie.kernel.types import Command, Observation, Pose, Pose2, SentCommand
from homie.runtime.runstore.command_log import CommandLog, read_poses


def observation_at(stamp: float, *pose: float) -> Observation:
    observation = TinyRobot().observe()
    return replace(observation, stamp=stamp, body=replace(observation.body, base=Pose2(*pose)))


def test_a_line_says_when_where_what_was_asked_and_what_was_sent(tmp_path: Path) -> None:
    log = CommandLog(tmp_path / "commands.jsonl")
    effector = Pose(np.array([0.5, 0.0, 1.0]), np.eye(3))
    requested = Command(base=(2.0, 0.0), head=(0.1, 0.2), effector=effector)
    sent = Command(base=(1.0, 0.0), arm=(0.5,), torso=0.0, head=(0.1, 0.2), gripper=0.05)
    log.write(observation_at(12.36, 1.23456, -2.34567, 0.345678), SentCommand(requested, sent, ("base[0]: clamped",)))
    log.write(observation_at(12.40, 1.0, 2.0, 3.0), SentCommand(Command(), Command()))
    log.flush()
    first, second = (json.loads(line) for line in (tmp_path / "commands.jsonl").read_text().splitlines())
    assert first == {
        "stamp": 12.36,
        "pose": [1.2346, -2.3457, 0.3457],
        "requested": {
            "base": [2.0, 0.0],
            "head": [0.1, 0.2],
            "effector": {"position": [0.5, 0.0, 1.0], "rotation": np.eye(3).tolist()},
        },
        "sent": {"base": [1.0, 0.0], "arm": [0.5], "torso": [0.0], "head": [0.1, 0.2], "gripper": [0.05]},
        "changes": ["base[0]: clamped"],
    }
    assert second == {"stamp": 12.4, "pose": [1, 2, 3], "requested": {}, "sent": {}, "changes": []}
    log.close()
    log.close()


def test_poses_come_back_and_what_is_torn_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    assert read_poses(path).shape == (0, 4)
    for lines in range(2):
        log = CommandLog(path)  # a second one goes on
        log.write(observation_at(float(lines), 1.0, 2.0 + lines, 0.5), SentCommand(Command(), Command()))
        log.close()
    with path.open("ab") as file:
        file.write(b'{"stamp": 8.0}\n{"stamp": 9.0, "pose": [1, 2')
    poses = read_poses(path)
    np.testing.assert_array_equal(poses, [[0.0, 1.0, 2.0, 0.5], [1.0, 1.0, 3.0, 0.5]])
    assert poses.dtype == np.float64
    path.write_text('{"stamp": 8.0}\n')
    assert read_poses(path).shape == (0, 4)
