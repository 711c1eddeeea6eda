"""The picture of states in docs/houses.md: `python -m benchmarks.pictures.states`.

examples/scenes/household.json before and after its things were sliced, washed, filled, heated and cooled and its
appliances turned on, each pair from one place.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Picture

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.types import Image

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs" / "images" / "states.jpg"
VIEWS = (
    ((4.4, 3.2, 1.5), (5.4, 3.2, 0.74)),
    ((1.2, 3.1, 1.35), (0.4, 3.1, 0.78)),
    ((2.0, 1.6, 1.6), (2.0, 0.4, 0.9)),
    ((2.0, 1.7, 1.55), (1.1, 0.4, 0.85)),
    ((3.0, 1.5, 1.3), (3.0, 0.4, 1.05)),
    ((3.0, 4.1, 1.1), (3.0, 5.6, 0.8)),
)
"""Where each camera is, and what it looks at: the table, the desk, the sink, the stove, the microwave, the tv."""
SIZE = 300, 225
AFTER = {
    "bread": {"sliced": True},
    "tomato": {"sliced": True, "heated": True},
    "potato": {"cooled": True},
    "apple": {"sliced": True},
    "plate": {"clean": True},
    "table": {"clean": True},
    "mug": {"clean": True, "filled": True},
    "bowl": {"filled": False},
}
ON = ("lamp", "sink", "stove", "microwave", "tv")


def views(home: MujocoHome) -> Image:
    """All views of the home as it is, one above the other."""
    return np.vstack([home.film_from(position, lookat, *SIZE) for position, lookat in VIEWS])


def main() -> None:
    """Write the picture: before in the first and third column, after in the second and fourth."""
    home = MujocoHome(SceneSpec.load(ROOT / "examples" / "scenes" / "household.json"))
    with home:
        before = views(home)
        home.world.household.take(AFTER)
        home.world.appliances.switch(dict.fromkeys(ON, True))
        pairs = np.hstack([before, views(home)])
    half = pairs.shape[0] // 2
    Picture.fromarray(np.hstack([pairs[:half], pairs[half:]])).save(OUT, quality=85)


if __name__ == "__main__":
    main()
