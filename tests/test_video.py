"""The video: decoded for real, it shows what happened, also after an interrupt."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import get_args

import av
import numpy as np
import pytest
from homie_tiny import FilmedTinyRobot, TinyRobot
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture
from PIL import ImageFont

from homie.kernel.interfaces import Filmable
from homie.kernel.types import (
    END,
    SUCCESS,
    Attempt,
    AttemptEnded,
    Decision,
    EndedBy,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    ErrorCode,
    Execution,
    Feedback,
    HistoryItem,
    Image,
    Observation,
    Outcome,
    PeriodPassed,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime import caption, session
from homie.runtime.caption import Caption, draw_caption, draw_card, label, wrap
from homie.runtime.video import FPS, HEIGHT, SPEED, VIEW_HEIGHT, WIDTH, VideoWriter, frame_stamps


def pictures(path: Path) -> list[Image]:
    """The pictures that a player shows."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """The video of an episode in the tiny world, robot time in seconds."""
    from homie.kernel.options import RunOptions

    folder = tmp_path_factory.mktemp("video")
    (folder / "plan.txt").write_text("Go to | ball\nPick | ball\nPick | ball\nEnd")
    tiny = dict.fromkeys(("robot", "skills", "detector", "targets"), "tiny")
    planner = f"lines:{folder}/plan.txt"
    options = RunOptions.build(task="pick the ball", planner=planner, out=folder / "run", frames=False, **tiny)
    summary = session.run(options)
    assert summary.video is not None
    return summary.video, summary.result.robot_seconds


@pytest.fixture(scope="module")
def frames(video):
    return pictures(video[0])


def test_a_browser_can_play_it(video):
    path, _ = video
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (WIDTH, HEIGHT)
        assert WIDTH % 2 == 0 and HEIGHT % 2 == 0
        assert stream.average_rate == FPS
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat"), "the index must come first to play while it loads"


def test_it_lasts_as_long_as_the_episode_and_its_texts(video, frames):
    _, robot_seconds = video
    texts = 4 * (1.2 + 0.6) * FPS + 2 * FPS  # four rounds of decision and feedback, and the end
    assert len(frames) == pytest.approx(robot_seconds / SPEED * FPS + texts, rel=0.25)


def test_the_robot_moves_in_the_third_person_view(frames):
    view = np.s_[:VIEW_HEIGHT, : WIDTH - VIEW_HEIGHT]

    def robot_at(picture: Image) -> float:
        return float(np.nonzero((picture[view] > 210).all(axis=2))[1].mean())

    assert robot_at(frames[0]) < 60
    assert robot_at(frames[-1]) > 250


def test_both_pictures_are_named(frames):
    first = frames[0]
    for left, text in ((0, "from outside"), (WIDTH - VIEW_HEIGHT, "robot's head camera")):
        wide = round(ImageFont.load_default(18).getlength(text))
        name = first[12:30, left + caption.MARGIN : left + caption.MARGIN + wide].astype(int)
        assert (np.abs(name - caption.BACKGROUND).max(axis=2) < 40).mean() > 0.4, "its ground"
        assert (np.abs(name - caption.GREY).max(axis=2) < 60).sum() > 100, "its letters"


def test_failure_is_red_and_success_is_green(frames):
    panel = np.s_[VIEW_HEIGHT:, caption.COLUMN + 5 :]

    def amount(picture: Image, tone: str) -> int:
        distance = np.abs(picture[panel].astype(int) - np.array(caption.TONES[tone])).max(axis=2)
        return int((distance < 40).sum())

    greens = [amount(picture, "good") for picture in frames[::5]]
    reds = [amount(picture, "bad") for picture in frames[::5]]
    first_green = next(number for number, amount in enumerate(greens) if amount > 80)
    first_red = next(number for number, amount in enumerate(reds) if amount > 80)
    assert 0 < first_green < first_red, "the second pick is refused, the first is not"


def test_an_interrupted_video_can_be_played(tmp_path):
    robot = FilmedTinyRobot()
    assert isinstance(robot, Filmable)
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    writer.on(PlannerAnswered(1, Decision((Subtask("Go to", "ball"),))))
    writer.close()
    writer.close()
    assert len(pictures(tmp_path / "video.mp4")) == 1 + round(1.2 * FPS)  # the picture, and its text held


def test_a_robot_that_nobody_films_shows_what_it_saw(tmp_path):
    robot = TinyRobot()
    assert not isinstance(robot, Filmable)
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    writer.on(PlannerAnswered(1, Decision((Subtask("Go to", "ball"),))))
    writer.close()
    assert len(pictures(tmp_path / "video.mp4")) == 1 + round(1.2 * FPS)  # the picture, and its text held


class Tape:
    """In place of a file: the frames as they are before they are compressed."""

    def __init__(self) -> None:
        self.frames: list[Image] = []

    def add_stream(self, codec, **settings):
        return self

    def encode(self, frame):
        self.frames += [] if frame is None else [frame.to_ndarray(format="rgb24")]
        return ()

    def close(self) -> None:
        pass

    def held(self) -> list[int]:
        """How many frames each picture with another panel stands still."""
        panels = [frame[VIEW_HEIGHT:].tobytes() for frame in self.frames]
        starts = [n for n, panel in enumerate(panels) if n == 0 or panel != panels[n - 1]]
        return [end - start for start, end in zip(starts, [*starts[1:], len(panels)], strict=True)]


@pytest.fixture
def tape(monkeypatch):
    tape = Tape()
    monkeypatch.setattr(av, "open", lambda *_, **__: tape)
    return tape


class Slow(FilmedTinyRobot):
    """Takes its time to be filmed, on a clock of its own; its head sees a wide and low picture."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.now, self.seconds = 0.0, seconds
        self.filmed, self.targets, self.heights, self.looks = [], [], [], 0

    def film(self, width, height, target=""):
        self.now += self.seconds
        self.filmed.append((width, height))
        self.targets.append(target)
        return super().film(width, height)

    def look(self, camera, height=None):
        self.looks += 1
        self.heights.append(height)
        return np.full((32, 64, 3), 40 * self.looks, np.uint8)


