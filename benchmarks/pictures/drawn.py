"""The picture of how flat things are taken, in docs/results.md: `python -m benchmarks.pictures.drawn`.

The classical Pick draws a thing over the edge of a table and takes it there, seen from near by at four moments.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from benchmarks.pictures.grasps import picking, scene
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Array, Image

OUT = Path(__file__).parents[2] / "docs" / "images" / "drawn.jpg"
ROWS = (
    ("bowl", {"z": 0.0267, "roll": 3.14159}),
    ("cracker_box", {"z": 0.03, "pitch": 1.5708}),
)
MOMENTS = ("pressed on", "drawn over the edge", "taken", "lifted")
WIDTH, HEIGHT = 380, 300
ASIDE, BACK, ABOVE = 0.55, 0.25, 0.22
"""Metres from the thing to the camera: to the robot's right, towards the robot, and up."""
MOVED, UP = 0.01, 0.1
"""Metres from which a thing has been moved, and lifted."""
HELD = 4
"""Control periods after the grip at which the picture is taken."""


def moments(kind: str, lies: dict[str, float]) -> list[Image]:
    """Pictures (HEIGHT, WIDTH, 3) of the moments. Raises RuntimeError where one of them does not come."""
    home = MujocoHome(scene(kind, **lies))
    with home:
        begin = last = _middle(home, kind)
        pictures: list[Image] = []
        held = 0
        reason = ""
        for skill in picking(home, kind, attempts=3):
            reason = skill.reason
            now = _middle(home, kind)
            held += home.grasping.holding
            moved, still = float(np.linalg.norm(now - begin)) > MOVED, float(np.linalg.norm(now - last)) < 1e-4
            come = (moved, moved and still, held >= HELD, float(now[2] - begin[2]) > UP)
            if len(pictures) < len(come) and come[len(pictures)]:
                pictures.append(_near_by(home, now))
            last = now
        if len(pictures) < len(MOMENTS):
            raise RuntimeError(f"{kind}: {reason or 'not all moments have come'}")
        return pictures


def _middle(home: MujocoHome, kind: str) -> Array:
    return home.world.object_box(home.world.objects[kind]).center.copy()


def _near_by(home: MujocoHome, middle: Array) -> Image:
    yaw = home.observe().body.base.yaw
    ahead, left = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    x, y, z = (float(v) for v in middle - BACK * ahead - ASIDE * left + np.array([0.0, 0.0, ABOVE]))
    return home.film_from((x, y, z), (float(middle[0]), float(middle[1]), float(middle[2])), WIDTH, HEIGHT)


def main() -> None:
    sheet = Picture.new("RGB", (WIDTH * len(MOMENTS), HEIGHT * len(ROWS)))
    draw = ImageDraw.Draw(sheet)
    for row, (kind, lies) in enumerate(ROWS):
        for column, (picture, moment) in enumerate(zip(moments(kind, lies), MOMENTS, strict=True)):
            corner = (column * WIDTH, row * HEIGHT)
            sheet.paste(Picture.fromarray(picture), corner)
            draw.text((corner[0] + 8, corner[1] + HEIGHT - 20), moment, fill=(255, 255, 255))
    sheet.save(OUT, quality=88)


if __name__ == "__main__":
    main()
