"""The picture of ten grasps in docs/results.md: `python -m benchmarks.pictures.grasps`.

Ten kinds of things, each alone on a table. The classical Pick takes one, and a picture is taken from near by a moment
after the fingers have closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import action_of
from homie.kernel.types import Image, Outcome, Subtask
from skills.classical.pick import Pick
from skills.motion.held_object import Hand

LOOKS = 10
"""Control periods between two looks at where the thing is."""


def scene(kind: str, **lies: float) -> SceneSpec:
    """A room with a table, the thing on it, standing or as it `lies`, and the robot in front of it."""
    table = {"name": "table", "kind": "table", "colour": "brown", "room": "kitchen", "x": 2.6, "y": 2.0, "yaw": np.pi}
    item = {"name": kind, "kind": kind, "colour": next(iter(OBJECTS[kind].colours)), "receptacle": "table"}
    return SceneSpec.model_validate(
        {
            "rooms": [{"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 5, "y1": 4}],
            "furniture": [table],
            "objects": [{**item, "surface": "top", "x": 0.1, "y": 0.0, "yaw": 0.4, **lies}],
            "robot": {"x": 1.3, "y": 2.0, "yaw": 0.0},
        }
    )


def picking(home: MujocoHome, kind: str, attempts: int = 1) -> Iterator[Pick]:
    """Play Pick in a home of `scene`: the skill at its start, and after each control period until it has ended, in so
    many attempts at most."""
    locator = home.background()
    locator.reset(seed=0)
    skill = Pick(SPEC, ArmKinematics(), Hand())
    for _ in range(attempts):
        seen = home.observe()
        skill.start(Subtask("Pick", kind), locator.goal(kind, action_of("Pick"), seen), seen)
        yield skill
        periods = 0
        while skill.outcome is Outcome.RUNNING:
            seen, periods = home.observe(), periods + 1
            if periods % LOOKS == 0:
                skill.revise(locator.goal(kind, action_of("Pick"), seen))
            home.act(skill.act(seen))
            yield skill
        if skill.outcome is Outcome.SUCCEEDED:
            return


OUT = Path(__file__).parents[2] / "docs" / "images" / "grasps.jpg"
ROWS = (
    ("apple", "banana", "strawberry", "mug", "bowl"),
    ("tomato_soup_can", "potted_meat_can", "cracker_box", "mustard_bottle", "sponge"),
)
WIDTH, HEIGHT = 300, 290
CLOSED = 4
"""Control periods after the grip at which the picture is taken: the hand has not been lifted yet."""
BEYOND, ASIDE, ABOVE = 0.30, 0.26, 0.10
"""Metres from the grip to the camera: away from the robot, to its right, and up."""


def grasp(kind: str) -> Image:
    """A picture (HEIGHT, WIDTH, 3) of a thing in the hand. Raises RuntimeError where it cannot be picked."""
    home = MujocoHome(scene(kind))
    with home:
        held, picture = 0, None
        for skill in picking(home, kind):
            held += home.grasping.holding
            if held == CLOSED and picture is None:
                picture = _near_by(home, kind)
            if skill.outcome is Outcome.FAILED:
                raise RuntimeError(f"{kind}: {skill.reason}")
        if picture is None:
            raise RuntimeError(f"{kind}: it was not held for {CLOSED} control periods")
        return picture


def _near_by(home: MujocoHome, kind: str) -> Image:
    grip, target = home.data.site("robot/gripper").xpos, home.world.object_box(home.world.objects[kind]).center
    yaw, middle = home.observe().body.base.yaw, (grip + target) / 2
    ahead, left = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    x, y, z = (float(v) for v in middle + BEYOND * ahead - ASIDE * left + np.array([0.0, 0.0, ABOVE]))
    return home.film_from((x, y, z), (float(middle[0]), float(middle[1]), float(middle[2])), WIDTH, HEIGHT)


def main() -> None:
    sheet = Picture.new("RGB", (WIDTH * len(ROWS[0]), HEIGHT * len(ROWS)))
    draw = ImageDraw.Draw(sheet)
    for row, kinds in enumerate(ROWS):
        for column, kind in enumerate(kinds):
            corner = (column * WIDTH, row * HEIGHT)
            sheet.paste(Picture.fromarray(grasp(kind)), corner)
            draw.text((corner[0] + 8, corner[1] + HEIGHT - 20), kind.replace("_", " "), fill=(255, 255, 255))
    sheet.save(OUT, quality=88)


if __name__ == "__main__":
    main()
