"""A robot in an MJCF house: `--robot mjcf:FILE`, in an episode of MolmoSpaces `--robot mjcf:benchmark.json#3`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from homie.envs.mujoco.home.home import HouseRobot, find_body
from homie.envs.mujoco.mjcf_house.episode import Episode, assets_folder, find_episode, is_episode
from homie.envs.mujoco.mjcf_house.house import MjcfHouse
from homie.envs.mujoco.mjcf_house.judge import EpisodeJudge
from homie.envs.mujoco.robots.body import SimulatedBody
from homie.envs.mujoco.robots.settings import BodyName
from homie.kernel.errors import BadInput
from homie.kernel.options import Grasp, PictureSize, Shade, pixels_of
from homie.kernel.robot_factory import Opening
from homie.kernel.scenes import Scenes, with_argument
from homie.kernel.types import Pose2
from homie.kernel.world.snapshot import WorldSnapshot


class MjcfSettings(BaseModel):
    """Body, start pose, grasp model and camera settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    body: BodyName = ""
    start: Annotated[str | None, Field(description="Where the robot starts, as X,Y,DEGREES (m).")] = None
    grasp: Grasp = "weld"
    picture_size: PictureSize = "256x256"
    shade: Shade = True
    assets: Annotated[Path | None, Field(description="MolmoSpaces' folder with scenes and objects.")] = None


class MjcfHome(HouseRobot):
    """A registered robot body in the house of an MJCF file."""

    def __init__(
        self,
        house: MjcfHouse,
        settings: MjcfSettings,
        body: SimulatedBody | None = None,
        episode: Episode | None = None,
    ) -> None:
        """Raises BadInput for a house that cannot be simulated, and for a start pose that is not free."""
        start = None if settings.start is None else _pose(settings.start)
        if start is None and episode is not None:
            start = house.beside(episode.start)
        self.house, self.episode = house, episode
        super().__init__(
            lambda add: house.build(add, start),
            grasp=settings.grasp,
            picture_size=pixels_of(str(settings.picture_size)),
            shade=bool(settings.shade),
            body=body,
        )
        self._judge = None if episode is None else EpisodeJudge(episode.task, self.world, house.level)
        self.reset(seed=0)

    @classmethod
    def of(cls, argument: str, settings: MjcfSettings) -> Self:
        """Build the robot of `--robot mjcf:FILE`. Raises BadInput."""
        if not argument:
            raise BadInput("Which house? Give the MJCF file of one: --robot mjcf:FILE.")
        if not is_episode(argument):
            return cls(MjcfHouse(Path(argument)), settings, find_body(settings.body))
        episode, assets = find_episode(argument), assets_folder(settings.assets)
        house = MjcfHouse(episode.house(assets), episode.changes(assets))
        return cls(house, settings, find_body(settings.body), episode)

    def describe(self) -> Mapping[str, object]:
        """Return the SHA-256 of the file of the house."""
        return {"mjcf": self.house.sha256}

    def snapshot(self) -> WorldSnapshot:
        snapshot = super().snapshot()
        if self.episode is None or self._judge is None:
            return snapshot
        task = {"instruction": self.episode.language.task_description, "success": self._judge.done(self._where())}
        return snapshot.model_copy(update=task)


class MjcfChoice(BaseModel):
    """A house by the path of its file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = ""


class MjcfScenes(Scenes):
    """Scenes of the robot `mjcf`. A suite need not choose a scene: `--robot mjcf:FILE` then does. Episodes of
    MolmoSpaces set a task."""

    Choice: ClassVar[type[BaseModel]] = MjcfChoice

    def options(self, robot: str, choice: BaseModel) -> dict[str, str]:
        assert isinstance(choice, MjcfChoice)
        if not choice.file:
            return {}
        return {"robot": with_argument(robot, choice.file, field="file", known="which house it is", shown=False)}

    def instruction(self, argument: str, seed: int, file: Path | None) -> str:
        return find_episode(argument).language.task_description if is_episode(argument) else ""


def _pose(text: str) -> Pose2:
    parts = text.split(",")
    try:
        x, y, degrees = (float(part) for part in parts)
    except ValueError:
        raise BadInput(f"--start needs X,Y,DEGREES, for example 1.5,-2,90 (got '{text}').") from None
    if not all(map(math.isfinite, (x, y, degrees))):
        raise BadInput(f"--start needs finite numbers (got '{text}').")
    return Pose2(x, y, math.radians(degrees))


open_mjcf = Opening(
    MjcfSettings,
    MjcfHome.of,
    "A Fetch, or another of `homie list bodies`, in the house of an MJCF file: `mjcf:FILE`.",
)
"""A registered body in the house of an MJCF file."""
