"""Settings of a robot in the home."""

from __future__ import annotations

from pydantic import Field

from homie.envs.mujoco.robots.settings import SimulatedSettings
from homie.kernel.options import Grasp, HouseOptions, Meshes


class HomeSettings(HouseOptions, SimulatedSettings):
    """The house, and how the robot in it holds things and sees."""

    grasp: Grasp = "weld"
    meshes: Meshes = None
    body: str = Field(
        "",
        description="A body of `homie list bodies`, or a file of amendments that ends in .yaml (default: the Fetch).",
    )
