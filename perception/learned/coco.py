"""Data sets in the layout of COCO, as `homie data detections` writes them: annotations/SPLIT.json, images/SPLIT."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from pycocotools import mask as run_lengths
from pydantic import BaseModel, Field, FiniteFloat, model_validator

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.types import Array, Image, Mask


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture file with its labels.

    Attributes:
        boxes: (n, 4) as (x0, y0, x1, y1) in pixels.
        classes: (n,), indices into the classes of the data set.
        outlines: n compressed outlines, None where a label has a box only.
        crowds: (m, 4), boxes around several objects of a class (`iscrowd`), in which misses do not count.
        crowd_classes: (m,), classes of the crowds.
    """

    file: Path
    size: tuple[int, int]
    boxes: Array
    classes: NDArray[np.intp]
    outlines: tuple[Any, ...]
    crowds: Array
    crowd_classes: NDArray[np.intp]

    def picture(self) -> Image:
        """Read the picture (H, W, 3), RGB. Raises BadInput if the file is missing, not a picture or of another size."""
        with reading(self.file):
            data = np.fromfile(self.file, dtype=np.uint8)
        bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
        if bgr is None:
            raise BadInput(f"{self.file} is not a picture that can be read: make the data set again.")
        height, width = bgr.shape[:2]
        if (width, height) != self.size:
            raise BadInput(
                f"{self.file} has {width} x {height} pixels, and its labels are of {self.size[0]} x {self.size[1]}: "
                "correct `width` and `height` of its entry, and its boxes if it was scaled or turned."
            )
        return np.ascontiguousarray(bgr[..., ::-1], dtype=np.uint8)

    def mask(self, index: int) -> Mask:
        """Return the outline (H, W) of a label; all of its box if it has none."""
        outline = self.outlines[index]
        if outline is not None:
            decoded: Mask = run_lengths.decode(outline).astype(bool)
            return decoded
        mask = np.zeros((self.size[1], self.size[0]), dtype=bool)
        x0, y0, x1, y1 = np.rint(self.boxes[index]).clip(0).astype(int)
        mask[y0:y1, x0:x1] = True
        return mask


@dataclass(frozen=True, slots=True)
class CocoSplit:
    """Labelled pictures of one split, with the names of the classes."""

    classes: tuple[str, ...]
    pictures: tuple[Labelled, ...]


class _Category(BaseModel):
    id: int
    name: str = Field(min_length=1)


class _Picture(BaseModel):
    id: int
    file_name: str
    width: int = Field(ge=1, le=65536)
    height: int = Field(ge=1, le=65536)


_Side: TypeAlias = Annotated[FiniteFloat, Field(ge=0)]


class _Annotation(BaseModel):
    image_id: int
    category_id: int
    bbox: tuple[FiniteFloat, FiniteFloat, _Side, _Side]
    iscrowd: bool = False
    segmentation: Any = None


class _Document(BaseModel):
    images: list[_Picture] = Field(min_length=1)
    annotations: list[_Annotation]
    categories: list[_Category] = Field(min_length=1)

    @model_validator(mode="after")
    def _labels_are_of_known_pictures(self) -> _Document:
        pictures = {picture.id: picture for picture in self.images}
        categories = {category.id for category in self.categories}
        for name, members, known in (("images", self.images, pictures), ("categories", self.categories, categories)):
            if len(known) < len(members):
                raise ValueError(f"two of the {name} have the same id")
        for number, annotation in enumerate(self.annotations):
            for name, known in (("image_id", pictures), ("category_id", categories)):
                if getattr(annotation, name) not in known:
                    raise ValueError(f"annotations.{number}.{name}: there is no {getattr(annotation, name)}")
            picture = pictures[annotation.image_id]
            counts = _counts(annotation.segmentation)
            if counts is not None and not _fits_picture(counts, annotation.segmentation, picture.height, picture.width):
                raise ValueError(
                    f"annotations.{number}.segmentation is not one of a picture of {picture.width} x {picture.height}"
                )
        return self


def read_split(folder: Path, split: str) -> CocoSplit:
    """Read the pictures of a split.

    Raises:
        BadInput: There is no such split, or its annotations are not in the layout of COCO.
    """
    path = folder / "annotations" / f"{split}.json"
    advice = "It has to be in the layout of COCO: `homie data detections FOLDER` makes such a data set."
    with reading(path, advice=advice):
        document = _Document.model_validate(load_json(path))
    categories = sorted(document.categories, key=lambda category: category.id)
    places = {category.id: place for place, category in enumerate(categories)}
    labels = defaultdict[int, list[_Annotation]](list)
    for annotation in document.annotations:
        labels[annotation.image_id].append(annotation)
    pictures = []
    for picture in document.images:
        things = [label for label in labels[picture.id] if not label.iscrowd]
        crowds = [label for label in labels[picture.id] if label.iscrowd]
        pictures.append(
            Labelled(
                file=folder / "images" / split / picture.file_name,
                size=(picture.width, picture.height),
                boxes=_boxes(things),
                classes=np.array([places[label.category_id] for label in things], dtype=np.intp),
                outlines=tuple(
                    label.segmentation if _counts(label.segmentation) is not None else None for label in things
                ),
                crowds=_boxes(crowds),
                crowd_classes=np.array([places[label.category_id] for label in crowds], dtype=np.intp),
            )
        )
    return CocoSplit(tuple(category.name for category in categories), tuple(pictures))


def _boxes(labels: Sequence[_Annotation]) -> Array:
    """Return the boxes of labels, (n, 4), as (x0, y0, x1, y1)."""
    boxes = [(x, y, x + width, y + height) for x, y, width, height in (label.bbox for label in labels)]
    return np.array(boxes, dtype=np.float64).reshape(-1, 4)


def _counts(segmentation: object) -> str | None:
    """Return compressed run lengths, which `pycocotools` decodes; None for other forms, for which the box is used."""
    counts = segmentation.get("counts") if isinstance(segmentation, dict) else None
    return counts if isinstance(counts, str) else None


def _fits_picture(counts: str, segmentation: dict[str, Any], height: int, width: int) -> bool:
    """Whether run lengths match a picture's size; for others `pycocotools` reads and writes outside of its memory.

    A number is written in digits of five bits, the lowest first, each as a character from `0` on, plus 32 if more
    follow; from the fourth number on it is the difference to the second number before it.
    """
    runs: list[int] = []
    value = shift = 0
    for character in counts:
        digit = ord(character) - ord("0")
        if not 0 <= digit < 64 or shift > 30:
            return False
        value |= (digit & 31) << shift
        shift += 5
        if digit & 32:
            continue
        if digit & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
        value = shift = 0
    is_complete = not shift and min(runs, default=0) >= 0 and sum(runs) == height * width
    return is_complete and segmentation.get("size") == [height, width]