PICK = Subtask("Pick", "ball")


def record(number: int, stamp: float, seconds: float = 0.0, feedback: Feedback = SUCCESS) -> RoundRecord:
    attempts = (Attempt(1, "pick", Outcome.SUCCEEDED, "", seconds, 9),)
    return RoundRecord(number, Decision(()), Execution(PICK, "", (), attempts, feedback), ("ball",), stamp, {})


def test_what_is_written_under_the_pictures(tape):
    robot = FilmedTinyRobot()
    writer = VideoWriter(Path("video.mp4"), robot)

    def panel(**texts: object) -> None:
        expected = draw_caption(Caption(**{**written, **texts}, speed=4.0))
        np.testing.assert_array_equal(tape.frames[-1][VIEW_HEIGHT:], expected)

    writer.on(EpisodeStarted("pick the ball"))
    planner_input = PlannerInput("task", 3, {"front": np.zeros((4, 4, 3), np.uint8)}, (), (), (), None, (), ())
    writer.on(PlannerAsked(planner_input, robot.observe()))
    writer.on(PlannerAnswered(3, Decision((PICK, Subtask("Go to", "box")), "because", "octo")))
    written = {"task": "pick the ball", "round": 3, "decision": "[Pick, ball], [Go to, box]", "analysis": "because"}
    written["model"] = "octo"
    panel()
    writer.on(SubtaskStarted(3, PICK))
    robot.stamp = 8.0
    writer.on(PeriodPassed(robot.observe()))
    panel(state="[Pick, ball] ...", tone="plain", clock=8.0)
    writer.on(AttemptEnded(Attempt(1, "tiny pick", Outcome.SUCCEEDED, "fine", 1.0, 9)))
    robot.stamp = 16.0
    writer.on(PeriodPassed(robot.observe()))
    panel(state="[Pick, ball] ...", clock=16.0)
    writer.on(AttemptEnded(Attempt(2, "tiny pick", Outcome.FAILED, "it slipped", 1.0, 9)))
    robot.stamp = 24.0
    writer.on(PeriodPassed(robot.observe()))
    panel(state="attempt 2 with tiny pick: it slipped", tone="bad", clock=24.0)
    writer.on(SubtaskRecorded(record(3, 24.0)))
    first = ("[Pick, ball]", True)
    panel(state="success", tone="good", inventory="ball", history=(first,), clock=24.0)
    lost = replace(record(3, 24.0, feedback=Feedback("fail", ErrorCode.E2, "it is gone")), inventory=())
    writer.on(SubtaskRecorded(lost))
    history = (first, ("[Pick, ball] E2", False))
    panel(state="E2: it is gone", tone="bad", inventory="nothing", history=history, clock=24.0)
    writer.on(PlannerAnswered(4, Decision(())))
    written |= {"decision": "", "analysis": "", "model": "", "history": history, "clock": 24.0}
    panel(state="", tone="bad")
    for ended_by in get_args(EndedBy):
        result = EpisodeResult("pick the ball", ended_by, 4, (), (), 24.0, who="person")
        writer.on(EpisodeEnded(result))
        panel(state="the person ended the task" if ended_by == "ended" else result.ending, tone="plain")


