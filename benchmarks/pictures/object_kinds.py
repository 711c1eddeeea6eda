"""The kinds of loose things: `python -m benchmarks.pictures.object_kinds sheet`, `confusion` or `grasps`.

`sheet` draws docs/images/kinds.jpg: every kind in its first colour, all of them equally large. `confusion` looks for
the most similar other picture of each of many, prints how often it is of the same kind, and what was taken for what.
`grasps` has the classical Pick take each of them from a table, and prints which it could not take and why.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from benchmarks.pictures.grasps import picking, scene
from homie.envs.mujoco.blueprints.catalog import OBJECTS, object_plan
from homie.envs.mujoco.blueprints.extents import span
from homie.envs.mujoco.blueprints.parts import block
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import add_geom, empty_spec
from homie.envs.mujoco.render.backend_choice import make_renderer
from homie.envs.mujoco.render.camera_geometry import towards
from homie.kernel.types import Array, Image, Outcome

OUT = Path(__file__).parents[2] / "docs" / "images" / "kinds.jpg"
SIDE = 256
"""Pixels of a picture."""
CELL, COLUMNS, CAPTION = 128, 14, 14
"""Pixels of a picture on the sheet, pictures in a row, pixels of a line below it."""
VIEW = (0.55, 0.5)
"""Angles (rad) of the camera on the sheet: aside of where a thing looks, and above it."""
FIT = 2.7
"""Metres from the camera to a thing for each metre of half its diagonal: it fills most of the picture."""
VIEWS, ASIDE, ABOVE = 12, 0.5, 0.15
"""Pictures of each kind for the confusion test, and how far (rad) their angles are off `VIEW`."""
COARSE = 16
"""Cells along each side of a picture, by which two pictures are compared."""


def picture(kind: str, colour: str, aside: float, above: float) -> Image:
    """A picture (SIDE, SIDE, 3) of a thing on a grey top, from an angle aside of its front and one above it (rad)."""
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
    """All of some kinds in one picture, each with its name below."""
    rows = math.ceil(len(kinds) / columns)
    drawn = Picture.new("RGB", (cell * columns, (cell + CAPTION) * rows), (255, 255, 255))
    pen = ImageDraw.Draw(drawn)
    for number, kind in enumerate(kinds):
        x, y = cell * (number % columns), (cell + CAPTION) * (number // columns)
        view = Picture.fromarray(picture(kind, OBJECTS[kind].colours[0], *VIEW))
        drawn.paste(view.resize((cell, cell), Picture.Resampling.LANCZOS), (x, y))
        pen.text((x + 3, y + cell + 1), kind.replace("_", " "), fill=(0, 0, 0))
    return drawn


def features(view: Image) -> Array:
    """What two pictures are compared by: their colours in coarse cells, and how sharp the edges are there."""
    edges = np.hypot(*np.gradient(view.astype(float).mean(axis=2)))
    cell = SIDE // COARSE
    layers = (*view.transpose(2, 0, 1), edges)
    coarse = [layer.reshape(COARSE, cell, COARSE, cell).mean(axis=(1, 3)) for layer in layers]
    return np.concatenate([layer.ravel() for layer in coarse]) / 255.0


def confusion(rng: np.random.Generator) -> None:
    """Print how many pictures are most similar to another one of their kind, and what was taken for what."""
    kinds, rows = [], []
    for kind, entry in OBJECTS.items():
        for number in range(VIEWS):
            aside, above = VIEW[0] + rng.uniform(-ASIDE, ASIDE), VIEW[1] + rng.uniform(-ABOVE, ABOVE)
            kinds.append(kind)
            rows.append(features(picture(kind, entry.colours[number % len(entry.colours)], aside, above)))
    table = np.array(rows)
    apart = np.array([((table - row) ** 2).sum(axis=1) for row in table])
    np.fill_diagonal(apart, np.inf)
    pairs = [(kind, kinds[k]) for kind, k in zip(kinds, apart.argmin(axis=1), strict=True)]
    wrong = Counter(pair for pair in pairs if pair[0] != pair[1])
    print(
        f"{len(OBJECTS)} kinds, {VIEWS} pictures of each: {len(pairs) - wrong.total()} of {len(pairs)} are recognised"
    )
    for (kind, other), count in wrong.most_common():
        print(f"{count:3d} of {VIEWS}: {kind} taken for {other}")


def refused(kind: str) -> str:
    """Why the classical Pick cannot take a thing from a table; "" where it has it in the hand."""
    home = MujocoHome(scene(kind))
    with home:
        *_, skill = picking(home, kind)
        held = skill.outcome is Outcome.SUCCEEDED and home.world.held == kind
        return "" if held else skill.reason or "it is not in the hand"


def grasps() -> None:
    """Print what cannot be taken."""
    reasons = {kind: refused(kind) for kind in OBJECTS}
    for kind, reason in reasons.items():
        if reason:
            print(f"{kind}: {reason}")
    print(f"{sum(not reason for reason in reasons.values())} of {len(reasons)} kinds are taken from a table")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The kinds of loose things.")
    parser.add_argument("what", choices=("sheet", "confusion", "grasps"))
    match parser.parse_args().what:
        case "sheet":
            sheet(list(OBJECTS)).save(OUT, quality=82)
        case "confusion":
            confusion(np.random.default_rng(0))
        case "grasps":
            grasps()
