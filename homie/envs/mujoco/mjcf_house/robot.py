"""A robot in an MJCF house: `--robot mjcf:FILE`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from homie.envs.mujoco.home.home import HouseRobot, body_called
from homie.envs.mujoco.mjcf_house.house import MjcfHouse
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.kernel.errors import BadInput
from homie.kernel.options import Grasp, PictureSize, Shade, pixels_of
from homie.kernel.robot_factory import Opening
from homie.kernel.scenes import Scenes, with_argument
from homie.kernel.types import Pose2


class MjcfSettings(BaseModel):
    """Which body, where it starts, how it holds things and sees."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    body: str = ""
    """The name of a registered body (`homie list bodies`), or a file of amendments that ends in .yaml; "" for the
    Fetch."""
    start: Annotated[str | None, Field(description="Where the robot starts, as X,Y,DEGREES (m).")] = None
    grasp: Grasp = "weld"
    picture_size: PictureSize = "256x256"
    shade: Shade = True


class MjcfHome(HouseRobot):
    """A body of the home in a house of an MJCF file."""

    def __init__(self, house: MjcfHouse, settings: MjcfSettings, body: SimulatedBody | None = None) -> None:
        """Raises BadInput for a house that cannot be played in, and for a start that is not free."""
        start = None if settings.start is None else _pose(settings.start)
        self.house = house
        super().__init__(
            lambda add: house.build(add, start),
            grasp=settings.grasp,
            picture_size=pixels_of(str(settings.picture_size)),
            shade=bool(settings.shade),
            body=body,
        )
        self.reset(seed=0)

    @classmethod
    def of(cls, argument: str, settings: MjcfSettings) -> Self:
        """The robot of `--robot mjcf:FILE`. Raises BadInput."""
        if not argument:
            raise BadInput("Which house? Give the MJCF file of one: --robot mjcf:FILE.")
        return cls(MjcfHouse(Path(argument)), settings, body_called(settings.body))

    def describe(self) -> Mapping[str, object]:
        """Of the house, the SHA-256 of its file."""
        return {"mjcf": self.house.sha256}


class MjcfChoice(BaseModel):
    """A house by the path of its file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = ""


class MjcfScenes(Scenes):
    """Scenes of the robot `mjcf`. A suite need not choose one: then `--robot mjcf:FILE` does."""

    Choice: ClassVar[type[BaseModel]] = MjcfChoice

    def options(self, robot: str, choice: BaseModel) -> dict[str, str]:
        assert isinstance(choice, MjcfChoice)
        if not choice.file:
            return {}
        return {"robot": with_argument(robot, choice.file, field="file", known="which house it is", shown=False)}


def _pose(text: str) -> Pose2:
    parts = text.split(",")
    try:
        x, y, degrees = (float(part) for part in parts)
    except ValueError:
        raise BadInput(f"--start needs X,Y,DEGREES, for example 1.5,-2,90 (got '{text}').") from None
    if not all(map(math.isfinite, (x, y, degrees))):
        raise BadInput(f"--start needs finite numbers (got '{text}').")
    return Pose2(x, y, math.radians(degrees))


open_mjcf = Opening(MjcfSettings, MjcfHome.of)
"""A registered body in the house of an MJCF file."""
