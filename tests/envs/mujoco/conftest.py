"""Homie's package comes first, so that mujoco can be imported whatever MUJOCO_GL says."""

import homie.envs.mujoco  # noqa: F401
