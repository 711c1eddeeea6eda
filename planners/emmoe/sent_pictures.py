"""Pictures whose paths an executor sends: their trial by their names, and reading them without opening other files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import PIL.Image

from homie.kernel.support.files import reason_of
from homie.kernel.types import VIEWS, Image
from planners.emmoe.wire import SENT_ORDER, MalformedMessage

LARGEST = 4096
"""Maximum width and height of a picture, pixels."""
_NAME = re.compile(r"subtask(\d{1,4})_(front|left|back|right)\.png")


@dataclass(frozen=True, slots=True)
class Place:
    """Progress of an executor, parsed from the path of a picture: `.../TASK/TRIAL/subtaskROUND_VIEW.png`."""

    task: str
    trial: int
    round: int


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """The folder of an executor's pictures.

    Attributes:
        folder: Files outside of it are not opened.
        start: The executor's working directory, which relative paths refer to.
    """

    folder: Path
    start: Path

    def read(self, path: str) -> Image:
        """Read a picture (H, W, 3) uint8. Raises Malformed."""
        try:
            place = (self.start / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise MalformedMessage(f"sent a path that is none ({reason_of(error)})") from error
        if not place.is_relative_to(self.folder.resolve()):
            raise MalformedMessage(
                f"sent the path {path[:200]!r}, which is outside of {self.folder}: give the folder of its pictures as"
                " --pictures, and the one that relative paths begin in as --executor-folder"
            )
        try:
            with PIL.Image.open(place, formats=("PNG", "JPEG")) as picture:
                if max(picture.size) > LARGEST:
                    raise ValueError(f"it is larger than {LARGEST} x {LARGEST} pixels")
                return np.array(picture.convert("RGB"), dtype=np.uint8)
        except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError) as error:
            raise MalformedMessage(
                f"sent the path {path[:200]!r}, of which no picture can be read: {reason_of(error)}"
            ) from error


def place_of(paths: tuple[str, ...]) -> Place | None:
    """Parse task, trial and round from the paths of four pictures; None if they differ or are not named as those of
    the released executor."""
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
    """Return the paths by view.

    Args:
        paths: In the order in which they were sent.
        named: Whether to go by file names. Otherwise by the order in EMMOE's prompt, whatever the pictures show, as
            the released code does.
    """
    if not named:
        return dict(zip(VIEWS, paths, strict=True))
    matches = [_NAME.fullmatch(Path(path).name) for path in paths]
    views = {match[2]: path for match, path in zip(matches, paths, strict=True) if match}
    if set(views) == set(VIEWS):
        return {view: views[view] for view in VIEWS}
    sent = dict(zip(SENT_ORDER["strict"], paths, strict=True))
    return {view: sent[view] for view in VIEWS}
