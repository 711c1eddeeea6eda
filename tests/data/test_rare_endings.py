"""Runs and recordings that end otherwise than most: each is used as far as it goes, or left out with a reason."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from dataclasses import replace

import pytest
from demonstrations import LAYOUT, demonstration
from episodes import DONE, FAR, PICK, episode, files_of, write_run
from test_recording import drive

from homie.data.emmoe_export import expert_step, export_emmoe, keypaths_of
from homie.data.episode import SkippedEpisode
from homie.data.examples.journal import UNFINISHED
from homie.data.generate import bench_options, draw_tasks
from homie.data.options import EmmoeOptions, GenerateOptions, SplitOptions, TasksOptions, TrainingOptions
from homie.data.pictures import blank, read_picture
from homie.data.recording.notes import NOTES, add_note, note, read_notes
from homie.data.recording.recorder import RECORDING
from homie.data.recording.recording_to_demonstration import END_STATE
from homie.data.recording.skill_lessons import lessons_of
from homie.data.recording.takes import list_takes, repair_takes
from homie.data.sources.emmoe_episodes import EmmoeSource, ability
from homie.data.sources.source_kinds import open_sources
from homie.data.split import make_split, read_split, side_of, write_split
from homie.data.training_examples import check_outcome, make_dataset
from homie.kernel.errors import BadInput
from homie.runtime.runstore.damage import read_finished


@pytest.mark.parametrize("keep", ["done", "ended", "all"])
@pytest.mark.parametrize("success", [True, False, None])
@pytest.mark.parametrize("ended", [True, False])
def test_which_episodes_are_kept(keep, success, ended):
    sample = replace(episode(DONE if ended else DONE[:3]), done=success)
    reason = ""
    if keep == "done" and success is False:
        reason = "the task was not done"
    elif keep != "all" and not ended and not (keep == "done" and success):
        reason = "the planner did not say End"
    if reason:
        with pytest.raises(SkippedEpisode, match=f"^{reason}$"):
            check_outcome(sample, keep)
    else:
        assert check_outcome(sample, keep) is sample


@pytest.mark.parametrize("torn", ["train", "test"])
def test_lines_of_either_split_that_a_power_loss_has_taken_are_made_again(tmp_path, torn):
    run = write_run(tmp_path / "run", [f"{task}-0" for task in "abcd"])
    (source,) = open_sources([run])
    split = {"format": 1, "kind": "split", "by": "task", "share": 0.5, "seed": 0, "houses": {}}
    tasks = {entry.task: "train" for entry in source.entries()}
    (tmp_path / "split.json").write_text(json.dumps({**split, "tasks": tasks}))

    def options(out: str) -> TrainingOptions:
        return TrainingOptions.build(sources=[run], out=tmp_path / out, keep="all", split="none")

    make_dataset(options("whole"), "sft")

    def stop(entry, reason):
        if entry.name.endswith("b-0"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(options("out"), "sft", stop)
    lines = tmp_path / "out" / UNFINISHED / f"{torn}.jsonl"
    lines.write_bytes(lines.read_bytes()[:-10] if torn == "train" else b"more than there was")
    make_dataset(options("out"), "sft")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_notes_stand_line_by_line(tmp_path):
    for text in ("first", "second"):
        add_note(tmp_path, note("remark", text))
    assert (tmp_path / NOTES).read_bytes().count(b"\n") == 2 and b"\n\n" not in (tmp_path / NOTES).read_bytes()
    (tmp_path / NOTES).write_bytes(b"{")
    with pytest.warns(UserWarning, match="torn"):
        add_note(tmp_path, note("remark", "third"))
    assert (tmp_path / NOTES).read_bytes().startswith(b'{"kind"') and len(read_notes(tmp_path)) == 1


def test_a_recording_that_goes_on_is_left_alone(tmp_path):
    drive(tmp_path, ("begin drive", "forward 0.2", "end"))
    (take,) = list_takes(tmp_path)
    path = take.episode / RECORDING
    path.write_bytes(path.read_bytes()[:-50])
    lock = os.open(take.run, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert repair_takes(tmp_path) == ()
    finally:
        os.close(lock)
    assert len(repair_takes(tmp_path)) == 1
    path.unlink()
    assert list_takes(tmp_path) == (), "a run without a recording is none"


def test_a_lesson_about_a_room_is_about_the_middle_of_its_floor(tmp_path):
    assert drive(tmp_path, ("begin go", "go to ball", "end success"), depths=["front"]) == []
    (take,) = list_takes(tmp_path)
    finished = read_finished(take.episode)
    assert finished is not None
    records = [record for record in finished[1] if record.execution.subtask.action == "Go to"]

    def lessons(entity: str, cameras: tuple[str, ...] = ("front",)) -> list[list[float]]:
        about = [replace(record, execution=replace(record.execution, target=entity)) for record in records]
        return [lesson.target.tolist() for lesson in lessons_of(take.episode, "e", about, "Go to", cameras)]

    world = json.loads((take.episode / END_STATE).read_text())
    world["rooms"] = {"hall": {"kind": "hall", "floor": [1.0, 2.0, 4.0, 10.0]}, "attic": {"kind": "attic"}}
    (take.episode / END_STATE).write_text(json.dumps(world))
    assert lessons("hall") == [[2.5, 6.0, 0.0]] and lessons("ball") == [[2.5, 0.0, 0.0]]
    assert lessons("attic") == lessons("nowhere") == []
    quick = [replace(record, stamp=record.began) for record in records]
    assert list(lessons_of(take.episode, "e", quick, "Go to", ("front",))) == [] or quick[0].began != quick[0].stamp
    (take.episode / END_STATE).write_text("[]")
    with pytest.raises(SkippedEpisode, match=r"^damaged: "):
        lessons("ball")


def test_what_was_recorded_for_a_moment_only_is_left_out(tmp_path):
    drive(tmp_path, ("begin drive", "end"))
    (source,) = open_sources([tmp_path])
    with pytest.raises(SkippedEpisode, match=r"^it has less than two frames$"):
        source.demonstration(*source.entries(), None)
    (take,) = list_takes(tmp_path)
    (take.episode / NOTES).write_bytes(b"[]\n")
    with pytest.warns(UserWarning, match=r"notes\.jsonl is damaged in line 1 .*The recording is not listed\.$"):
        assert list_takes(tmp_path) == ()
    (take.episode / NOTES).unlink()
    recording = take.episode / RECORDING
    kept_bytes = recording.read_bytes()
    recording.write_bytes(b"")
    with pytest.raises(SkippedEpisode):
        source.demonstration(*source.entries(), None)
    recording.write_bytes(kept_bytes)
    recording.unlink()
    with pytest.raises(
        SkippedEpisode, match=r"^body and commands were not recorded: drive with `homie teleop --record"
    ):
        source.demonstration(*source.entries(), None)


def test_files_of_emmoe_say_why_an_episode_is_not_among_them(tmp_path):
    run = write_run(tmp_path / "run", ["a-0", "b-0"], DONE)
    (run / "episodes/b-0/episode.json").unlink()
    reported: dict[str, str] = {}
    options = EmmoeOptions.build(sources=[run], out=tmp_path / "out", keep="all", split="none")
    export = export_emmoe(options, lambda entry, reason: reported.update({entry.name: reason}))
    assert reported == {"run/a-0": "", "run/b-0": "it is not finished"}
    assert export.left_out == {"run/b-0": "it is not finished"} and (export.episodes, export.subtasks) == (1, 5)
    assert export.path == tmp_path / "out"
    shutil.rmtree(run / "episodes/a-0")
    with pytest.raises(BadInput, match=r"^No episode can be used \(it is not finished\)\.$"):
        export_emmoe(EmmoeOptions.build(sources=[run], out=tmp_path / "none", keep="all"))
    (source,) = open_sources([tmp_path / "out"])
    assert isinstance(source, EmmoeSource) and source.describe() == {"kind": "folder of EMMOE-100"}
    (entry,) = source.entries()
    sample = source.read(entry)
    assert (sample.done, sample.split, len(sample.steps)) == (True, "train", 5)
    (entry.folder / "info.txt").write_text("nothing of it")
    with pytest.raises(SkippedEpisode, match=r"^damaged: "):
        source.read(entry)
    assert ability("nobody's model") is None and ability("classical") is not None


def test_a_step_as_a_file_of_emmoe_has_it():
    sample = replace(episode(((PICK, FAR), *DONE)), keypaths=(("[Go to, apple]", "[End]"),))
    assert keypaths_of(sample) == (("[Go to, apple]", "[End]"),)
    assert keypaths_of(replace(sample, keypaths=())) == (["[Pick, apple]", "[Put, apple, fridge]", "[End]"],)
    first, *_, last = (expert_step(step) for step in sample.steps)
    assert (first.number, first.model, first.inventory) == (1, "RT-1-X", "None")
    assert (first.feedback, first.analysis) == (FAR.message, "so [Pick, apple]")
    assert (last.number, last.model, str(last.subtask)) == (6, "", "[End]")
    holding = replace(sample.steps[2], inventory=("apple", "plum"))
    assert expert_step(holding).inventory == "apple plum"


def test_as_many_episodes_as_tasks_are_all_of_them_and_fewer_are_drawn(tmp_path):
    suite = tmp_path / "errands.json"
    drawn = draw_tasks(TasksOptions.build(out=suite, number=3, seed=1, test=0.0))
    assert drawn.to_json() == json.loads(suite.read_text())
    full = bench_options(GenerateOptions.build(suite=str(suite), out=tmp_path / "run", episodes=3))
    assert full.tasks is None and full.trials == 1
    two = {"suite": str(suite), "out": tmp_path / "run", "episodes": 2}
    some = [bench_options(GenerateOptions.build(**two, seed=seed)).tasks for seed in range(6)]
    assert len(set(some)) > 1, "which ones the seed decides"
    assert not bench_options(GenerateOptions.build(suite=str(suite), out=tmp_path / "run")).planner_settings


def test_pictures_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"words")
    for read in (read_picture, blank):
        with pytest.raises(SkippedEpisode, match=r"^damaged: a\.png cannot be read as a picture$"):
            read(tmp_path / "a.png")
    with pytest.raises(SkippedEpisode, match=r"^damaged: b\.png cannot be read: "):
        blank(tmp_path / "b.png")


def test_a_split_comes_back_from_its_file(tmp_path):
    run = write_run(tmp_path / "run", [f"{task}-0" for task in "abcde"])
    with pytest.raises(BadInput, match=r"^All episodes are of one house: they cannot be split by it\. Choose another"):
        make_split(open_sources([run]), "house", 0.5, 0)
    with pytest.raises(BadInput, match="of one group of connected tasks and houses"):
        make_split(open_sources([run]), "both", 0.5, 0)
    options = SplitOptions.build(sources=[run], out=tmp_path / "split.json")
    others = [write_run(tmp_path / name, ["a-0"]) for name in ("more", "most")]
    for number, other in enumerate(others):
        (other / "scene.json").write_text(json.dumps({"rooms": [f"room {number}"], "furniture": []}))
    split, sizes = make_split(open_sources([run, *others]), "house", 0.2, 3)
    assert sizes.total() == 7 and sizes["test"] == 1 and split.tasks == {} and len(split.houses) == 3
    write_split(options.out, split)
    again = read_split(str(options.out))
    assert again == split
    (first, *_) = open_sources([run])
    sample = first.read(first.entries()[0])
    assert side_of(again, sample) == split.houses[sample.house]
    assert (read_split("suite"), read_split("none")) == ("suite", "none")


def test_an_empty_demonstration_and_numbers_that_are_none_are_left_out(tmp_path):
    pytest.importorskip("pyarrow")
    from homie.data.lerobot.writer import LeRobotWriter

    with LeRobotWriter(tmp_path / "set", LAYOUT, "columns") as writer:
        spoilt = demonstration(0)
        spoilt.states[3, 1] = float("nan")
        sentence = r"^1 of the 24 numbers of its states are not finite \(the first: lift\.pos in frame 3\)$"
        with pytest.raises(SkippedEpisode, match=sentence):
            writer.add(spoilt)
        none = {"stamps": spoilt.stamps[:0], "states": spoilt.states[:0], "actions": spoilt.actions[:0]}
        nothing = replace(demonstration(0), **none)
        with pytest.raises(SkippedEpisode, match=r"^it has no frames$"):
            writer.add(nothing)
        with pytest.raises(SkippedEpisode, match=r"^it does not fit the data set: "):
            writer.add(replace(demonstration(0), layout=replace(LAYOUT, robot="other")))
        assert writer.free_name(demonstration(1)) == "run/1"
        writer.add(demonstration(1))
        assert writer.free_name(demonstration(1)) is None
        twin = replace(demonstration(2), name="run/1")
        assert writer.free_name(twin) == "run/1~2"
        assert (writer.episodes, writer.frames) == (1, 12)
