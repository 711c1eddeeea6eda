"""The lights, which are the same in all houses."""

from __future__ import annotations

import mujoco

AMBIENT, DIFFUSE = 0.48, 0.32
"""Strength of the headlight: mostly ambient, so that the inside of cabinets is visible."""
SUNS = (((0.3, 0.5, -1.0), 0.36), ((-0.6, -0.35, -0.5), 0.14))
"""Directions and strengths of two directional lights: walls and tops of a piece differ in brightness."""


def add_lights(spec: mujoco.MjSpec) -> None:
    """Add the headlight and the directional lights."""
    headlight = spec.visual.headlight
    headlight.ambient = [AMBIENT] * 3
    headlight.diffuse = [DIFFUSE] * 3
    headlight.specular = [0.05, 0.05, 0.05]
    for number, (direction, strength) in enumerate(SUNS):
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            dir=direction,
            pos=[0, 0, 8],
            castshadow=number == 0,  # only in videos: the robot's cameras render no shadows
            diffuse=[strength] * 3,
            specular=[0.15] * 3,
            ambient=[0, 0, 0],
        )
