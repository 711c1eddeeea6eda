"""Recordings: nothing that was finished is lost to a kill, and of what goes on at most a second."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from homie.data.episode import SkippedEpisode
from homie.data.options import TrainingOptions
from homie.data.recording.mcapfile import Entry, McapFile, Reading, repair
from homie.data.recording.notes import NOTES, add_note, analyses, is_discarded, mark_of, note, read_notes
from homie.data.recording.reader import read_recording
from homie.data.recording.recorder import RECORDING
from homie.data.recording.takes import list_takes, repair_takes
from homie.data.sources.runs import RunSource
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput, InfrastructureError
from homie.runtime.assembly import choose
from homie.runtime.runstore import read_episode, read_steps
from homie.studio.operation import Operation
from homie.studio.options import TeleopOptions
from homie.studio.orders import Desk
from homie.studio.typed_orders import read_line

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny", "speed": 0.0}
DONE = ("begin put the ball in the box", "forward 0.5", "go to ball # it is nearest", "pick ball", "go to box")

CHILD = """
import sys, time
from pathlib import Path
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import CommandSent
from homie.runtime.assembly import choose
from homie.studio.orders import Desk
from homie.studio.typed_orders import read_line
from homie.studio.operation import Operation
from homie.studio.options import TeleopOptions

class Front:
    def tell(self, sentence): raise SystemExit(sentence)
    def refresh(self, operation):
        if operation.state.recording is None and operation.state.last is not None:
            print("finished", operation.state.last, flush=True)

class Beat(EpisodeListener):
    def on(self, event):
        if isinstance(event, CommandSent): print("beat", time.time(), flush=True)

desk = Desk()
options = TeleopOptions.build(record=Path(sys.argv[1]), robot="tiny", skills="tiny", detector="tiny", targets="tiny")
operation = Operation(options, choose(options), desk, Front(), listeners=(Beat(),))
for line in ["begin drive", "forward 1.5", "end success"] * 100:
    for order in read_line(line, (), "", record=True):
        desk.order(order)
