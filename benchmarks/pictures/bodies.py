"""The bodies of the home beside one another, each at its own table.

    python -m benchmarks.pictures.bodies docs/images/bodies.jpg

Each stands before the same table with its arm raised, as before it reaches for the apple.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import cv2
import numpy as np

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.kernel import registry
from homie.kernel.types import Image

SIZE = (560, 640)
"""Width and height of one picture."""
RAISING = 80
"""Control periods in which the arm is raised."""


def scene(aside: float, distance: float) -> SceneSpec:
    """A room with a table and an apple on it, and the robot with the apple in the direction of its arm."""
    table = {"name": "table", "kind": "table", "colour": "brown", "room": "kitchen", "x": 2.6, "y": 2.0, "yaw": math.pi}
    apple = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "table", "surface": "top"}
    return SceneSpec.model_validate(
        {
            "rooms": [{"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 5, "y1": 4}],
            "furniture": [table],
            "objects": [{**apple, "x": 0.18, "y": 0.0}],
            "robot": {"x": 2.42 - distance - 0.12, "y": 2.0, "yaw": -aside},
        }
    )


def picture(body: SimulatedBody) -> Image:
    """A body with its arm raised, from the side (height, width, 3)."""
    spec = body.spec
    place = scene(spec.reach.aside, spec.reach.distances[0])
    with MujocoHome(place, body=body) as home:
        for _ in range(RAISING):
            home.act(spec.chain.command(spec.chain.posture(spec.ready[0])))
        x = place.robot.x
        return home.film_from((x + 1.6, -0.2, 1.85), (x + 0.3, 2.1, 0.76), *SIZE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the picture to write")
    arguments = parser.parse_args()
    pictures = [picture(registry.load("bodies", name)) for name in registry.names("bodies")]
    cv2.imwrite(str(arguments.out), np.hstack(pictures)[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])


if __name__ == "__main__":
    main()
