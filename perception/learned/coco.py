"""Data sets in the layout of COCO, as `homie data detections` writes them: annotations/SPLIT.json, images/SPLIT."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pycocotools import mask as run_lengths

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading
from homie.kernel.types import Array, Image, Mask


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture file with its labels.

    Attributes:
        number: `id` of the picture in the annotations.
        boxes: (n, 4) as (x0, y0, x1, y1) in pixels.
        classes: (n,), indices into the classes of the data set.
        outlines: n compressed outlines, None where a label has a box only.
    """

    file: Path
    number: int
    size: tuple[int, int]
    boxes: Array
    classes: NDArray[np.intp]
    outlines: tuple[Any, ...]

    def picture(self) -> Image:
        """The picture (H, W, 3), RGB. Raises BadInput for a file that is missing or no picture."""
        with reading(self.file):
            data = np.fromfile(self.file, dtype=np.uint8)
        bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
        if bgr is None:
            raise BadInput(f"{self.file} is not a picture that can be read: make the data set again.")
        return np.ascontiguousarray(bgr[..., ::-1], dtype=np.uint8)

    def mask(self, index: int) -> Mask:
        """The outline (H, W) of a label; all of its box where it has none."""
        outline = self.outlines[index]
        if outline is not None:
            decoded: Mask = run_lengths.decode(outline).astype(bool)
            return decoded
        mask = np.zeros((self.size[1], self.size[0]), dtype=bool)
        x0, y0, x1, y1 = np.rint(self.boxes[index]).astype(int)
        mask[y0:y1, x0:x1] = True
        return mask


@dataclass(frozen=True, slots=True)
class CocoSplit:
    """The labelled pictures of one split, with the names of the classes; `ids` are their numbers in the annotations."""

    classes: tuple[str, ...]
    ids: tuple[int, ...]
    pictures: tuple[Labelled, ...]
    annotations: Path


@dataclass(slots=True)
class _Labels:
    boxes: list[list[float]] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    outlines: list[Any] = field(default_factory=list)


def read_split(folder: Path, split: str) -> CocoSplit:
    """The pictures of a split.

    Raises:
        BadInput: There is no such split, or its annotations are not in the layout of COCO.
    """
    path = folder / "annotations" / f"{split}.json"
    with reading(path, advice="Make a data set: homie data detections FOLDER."):
        content = path.read_bytes()
    try:
        document = parse_json(content)
        categories = sorted(document["categories"], key=lambda category: int(category["id"]))
        ids = tuple(int(category["id"]) for category in categories)
        places = {number: place for place, number in enumerate(ids)}
        labels: dict[int, _Labels] = defaultdict(_Labels)
        for annotation in document["annotations"]:
            if annotation.get("iscrowd"):
                continue
            x, y, width, height = annotation["bbox"]
            of = labels[int(annotation["image_id"])]
            of.boxes.append([x, y, x + width, y + height])
            of.classes.append(places[int(annotation["category_id"])])
            of.outlines.append(_outline(annotation))
        pictures = tuple(
            Labelled(
                file=folder / "images" / split / image["file_name"],
                number=int(image["id"]),
                size=(int(image["width"]), int(image["height"])),
                boxes=np.array(labels[int(image["id"])].boxes, dtype=np.float64).reshape(-1, 4),
                classes=np.array(labels[int(image["id"])].classes, dtype=np.intp),
                outlines=tuple(labels[int(image["id"])].outlines),
            )
            for image in document["images"]
        )
        names = tuple(str(category["name"]) for category in categories)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is not in the layout of COCO ({type(error).__name__}: {error}).") from error
    if not pictures or not names:
        raise BadInput(f"{path} has no pictures or no categories.")
    return CocoSplit(names, ids, pictures, path)


def _outline(annotation: dict[str, Any]) -> Any:
    """Run lengths as `pycocotools` decodes them; None for polygons and other forms, where the box counts."""
    segmentation = annotation.get("segmentation")
    return segmentation if isinstance(segmentation, dict) and isinstance(segmentation.get("counts"), str) else None
