"""The picture of furniture that opens in more ways in docs/scene-spec.md: `python -m benchmarks.pictures.openings`.

examples/scenes/openings.json before and after everything was put away by ideal skills and left open, at a planner's
256 pixels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture

import homie
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Image

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs" / "images" / "openings.jpg"
VIEWS = (
    ((2.1, 0.9, 1.35), (0.55, 1.2, 0.42)),
    ((3.3, 3.6, 1.5), (0.5, 4.0, 0.9)),
    ((3.3, 4.2, 1.9), (3.0, 5.3, 0.45)),
    ((5.2, 3.3, 1.1), (6.7, 2.4, 0.4)),
    ((5.7, 4.1, 1.75), (5.4, 5.1, 0.45)),
)
"""Where each camera is, and what it looks at: dishwasher, wardrobe, chest, sideboard, the three drawers."""
SIZE = 256, 256
AWAY = {
    "mug": "dishwasher",
    "sponge": "wardrobe",
    "apple": "chest",
    "tuna fish can": "sideboard",
    "pear": "upper drawer",
}


def views(home: MujocoHome) -> Image:
    """All views of the home as it is, side by side."""
    return np.hstack([home.film_from(position, lookat, *SIZE) for position, lookat in VIEWS])


def main() -> None:
    """Write the picture: shut above, open below."""
    with homie.open(scene=ROOT / "examples/scenes/openings.json", skills="ideal") as session:
        assert isinstance(session.robot, MujocoHome)
        before = views(session.robot)
        for thing, place in AWAY.items():
            for call in (("Go to", place), ("Open", place), ("Go to", thing), ("Pick", thing), ("Go to", place)):
                assert session.call(*call).feedback.ok, call
            assert session.call("Put", thing, place).feedback.ok
        session.call("Go to", "table")
        Picture.fromarray(np.vstack([before, views(session.robot)])).save(OUT, quality=85)


if __name__ == "__main__":
    main()