def test_how_long_each_picture_stands_still(tape):
    robot = FilmedTinyRobot()
    writer = VideoWriter(Path("video.mp4"), robot)
    writer.on(PlannerAnswered(1, Decision((PICK,))))  # 1 frame of now, and 1.2 s
    writer.on(SubtaskStarted(1, PICK))
    robot.stamp = 2.0
    writer.on(PeriodPassed(robot.observe()))  # 2 s of the robot are 7.5 frames of four times the speed
    writer.on(SubtaskRecorded(record(1, 2.0)))  # 1 frame, and 0.6 s
    robot.stamp = 6.0
    writer.on(EpisodeEnded(EpisodeResult("task", "ended", 1, (), (), 6.0)))  # 4 s are 15 frames, and 2 s
    assert tape.held() == [19, 8, 10, 45]
    assert {frame.shape for frame in tape.frames} == {(640, 1280, 3)}
    tape.frames.clear()
    writer = VideoWriter(Path("video.mp4"), robot, speed=30.0, hold=3.0)
    writer.on(PlannerAnswered(1, Decision((PICK,))))
    robot.stamp = 26.0
    writer.on(SubtaskRecorded(record(1, 26.0)))
    assert tape.held() == [46, 10 + 1 + 22]


def test_filming_that_takes_long_is_done_less_often_and_smaller(tape, monkeypatch):
    for seconds, sizes in ((0.15, [(848, 432), (848, 432)]), (0.5, [(848, 432), (424, 216)])):
        robot = Slow(seconds)
        with monkeypatch.context() as patched:
            patched.setattr(time, "perf_counter", lambda robot=robot: robot.now)
            writer = VideoWriter(Path("video.mp4"), robot)
            for stamp in (1.0, 1.5, 1.7, 2.9, 3.0):  # 4 * 0.5 s later, or 4 * 0.15 s
                robot.stamp = stamp
                writer.on(PeriodPassed(robot.observe()))
        assert robot.filmed[:2] == sizes and len(robot.filmed) == {0.15: 3, 0.5: 2}[seconds]
    quick = Slow()
    writer = VideoWriter(Path("video.mp4"), quick)
    with monkeypatch.context() as patched:
        patched.setattr(time, "perf_counter", lambda: 0.0)
        for stamp in (0.0, 0.25, 0.27, 0.5, 0.54):  # 4 / 15 s apart
            quick.stamp = stamp
            writer.on(PeriodPassed(quick.observe()))
    assert len(quick.filmed) == 3


def test_the_eye_of_the_robot_is_asked_for_every_second_picture(tape):
    robot = Slow()
    writer = VideoWriter(Path("video.mp4"), robot)
    shades = []
    for stamp in range(5):
        robot.stamp = float(stamp)
        writer.on(PeriodPassed(robot.observe()))
        view = tape.frames[-1][:VIEW_HEIGHT, WIDTH - VIEW_HEIGHT :]
        shades.append(int(view[216, 216, 0]))
        assert not view[60:108].any() and view[108:324, 0].all() and not view[324:].any(), "in the middle"
    assert shades == [40, 40, 80, 80, 120] and robot.heights == [VIEW_HEIGHT] * 3, "at the size at which it is shown"


