"""The picture of people in docs/houses.md: `python -m benchmarks.pictures.people`.

examples/scenes/people.json before and after: an apple that the robot shows, and hands over, and a person whom it
follows, by the classical skills.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture

import homie
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Image

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs" / "images" / "people.jpg"
SCENE = ROOT / "examples" / "scenes" / "people.json"
AT_ANNA = (0.9, 3.4, 1.75), (2.5, 1.6, 0.95)
HALL = (5.6, 0.3, 2.4), (2.4, 2.6, 0.5)
"""Where each camera is, and what it looks at (m)."""
SIZE = 460, 345
HIGHER = 0.03
"""Metres by which the apple has risen since the picture before: the last one shows it held up."""


def main() -> None:
    """Write the picture: before above, after below."""
    with homie.open(scene=SCENE, skills="classical,people", picture_size=64, rounds=60) as session:
        home = session.robot
        assert isinstance(home, MujocoHome)

        def view(camera: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Image:
            return home.film_from(*camera, *SIZE)

        def do(*words: str) -> None:
            execution = session.call(*words)
            assert execution.feedback.ok, f"{words}: {execution.feedback.message}"

        apple = home.world.objects["apple"].body
        highest = [0.0]
        seen: list[Image] = []

        def when_higher() -> None:
            height = float(home.data.xpos[apple][2])
            if height > highest[-1] + HIGHER:
                highest.append(height)
                seen.append(view(AT_ANNA))

        for words in (("Go to", "apple"), ("Pick", "apple"), ("Go to", "anna")):
            do(*words)
        offered = view(AT_ANNA)
        home.after_step = when_higher
        do("Show", "apple", "anna")
        home.after_step = None
        carried = view(AT_ANNA)
        do("Hand over", "apple", "anna")
        with_gift = view(AT_ANNA)
        do("Go to", "bob")
        before = view(HALL)
        do("Follow", "bob")
        pairs = [(offered, seen[-1]), (carried, with_gift), (before, view(HALL))]
    columns = [np.vstack(pair) for pair in pairs]
    Picture.fromarray(np.hstack(columns)).save(OUT, quality=85)


if __name__ == "__main__":
    main()
