"""The embedded home: generated houses, a simulated Fetch, rendering; no GPU, no display and no download needed."""

from homie.envs.mujoco.render.opengl_contexts import import_mujoco

import_mujoco()
