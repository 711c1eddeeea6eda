"""`houses/SEED.json`: the labelled pictures of one house."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from homie.data.detections.labels import Label
from homie.data.detections.recipe import Split

HOUSES, IMAGES = "houses", "images"


class LabelledPicture(BaseModel):
    """A picture with its labels.

    Attributes:
        file: Path relative to the data set.
        size: Width and height in pixels.
    """

    model_config = ConfigDict(frozen=True)

    file: str
    size: tuple[int, int]
    labels: Sequence[Label]


class HouseFile(BaseModel):
    """The pictures of one house."""

    model_config = ConfigDict(frozen=True)

    seed: int
    split: Split
    pictures: Sequence[LabelledPicture]
