"""The options of `homie teleop` and `homie studio`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from homie.kernel.options import HOUSE, OpenOptions
from homie.kernel.support.validation_sentences import Usage


class TeleopOptions(OpenOptions):
    """The robot and scene of a person who drives, and what to record."""

    usage: ClassVar[Usage] = Usage("teleop")

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {"scene": HOUSE[1:]}

    planner: str = Field("human", description="Planner that can take over, as NAME or NAME:ARGUMENT.")
    rounds: int = Field(200, ge=1, le=1000, description="Subtasks after which an episode ends.")
    task: str | None = Field(None, description="The instruction; with --record, recording starts at once.")
    record: Path | None = Field(None, description="Folder of recordings; every episode gets a run folder in it.")
    cameras: list[str] = Field(
        default_factory=list, description="A camera to record; may be repeated (default: the planner's views)."
    )
    depths: list[str] = Field(
        default_factory=list, description="A camera whose depth is recorded too; may be repeated (for training skills)."
    )
    fps: float = Field(10.0, gt=0.0, le=100.0, description="Pictures per second of robot time of each camera.")
    speed: float = Field(
        1.0, ge=0.0, le=100.0, description="Speed of the simulation relative to real time; 0 is as fast as possible."
    )


class StudioOptions(TeleopOptions):
    """The same for driving in a browser, and the address of the page."""

    usage: ClassVar[Usage] = Usage("studio")

    record: Path | None = Field(Path("recordings"), description="Folder of recordings.")
    runs: Path | None = Field(None, description="Folder of run folders to show (default: runs, or HOMIE_RUNS).")
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen at.")
    port: int = Field(8809, ge=0, le=65535, description="Port of the page; 0 takes a free one.")
    stale: float = Field(
        1.0, gt=0.0, le=60.0, description="Age of the picture in seconds above which the controls are locked."
    )
