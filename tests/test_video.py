"""The video: decoded for real, it shows what happened, also after an interrupt."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from homie import caption, session
from homie.agent import EpisodeResult
from homie.caption import Caption, draw_caption, wrap
from homie.interfaces import Filmable
from homie.types import (
    Attempt,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    Image,
    Observation,
    Outcome,
    PlannerInput,
    RoundRecord,
    Subtask,
)
from homie.video import FPS, HEIGHT, SPEED, VIEW_HEIGHT, WIDTH, VideoWriter


def pictures(path: Path) -> list[Image]:
    """The pictures that a player shows."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """The video of an episode in the tiny world, robot time in seconds."""
    from homie.options import RunOptions

    folder = tmp_path_factory.mktemp("video")
    (folder / "plan.txt").write_text("Go to | ball\nPick | ball\nPick | ball\nEnd")
    tiny = dict.fromkeys(("robot", "skills", "detector", "targets"), "tiny")
    planner = f"lines:{folder}/plan.txt"
    options = RunOptions.build(task="pick the ball", planner=planner, out=folder / "run", frames=False, **tiny)
    summary = session.run(options)
    assert summary.video is not None
    return summary.video, summary.result.robot_seconds


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


def test_it_lasts_as_long_as_the_episode_and_its_texts(video):
    path, robot_seconds = video
    texts = 4 * (1.2 + 0.6) * FPS + 2 * FPS  # four rounds of decision and feedback, and the end
    assert len(pictures(path)) == pytest.approx(robot_seconds / SPEED * FPS + texts, rel=0.25)


def test_the_robot_moves_in_the_third_person_view(video):
    shown = pictures(video[0])
    view = np.s_[:VIEW_HEIGHT, : WIDTH - VIEW_HEIGHT]

    def robot_at(picture: Image) -> float:
        return float(np.nonzero((picture[view] > 210).all(axis=2))[1].mean())

    assert robot_at(shown[0]) < 60
    assert robot_at(shown[-1]) > 250


def test_both_pictures_are_named(video):
    first = pictures(video[0])[0]
    for left, text in ((0, "from outside"), (WIDTH - VIEW_HEIGHT, "robot's head camera")):
        wide = round(ImageFont.load_default(18).getlength(text))
        name = first[12:30, left + caption.MARGIN : left + caption.MARGIN + wide].astype(int)
        assert (np.abs(name - caption.BACKGROUND).max(axis=2) < 40).mean() > 0.4, "its ground"
        assert (np.abs(name - caption.GREY).max(axis=2) < 60).sum() > 100, "its letters"


def test_failure_is_red_and_success_is_green(video):
    shown = pictures(video[0])
    panel = np.s_[VIEW_HEIGHT:, caption.COLUMN + 5 :]

    def amount(picture: Image, tone: str) -> int:
        distance = np.abs(picture[panel].astype(int) - np.array(caption.TONES[tone])).max(axis=2)
        return int((distance < 40).sum())

    greens = [amount(picture, "good") for picture in shown]
    reds = [amount(picture, "bad") for picture in shown]
    first_green = next(number for number, amount in enumerate(greens) if amount > 80)
    first_red = next(number for number, amount in enumerate(reds) if amount > 80)
    assert 0 < first_green < first_red, "the second pick is refused, the first is not"


def test_an_interrupted_video_can_be_played(tmp_path):
    from homie_tiny import FilmedTinyRobot

    robot = FilmedTinyRobot()
    assert isinstance(robot, Filmable)
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    writer.decided(1, Decision((Subtask("Go to", "ball"),)))
    writer.close()
    writer.close()
    assert len(pictures(tmp_path / "video.mp4")) == 1 + round(1.2 * FPS)  # the picture, and its text held


def test_a_robot_that_nobody_films_shows_what_it_saw(tmp_path):
    from homie_tiny import TinyRobot

    robot = TinyRobot()
    assert not isinstance(robot, Filmable)
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    writer.decided(1, Decision((Subtask("Go to", "ball"),)))
    writer.close()
    assert len(pictures(tmp_path / "video.mp4")) == 1 + round(1.2 * FPS)  # the picture, and its text held


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
PICK = Subtask("Pick", "ball")


def panel_shows(picture: Image, expected: Caption) -> bool:
    """Whether the panel of a picture is as it is drawn, but for what H.264 makes of it."""
    drawn = draw_caption(expected).astype(int)
    wrong = np.abs(picture[VIEW_HEIGHT:].astype(int) - drawn).max(axis=2) > 90
    ink = np.abs(drawn - caption.BACKGROUND).max(axis=2) > 90
    return bool(wrong.sum() < 0.03 * ink.sum())


def ended(feedback: Feedback, *inventory: str) -> RoundRecord:
    return RoundRecord(2, Decision((PICK,)), Execution(PICK, "", (), (), feedback), inventory, 0.0, {})


def test_the_panel_says_what_happens_as_long_as_it_should(tmp_path):
    from homie_tiny import FilmedTinyRobot

    robot = FilmedTinyRobot()
    writer = VideoWriter(tmp_path / "video.mp4", robot)
    front = {"front": np.zeros((64, 64, 3), np.uint8)}
    writer.started("put the ball away")
    writer.observed(PlannerInput("", 2, front, (), (), (), None, (), ()), robot.observe())
    writer.decided(2, Decision((PICK, Subtask("End")), "It is near.", "octo"))
    said = Caption("put the ball away", 2, "[Pick, ball], [End]", "It is near.", "octo", speed=4.0)
    parts = [(19, said)]  # one picture, and 1.2 s of standing still

    def at(stamp: float) -> Observation:
        robot.stamp = stamp  # ten seconds and more apart: however slow this machine is, a picture is due
        return robot.observe()

    writer.executing(2, PICK)
    writer.ticked(at(12.0))
    parts.append((45, said.change(state="[Pick, ball] ...", clock=12.0)))
    writer.ticked(at(12.1))  # too early for another picture
    writer.attempted(Attempt(1, "tiny pick", Outcome.FAILED, "it slipped", 1.0, 9))
    writer.ticked(at(24.0))
    failed = "attempt 1 with tiny pick: it slipped"
    parts.append((45, said.change(state=failed, tone="bad", clock=24.0)))
    writer.attempted(Attempt(2, "tiny pick", Outcome.SUCCEEDED, "", 1.0, 9))
    at(26.0)
    writer.recorded(ended(FEEDBACK, "ball", "box"))
    after = said.change(state=f"E1: {FEEDBACK.message}", tone="bad", inventory="ball box", clock=26.0)
    after = after.change(history=(("[Pick, ball]", False),))
    parts.append((8 + 9, after))
    at(28.0)
    writer.recorded(ended(Feedback("success")))
    after = after.change(state="success", tone="good", inventory="nothing", clock=28.0)
    after = after.change(history=(("[Pick, ball]", False), ("[Pick, ball]", True)))
    parts.append((8 + 9, after))
    at(28.0)
    writer.finished(EpisodeResult("", "ended", 2, (), (), 28.0))
    parts.append((1 + 30, after.change(state="the planner has ended the task", tone="plain")))
    shown = pictures(tmp_path / "video.mp4")
    assert len(shown) == sum(count for count, _ in parts)
    first = 0
    for count, expected in parts:
        for number in (first, first + count // 2, first + count - 1):
            assert panel_shows(shown[number], expected), expected
        first += count
    assert not panel_shows(shown[0], parts[1][1]) and not panel_shows(shown[-1], parts[-2][1])


def test_when_rounds_run_out_it_says_so(tmp_path):
    from homie_tiny import FilmedTinyRobot

    writer = VideoWriter(tmp_path / "video.mp4", FilmedTinyRobot(), speed=2.0, hold=0.4)
    writer.decided(1, Decision((PICK,)))
    writer.recorded(ended(FEEDBACK))
    writer.finished(EpisodeResult("", "rounds", 1, (), (), 0.0))
    shown = pictures(tmp_path / "video.mp4")
    assert len(shown) == (1 + 6) + (1 + 3) + (1 + 30)
    end = Caption("", 0, "[Pick, ball]", state="out of rounds", history=(("[Pick, ball]", False),), speed=2.0)
    assert panel_shows(shown[-1], end)


class Painted:
    """A robot whose pictures have one colour each, and say which camera was asked for and how large."""

    eye = "head"

    def __init__(self, *, seconds: float = 0.0) -> None:
        self.asked: list[tuple[int, int]] = []
        self.looks = 0
        self.seconds = seconds

    def observe(self, cameras=()) -> Observation:
        from homie_tiny import TinyRobot

        return replace(TinyRobot().observe(), stamp=0.0)

    def film(self, width: int, height: int) -> Image:
        time.sleep(self.seconds)
        self.asked.append((width, height))
        return np.full((height, width, 3), (200, 40, 40), np.uint8)

    def look(self, camera: str) -> Image:
        assert camera == "head"
        self.looks += 1
        return np.full((100, 50, 3), (40, 40, 20 * self.looks), np.uint8)


def colour(picture: Image, row: int, column: int) -> np.ndarray:
    return picture[row - 4 : row + 4, column - 4 : column + 4].reshape(-1, 3).mean(axis=0)


def test_both_views_are_where_they_belong_and_keep_their_shape(tmp_path):
    robot = Painted()
    writer = VideoWriter(tmp_path / "video.mp4", robot, hold=0.0)
    for stamp in (0.0, 8.0, 16.0):
        robot.observe = lambda cameras=(), stamp=stamp: replace(Painted().observe(), stamp=stamp)
        writer.decided(1, Decision((PICK,)))
    writer.close()
    assert set(robot.asked) == {(WIDTH - VIEW_HEIGHT, VIEW_HEIGHT)} and len(robot.asked) == 3
    assert robot.looks == 2, "every second picture looks through the robot's eye"
    shown = pictures(tmp_path / "video.mp4")
    np.testing.assert_allclose(colour(shown[0], 200, 400), (200, 40, 40), atol=8)
    left = WIDTH - VIEW_HEIGHT
    # 100 x 50 pixels into 432 x 432: twice as high as wide, in the middle, the rest black
    for column, expected in ((left + 20, (0, 0, 0)), (left + 216, (40, 40, 20)), (WIDTH - 20, (0, 0, 0))):
        np.testing.assert_allclose(colour(shown[0], 300, column), expected, atol=8)
    row = shown[0][300, left:].astype(int).sum(axis=1) > 50
    assert row.sum() == pytest.approx(216, abs=3) and np.nonzero(row)[0][0] == pytest.approx(108, abs=3)
    np.testing.assert_allclose(colour(shown[-1], 300, left + 216), (40, 40, 40), atol=8)


def test_where_pictures_are_slow_they_are_smaller_and_fewer(tmp_path):
    robot = Painted(seconds=0.2)
    writer = VideoWriter(tmp_path / "video.mp4", robot, hold=0.0)
    writer.decided(1, Decision((PICK,)))
    writer.ticked(replace(robot.observe(), stamp=0.75))
    assert len(robot.asked) == 1, "0.2 s for a picture is 0.8 s of robot time at least"
    writer.ticked(replace(robot.observe(), stamp=12.0))
    writer.close()
    half = ((WIDTH - VIEW_HEIGHT) // 2, VIEW_HEIGHT // 2)
    assert robot.asked == [(WIDTH - VIEW_HEIGHT, VIEW_HEIGHT), half]
    np.testing.assert_allclose(colour(pictures(tmp_path / "video.mp4")[-1], 300, 800), (200, 40, 40), atol=8)
