"""Recipe of a data set of labelled pictures, and `data.json` of the finished data set."""

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
    """Everything that determines the contents of a data set: the options and the versions of the packages."""

    versions: dict[str, str]

    @classmethod
    def of(cls, options: DetectionsOptions) -> DetectionRecipe:
        """Return the recipe of some options, which does not depend on the number of workers or the output folder."""
        return cls(options=options.model_dump(mode="json", exclude={"out", "workers"}), versions=versions())

    def splits(self) -> dict[int, Split]:
        """Return the split of each house by its seed; every split has at least one house."""
        rng = np.random.default_rng(self.options["seed"])
        number = self.options["houses"]
        seeds: list[int] = []
        while len(seeds) < number:
            seed = int(rng.integers(MAX_SEED))
            if seed not in seeds:
                seeds.append(seed)
        test, validation = (max(1, round(number * self.options[split])) for split in ("test", "validation"))
        return {
            seed: "test" if index < test else "validation" if index < test + validation else "train"
            for index, seed in enumerate(seeds)
        }


class DetectionData(BaseModel):
    """Contents of `data.json`, which is written last: its presence marks a finished data set.

    Attributes:
        classes: Class names in the order of their ids, which begin at 1 in COCO and at 0 in YOLO.
        pictures, houses: Number of pictures and houses in each split.
        labels: Number of boxes by split and class.
        sha256: Checksum of the annotations.
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
