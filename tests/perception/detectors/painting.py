"""Pictures painted by hand, and observations of them."""

from __future__ import annotations

import numpy as np

from homie.kernel.types import CameraFrame, Image, Intrinsics, Observation, Pose, Pose2, Proprioception

BODY = Proprioception(Pose2(0, 0, 0))


def observation_of(*pictures: Image) -> Observation:
    """An observation of pictures, named by their place."""
    frames = {}
    for number, picture in enumerate(pictures):
        height, width = picture.shape[:2]
        frames[str(number)] = CameraFrame(
            str(number), picture, None, Intrinsics(1, 1, 0, 0, width, height), Pose(np.zeros(3), np.eye(3))
        )
    return Observation(0.0, BODY, frames)


def painted(width: int, height: int, **squares: tuple[int, int, int, int]) -> Image:
    """A gray picture with squares in the colours red and green."""
    picture = np.full((height, width, 3), 114, np.uint8)
    for colour, (x0, y0, x1, y1) in squares.items():
        picture[y0:y1, x0:x1] = {"red": (255, 0, 0), "green": (0, 255, 0)}[colour]
    return picture
