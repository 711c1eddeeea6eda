"""Settings of the table robot."""

from __future__ import annotations

from homie.envs.mujoco.robots.settings import SimulatedSettings
from homie.kernel.options import PictureSize, Shade


class TableSettings(SimulatedSettings):
    """Scene and camera settings, with the image size of EmbodiedBench."""

    picture_size: PictureSize = "500x500"
    shade: Shade = False
