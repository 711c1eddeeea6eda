"""A recorder by its messages: what the file contains for each event, and how a failure is reported."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from homie.data.recording.mcapfile import Entry, McapFile, Reading, repair
from homie.data.recording.reader import read_recording
from homie.data.recording.recorder import RECORDING, Recorder, depth_png, jpeg
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.types import (
    SUCCESS,
    Attempt,
    CameraFrame,
    Command,
    CommandSent,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    ErrorCode,
    Execution,
    Feedback,
    GripperState,
    Intrinsics,
    Observation,
    Outcome,
    PlannerAnswered,
    Pose,
    Pose2,
    Proprioception,
    RoundRecord,
    SentCommand,
    Subtask,
    SubtaskRecorded,
    SubtaskStarted,
)

WALL = 1_750_000_000.5
BODY = Proprioception(Pose2(1.0, 2.0, 0.5), (0.25, -0.5), {"elbow_flex_joint": 0.75}, {"gripper": GripperState(0.05)})
RGB = np.full((16, 24, 3), 200, np.uint8)
LENS = Intrinsics(60.0, 61.0, 12.0, 8.0, 24, 16)
DEPTH = np.array([[0.0, 0.5, 1.25], [65.0, 66.0, np.inf]], np.float32)
FAR = Feedback("fail", ErrorCode.D1, "too far away")


def camera_frame(name: str, depth: np.ndarray | None = None) -> CameraFrame:
    return CameraFrame(name=name, rgb=RGB, intrinsics=LENS, pose=Pose(np.zeros(3), np.eye(3)), depth=depth)


def recorder(folder: Path, **changes: Any) -> Recorder:
    options = {"look": lambda camera: RGB, "cameras": ("head.left",), "fps": 4.0, "clock": lambda: WALL, **changes}
    return Recorder(folder, SPEC, **options)


def messages(folder: Path) -> Iterator[tuple[str, float, float, Any]]:
    """Topic, wall time, robot time and content of each message."""
    for entry in Reading(folder / RECORDING):
        yield entry.topic, entry.wall, entry.stamp, json.loads(entry.data)


def messages_in(folder: Path) -> list[dict[str, str]]:
    """What is said of the events."""
    return [
        {pair["key"]: pair["value"] for pair in content["metadata"]}
        for topic, _, _, content in messages(folder)
        if topic == "/events"
    ]


def test_every_event_stands_in_the_file_with_its_own_words(tmp_path):
    pick = Subtask("Pick", "apple")
    execution = Execution(pick, "rt1x", (), (Attempt(1, "rt1x/x", Outcome.SUCCEEDED, "", 1.0, 5),), SUCCESS, "apple")
    refused = Execution(Subtask("Put", "apple", "bowl"), "", (), (), FAR, "bowl")
    decision = Decision((pick, Subtask("Go to", "bowl")), "it is near", "rt1x")
    unread = Decision((), "hm", "", problem="not read")
    with recorder(tmp_path) as file:
        file.on(EpisodeStarted("tidy up"))
        file.on(PlannerAnswered(1, decision))
        file.on(PlannerAnswered(2, unread))
        file.on(SubtaskStarted(1, Subtask("Put", "apple", "bowl")))
        file.on(CommandSent(Observation(1.5, BODY), SentCommand(Command(), Command())))
        file.on(SubtaskRecorded(RoundRecord(1, decision, execution, (), 2.5, {})))
        file.on(SubtaskRecorded(RoundRecord(3, decision, refused, (), 3.5, {})))
        file.on(EpisodeEnded(EpisodeResult("tidy up", "ended", 2, (), (), 4.25)))
    assert messages_in(tmp_path) == [
        {"kind": "task", "text": "tidy up", "fps": "4"},
        {
            "kind": "decision",
            "round": "1",
            "analysis": "it is near",
            "model": "rt1x",
            "subtasks": "[Pick, apple] [Go to, bowl]",
        },
        {
            "kind": "decision",
            "round": "2",
            "analysis": "hm",
            "model": "",
            "problem": "not read",
            "subtasks": "",
        },
        {"kind": "begin", "round": "1", "action": "Put", "target": "apple", "destination": "bowl"},
        {
            "kind": "subtask",
            "round": "1",
            "action": "Pick",
            "target": "apple",
            "destination": "",
            "status": "success",
            "code": "",
            "message": SUCCESS.message,
            "model": "rt1x",
            "skill": "rt1x/x",
        },
        {
            "kind": "subtask",
            "round": "3",
            "action": "Put",
            "target": "apple",
            "destination": "bowl",
            "status": "fail",
            "code": "D1",
            "message": "too far away",
            "model": "",
            "skill": "",
        },
        {"kind": "end", "ended_by": "ended"},
    ]
    events = read_recording(tmp_path).events
    assert [(event.kind, event.began, event.ended) for event in events] == [
        ("task", 0.0, 0.0),
        ("decision", 0.0, 0.0),
        ("decision", 0.0, 0.0),
        ("begin", 0.0, 0.0),
        ("subtask", 1.5, 2.5),
        ("subtask", 3.5, 3.5),
        ("end", 4.25, 4.25),
    ]


def test_a_moment_is_what_was_felt_asked_for_sent_and_seen(tmp_path):
    requested_command, sent = SPEC.drive(0.5, 0.25), SPEC.grip(0.02)
    with recorder(tmp_path) as file:
        file.on(CommandSent(Observation(1.5, BODY), SentCommand(requested_command, sent)))
    measured, requested, carried_out, picture = sorted(messages(tmp_path), key=lambda message: "/image" in message[0])
    assert [message[0] for message in (measured, requested, carried_out)] == [
        "/observation/state",
        "/action/requested",
        "/action/state",
    ]
    assert {message[1:3] for message in (measured, requested, carried_out, picture)} == {(WALL, 1.5)}

    def values(message: tuple[str, float, float, Any]) -> dict[str, float]:
        return {pair["label"]: pair["value"] for pair in message[3]["scalars"]}

    assert values(measured) == {
        "elbow_flex_joint.pos": 0.75,
        "gripper.pos": 0.05,
        "base.x": 1.0,
        "base.y": 2.0,
        "base.yaw": 0.5,
        "base.linear.vel": 0.25,
        "base.angular.vel": -0.5,
    }
    assert values(requested) == {"base.linear.vel": 0.5, "base.angular.vel": 0.25}
    assert values(carried_out) == {"gripper.pos": 0.02}
    assert picture[0] == "/observation/images/head_left" and picture[3]["frame_id"] == "head.left"
    assert base64.b64decode(picture[3]["data"]) == jpeg(RGB, 92)


def test_pictures_are_taken_at_their_rate_and_a_moment_is_written_once(tmp_path):
    stamps = [0.0, 0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 1.1, 1.2, 1.25]
    with recorder(tmp_path) as file:
        for stamp in stamps:
            file.on(CommandSent(Observation(stamp, BODY), SentCommand(Command(), Command())))
    recording = read_recording(tmp_path)
    assert recording.measured.stamps.tolist() == sorted(set(stamps))
    assert [stamp for stamp, _ in recording.jpegs("head_left")] == [0.0, 0.25, 0.5, 1.1, 1.25]
    assert recording.fps is None and recording.seconds == 1.25


def test_what_the_robot_sees_anyway_is_not_looked_at_again(tmp_path):
    cameras: list[str] = []

    def look(camera: str) -> np.ndarray:
        cameras.append(camera)
        return np.zeros_like(RGB)

    def measure() -> Observation:
        cameras.append("depth")
        return Observation(9.5, BODY, frames={"wrist": camera_frame("wrist", DEPTH)})

    frames = {"head": camera_frame("head", DEPTH)}
    with recorder(tmp_path, look=look, cameras=("head", "wrist"), depths={"head": measure, "wrist": measure}) as file:
        file.on(CommandSent(Observation(2.0, BODY, frames=frames), SentCommand(Command(), Command())))
    assert cameras == ["wrist", "depth"]
    recording = read_recording(tmp_path)
    assert (dict(recording.pictures), dict(recording.depths)) == ({"head": 1, "wrist": 1}, {"head": 1, "wrist": 1})
    ((stamp, depth, lens),) = recording.distances("wrist")
    assert stamp == 9.5, "under its own time"
    np.testing.assert_allclose(depth, [[0.0, 0.5, 1.25], [65.0, 0.0, 0.0]])
    assert (lens.fx, lens.fy, lens.cx, lens.cy, lens.width, lens.height) == (60.0, 61.0, 12.0, 8.0, 3, 2)
    (_, picture), *_ = recording.frames("head")
    assert np.abs(picture.astype(int) - RGB).max() <= 2 and picture.shape == RGB.shape


def test_a_file_that_cannot_be_made_or_written_is_one_sentence(tmp_path):
    with pytest.raises(InfrastructureError, match="nowhere"):
        recorder(tmp_path / "nowhere")
    file = recorder(tmp_path, look=lambda camera: np.zeros((0, 0, 3), np.uint8))
    file.on(CommandSent(Observation(0.0, BODY), SentCommand(Command(), Command())))
    deadline = time.monotonic() + 20.0
    while not file.failed and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(InfrastructureError, match=rf"^The recording {file.path} cannot go on: error: "):
        file.on(EpisodeStarted("tidy up"))
    with pytest.raises(InfrastructureError, match="cannot go on"):
        file.close()
    file.close()  # told once


def test_what_was_written_half_a_second_ago_can_be_read_while_it_goes_on(tmp_path):
    file = McapFile(tmp_path / RECORDING)
    file.add(Entry("/action/state", 1.0, 0.5, b'{"scalars": []}'))
    assert list(Reading(tmp_path / RECORDING)) == []
    time.sleep(0.55)
    file.keep()
    reading = Reading(tmp_path / RECORDING)
    assert [(entry.wall, entry.stamp) for entry in reading] == [(1.0, 0.5)] and not reading.whole
    file.close()


def test_a_repair_that_was_killed_is_done_again(tmp_path):
    path = tmp_path / RECORDING
    file = McapFile(path)
    file.add(Entry("/action/state", 1.0, 0.5, b"{}"))
    file.close()
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / f".{RECORDING}.repairing").write_bytes(b"half of it")
    repaired = repair(path)
    assert repaired is not None and repaired.messages == 1 and Reading(path)
    assert sorted(file.name for file in tmp_path.iterdir()) in ([RECORDING], [RECORDING, f"{RECORDING}.cut"])


def test_what_is_no_recording_or_no_picture_is_one_sentence(tmp_path):
    def written(topic: str, content: dict[str, Any]) -> Path:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        file = McapFile(folder / RECORDING)
        file.add(Entry(topic, 1.0, 0.5, json.dumps(content).encode()))
        file.close()
        return folder

    with pytest.raises(BadInput, match="is not a recording of Homie: "):
        read_recording(written("/action/state", {"numbers": []}))
    words = base64.b64encode(b"words").decode()
    broken = read_recording(written("/observation/images/head", {"data": words, "format": "jpeg"}))
    with pytest.raises(BadInput, match=r"a picture of the camera 'head' at 0\.50 s that is not a JPEG"):
        list(broken.frames("head"))
    colours = cv2.imencode(".png", RGB)[1].tobytes()
    for data in (b"words", colours):
        content = {"data": base64.b64encode(data).decode(), "format": "png", "lens": [1.0, 1.0, 0.0, 0.0]}
        broken = read_recording(written("/observation/depth/head", content))
        with pytest.raises(BadInput, match=r"camera 'head' at 0\.50 s that is no PNG of one channel"):
            list(broken.distances("head"))


@pytest.mark.parametrize(("declared", "fps"), [("10", 10.0), ("0.5", 0.5), ("0", None), ("-3", None), ("many", None)])
def test_the_rate_is_as_it_is_said_where_it_is_one(tmp_path, declared, fps):
    with recorder(tmp_path) as file:
        file.event("task", {"text": "tidy up"})
        file.event("task", {"fps": declared})
    assert read_recording(tmp_path).fps == fps


def test_a_depth_picture_is_in_millimetres():
    picture = cv2.imdecode(np.frombuffer(depth_png(DEPTH), np.uint8), cv2.IMREAD_UNCHANGED)
    assert picture.dtype == np.uint16 and picture.tolist() == [[0, 500, 1250], [65000, 0, 0]]
    assert len(jpeg(np.random.default_rng(0).integers(0, 255, (32, 32, 3), np.uint8), 92)) > 1000