def test_a_picture_that_a_skill_has_seen_is_shown_again_where_pictures_take_long(tape, monkeypatch):
    robot = Slow(0.5)
    monkeypatch.setattr(time, "perf_counter", lambda: robot.now)
    writer = VideoWriter(Path("video.mp4"), robot)
    for stamp in (1.0, 6.0, 12.0):
        robot.stamp = stamp
        writer.on(PeriodPassed(robot.observe(("head",))))
    head = Picture.fromarray(robot.observe(("head",)).frames["head"].rgb).resize((432, 432), 2)
    np.testing.assert_array_equal(tape.frames[-1][40:VIEW_HEIGHT, -432:], np.asarray(head)[40:])
    assert robot.looks == 0


def test_the_camera_outside_gets_what_the_robot_is_busy_with(tape):
    robot = Slow()
    writer = VideoWriter(Path("video.mp4"), robot)
    writer.on(PlannerAnswered(1, Decision((PICK,))))
    for number, subtask in enumerate((PICK, Subtask("Put", "ball", "box"), Subtask("Go to", "kitchen")), start=1):
        writer.on(SubtaskStarted(number, subtask))
        robot.stamp = 5.0 * number
        writer.on(PeriodPassed(robot.observe()))
    assert robot.targets == ["", "ball", "box", "kitchen"]


def test_the_end_is_a_card_with_what_the_planner_claims(tape):
    robot = FilmedTinyRobot()
    writer = VideoWriter(Path("video.mp4"), robot)
    failed = Feedback("fail", ErrorCode.E1, "it slipped")
    history = (HistoryItem(1, PICK, failed), HistoryItem(2, PICK, SUCCESS), HistoryItem(3, END, SUCCESS))
    writer.on(EpisodeEnded(EpisodeResult("task", "ended", 3, history, (), 24.0, report="failure")))
    lines = ("3 rounds, 24 s of robot time", "1 of 2 subtasks succeeded", "The planner says that the task is not done.")
    outside = label(robot.film(WIDTH - VIEW_HEIGHT, VIEW_HEIGHT), "from outside")
    card = draw_card(outside, "The planner ended the task.", lines)
    np.testing.assert_array_equal(tape.frames[-1][:VIEW_HEIGHT, : WIDTH - VIEW_HEIGHT], card)


def test_a_thin_picture_is_a_line_and_a_high_one_stands_in_the_middle(tape):
    robot = Slow()
    for picture, rows, columns in (
        (np.full((1, 2000, 3), 200, np.uint8), slice(215, 216), slice(0, 432)),
        (np.full((2000, 1, 3), 200, np.uint8), slice(0, 432), slice(215, 216)),
        (np.full((432, 216, 3), 200, np.uint8), slice(0, 432), slice(108, 324)),
        (np.full((216, 432, 3), 200, np.uint8), slice(108, 324), slice(0, 432)),
    ):
        robot.look = lambda camera, height=None, picture=picture: picture
        VideoWriter(Path("video.mp4"), robot).on(PeriodPassed(robot.observe()))
        expected = np.zeros((432, 432, 3), np.uint8)
        expected[rows, columns] = 200
        np.testing.assert_array_equal(tape.frames[-1][40:432, 848:], expected[40:])


