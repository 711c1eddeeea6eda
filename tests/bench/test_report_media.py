"""Pictures and videos of a report: which are in the page, which are linked, and how large they are."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from urllib.parse import unquote

import av
import numpy as np
import pytest
from bench_runs import DONE, rounds
from PIL import Image as Picture

from homie.bench.report.media import FAILURES, Media, Views
from homie.bench.report.runs_and_episodes import Outcome, PageEpisode, Round
from homie.kernel.types import VIEWS

(RECORD, *_) = rounds(DONE)
PREFIX = "data:video/mp4;base64,"


def episode(folder: Path, outcome: Outcome = "succeeded", count: int = 1) -> PageEpisode:
    folder.mkdir(parents=True, exist_ok=True)
    some = tuple(Round(number, (RECORD,)) for number in range(1, count + 1))
    return PageEpisode(
        run="run", name=folder.name, task="task", text="text", trial=0, folder=folder, outcome=outcome, rounds=some
    )


def picture(episode: PageEpisode, number: int, view: str, colour: int = 0, size: tuple[int, int] = (64, 48)) -> Path:
    path = episode.folder / "frames" / f"round-{number:02d}-{view}.png"
    path.parent.mkdir(exist_ok=True)
    noise = np.random.default_rng(colour).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    Picture.fromarray(noise).save(path)
    return path


def decode_image(url: str) -> Picture.Image:
    head, _, data = url.partition(",")
    assert head == "data:image/webp;base64"
    return Picture.open(io.BytesIO(base64.b64decode(data)))


def test_what_there_is_to_show(tmp_path: Path) -> None:
    shown_episode = episode(tmp_path / "e")
    picture(shown_episode, 1, "left"), picture(shown_episode, 1, "front"), picture(shown_episode, 12, "back")
    media = Media(tmp_path, width=100)
    assert (
        media.views(shown_episode, 1) == ("front", "left")
        and media.views(shown_episode, 12) == ("back",)
        and media.views(shown_episode, 2) == ()
    )
    assert Media(tmp_path, width=0).views(shown_episode, 1) == ()
    assert not media.has_video(shown_episode)
    (shown_episode.folder / "video.mp4").write_bytes(b"")
    assert not media.has_video(shown_episode)
    (shown_episode.folder / "video.mp4").write_bytes(b"1")
    assert media.has_video(shown_episode)


def test_pictures_are_inside_made_smaller_and_their_files_are_linked(tmp_path: Path) -> None:
    shown_episode = episode(tmp_path / "an episode")
    picture(shown_episode, 1, "front", 1, (640, 480)), picture(shown_episode, 1, "left", 2, (60, 600))
    (tmp_path / "pages").mkdir()
    media = Media(tmp_path / "pages", width=64)
    (views,) = media.gather([shown_episode], 10**6)
    assert list(views.pictures) == ["1-front", "1-left"] and (views.video, views.poster, media.linked) == ("", "", 0)
    assert decode_image(views.pictures["1-front"]).size == (64, 48)
    assert decode_image(views.pictures["1-left"]).size == (26, 256), "no higher than four times the width"
    assert views.full == {
        "1-front": "../an%20episode/frames/round-01-front.png",
        "1-left": "../an%20episode/frames/round-01-left.png",
    }
    assert decode_image(views.pictures["1-front"]).mode == "RGB" and views.shown == views.pictures
    (without_room,) = Media(tmp_path, width=0).gather([shown_episode], 10**6)
    assert without_room == Views({}, {}, "", "")


def test_a_picture_like_an_earlier_one_of_the_episode_is_named(tmp_path: Path) -> None:
    shown_episode, other = episode(tmp_path / "a", count=3), episode(tmp_path / "b")
    for number in (1, 2, 3):
        picture(shown_episode, number, "front", number % 2)
    picture(other, 1, "front", 1)
    first, second = Media(tmp_path, width=64).gather([shown_episode, other], 10**6)
    assert first.pictures["3-front"] == "1-front" and first.pictures["2-front"].startswith("data:")
    assert second.pictures["1-front"] == first.pictures["1-front"], "only in one episode"
    assert list(first.full) == ["1-front", "2-front", "3-front"]


def test_from_the_first_picture_without_room_all_are_linked(tmp_path: Path) -> None:
    shown_episode, other = episode(tmp_path / "a", count=3), episode(tmp_path / "b")
    for number, size in ((1, (32, 24)), (2, (64, 64)), (3, (32, 24))):
        picture(shown_episode, number, "front", number, size)
    picture(other, 1, "front", 9)
    ((every, *_), _) = sizes(Media(tmp_path, width=64).gather([shown_episode, other], 10**6))
    small = every["1-front"]
    for room, inside, linked in ((small, ["1-front"], 3), (small - 1, [], 4), (small + 10, ["1-front"], 3), (0, [], 4)):
        media = Media(tmp_path, width=64)
        first, second = media.gather([shown_episode, other], room)
        assert [name for name, url in first.pictures.items() if url.startswith("data:")] == inside
        assert second.pictures["1-front"] == "b/frames/round-01-front.png" and media.linked == linked
        assert all((tmp_path / unquote(link)).is_file() for link in first.full.values())


def sizes(gathered: list[Views]) -> tuple[tuple[dict[str, int], ...], int]:
    each = tuple({name: len(url) for name, url in views.pictures.items()} for views in gathered)
    return each, sum(sum(pictures.values()) for pictures in each)


def test_a_torn_picture_is_left_out(tmp_path: Path) -> None:
    shown_episode = episode(tmp_path / "a")
    path = picture(shown_episode, 1, "front", 1, (200, 200))
    path.write_bytes(path.read_bytes()[:5000])
    picture(shown_episode, 1, "right", 2)
    (views,) = Media(tmp_path, width=64).gather([shown_episode], 10**6)
    assert list(views.pictures) == list(views.full) == ["1-right"]


def video(path: Path, size: int) -> None:
    path.write_bytes(b"\0" * size)


@pytest.mark.parametrize(("size", "length"), [(3, 4), (4, 8), (6, 8), (1, 4)])
def test_a_video_is_inside_where_it_has_room(tmp_path: Path, size: int, length: int) -> None:
    shown_episode = episode(tmp_path / "a b")
    video(shown_episode.folder / "video.mp4", size)
    url = PREFIX + base64.b64encode(b"\0" * size).decode()
    assert len(url) == len(PREFIX) + length
    for room, address, linked in ((len(url), url, 0), (len(url) - 1, "a%20b/video.mp4", 1)):
        media = Media(tmp_path, width=64)
        (views,) = media.gather([shown_episode], room)
        assert (views.video, views.poster, media.linked, views.shown) == (address, "", linked, {"video": address})


def test_which_videos_come_first(tmp_path: Path) -> None:
    assert FAILURES == ("failed", "lost", "unfinished", "out of rounds")
    outcomes: tuple[Outcome, ...] = (
        "succeeded",
        "said End",
        "not scored",
        "failed",
        "lost",
        "unfinished",
        "out of rounds",
    )
    episodes = [episode(tmp_path / str(number), outcome) for number, outcome in enumerate(outcomes)]
    for number, shown_episode in enumerate(episodes):
        video(shown_episode.folder / "video.mp4", 300 - 30 * number if number < 3 else 600)
    room = 4 * (len(PREFIX) + 800) + len(PREFIX) + 320
    views = Media(tmp_path, width=0).gather(episodes, room)
    assert [entry.video.startswith("data:") for entry in views] == [False, False, True, True, True, True, True]


def film(path: Path, size: tuple[int, int] = (1280, 64)) -> None:
    """Ten red frames, then ten green ones; a key frame every five."""
    with av.open(path, "w") as out:
        stream = out.add_stream("mpeg4", rate=5)
        stream.width, stream.height = size
        stream.gop_size = 5
        for number in range(20):
            colour = (200, 30, 30) if number < 8 else (30, 200, 30)
            pixels = np.full((size[1], size[0], 3), colour, np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(pixels)))
        out.mux(stream.encode())


def test_a_poster_is_from_the_middle_of_a_video(tmp_path: Path) -> None:
    shown_episode = episode(tmp_path / "a")
    film(shown_episode.folder / "video.mp4")
    (views,) = Media(tmp_path, width=64).gather([shown_episode], 10**7)
    poster = decode_image(views.poster)
    red, green, _ = poster.convert("RGB").getpixel((320, 16))
    assert poster.size == (640, 32) and green > 150 > red and list(views.shown) == ["video", "poster"]
    (fits,) = Media(tmp_path, width=64).gather([shown_episode], len(views.poster))
    (not_quite,) = Media(tmp_path, width=64).gather([shown_episode], len(views.poster) - 1)
    assert (fits.poster, not_quite.poster) == (views.poster, "")
    assert fits.video == not_quite.video == "a/video.mp4", "the poster takes room, too"
    (both,) = Media(tmp_path, width=64).gather([shown_episode], len(views.poster) + len(views.video))
    (without,) = Media(tmp_path, width=64).gather([shown_episode], len(views.poster) + len(views.video) - 1)
    assert both.video == views.video and without.video == "a/video.mp4"


def test_names_of_views() -> None:
    assert VIEWS == ("front", "left", "back", "right") and Views().shown == {}
