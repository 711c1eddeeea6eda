"""A small data set in the layout of COCO, painted: fridges on floors, and apples somewhere before them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

CLASSES = ("fridge", "fridge/door", "kitchen/floor", "apple")
BOXES = {"fridge": (16, 16, 40, 64), "fridge/door": (18, 20, 36, 56), "kitchen/floor": (0, 88, 96, 40)}
"""x, y, width, height."""
COLOURS = {"fridge": (180, 180, 190), "fridge/door": (240, 240, 240), "kitchen/floor": (120, 80, 40)}


def scene(rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[str, tuple[int, int, int, int]]]]:
    """A picture (128, 96, 3) of a fridge on a floor and of an apple somewhere."""
    picture = np.full((128, 96, 3), 90, np.uint8)
    labels = []
    for name, (x, y, width, height) in BOXES.items():
        picture[y : y + height, x : x + width] = COLOURS[name]
        labels.append((name, (x, y, width, height)))
    x, y = int(rng.integers(60, 76)), int(rng.integers(20, 64))
    picture[y : y + 16, x : x + 16] = (200, 30, 30)
    return picture, [*labels, ("apple", (x, y, 16, 16))]


def painted_data(folder: Path) -> Path:
    """Write the data set: 8 pictures to learn from, 2 to validate and 3 to test; the folder."""
    rng = np.random.default_rng(0)
    (folder / "annotations").mkdir()
    for split, count in (("train", 8), ("validation", 2), ("test", 3)):
        (folder / "images" / split).mkdir(parents=True)
        images, annotations = [], []
        for number in range(count):
            picture, labels = scene(rng)
            cv2.imwrite(str(folder / "images" / split / f"{number}.png"), picture[..., ::-1])
            images.append({"id": number, "file_name": f"{number}.png", "width": 96, "height": 128})
            annotations += [
                {"id": 10 * number + place + 1, "image_id": number, "category_id": CLASSES.index(name) + 1, "bbox": box}
                | {"area": box[2] * box[3], "iscrowd": 0}
                for place, (name, box) in enumerate(labels)
            ]
        categories = [{"id": place + 1, "name": name} for place, name in enumerate(CLASSES)]
        document = {"images": images, "annotations": annotations, "categories": categories}
        (folder / "annotations" / f"{split}.json").write_text(json.dumps(document))
    return folder
