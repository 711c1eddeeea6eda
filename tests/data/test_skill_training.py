"""Behaviour cloning: which lessons recordings give, what the teacher decides, and trainings that go on after a stop."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_recording import drive

from homie.data.episode import SkippedEpisode
from homie.data.recording.reader import read_recording
from homie.data.recording.skill_lessons import lessons_of
from homie.data.recording.takes import list_takes
from homie.kernel.errors import BadInput
from homie.runtime.runstore import read_model
from homie.runtime.runstore.damage import read_finished
from homie.train.hyperparameters import SkillOptions
from homie.train.skill import SkillTrainingFile, train_skill
from skills.m3.layout import ANGULAR, LINEAR, STEP, STOP
from skills.m3.teacher import count_decisions, decisions, goals, nodes

pytest.importorskip("mcap")
GO = ("begin go to the ball", "go to ball", "end success")


def move_pose(pose, action):
    """A pose (3,) after one decision."""
    linear, angular = LINEAR[action // len(ANGULAR)] * STEP, ANGULAR[action % len(ANGULAR)] * STEP
    middle = pose[2] + angular / 2
    return pose + np.array([linear * np.cos(middle), linear * np.sin(middle), angular])


def bend(metres: float, turn: float) -> np.ndarray:
    """A way (n, 3) on a circle, as it is recorded at a slow pace."""
    share = np.linspace(0.0, 1.0, 200)
    yaws = turn * share
    steps = metres / 199 * np.stack([np.cos(yaws), np.sin(yaws)], axis=1)
    return np.column_stack([np.cumsum(steps, axis=0), yaws])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.floats(1.0, 4.0), st.floats(-1.5, 1.5), st.floats(-0.15, 0.15), st.floats(-0.3, 0.3))
def test_who_does_what_the_teacher_says_gets_to_the_end_of_the_way(metres, turn, beside, off):
    way = bend(metres, turn)[nodes(bend(metres, turn))]
    pose = way[0] + np.array([0.0, beside, off])
    reached = 0
    for _ in range(4 * len(way)):
        near = count_decisions(np.repeat(pose[None], len(way), 0), way)[reached:]
        reached += int(near.argmin())
        action = decisions(way, np.repeat(pose[None], len(way), 0))[reached].argmax()
        if action == STOP:
            break
        pose = move_pose(pose, action)
    assert action == STOP
    assert np.linalg.norm(pose[:2] - way[-1, :2]) < 0.35 and abs(pose[2] - way[-1, 2]) < 0.5


def test_a_way_is_counted_in_decisions_and_not_in_seconds():
    assert len(nodes(bend(2.0, 0.0))) == pytest.approx(2.0 / (max(LINEAR) * STEP), abs=2)
    turn = np.column_stack([np.zeros((50, 2)), np.linspace(0.0, 2.0, 50)])
    poses = turn[nodes(turn)]
    chosen = decisions(poses, poses).argmax(axis=1)
    assert set(chosen[: -len(poses) // 4]) == {LINEAR.index(0.0) * len(ANGULAR) + len(ANGULAR) - 1}
    assert chosen[-1] == STOP
    relative = goals(np.array([[1.0, 0.0, np.pi / 2]]), np.array([1.0, 2.0, 0.5]))
    np.testing.assert_allclose(relative, [[2.0, 0.0, 0.5]], atol=1e-12)


def test_classes_that_are_nearly_as_good_have_shares_and_stop_is_alone():
    way = bend(2.0, 0.0)[nodes(bend(2.0, 0.0))]
    straight, bent = ((len(LINEAR) - 1) * len(ANGULAR) + turn for turn in (2, 3))
    along, aside = (decisions(way, way + np.array([0.0, 0.0, off]))[3] for off in (0.0, -0.07))
    assert along[straight] > 0.5 and along.sum() == pytest.approx(1.0)
    assert min(aside[straight], aside[bent]) > 0.1
    assert decisions(way, way)[-1].tolist() == np.eye(len(along))[STOP].tolist()


@pytest.fixture(scope="module")
def drives(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("drives")
    assert drive(folder, GO * 3, depths=["front"], cameras=["front"]) == []
    return folder


def lessons(episode: Path, cameras=("front",)):
    finished = read_finished(episode)
    assert finished is not None
    return list(lessons_of(episode, "e", finished[1], "Go to", cameras))


def test_a_lesson_is_a_subtask_that_succeeded(drives):
    first = list_takes(drives)[0].episode
    assert read_recording(first).depths == read_recording(first).pictures
    (lesson,) = lessons(first)
    assert (lesson.action, lesson.target.tolist()) == ("Go to", [2.5, 0.0, 0.0])
    assert lesson.poses[0, 0] < 0.15 and lesson.poses[-1, 0] == pytest.approx(2.2, abs=0.15)
    assert np.all(np.diff(lesson.poses[:, 0]) >= 0) and len(lesson.depths["front"]) == len(lesson.poses) > 10
    for pose, picture in list(zip(lesson.poses, lesson.depths["front"], strict=True))[:-1]:
        np.testing.assert_allclose(picture.depth, 9.0 - pose[0], atol=0.001)
    assert (picture.lens.fx, picture.lens.width) == (32.0, 64)


def test_what_was_taken_up_later_is_no_target_and_depth_has_to_be_there(tmp_path, drives):
    assert drive(tmp_path, (*GO[:2], "pick ball", "end success"), depths=["front"]) == []
    assert lessons(list_takes(tmp_path)[0].episode) == []
    with pytest.raises(SkippedEpisode, match="--depths wrist"):
        lessons(list_takes(drives)[0].episode, ("front", "wrist"))


def test_bad_input_is_a_sentence(tmp_path, drives):
    def options(**values):
        return SkillOptions.build(**{"sources": [drives], "out": tmp_path / "out", **values})

    with pytest.raises(BadInput, match="no network 'navigat' to train for m3: did you mean 'navigate'"):
        train_skill(options(network="m3/navigat"), lambda *step: None)
    assert drive(tmp_path / "blind", GO) == []
    with pytest.raises(BadInput, match="no depth of the camera front: record with --depths front"):
        train_skill(options(sources=[tmp_path / "blind"]), lambda *step: None)
    assert not (tmp_path / "out").exists()


class Stopped(Exception):
    pass


def test_a_training_goes_on_where_it_was_stopped(tmp_path, drives, monkeypatch):
    pytest.importorskip("torch")
    from skills.m3.checkpoint import load_network

    synced: list[str] = []
    sync = os.fsync

    def noted(file: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{file}"))
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)

    def options(out: str) -> SkillOptions:
        return SkillOptions.build(
            sources=[drives], out=tmp_path / out, tiny=True, steps=4, batch=2, keep_every=2, held_out=0.3
        )

    def stop(step: int, steps: int, loss: float) -> None:
        if step == 3:
            raise Stopped

    uninterrupted = train_skill(options("whole"), lambda *step: None)
    with pytest.raises(Stopped):
        train_skill(options("halves"), stop)
    state = (tmp_path / "halves/checkpoints/state.pt").read_bytes()
    for damaged in (b"", state[:-100], state[:2000], b"hello"):
        (tmp_path / "halves/checkpoints/state.pt").write_bytes(damaged)
        with pytest.raises(BadInput, match=r"^Cannot read the checkpoint .*state\.pt: it is damaged\. Restore it from"):
            train_skill(options("halves"), lambda *step: None)
    (tmp_path / "halves/checkpoints/state.pt").write_bytes(state)
    poses = next((tmp_path / "halves").rglob("*.pt"))
    assert f"{poses.with_name('.' + poses.name + '.tmp')}" in synced, "a machine that fails then has the whole state"
    halves = train_skill(options("halves"), lambda *step: None)
    assert halves.losses == pytest.approx(uninterrupted.losses) and halves.held_out == pytest.approx(
        uninterrupted.held_out
    )
    assert (uninterrupted.lessons, uninterrupted.held_out_lessons, set(uninterrupted.held_out)) == (2, 1, {2, 4})
    assert uninterrupted.losses[4] < uninterrupted.losses[1]
    assert read_model(tmp_path / "halves/training.json", SkillTrainingFile) == halves
    card = (tmp_path / "whole/README.md").read_text()
    assert uninterrupted.data_sha256 in card and "m3:THIS_FOLDER" in card
    network, _ = load_network("navigate", tmp_path / "whole/navigate.pth")
    assert not network.training
    with pytest.raises(BadInput, match="finished training"):
        train_skill(options("whole"), lambda *step: None)