operation.run()
"""


class Front:
    """What a person would see."""

    def __init__(self):
        self.told = []

    def tell(self, sentence):
        self.told.append(sentence)

    def refresh(self, operation):
        pass


def drive(folder: Path, lines, **options):
    """Carry out lines in the tiny world, recorded in a folder; what was reported."""
    desk, front = Desk(), Front()
    built = TeleopOptions.build(record=folder, **{**TINY, **options})
    operation = Operation(built, choose(built), desk, front, listeners=())
    for line in (*lines, "quit"):
        for order in read_line(line, operation.parts.executor.actions, "put the ball in the box", record=True):
            desk.order(order)
    operation.run()
    return front.told


def test_an_episode_by_hand_is_a_run_folder_and_a_recording(tmp_path):
    sentences = drive(tmp_path, (*DONE, "note the box is open", "put ball in box", "end success", "why 2 It is small."))
    assert sentences == []
    (take,) = list_takes(tmp_path)
    assert (take.task, take.finished, take.mark, take.planner) == ("put the ball in the box", True, "success", "human")
    steps = read_steps(take.episode)
    assert str(steps[0].execution.subtask) == "[Go to, ball]"
    assert steps[0].decision.analysis == "it is nearest" and steps[-1].execution.subtask.action == "End"
    assert read_episode(take.episode).ended_by == "ended"
    assert analyses(take.notes) == {2: "It is small."} and take.notes[0].stamp is not None

    recording = read_recording(take.episode)
    assert recording.whole and set(recording.pictures) == {"front", "left", "back", "right"}
    commands = [json.loads(line) for line in (take.episode / "commands.jsonl").read_text().splitlines()]
    assert len(recording.sent.stamps) == len(commands)
    linear = recording.requested.values[:, recording.requested.labels.index("base.linear.vel")]
    velocities = [command["requested"].get("base", [np.nan])[0] for command in commands]
    assert np.array_equal(linear, np.array(velocities), equal_nan=True)
    sent = recording.sent.values[:, recording.sent.labels.index("base.linear.vel")]
    assert sent.tolist() == [command["sent"]["base"][0] for command in commands]
    subtasks = [event.about for event in recording.events if event.kind == "subtask"]
    assert [about["action"] for about in subtasks] == ["Go to", "Pick", "Go to", "Put", "End"]
    stamps = [stamp for stamp, frame in recording.frames("front") if frame.dtype == np.uint8]
    assert np.allclose(np.diff(stamps), 0.1) and len(stamps) == recording.pictures["front"]


def test_training_data_count_what_people_have_said(tmp_path):
    drive(tmp_path, (*DONE[:1], *DONE[2:3], "end failure", "why 1 I have to be near it.", "begin drive", "discard"))
    used, left_out = (RunSource(take.run, take.run.name) for take in list_takes(tmp_path))
    (entry,) = used.entries()
    episode = used.read(entry)
    assert episode.done is False
    assert [step.analysis for step in episode.steps] == ["I have to be near it.", ""]
    reported = make_dataset(
        TrainingOptions.build(
            sources=[take.run for take in list_takes(tmp_path)], out=tmp_path / "sft", keep="all", explain=False
        ),
        "sft",
    )
    lines = [json.loads(line) for line in (tmp_path / "sft/train/metadata.jsonl").read_text().splitlines()]
    answers = [line["completion"][0]["content"][0]["text"] for line in lines]
    assert reported.splits["train"].lines == 2 and "I have to be near it." in answers[0]
    assert not any("Chosen by a person" in json.dumps(line) for line in lines)
    with pytest.raises(SkippedEpisode, match="a person discarded it"):
        left_out.read(*left_out.entries())


def test_done_again_what_went_wrong_is_kept_apart(tmp_path):
    drive(tmp_path, ("begin put the ball in the box", "forward 0.3", "again", *DONE[2:4], "end failure"))
    first, second = list_takes(tmp_path)
    assert (first.discarded, first.mark, second.discarded, second.mark) == (True, None, False, "failure")
    assert second.rounds == 3


def test_what_makes_no_sense_now_is_reported_and_changes_nothing(tmp_path):
    sentences = drive(tmp_path, ("end", "give", "note nothing goes on", "begin drive", "begin drive", "forward 0.2"))
    assert [sentence.split(":")[0] for sentence in sentences] == [
        "No episode goes on",
        "There is no task that the planner could go on with",
        "Nothing was recorded that a note could be about.",
        "An episode is being recorded",
    ]
    (take,) = list_takes(tmp_path)
    assert take.finished and take.mark is None


@pytest.mark.parametrize("seed", range(10))
def test_kill_9_costs_at_most_the_last_second_of_the_episode_that_goes_on(tmp_path, seed, monkeypatch):
    """At a random moment: what was finished is whole, the rest can be read to within a second, and is repaired."""
    monkeypatch.setenv("TINY_PERIOD", "0.005")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "plugin"))
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    moment = random.Random(seed).randint(3, 40)
    lines = []
    for line in child.stdout:
        lines.append(line.split())
        if len([line for line in lines if line[0] == "beat"]) >= moment:
            break
    child.send_signal(signal.SIGKILL)
    lines += [line.split() for line in child.stdout]
    child.wait()
    last_beat = float([line for line in lines if line[0] == "beat"][-1][1])
    finished = {Path(line[1]) for line in lines if line[0] == "finished"}
    takes = list_takes(tmp_path)
    assert finished <= {take.episode for take in takes if take.finished}
    for take in takes:
        recording = read_recording(take.episode)
        if take.finished:
            assert recording.whole and len(recording.sent.stamps) == 15
        entries = list(Reading(take.episode / RECORDING))
        if take is takes[-1] and not take.finished and entries:
            assert last_beat - entries[-1].wall < 1.0
    damaged = [take.episode / RECORDING for take in takes if not read_recording(take.episode).whole]
    before = {path: [entry.data for entry in Reading(path)] for path in damaged}
    repaired = repair_takes(tmp_path)
    assert [each.path for each in repaired] == [path for path in damaged if before[path]] and repair_takes(
        tmp_path
    ) == ()
    for path, entries_before in before.items():
        if not entries_before:  # killed before the first chunk
            assert not path.parents[2].exists()
            continue
        again = Reading(path)
        assert [entry.data for entry in again] == entries_before and again.whole


def write_messages(path: Path, count: int = 40) -> list[bytes]:
    """A whole file of messages."""
    file = McapFile(path)
    contents = [json.dumps({"scalars": [{"label": "a", "value": n}]}).encode() + b" " * 5000 for n in range(count)]
    for number, data in enumerate(contents):
        file.add(Entry("/action/state", 1e9 + number, float(number), data))
    file.close()
    return contents


@pytest.mark.parametrize("tail", [b"", b"\0" * 300, b"\6" + struct.pack("<Q", 2**63) + b"x" * 50, b"\6\4"])
def test_a_torn_end_is_cut_reported_and_kept(tmp_path, tail):
    path = tmp_path / RECORDING
    contents = write_messages(path)
    intact = path.read_bytes()
    path.write_bytes(intact[:150_000] + tail)
    path.chmod(0o600)
    repaired = repair(path)
    assert repaired is not None and 0 < repaired.messages < len(contents) and repaired.cut_bytes > len(tail)
    assert f"{repaired.messages} messages over {repaired.seconds:.1f} s are kept, {repaired.cut_bytes} bytes" in str(
        repaired
    )
    again = Reading(path)
    assert [entry.data for entry in again] == contents[: repaired.messages] and again.whole
    cut = (tmp_path / f"{RECORDING}.cut").read_bytes()
    assert cut == (intact[:150_000] + tail)[-len(cut) :] and len(cut) == repaired.cut_bytes
    assert {oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()} == {"0o600"}, "nobody else may read it now"
    assert repair(path) is None


@pytest.mark.parametrize(
    ("messages", "report"), [(1, "1 message over 0.0 s is kept"), (3, "3 messages over 2.0 s are kept")]
)
def test_a_file_that_only_lacks_its_end_has_lost_nothing(tmp_path, messages, report):
    path = tmp_path / RECORDING
    file = McapFile(path)
    for number in range(messages):
        file.add(Entry("/action/state", 1e9, float(number), b"{}"))
        file._writer.flush()  # as half a second of the clock does
    data = path.read_bytes()
    file.close()
    path.write_bytes(data)
    repaired = repair(path)
    assert str(repaired) == f"{path} was not finished: {report}, which is all that it held."
    assert [file.name for file in tmp_path.iterdir()] == [RECORDING] and repair(path) is None


def test_a_file_without_a_message_has_lost_no_time(tmp_path):
    path = tmp_path / RECORDING
    McapFile(path).close()
    path.write_bytes(path.read_bytes()[:-100])
    repaired = repair(path)
    assert repaired is not None and (repaired.messages, repaired.seconds) == (0, 0.0)


@pytest.mark.parametrize("progress", ["nothing", "run.json", "episode", "recording"])
def test_a_kill_before_anything_was_recorded_leaves_nothing(tmp_path, progress):
    drive(tmp_path, ("begin drive", "forward 0.2", "end"))
    (take,) = list_takes(tmp_path)
    torn = tmp_path / "20261125-172846-drive"
    shutil.copytree(take.run, torn)
    if progress == "nothing":
        (torn / "run.json").unlink()
    if progress != "recording":
        shutil.rmtree(torn / "episodes")
    if progress == "episode":
        (torn / "episodes/drive-0").mkdir(parents=True)
    if progress == "recording":
        episode = torn / "episodes/drive-0"
        for file in (path for path in episode.rglob("*") if path.is_file()):
            file.unlink()
        for name in (RECORDING, "steps.jsonl", "inputs.jsonl", "commands.jsonl"):
            (episode / name).touch()
    os.utime(torn, (0, 0))
    assert repair_takes(tmp_path) == ()
    assert [take.run for take in list_takes(tmp_path)] == [take.run] and not torn.exists()


def test_what_a_person_has_said_of_an_empty_recording_stays(tmp_path):
    drive(tmp_path, ("begin drive", "forward 0.2", "end"))
    (take,) = list_takes(tmp_path)
    for file in take.episode.iterdir():
        if file.is_file():
            file.unlink()
    (take.episode / RECORDING).touch()
    add_note(take.episode, note("remark", "the arm was in the way"))
    other = tmp_path / "20261125-172846-not-ours"
    other.mkdir()
    (other / "letter.txt").write_text("hello")
    os.utime(other, (0, 0))
    (repaired,) = repair_takes(tmp_path)
    assert "0 messages" in str(repaired) and take.run.exists() and other.exists()


def test_a_disk_that_fails_ends_the_episode_with_one_sentence(tmp_path, monkeypatch):
    """The next call raises, and not only the last one: the robot is not driven on unrecorded."""

    def full(file, entry):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(McapFile, "add", full)
    for lines in (("forward 60",), ("go to ball", "forward 60")):  # a subtask may end before the writer has written
        with pytest.raises(InfrastructureError, match="No space left on device"):
            drive(tmp_path, ("begin drive", *lines))
    (reported,) = drive(tmp_path, ("begin drive", "end"))  # as soon as it is known
    assert "No space left on device" in reported
    assert not any(take.finished for take in list_takes(tmp_path))


def test_a_changed_byte_ends_what_is_read_there(tmp_path):
    path = tmp_path / RECORDING
    contents = write_messages(path)
    data = bytearray(path.read_bytes())
    data[100_000] ^= 1
    path.write_bytes(data)
    reading = Reading(path)
    read = [entry.data for entry in reading]
    assert 0 < len(read) < len(contents) and read == contents[: len(read)] and not reading.whole


def test_other_readers_of_mcap_read_it(tmp_path):
    from mcap.reader import make_reader

    path = tmp_path / RECORDING
    contents = write_messages(path)
    with path.open("rb") as file:
        read = [(schema.name, message.data) for schema, _, message in make_reader(file).iter_messages()]
    assert read == [("lerobot.Scalars", data) for data in contents]


def test_notes_survive_a_torn_line(tmp_path):
    add_note(tmp_path, note("mark", "failure"))
    with (tmp_path / NOTES).open("ab") as file:
        file.write(b'{"kind": "mark", "te')
    with pytest.warns(UserWarning, match="torn"):
        add_note(tmp_path, note("mark", "success"))
    add_note(tmp_path, note("discard"))
    notes = read_notes(tmp_path)
    assert [note.text for note in notes] == ["failure", "success", ""] and mark_of(notes) == "success"
    assert is_discarded(notes)
    add_note(tmp_path, note("keep"))
    assert not is_discarded(read_notes(tmp_path))


@pytest.mark.parametrize(
    ("kind", "text"), [("mark", "great"), ("analysis", "why"), ("remark", " "), ("remark", "x" * 10_001)]
)
def test_a_note_that_means_nothing_is_bad_input(kind, text):
    with pytest.raises(BadInput):
        note(kind, text)