def test_where_nobody_films_it_shows_the_front_at_the_start_of_the_round(tape):
    robot = TinyRobot()
    writer = VideoWriter(Path("video.mp4"), robot)
    writer.on(PeriodPassed(robot.observe()))
    name = np.asarray(label(np.zeros((432, 848, 3), np.uint8), "front camera, at the start of the round"))
    np.testing.assert_array_equal(tape.frames[-1][:432, :848], name)
    head = Picture.fromarray(robot.observe(("head",)).frames["head"].rgb).resize((432, 432), 2)
    right = label(np.asarray(head), "robot's head camera")
    np.testing.assert_array_equal(tape.frames[-1][:432, 848:], right)
    front = robot.observe(("front",)).frames["front"].rgb
    writer.on(PlannerAsked(PlannerInput("task", 1, {"front": front}, (), (), (), None, (), ()), robot.observe()))
    robot.stamp = 9.0
    writer.on(PeriodPassed(robot.observe()))
    expected = np.zeros((432, 848, 3), np.uint8)
    expected[:, 208:640] = head
    np.testing.assert_array_equal(tape.frames[-1][40:432, :848], expected[40:])
    filmed = FilmedTinyRobot()
    VideoWriter(Path("video.mp4"), filmed).on(PeriodPassed(filmed.observe()))
    np.testing.assert_array_equal(tape.frames[-1][:432, :848], label(filmed.film(848, 432), "from outside"))


