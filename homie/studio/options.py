"""The options of `homie studio`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from homie.kernel.support.problems import Usage
from homie.studio.teleop.options import TeleopOptions


class StudioOptions(TeleopOptions):
    """A robot that a person drives in a browser, and where the page is."""

    usage: ClassVar[Usage] = Usage("studio")

    record: Path | None = Field(Path("recordings"), description="Folder of recordings.")
    runs: Path | None = Field(None, description="Folder of run folders to show (default: runs, or HOMIE_RUNS).")
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen at.")
    port: int = Field(8809, ge=0, le=65535, description="Port of the page; 0 takes a free one.")
    stale: float = Field(
        1.0, gt=0.0, le=60.0, description="Age of the picture in seconds above which the controls are locked."
    )
