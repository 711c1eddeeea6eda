"""Settings of the Panda at its table."""

from __future__ import annotations

from homie.envs.mujoco.robots.settings import SimulatedSettings
from homie.kernel.options import PictureSize, Shade


class TableSettings(SimulatedSettings):
    """The table, and its pictures: as in EmbodiedBench."""

    picture_size: PictureSize = "500x500"
    shade: Shade = False
