"""The pictures whose paths an executor sends: which trial they belong to, and opening no other files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import PIL.Image

from homie.kernel.support.files import reason_of
from homie.kernel.types import VIEWS, Image
from planners.emmoe.wire import SENT_ORDER, Malformed

LARGEST = 4096
"""Pixels of a side of the largest picture."""
_NAME = re.compile(r"subtask(\d{1,4})_(front|left|back|right)\.png")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an executor is, as the path of a picture has it: `.../TASK/TRIAL/subtaskROUND_VIEW.png`."""

    task: str
    trial: int
    round: int


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """The folder of an executor's pictures.

    Attributes:
        folder: Nothing outside of it is opened.
        start: Where relative paths begin: the folder that the executor works in.
    """

    folder: Path
    start: Path

    def read(self, path: str) -> Image:
        """A picture (H, W, 3) uint8. Raises Malformed."""
        try:
            place = (self.start / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise Malformed(f"sent a path that is none ({reason_of(error)})") from error
        if not place.is_relative_to(self.folder.resolve()):
            raise Malformed(
                f"sent the path {path[:200]!r}, which is outside of {self.folder}: give the folder of its pictures as"
                " --pictures, and the one that relative paths begin in as --executor-folder"
            )
        try:
            with PIL.Image.open(place, formats=("PNG", "JPEG")) as picture:
                if max(picture.size) > LARGEST:
                    raise ValueError(f"it is larger than {LARGEST} x {LARGEST} pixels")
                return np.array(picture.convert("RGB"), dtype=np.uint8)
        except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError) as error:
            raise Malformed(
                f"sent the path {path[:200]!r}, of which no picture can be read: {reason_of(error)}"
            ) from error


def place_of(paths: tuple[str, ...]) -> Place | None:
    """Task, trial and round by the paths of four pictures, where they are named as those of the released executor and
    agree; else None."""
    names = [Path(path) for path in paths]
    matches = [_NAME.fullmatch(name.name) for name in names]
    parents = {name.parent for name in names}
    rounds = {match[1] for match in matches if match}
    if (
        None in matches
        or len(parents) != 1
        or len(rounds) != 1
        or {match[2] for match in matches if match} != set(VIEWS)
    ):
        return None
    (parent,) = parents
    if not parent.name.isdecimal() or not parent.parent.name:
        return None
    return Place(parent.parent.name, int(parent.name), int(rounds.pop()))


def by_view(paths: tuple[str, ...], *, named: bool) -> dict[str, str]:
    """Paths by view.

    Args:
        paths: As they were sent.
        named: By their names. Otherwise by the order that EMMOE's prompt promises, whatever the pictures show, as the
            released code takes them.
    """
    if not named:
        return dict(zip(VIEWS, paths, strict=True))
    matches = [_NAME.fullmatch(Path(path).name) for path in paths]
    views = {match[2]: path for match, path in zip(matches, paths, strict=True) if match}
    if set(views) == set(VIEWS):
        return {view: views[view] for view in VIEWS}
    sent = dict(zip(SENT_ORDER["strict"], paths, strict=True))
    return {view: sent[view] for view in VIEWS}
