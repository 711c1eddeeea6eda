"""Settings of the robot `thor`: scene, start pose, action vocabulary, and simulator options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.options import PictureSize, pixels_of
from homie.kernel.support.text_pattern import pattern_validator

Number = Annotated[float, Field(allow_inf_nan=False)]
Point: TypeAlias = tuple[Number, Number, Number]
"""x, y, z in AI2-THOR's frame, m, y up."""
ObjectId = Annotated[
    str, pattern_validator(r"[A-Za-z]+(\|.*)?", "be a type of object, such as Bread, or that with |X|Y|Z")
]
"""AI2-THOR's id of an object, such as `Bread|+01.30|+00.98|-01.53`."""
OWN_SIZE = "300x300"
"""AI2-THOR's default image size."""
Vocabulary: TypeAlias = Literal["household", "eb-alfred", "eb-navigation"]


class Approach(BaseModel):
    """Task of a scene: be within `metres` of a point (the target's), measured on the floor."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: ObjectId
    point: Point
    metres: float = Field(1.0, gt=0.0)


class ThorSettings(BaseModel):
    """Settings of the robot `thor`. The default timeouts are ai2thor's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    floor_plan: Annotated[str, pattern_validator("[A-Za-z0-9_-]+", "be letters, digits, - and _")] = Field(
        "FloorPlan1", description="Scene of AI2-THOR."
    )
    pose: tuple[Number, Number, Number, Number, Number] | None = Field(
        None,
        description="x, y, z of the agent (m), its rotation and the horizon of its camera (degrees) at the start "
        "(default: the scene's).",
    )
    hidden: tuple[ObjectId, ...] = Field((), description="Objects that are taken away at the start.")
    approach: Approach | None = Field(
        None, description="Task of the scene: be within `metres` of `point`, the place of `target`."
    )
    actions: Vocabulary = Field("household", description="Which actions a planner can use.")
    listed: Path | None = Field(
        None, description="The `global_actions.json` of EB-ALFRED, by whose numbers actions may be given."
    )
    things: dict[ObjectId, Point] = Field({}, description="Objects of a simulated scene, by id, with their places.")
    kinds: tuple[str, ...] = Field(
        (), description="Types of objects of a simulated scene, each as often as it is there."
    )
    picture_size: PictureSize = None
    field_of_view: float = Field(90.0, gt=0.0, lt=180.0, description="Of the cameras, degrees.")
    visibility: float = Field(1.5, gt=0.0, description="Metres within which AI2-THOR calls an object visible.")
    grid: float = Field(0.25, gt=0.0, description="Metres between reachable positions.")
    executable: Path | None = Field(None, description="A build of AI2-THOR's Unity program on this machine.")
    display: str = Field("", description="X display for that program, as `:0`.")
    start_seconds: float = Field(
        300.0, gt=0.0, description="Time limit of the start of the simulator or of a scene, without a download."
    )
    reply_seconds: float = Field(100.0, gt=0.0, description="Time limit of an action.")

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of the images in pixels."""
        return pixels_of(self.picture_size or OWN_SIZE)
