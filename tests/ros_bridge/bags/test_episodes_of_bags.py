"""A bag of a run is an episode again: stamps, states, commands, pictures, subtasks; a damaged one as far as it goes."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest
import yaml

from homie.data.bags import convert_bag
from homie.data.recording.reader import read_recording
from homie.data.sources.runs import RunSource
from homie.kernel.errors import BadInput
from homie.kernel.types import (
    END,
    SUCCESS,
    Attempt,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    Execution,
    HistoryItem,
    Intrinsics,
    Observation,
    Outcome,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    Pose2,
    Proprioception,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime.announcements import announced, read_announcement
from homie.runtime.runstore import read_episode, read_steps
from ros_bridge.bag import Bag
from ros_bridge.bag_recording import recorded_topics
from ros_bridge.profiles.model import read_profile
from ros_bridge.robot.replayed import ReplayedRobot
from ros_bridge.served_messages import camera_info, picture
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.stamps import stamp

FETCH = read_profile("fetch")
KINDS = {topic.name: topic.kind for topic in recorded_topics(FETCH)}
DEFINITIONS = Definitions()
JOINTS = [joint.name for group in FETCH.groups.values() for joint in group.joints]
GO = Subtask("Go to", "table")
BEGAN = 1.7e9
"""The time on the wall (s) at which the robot time of the episode is 0."""
PERIOD, ROUND_AT, ENDS_AT = 0.04, 1.0, 3.0


def say(bag, topic, at, **fields):
    kind = KINDS[topic]
    bag.add(topic, round((BEGAN + at) * 1e9), DEFINITIONS.write(kind, DEFINITIONS.message(kind, **fields)))


def colour(n):
    return np.full((48, 64, 3), (10 * n % 250, 40, 200), np.uint8)


def round_events(started):
    """The events of an episode of one round, each with its robot time (s)."""
    observation = Observation(0.5, Proprioception(Pose2(0.0, 0.0, 0.0)))
    planner_input = PlannerInput(
        task="go to the table",
        round=1,
        views={},
        detections=(),
        inventory=(),
        history=(),
        feedback=None,
        actions=("Go to", "End"),
        models=("classical",),
    )
    decision = Decision((GO,), analysis="It is over there.", model="classical", raw="secret", system="long")
    attempt = Attempt(1, "classical/go_to", Outcome.SUCCEEDED, "", ENDS_AT - ROUND_AT - 0.1, 50)
    record = RoundRecord(1, decision, Execution(GO, "classical", (), (attempt,), SUCCESS), (), ENDS_AT - 0.1, {})
    end = RoundRecord(1, decision, Execution(END, "classical", (), (), SUCCESS), (), ENDS_AT, {})
    history = (HistoryItem(1, GO, SUCCESS), HistoryItem(2, END, SUCCESS))
    result = EpisodeResult("go to the table", "ended", 1, history, (), ENDS_AT)
    return [
        (started, EpisodeStarted("go to the table")),
        (0.5, PlannerAsked(planner_input, observation)),
        (ROUND_AT, PlannerAnswered(1, decision)),
        (ROUND_AT, SubtaskStarted(1, GO)),
        (ENDS_AT - 0.1, SubtaskRecorded(record)),
        (ENDS_AT, SubtaskRecorded(end)),
        (ENDS_AT, EpisodeEnded(result)),
    ]


def write(folder, *, started=0.4, first=0.0, until=ENDS_AT + 0.5, announce=True, cdr=None, aside=0.0):
    """A bag of a Fetch that drives at 0.3 m/s from 1 s on, lifts its torso at 2 s, and has its fingers told once."""
    waiting = [(at, announced(event)) for at, event in round_events(started)] if announce else []
    with Bag(folder, recorded_topics(FETCH), DEFINITIONS) as bag:
        for n in range(round(until / PERIOD)):
            at = first + n * PERIOD
            while waiting and waiting[0][0] <= at:
                say(bag, "/homie/episode", waiting[0][0], data=waiting.pop(0)[1])
            header = {"stamp": stamp(BEGAN + at)}
            driven = max(0.0, at - ROUND_AT) * 0.3
            twist = {"twist": {"linear": {"x": 0.3 if at > ROUND_AT else 0.0, "y": aside}}}
            pose = {"pose": {"position": {"x": driven}, "orientation": {"w": 1.0}}}
            say(bag, "/odom", at, header=header, pose=pose, twist=twist)
            if at >= ROUND_AT:
                say(bag, "/cmd_vel", at, linear={"x": 0.3, "y": aside})
            if n == 50:
                points = [{"positions": [0.2], "time_from_start": stamp(0.06)}]
                say(bag, "/torso_controller/joint_trajectory", at, joint_names=["torso_lift_joint"], points=points)
                say(bag, "/homie/fingers", at, position=0.07)
            if n % 5 == 0:
                info = camera_info(Intrinsics(60.0, 60.0, 32.0, 24.0, 64, 48))
                say(bag, "/head_camera/rgb/camera_info", at, header=header, **info)
                say(bag, "/head_camera/rgb/image_raw", at, header=header, **picture(colour(n)))
            names = [*JOINTS, *FETCH.gripper.joints]
            positions = [0.001 * n] * len(JOINTS) + [0.02, 0.02]
            say(bag, "/joint_states", at, header=header, name=names, position=positions)
            if cdr is not None:
                bag.add("/joint_states", round((BEGAN + at) * 1e9), cdr)
    return folder


@pytest.fixture(scope="module")
def monday(tmp_path_factory):
    """The bag of a run, and the folder of recordings that it has been made into."""
    folder = tmp_path_factory.mktemp("bags")
    bag = write(folder / "monday")
    episodes(bag, folder / "recordings")
    return bag, folder / "recordings"


def episodes(bag, out, task=None, profile="fetch"):
    replay = ReplayedRobot(bag, profile)
    return convert_bag(bag, replay, f"ros:{profile}", out, task), replay.problems


def test_a_bag_of_a_run_is_its_episode_again(monday):
    (run,) = monday[1].iterdir()
    (episode,) = (run / "episodes").iterdir()

    ending, (record, _) = read_episode(episode), read_steps(episode)
    assert (ending.task, ending.ended_by, ending.robot_seconds) == ("go to the table", "ended", ENDS_AT)
    assert record.execution.subtask == GO and record.decision.analysis == "It is over there."
    assert not record.decision.raw and not record.decision.system, "prompts are not on the network"

    recording = read_recording(episode)
    assert recording.whole
    assert recording.seconds == recording.measured.stamps[-1] - recording.measured.stamps[0]
    measured = dict(zip(recording.measured.labels, recording.measured.values.T, strict=True))
    stamps = recording.measured.stamps
    assert stamps[0] == pytest.approx(0.4, abs=PERIOD) and stamps[-1] == pytest.approx(ENDS_AT, abs=PERIOD)
    np.testing.assert_allclose(measured["base.x"], np.maximum(0.0, stamps - ROUND_AT) * 0.3, atol=1e-5)
    np.testing.assert_allclose(measured["torso_lift_joint.pos"], stamps / PERIOD * 0.001, atol=1e-5)
    np.testing.assert_allclose(measured["gripper.pos"], 0.04)

    sent = dict(zip(recording.sent.labels, recording.sent.values.T, strict=True))
    np.testing.assert_allclose(sent["base.linear.vel"], np.where(stamps > ROUND_AT - 1e-6, 0.3, 0.0))
    (told_at,) = np.flatnonzero(np.isfinite(sent["torso_lift_joint.pos"]))
    assert stamps[told_at] == pytest.approx(2.0, abs=1e-5) and sent["torso_lift_joint.pos"][told_at] == 0.2
    assert sent["gripper.pos"][told_at] == 0.07

    for at, image in recording.frames("head"):
        n = 5 * round((at + 1e-6) // (5 * PERIOD))
        assert abs(int(image[20, 20, 0]) - 10 * n % 250) <= 4, "the newest picture of that moment"
    kinds = [event.kind for event in recording.events]
    assert kinds == ["task", "decision", "begin", "subtask", "subtask", "end"]


def test_commands_to_fingers_that_turn_are_gaps_in_the_recording(tmp_path):
    gripper = {"action": "/gripper", "width": 0.1, "effort": 20.0, "position": "angle", "open": 0.9, "closed": -0.1}
    profile = tmp_path / "turning.yaml"
    profile.write_text(yaml.safe_dump(FETCH.model_dump(mode="json", exclude_none=True) | {"gripper": gripper}))
    bag = write(tmp_path / "bag", until=2.5, announce=False)
    ((converted,), _) = episodes(bag, tmp_path / "recordings", "grip", profile=str(profile))
    sent = read_recording(next((converted.run / "episodes").iterdir())).sent
    widths = sent.values[:, sent.labels.index("gripper.pos")]
    assert widths[np.isfinite(widths)] == pytest.approx(0.017), "an angle of 0.07 rad"


def test_an_omnidirectional_base_is_recorded_with_its_way_to_the_side(tmp_path):
    profile_fields = FETCH.model_dump(mode="json", exclude_none=True)
    profile = tmp_path / "omnidirectional.yaml"
    profile.write_text(
        yaml.safe_dump(profile_fields | {"body": None, "base": {**profile_fields["base"], "sideways": 0.5}})
    )
    bag = write(tmp_path / "bag", until=2.0, announce=False, aside=0.2)
    ((converted,), _) = episodes(bag, tmp_path / "recordings", "slide", profile=str(profile))
    recording = read_recording(next((converted.run / "episodes").iterdir()))
    for series in (recording.sent, recording.measured):
        assert series.values[-1, series.labels.index("base.sideways.vel")] == pytest.approx(0.2)


def test_an_episode_that_is_announced_before_the_robots_clock_begins(tmp_path):
    episodes(write(tmp_path / "monday", started=-0.3, first=-0.6, until=ENDS_AT + 1.0), tmp_path / "recordings")
    (run,) = (tmp_path / "recordings").iterdir()
    (episode,) = (run / "episodes").iterdir()
    recording = read_recording(episode)
    assert recording.whole and recording.measured.stamps[0] == pytest.approx(0.0, abs=PERIOD)
    assert next(event.kind for event in recording.events) == "task"


def test_the_data_tools_take_the_episode(monday):
    (run,) = monday[1].iterdir()
    source = RunSource(run, "monday")
    (entry,) = source.entries()
    demonstration = source.demonstration(entry, 5)
    (head,) = demonstration.layout.cameras.values()
    assert (demonstration.layout.robot, list(demonstration.layout.cameras)) == ("fetch", ["head"])
    assert (head.height, head.width, head.depth) == (48, 64, False)
    stage, end = demonstration.stages
    assert (stage.subtask, stage.first) == (GO, 0) and end.subtask == END
    assert demonstration.stamps[end.first] == pytest.approx(ENDS_AT - 0.1, abs=0.25)
    torso = demonstration.actions[:, demonstration.layout.action.index("torso_lift_joint.pos")]
    assert torso[-1] == pytest.approx(0.2), "the last target stays in force"


def test_the_command_shows_what_it_has_made(monday, homie, tmp_path):
    completed = homie("robot", "episodes", str(monday[0]), "--out", str(tmp_path / "recordings"))
    assert completed.returncode == 0, completed.stderr
    assert (
        completed.stdout.split("\n")[1].split()[-3:] == ["2.6", "s", "finished"]
        and "go to the table" in completed.stdout
    )
    with pytest.raises(BadInput, match="holds a finished run: choose another --out"):
        episodes(monday[0], tmp_path / "recordings")


def test_a_bag_without_an_agent_is_one_demonstration_of_what_a_person_says(tmp_path):
    bag = write(tmp_path / "tuesday", until=1.5, announce=False)
    with pytest.raises(BadInput, match="say by --task what was done"):
        episodes(bag, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    ((recording,), problems) = episodes(bag, tmp_path / "recordings", "fetch the cup")
    assert recording.finished and recording.task == "fetch the cup" and not problems
    assert recording.seconds == pytest.approx(1.5, abs=0.1)
    assert read_episode(next((recording.run / "episodes").iterdir())).rounds == 0, "nobody has planned"
    (entry,) = RunSource(recording.run, "tuesday").entries()
    assert len(RunSource(recording.run, "tuesday").demonstration(entry, None)) > 5


def test_an_episode_whose_end_is_not_in_the_bag_is_kept_unfinished(tmp_path):
    write(tmp_path / "cut", until=1.5)
    file = next((tmp_path / "cut").glob("*.mcap"))
    file.write_bytes(file.read_bytes()[:-200])
    (tmp_path / "cut" / "metadata.yaml").unlink()  # as a recorder leaves it that was killed
    ((recording,), (problem,)) = episodes(tmp_path / "cut", tmp_path / "recordings")
    assert problem.startswith("cut.mcap has no end") and not recording.finished
    (episode,) = (recording.run / "episodes").iterdir()
    assert read_episode(episode) is None and read_recording(episode).seconds > 0.9
    stamps = read_recording(episode).measured.stamps
    assert stamps[0] > 0.3 and recording.seconds == pytest.approx(stamps[-1] - stamps[0], abs=0.05)


def test_a_robot_of_another_profile_is_reported(monday, tmp_path):
    with pytest.raises(BadInput, match="give the profile of its robot"):
        episodes(monday[0], tmp_path / "recordings", "stack", profile="franka")


def test_malformed_messages_are_left_out_and_counted(tmp_path):
    bag = write(tmp_path / "bad", until=1.0, cdr=b"\x00\x01\x00\x00" + b"\xff" * 20)
    (_, problems) = episodes(bag, tmp_path / "recordings", "stand")
    assert problems == ("25 messages of /joint_states are malformed and left out",)


def test_commands_that_are_not_finite_are_left_out_and_counted(tmp_path):
    bag = tmp_path / "odd"
    write(bag, until=1.0, announce=False)
    with Bag(tmp_path / "more", recorded_topics(FETCH), DEFINITIONS) as more:
        say(more, "/cmd_vel", 0.5, linear={"x": float("nan")})
        say(more, "/homie/fingers", 0.5, position=float("inf"))
        points = [{"positions": [float("nan")], "time_from_start": stamp(0.06)}]
        say(more, "/torso_controller/joint_trajectory", 0.5, joint_names=["torso_lift_joint"], points=points)
        info = camera_info(Intrinsics(60.0, 60.0, 32.0, 24.0, 32, 24))
        for at in (0.1, 0.3, 0.5, 0.7):
            say(more, "/head_camera/rgb/camera_info", at, **info)
            say(more, "/head_camera/rgb/image_raw", at, **picture(colour(3)))
    (tmp_path / "more" / "more.mcap").rename(bag / "odd_1.mcap")
    ((converted,), problems) = episodes(bag, tmp_path / "recordings", "stand")
    assert set(problems) == {
        "1 commands on /cmd_vel are not finite and left out",
        "1 commands on /homie/fingers are not finite and left out",
        "1 commands on /torso_controller/joint_trajectory are not finite and left out",
        "the pictures of head have 64x48 pixels, their camera info is of 32x24: their lens is not undone",
    }
    episode = next((converted.run / "episodes").iterdir())
    recording = read_recording(episode)
    assert recording.fps == 10, "a whole number, as data sets have it"


def test_whatever_a_damaged_bag_holds_is_a_sentence_or_an_episode(tmp_path):
    intact = next(write(tmp_path / "whole", until=0.5).glob("*.mcap")).read_bytes()
    chance = random.Random(14)
    for number in range(9):
        data = bytearray(intact[: chance.randrange(1, len(intact))] if number % 2 else intact)
        for _ in range(chance.randrange(1, 200) if number % 3 else 0):
            data[chance.randrange(len(data))] = chance.randrange(256)
        folder = tmp_path / f"bag-{number}"
        folder.mkdir()
        (folder / "bag.mcap").write_bytes(data)
        with contextlib.suppress(BadInput):
            episodes(folder, tmp_path / f"out-{number}", "stand")


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"event": "started"}', '{"event": "x", "stamp": 0, "about": {}}', "[" * 100_000,
     '{"event": "recorded", "stamp": "soon", "about": {"round": "x"}}', "x" * 2_000_000],
)  # fmt: skip
def test_what_is_no_announcement_is_refused(text):
    with pytest.raises(BadInput, match="nnouncement"):
        read_announcement(text)
