"""Settings of a robot in the home."""

from __future__ import annotations

from homie.envs.mujoco.robots.settings import BodyName, SimulatedSettings
from homie.kernel.options import Grasp, HouseOptions, Meshes


class HomeSettings(HouseOptions, SimulatedSettings):
    """The house, and how the robot in it holds things and sees."""

    grasp: Grasp = "weld"
    meshes: Meshes = None
    body: BodyName = ""
