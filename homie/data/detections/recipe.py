"""What a data set of labelled pictures is made from, and what became of it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict

from homie.data.options import DetectionsOptions
from homie.kernel.options import MAX_SEED
from homie.runtime.provenance import versions
from homie.runtime.runstore.resumable import Order

Split: TypeAlias = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
DATA = "data.json"


class DetectionRecipe(Order):
    """What decides what is in a data set: the options and the versions of the packages."""

    versions: dict[str, str]

    @classmethod
    def of(cls, options: DetectionsOptions) -> DetectionRecipe:
        """The recipe of some options; the number of workers and the folder do not matter."""
        return cls(options=options.model_dump(mode="json", exclude={"out", "workers"}), versions=versions())

    def splits(self) -> dict[int, Split]:
        """The split of each house by its seed; every split has a house."""
        rng = np.random.default_rng(self.options["seed"])
        number = self.options["houses"]
        seeds: list[int] = []
        while len(seeds) < number:
            seed = int(rng.integers(MAX_SEED))
            if seed not in seeds:
                seeds.append(seed)
        test, validation = (max(1, round(number * self.options[split])) for split in ("test", "validation"))
        return {
            seed: "test" if place < test else "validation" if place < test + validation else "train"
            for place, seed in enumerate(seeds)
        }


class DetectionData(BaseModel):
    """`data.json`, written last: a data set that has it is finished.

    Attributes:
        classes: Names in the order of their numbers, from 1 in COCO and from 0 in YOLO.
        pictures, houses: By split.
        labels: Boxes by split and class.
        sha256: Of the annotations.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["detections"] = "detections"
    recipe: DetectionRecipe
    classes: tuple[str, ...]
    pictures: dict[Split, int]
    houses: dict[Split, int]
    labels: dict[Split, dict[str, int]]
    sha256: str
