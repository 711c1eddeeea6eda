"""Pictures and grasps of all kinds of loose objects: `python -m benchmarks.pictures.object_kinds sheet` or `grasps`.

`sheet` renders docs/images/kinds.jpg: every kind in its first colour, scaled to equal size. `grasps` has the classical
Pick grasp each of them on a table, and prints the failures with reasons.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from homie.envs.mujoco.blueprints.catalog import OBJECTS, object_plan
from homie.envs.mujoco.blueprints.extents import span
from homie.envs.mujoco.blueprints.parts import block
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import add_geom, empty_spec
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import towards
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import action_of
from homie.kernel.types import Image, Outcome, Subtask
from skills.classical.pick import Pick
from skills.motion.held_object import Hand

OUT = Path(__file__).parents[2] / "docs" / "images" / "kinds.jpg"
SIDE = 256
"""Side of a picture (pixels)."""
CELL, COLUMNS, CAPTION = 128, 14, 14
"""Layout of the sheet: side of a picture (pixels), pictures per row, height of a caption line (pixels)."""
VIEW = (0.55, 0.5)
"""Azimuth of the camera relative to the object's front, and its elevation (rad)."""
FIT = 2.7
"""Ratio of the camera distance to half the object's diagonal, at which the object fills most of the picture."""
LOOKS = 10
"""Control periods between two updates of the object's position."""


def picture(kind: str, colour: str, aside: float, above: float) -> Image:
    """Render an object on a grey surface (SIDE, SIDE, 3), at azimuth `aside` to its front, elevation `above` (rad)."""
    plan = object_plan(kind, colour)
    spec = empty_spec("kinds")
    add_geom(spec.worldbody, "top", block((-9.0, 9.0), (-9.0, 9.0), (-9.0, -plan.half[2]), (0.62, 0.63, 0.66)), 0.0)
    body = spec.worldbody.add_body(name=kind)
    for number, part in enumerate(plan.parts):
        add_geom(body, f"{kind}#{number}", part, part.mass)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    low, high = span(replace(plan, parts=tuple(replace(part, solid=True) for part in plan.parts)), np.eye(3))
    middle, away = (low + high) / 2, FIT * float(np.linalg.norm(high - low)) / 2
    level = away * math.cos(above)
    eye = middle + np.array([level * math.cos(aside), level * math.sin(aside), away * math.sin(above)])
    camera = towards((eye[0], eye[1], eye[2]), (middle[0], middle[1], middle[2]))
    with make_renderer(model, SIDE, SIDE, samples=4) as renderer:
        return renderer.rgb(data, camera, hidden_groups=frozenset({3}))


def sheet(kinds: list[str], cell: int = CELL, columns: int = COLUMNS) -> Picture.Image:
    """Combine the pictures of several kinds, each with its name below."""
    rows = math.ceil(len(kinds) / columns)
    drawn = Picture.new("RGB", (cell * columns, (cell + CAPTION) * rows), (255, 255, 255))
    pen = ImageDraw.Draw(drawn)
    for number, kind in enumerate(kinds):
        x, y = cell * (number % columns), (cell + CAPTION) * (number // columns)
        view = Picture.fromarray(picture(kind, OBJECTS[kind].colours[0], *VIEW))
        drawn.paste(view.resize((cell, cell), Picture.Resampling.LANCZOS), (x, y))
        pen.text((x + 3, y + cell + 1), kind.replace("_", " "), fill=(0, 0, 0))
    return drawn


def scene(kind: str) -> SceneSpec:
    """Make a room with a table, the object on it, and the robot in front of it."""
    table = {"name": "table", "kind": "table", "colour": "brown", "room": "kitchen", "x": 2.6, "y": 2.0, "yaw": np.pi}
    item = {"name": kind, "kind": kind, "colour": next(iter(OBJECTS[kind].colours)), "receptacle": "table"}
    return SceneSpec.model_validate(
        {
            "rooms": [{"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 5, "y1": 4}],
            "furniture": [table],
            "objects": [{**item, "surface": "top", "x": 0.1, "y": 0.0, "yaw": 0.4}],
            "robot": {"x": 1.3, "y": 2.0, "yaw": 0.0},
        }
    )


def pick(home: MujocoHome, kind: str) -> Pick:
    """Play Pick in a home of `scene`; return the skill after its end."""
    locator = home.background()
    locator.reset(seed=0)
    skill = Pick(SPEC, ArmKinematics(), Hand())
    seen, periods = home.observe(), 0
    skill.start(Subtask("Pick", kind), locator.goal(kind, action_of("Pick"), seen), seen)
    while skill.outcome is Outcome.RUNNING:
        seen, periods = home.observe(), periods + 1
        if periods % LOOKS == 0:
            skill.revise(locator.goal(kind, action_of("Pick"), seen))
        home.act(skill.act(seen))
    return skill


def pick_failure(kind: str) -> str:
    """Return why the classical Pick fails to grasp an object on a table; "" if it succeeds."""
    home = MujocoHome(scene(kind))
    with home:
        skill = pick(home, kind)
        held = skill.outcome is Outcome.SUCCEEDED and home.world.held == kind
        return "" if held else skill.reason or "it is not in the hand"


def grasps() -> None:
    """Print the kinds that cannot be grasped."""
    reasons = {kind: pick_failure(kind) for kind in OBJECTS}
    for kind, reason in reasons.items():
        if reason:
            print(f"{kind}: {reason}")
    print(f"{sum(not reason for reason in reasons.values())} of {len(reasons)} kinds are taken from a table")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The kinds of loose things.")
    parser.add_argument("what", choices=("sheet", "grasps"))
    match parser.parse_args().what:
        case "sheet":
            sheet(list(OBJECTS)).save(OUT, quality=82)
        case "grasps":
            grasps()
