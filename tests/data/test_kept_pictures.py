"""The pictures of a data set: each once, linked or copied, and none of a damaged file."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from PIL import Image as Picture

from homie.data.episode import SkippedEpisode
from homie.data.pictures import PictureStore, blank, digest, read_picture, whole


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "front.png"
    Picture.fromarray(np.arange(24 * 32 * 3, dtype=np.uint8).reshape(24, 32, 3)).save(path)
    return path


def test_the_same_picture_is_kept_once_under_what_is_in_it(tmp_path, picture):
    store = PictureStore(tmp_path / "set/images")
    again = tmp_path / "again.png"
    again.write_bytes(picture.read_bytes())
    sample = np.full((8, 9, 3), 7, np.uint8)
    names = [store.name(picture), store.name(again), store.name(sample), store.name(sample)]
    assert names[0] == names[1] == digest(picture.read_bytes()) + ".png" != names[2] == names[3]
    assert not store.folder.exists(), "nothing is kept before the episode is known to be whole"
    store.settle()
    assert sorted(path.name for path in store.folder.iterdir()) == sorted(set(names))
    assert np.array_equal(read_picture(store.folder / names[2]), sample)
    assert (store.folder / names[0]).read_bytes() == picture.read_bytes()
    store.name(np.zeros((4, 4, 3), np.uint8))
    store.forget()
    store.settle()
    assert len(list(store.folder.iterdir())) == 2


@pytest.mark.parametrize("code", [errno.EXDEV, errno.EPERM, errno.EMLINK])
def test_where_a_file_cannot_be_linked_it_is_copied(tmp_path, picture, monkeypatch, code):
    def refuse(*_):
        raise OSError(code, "it cannot be done here")

    monkeypatch.setattr(os, "link", refuse)
    store = PictureStore(tmp_path / "set/images")
    name = store.name(picture)
    store.settle()
    assert (store.folder / name).read_bytes() == picture.read_bytes()
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["images"], "no temporary file is left"


def test_a_disk_that_fails_is_not_passed_over(tmp_path, picture, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", fail)
    store = PictureStore(tmp_path / "set/images")
    store.name(picture)
    with pytest.raises(OSError, match="No space left"):
        store.settle()


def test_what_is_no_whole_picture_is_left_out(tmp_path, picture):
    data = picture.read_bytes()
    assert whole(picture) == data
    jpeg = tmp_path / "side.jpg"
    Picture.fromarray(np.zeros((8, 8, 3), np.uint8)).save(jpeg)
    assert whole(jpeg) == jpeg.read_bytes() and PictureStore(tmp_path).name(jpeg).endswith(".jpg")
    for content, sentence in (
        (data[:-1], "is cut off"),
        (b"", "is neither PNG nor JPEG"),
        (b"GIF89a", "is neither PNG"),
    ):
        picture.write_bytes(content)
        with pytest.raises(SkippedEpisode, match=f"^damaged: front.png {sentence}"):
            whole(picture)
    picture.unlink()
    for read in (whole, read_picture, blank):
        with pytest.raises(SkippedEpisode, match=r"^damaged: front\.png cannot be read"):
            read(picture)


def test_a_blank_picture_has_the_size_of_the_file(tmp_path, picture):
    assert blank(picture).shape == (24, 32, 3) and not blank(picture).any()
    jpeg = tmp_path / "side.jpg"
    Picture.fromarray(np.full((10, 20, 3), 200, np.uint8)).save(jpeg)
    assert blank(jpeg).shape == (10, 20, 3) and not blank(jpeg).any()
