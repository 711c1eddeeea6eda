"""Settings common to all simulated robots."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.options import PictureSize, Scene, Seed, Shade, pixels_of

BodyName: TypeAlias = Annotated[
    str,
    Field(
        description="A body of `homie list bodies`, or a file of amendments that ends in .yaml (default: the Fetch)."
    ),
]


class SimulatedSettings(BaseModel):
    """Scene and camera settings. A robot may override the default of `picture_size`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed = 0
    scene: Scene = None
    picture_size: PictureSize = "256x256"
    shade: Shade = True

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of the images in pixels."""
        return pixels_of(str(self.picture_size))
