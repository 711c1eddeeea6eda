"""What a planner with numbered boxes is shown: four views of a home with their list of names, as one picture.

python -m benchmarks.pictures.numbered_views numbered.png --seed 4
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from homie.envs.mujoco.home.home import open_home
from homie.kernel.options import RunOptions
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.types import VIEWS, in_sight
from perception.boxes import in_order, mark

SIDE = 448
LINE = 20


def numbered_views(path: Path, seed: int, detector: str) -> None:
    """Write the picture of the first moment of a generated home."""
    with open_home(RunOptions.build(task="look", seed=seed)) as robot:
        robot.reset(seed=seed)
        observation = robot.observe(VIEWS)
    detections = make_part(DETECTOR, detector).detect(observation)
    things = [thing for thing in in_sight(detections) if thing.part != "floor"]
    pictures = {view: observation.frames[view].rgb for view in VIEWS}
    large = {view: cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC) for view, image in pictures.items()}
    widths = {view: image.shape[1] for view, image in pictures.items()}
    marked = mark(large, in_order(things, VIEWS), widths=widths)
    rows = max(len(marked.listed(view)) for view in VIEWS)
    sheet = Pillow.new("RGB", (len(VIEWS) * (SIDE + 8) - 8, SIDE + LINE * (rows + 1) + 12), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(15)
    for column, view in enumerate(VIEWS):
        left = column * (SIDE + 8)
        sheet.paste(Pillow.fromarray(np.asarray(marked.pictures[view])), (left, 0))
        for row, line in enumerate([view, *marked.listed(view)]):
            pen.text((left + 4, SIDE + 4 + LINE * row), line, fill="black", font=font)
    sheet.save(path, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--detector", default="simulated", help="as in `homie run --detector`")
    given = parser.parse_args()
    numbered_views(given.path, given.seed, given.detector)
