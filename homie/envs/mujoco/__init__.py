"""The embedded home: generated houses, a simulated Fetch, rendering; no GPU, no display and no download needed."""

from homie.envs.mujoco.render.gl import import_mujoco

import_mujoco()
