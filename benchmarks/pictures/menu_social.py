"""The picture of people in docs/published-benchmarks.md: `python -m benchmarks.pictures.menu_social`.

Two houses of homie-menu at their start: somebody who points at something, and somebody who sits with a hand held out.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Image

OUT = Path(__file__).parents[2] / "docs" / "images" / "menu-social.jpg"
SHOWN = (("point-02", "person_4", 2.3), ("give-03", "person_3", 1.4))
"""Tasks, of whom there is a picture, and degrees (rad) from where the person faces to the camera."""
AWAY, HIGH = 2.1, 1.75
"""Metres from the person to the camera, and above the floor."""
SIZE = 460, 345


def view(task: str, person: str, aside: float) -> Image:
    """A person of a task's house."""
    scene = next(each for each in find_suite("homie-menu").tasks if each.id == task).scene
    spec = generate(scene.seed, 3, 16, Variation(people=scene.settings["people"]))
    home = MujocoHome(scene=spec, picture_size=(64, 64))
    here = next(each for each in spec.people if each.id == person)
    x, y = here.position
    angle = here.yaw + aside
    camera = (x + AWAY * math.cos(angle), y + AWAY * math.sin(angle), HIGH)
    ahead = (x + 0.6 * math.cos(here.yaw), y + 0.6 * math.sin(here.yaw), 0.9)
    try:
        home.reset(seed=0)
        return home.film_from(camera, ahead, *SIZE)
    finally:
        home.close()


def main() -> None:
    """Write the picture."""
    Picture.fromarray(np.hstack([view(*each) for each in SHOWN])).save(OUT, quality=85)


if __name__ == "__main__":
    main()
