"""The video: decoded for real, it shows what happened, also after an interrupt."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from homie import caption, session
from homie.caption import Caption, draw_caption, wrap
from homie.interfaces import Filmable
from homie.types import Decision, Image, Subtask
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


@given(st.text(max_size=600), st.text(max_size=200), st.lists(st.tuples(st.text(max_size=60), st.booleans())))
def test_any_text_can_be_drawn(text, state, history):
    panel = draw_caption(Caption(task=text, decision=text, analysis=text, state=state, history=tuple(history)))
    assert panel.shape == (caption.HEIGHT, caption.WIDTH, 3) and panel.dtype == np.uint8
    assert (panel[:, :8] == caption.BACKGROUND).all(), "the margin stays free"