def test_how_it_is_compressed_is_in_the_file(tmp_path):
    writer = VideoWriter(tmp_path / "video.mp4", FilmedTinyRobot())
    writer.on(PlannerAnswered(1, Decision((PICK,))))
    writer.close()
    data = (tmp_path / "video.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    assert b"crf=24.0" in data and b"subme=2 " in data and b"rc_lookahead=10 " in data, "x264 says it: veryfast"


def test_what_a_frame_shows_is_when_it_was():
    # A text stands still for 19 frames, what became of it for 10, the end for 31; 30 frames show how the robot moves.
    frames = frame_stamps([record(1, 2.0, 2.0)], 90)
    steady = (np.arange(30) + 0.5) / 30 * 2.0
    np.testing.assert_allclose(frames, [*[0.0] * 19, *steady, *[2.0] * 41], atol=1e-9)
    # Two subtasks of one decision, and a second decision half a second later
    frames = frame_stamps(
        [record(1, 1.0, 1.0), record(1, 2.0, 1.0), record(2, 2.5, 0.5)], 19 + 10 + 10 + 19 + 10 + 31 + 50
    )
    moving = [(np.arange(20) + 0.5) / 20 + start for start in (0.0, 1.0)]
    last = (np.arange(10) + 0.5) / 20 + 2.0
    expected = [*[0.0] * 19, *moving[0], *[1.0] * 10, *moving[1], *[2.0] * 29, *last, *[2.5] * 41]
    np.testing.assert_allclose(frames, expected, atol=1e-9)
    np.testing.assert_array_equal(frame_stamps([record(1, 4.0)], 60), [4.0] * 60), "nothing has moved"
    assert np.interp(19.0, np.arange(40) + 0.5, frame_stamps([record(1, 0.5, 0.5)], 40)) == pytest.approx(0.25, abs=0.2)
    overlapping = frame_stamps([record(1, 2.0, 2.0), record(2, 3.0, 2.0)], 300)
    assert (np.diff(overlapping) >= 0).all() and overlapping[0] == 0.0 and overlapping[-1] == 3.0


@given(st.text(max_size=400), st.integers(30, 400))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    font = ImageFont.load_default(18)
    assert isinstance(font, ImageFont.FreeTypeFont)
    lines = wrap(text, font, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(font.getlength(line) <= width or len(line) == 1 for line in lines)


def test_a_letter_that_is_wider_than_a_line_has_a_line_of_its_own():
    font = ImageFont.load_default(18)
    assert isinstance(font, ImageFont.FreeTypeFont)
    assert wrap("WWW ab", font, 1) == ["W", "W", "W", "a", "b"]
    assert wrap("a b", font, 1000) == ["a b"] and wrap(" ", font, 10) == []
    width = round(font.getlength("WW"))
    assert wrap("WWWWW", font, width) == ["WW", "WW", "W"], "no earlier than it must be"


@given(st.text(max_size=600), st.text(max_size=200), st.lists(st.tuples(st.text(max_size=60), st.booleans())))
def test_any_text_can_be_drawn(text, state, history):
    panel = draw_caption(Caption(task=text, decision=text, analysis=text, state=state, history=tuple(history)))
    assert panel.shape == (caption.HEIGHT, caption.WIDTH, 3) and panel.dtype == np.uint8
    assert (panel[:, :8] == caption.BACKGROUND).all(), "the margin stays free"


# ------------------------------------------------------------------ picture by picture

FEEDBACK = Feedback("fail", ErrorCode.E1, "Unable to pick, the subtask is too difficult to perform")


def panel_shows(picture: Image, expected: Caption) -> bool:
    """Whether the panel of a picture is as it is drawn, but for what H.264 makes of it."""
    drawn = draw_caption(expected).astype(int)
    wrong = np.abs(picture[VIEW_HEIGHT:].astype(int) - drawn).max(axis=2) > 90
    ink = np.abs(drawn - caption.BACKGROUND).max(axis=2) > 90
    return bool(wrong.sum() < 0.03 * ink.sum())


def end_record(feedback: Feedback, *inventory: str) -> RoundRecord:
    return RoundRecord(2, Decision((PICK,)), Execution(PICK, "", (), (), feedback), inventory, 0.0, {})


def test_the_panel_says_what_happens_as_long_as_it_should(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)  # on a busy machine fewer pictures are taken
    robot = FilmedTinyRobot()
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    front = {"front": np.zeros((64, 64, 3), np.uint8)}
    writer.on(EpisodeStarted("put the ball away"))
    writer.on(PlannerAsked(PlannerInput("", 2, front, (), (), (), None, (), ()), robot.observe()))
    writer.on(PlannerAnswered(2, Decision((PICK, Subtask("End")), "It is near.", "octo")))
    caption_now = Caption("put the ball away", 2, "[Pick, ball], [End]", "It is near.", "octo", speed=4.0)
    parts = [(19, caption_now)]  # one picture, and 1.2 s of standing still

    def at(stamp: float) -> Observation:
        robot.stamp = stamp  # ten seconds and more apart: however slow this machine is, a picture is due
        return robot.observe()

    writer.on(SubtaskStarted(2, PICK))
    writer.on(PeriodPassed(at(12.0)))
    parts.append((45, caption_now.change(state="[Pick, ball] ...", clock=12.0)))
    writer.on(PeriodPassed(at(12.1)))  # too early for another picture
    writer.on(AttemptEnded(Attempt(1, "tiny pick", Outcome.FAILED, "it slipped", 1.0, 9)))
    writer.on(PeriodPassed(at(24.0)))
    failed = "attempt 1 with tiny pick: it slipped"
    parts.append((45, caption_now.change(state=failed, tone="bad", clock=24.0)))
    writer.on(AttemptEnded(Attempt(2, "tiny pick", Outcome.SUCCEEDED, "", 1.0, 9)))
    at(26.0)
    writer.on(SubtaskRecorded(end_record(FEEDBACK, "ball", "box")))
    after = caption_now.change(state=f"E1: {FEEDBACK.message}", tone="bad", inventory="ball box", clock=26.0)
    after = after.change(history=(("[Pick, ball] E1", False),))
    parts.append((8 + 1 + 9, after))  # 7.5 frames of way, and 0.6 s
    at(28.0)
    writer.on(SubtaskRecorded(end_record(Feedback("success"))))
    after = after.change(state="success", tone="good", inventory="nothing", clock=28.0)
    after = after.change(history=(("[Pick, ball] E1", False), ("[Pick, ball]", True)))
    parts.append((7 + 1 + 9, after))  # the half frame that was shown too much is taken off
    at(28.0)
    writer.on(EpisodeEnded(EpisodeResult("", "ended", 2, (), (), 28.0)))
    parts.append((1 + 30, after.change(state="the planner ended the task", tone="plain")))
    frames = pictures(tmp_path / "video.mp4")
    assert len(frames) == sum(count for count, _ in parts)
    first = 0
    for count, expected in parts:
        for number in (first, first + count // 2, first + count - 1):
            assert panel_shows(frames[number], expected), expected
        first += count
    assert not panel_shows(frames[0], parts[1][1]) and not panel_shows(frames[-1], parts[-2][1])
