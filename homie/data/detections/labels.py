"""Picture labels from the detections of the simulated detector: a box and an outline for each object and part.

The class of an object or of furniture is its kind (`fridge`); of a part, kind and part (`fridge/door`); of a room, its
floor (`kitchen/floor`). The box of furniture encloses all of it including doors and handles, as a person would draw it;
its parts also have their own boxes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from pycocotools import mask as run_lengths
from pydantic import BaseModel, ConfigDict

from homie.kernel.interfaces import kind_of
from homie.kernel.types import FLOOR, Detection, Mask, mask_bounds


class Label(BaseModel):
    """Label of one object or part in a picture.

    Attributes:
        name: Class.
        box: x, y, width, height in pixels.
        area: Number of pixels inside the outline.
        counts: Outline as compressed run lengths of COCO.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    box: tuple[int, int, int, int]
    area: int
    counts: str


def labels_of(detections: Sequence[Detection]) -> list[Label]:
    """Return the labels of one picture, largest area first.

    Args:
        detections: Detections of one view, with masks and instances; names are kinds, possibly preceded by a colour.
    """
    kinds: dict[str, str] = {}
    outlines: dict[tuple[str, str], Mask] = {}
    masks_by_instance: dict[str, list[Mask]] = defaultdict(list)
    for detection in detections:
        if detection.mask is None:
            continue
        kinds[detection.instance] = _kind(detection)
        key = (detection.instance, detection.part)
        outlines[key] = outlines[key] | detection.mask if key in outlines else detection.mask
        if detection.part != FLOOR:
            masks_by_instance[detection.instance].append(detection.mask)
    outlines |= {(instance, ""): np.logical_or.reduce(masks) for instance, masks in masks_by_instance.items()}
    labels = [
        _label("/".join(filter(None, (kinds[instance], part))), mask) for (instance, part), mask in outlines.items()
    ]
    return sorted(labels, key=lambda label: -label.area)


def _kind(detection: Detection) -> str:
    """Return the kind of a detected object, without a colour in its name."""
    kind = kind_of(detection.instance)
    return kind if detection.name.endswith(kind) else detection.name


def _label(name: str, mask: Mask) -> Label:
    x0, y0, x1, y1 = mask_bounds(mask)
    counts = run_lengths.encode(np.asfortranarray(mask, dtype=np.uint8))["counts"].decode("ascii")
    return Label(name=name, box=(x0, y0, x1 - x0, y1 - y0), area=int(np.count_nonzero(mask)), counts=counts)
