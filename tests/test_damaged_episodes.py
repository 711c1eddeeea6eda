"""What is said of a finished episode whose files were hurt. Accidents of every kind: tests/bench/test_damage.py."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import FileMark, mark
from homie.runtime import session
from homie.runtime.runstore import EpisodeFile, read_steps
from homie.runtime.runstore.damage import DamagedEpisode, damaged_record, describe_change, history_of, read_finished


@pytest.fixture
def episode(tiny_options) -> Path:
    """The folder of an episode: a decision that could not be read, a subtask that was refused, End."""
    lines = ["Fly | ball", "Pick | ball", "End"]
    return session.run(tiny_options(lines, task="go")).episode_folder


def edit(folder: Path, **values: object) -> None:
    """Change `episode.json` as somebody would who has no checksums."""
    path = folder / "episode.json"
    loaded = {name: value for name, value in json.loads(path.read_text()).items() if name not in ("files", "checksum")}
    path.write_text(json.dumps({**loaded, "format": 1, **values}))


def damage(folder: Path) -> str:
    with pytest.raises(DamagedEpisode) as excinfo:
        read_finished(folder)
    return str(excinfo.value)


def test_what_is_whole_is_read_and_what_is_unfinished_is_nothing(episode):
    finished = read_finished(episode)
    assert finished is not None
    ending, records = finished
    assert (ending.ended_by, ending.rounds, records) == ("ended", 3, read_steps(episode))
    assert ending.history == history_of(records) and [item.number for item in ending.history] == [1, 2, 3]
    (episode / "episode.json").unlink()
    assert read_finished(episode) is None


def test_the_history_leaves_out_what_could_not_be_read(episode):
    first, *others = read_steps(episode)
    unread = replace(first, decision=replace(first.decision, problem="It is no JSON."))
    assert [str(item) for item in history_of((unread, *others))] == ["(1) [Pick, ball](fail)", "(2) [End](success)"]


def test_of_what_infrastructure_ended_only_the_ending_is_looked_at(episode):
    edit(episode, ended_by="infrastructure", cause="timeout: 5 s")
    (episode / "steps.jsonl").unlink()
    finished = read_finished(episode)
    assert finished is not None and finished[0].cause == "timeout: 5 s" and finished[1] == ()


def test_a_file_that_is_not_as_it_was_is_named(episode):
    steps = episode / "steps.jsonl"
    data = steps.read_bytes()
    size = len(data)
    steps.write_bytes(data + b"x")
    assert damage(episode) == f"steps.jsonl (it has {size + 1} bytes, {size} were written)"
    steps.write_bytes(data.replace(b"Fly", b"Fry", 1))
    assert damage(episode) == "steps.jsonl (its content is not what was written: the checksum differs)"
    steps.unlink()
    assert damage(episode) == "steps.jsonl (it is missing)"
    steps.mkdir()
    assert damage(episode) == "steps.jsonl (it cannot be read: Is a directory)"


def test_a_pipe_is_not_waited_for(episode):
    for name in ("steps.jsonl", "episode.json"):
        (episode / name).unlink()
        os.mkfifo(episode / name)
        assert "it is a pipe or a device, not a file" in damage(episode)


def test_an_ending_that_cannot_be_read_is_reported_without_its_path(episode):
    path = episode / "episode.json"
    path.write_text("{")
    sentence = damage(episode)
    assert (
        sentence.startswith("episode.json (")
        and str(episode) not in sentence
        and ".)" not in sentence
        and "\n" not in sentence
    )
    assert "is damaged" not in sentence
    path.write_text(json.dumps({"format": 1, "task": "go"}))
    assert damage(episode) == "episode.json (episode.json is not a valid EpisodeFile: trial is missing)"
    path.unlink()
    path.mkdir()
    assert damage(episode).startswith("episode.json (")


def test_records_and_ending_must_agree(episode):
    steps = episode / "steps.jsonl"
    data = steps.read_bytes()
    edit(episode, ended_by="rounds")
    assert damage(episode) == "steps.jsonl (its last subtask does not fit 'rounds' in episode.json)"
    edit(episode, ended_by="ended")
    assert read_finished(episode) is not None
    lines = data.splitlines(keepends=True)
    steps.write_bytes(b"".join(lines[:2]))
    assert damage(episode) == "steps.jsonl (its subtasks are not the history in episode.json)"
    history = json.loads((episode / "episode.json").read_text())["history"]
    edit(episode, history=history[:2])
    assert damage(episode) == "steps.jsonl (its last subtask does not fit 'ended' in episode.json)"
    edit(episode, history=history[:2], ended_by="rounds")
    assert read_finished(episode) is not None
    steps.write_bytes(b"")
    edit(episode, history=[], ended_by="ended")
    assert damage(episode) == "steps.jsonl (its last subtask does not fit 'ended' in episode.json)"
    edit(episode, history=[], ended_by="rounds")
    finished = read_finished(episode)
    assert finished is not None and finished[1] == ()
    steps.write_bytes(data[:-9])
    assert damage(episode).startswith("steps.jsonl (steps.jsonl: left out a last line that a kill has torn (")
    record = json.loads(lines[0])
    steps.write_text(json.dumps({**record, "timings": {"x" * 200: "long"}}) + "\n")
    with pytest.raises(BadInput) as excinfo:
        read_steps(episode)
    message = " ".join(str(excinfo.value).replace(f"{episode}/", "").split())
    assert len(message) > 201 and damage(episode) == f"steps.jsonl ({message[:200].rstrip('.')})"


def test_an_end_that_was_refused_ends_nothing(episode):
    """Where actions are numbered and no number is the end, a planner may say End until its steps are spent."""
    lines = (episode / "steps.jsonl").read_bytes().splitlines()
    last, refused = json.loads(lines[-1]), {"status": "fail", "code": "F1", "message": "It is not in the list."}
    last["execution"]["feedback"] = refused
    (episode / "steps.jsonl").write_bytes(b"\n".join([*lines[:-1], json.dumps(last).encode()]) + b"\n")
    history = json.loads((episode / "episode.json").read_text())["history"]
    history[-1]["feedback"] = refused
    edit(episode, history=history, ended_by="steps")
    assert read_finished(episode) is not None
    edit(episode, history=history, ended_by="ended")
    assert damage(episode) == "steps.jsonl (its last subtask does not fit 'ended' in episode.json)"


def test_a_damaged_episode_is_lost_to_infrastructure():
    lost = damaged_record(DamagedEpisode("steps.jsonl (it is missing)"), task="go", trial=2, seed=5)
    assert lost == EpisodeFile(
        task="go", trial=2, seed=5, ended_by="infrastructure", rounds=0, history=(), inventory=(), robot_seconds=0.0,
        wall_seconds=0.0, cause="damaged: steps.jsonl (it is missing)",
    )  # fmt: skip


def test_a_mark_without_a_checksum_is_of_the_length_alone(tmp_path):
    path = tmp_path / "video.mp4"
    path.write_bytes(b"abc")
    for was in (mark(path), FileMark(bytes=3)):
        assert describe_change(path, was) == ""
    path.write_bytes(b"abd")
    assert describe_change(path, FileMark(bytes=3)) == ""
    path.write_bytes(b"abcd")
    assert describe_change(path, FileMark(bytes=3)) == "it has 4 bytes, 3 were written"
