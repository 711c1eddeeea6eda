"""Domain randomisation of a built house: light, colours and materials, so that networks trained on its images do not
overfit to one palette."""

from __future__ import annotations

import mujoco
import numpy as np

FINISHES = ("grain", "wood", "carpet", "matte", "gloss", "fabric", "metal")
"""Materials that a geom may get instead of its own."""
PLAIN_SHARE = 0.3
"""Probability of leaving a house as it was built."""
REFINISHED_SHARE = 0.25
"""Share of the bodies whose material is replaced."""
TINT, BODY_TINT = 0.08, 0.10
"""Standard deviations of the colour factors per channel, of the whole house and of each body."""
BRIGHTNESS = (0.55, 1.35)
"""Range of the brightness factor."""


class Looks:
    """Randomises the appearance of a model, starting from its original one."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._rgba = model.geom_rgba.copy()
        self._materials = model.geom_matid.copy()
        self._diffuse, self._dir = model.light_diffuse.copy(), model.light_dir.copy()
        light = model.vis.headlight
        self._head = np.array(light.ambient), np.array(light.diffuse)
        names = (mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_MATERIAL, name) for name in FINISHES)
        self._finishes = np.array([number for number in names if number >= 0])
        self._opaque = self._rgba[:, 3] >= 1.0

    def draw(self, rng: np.random.Generator) -> None:
        """Sample light, colours and materials."""
        model = self._model
        self._restore()
        if rng.random() < PLAIN_SHARE:
            return
        bodies = model.body_rootid[model.geom_bodyid]  # the world itself, with floors and walls, keeps its materials
        body_tints = rng.normal(1.0, BODY_TINT, (model.nbody, 3))[bodies]
        common_tint = rng.normal(1.0, TINT, 3)
        model.geom_rgba[:, :3] = np.clip(self._rgba[:, :3] * body_tints * common_tint, 0.02, 1.0)
        if len(self._finishes):
            is_refinished = (rng.random(model.nbody) < REFINISHED_SHARE)[bodies] & (bodies > 0)
            is_refinished &= self._opaque & (self._materials >= 0)
            chosen = self._finishes[rng.integers(len(self._finishes), size=model.nbody)]
            model.geom_matid[is_refinished] = chosen[bodies][is_refinished]
        brightness = rng.uniform(*BRIGHTNESS)
        warmth = np.array([1.0, 1.0, 1.0]) + rng.uniform(-0.12, 0.12) * np.array([1.0, 0.1, -1.0])
        model.vis.headlight.ambient[:] = self._head[0] * brightness * warmth
        model.vis.headlight.diffuse[:] = self._head[1] * brightness * warmth * rng.uniform(0.3, 1.4)
        model.light_diffuse[:] = self._diffuse * brightness * warmth * rng.uniform(0.2, 1.6, (model.nlight, 1))
        light_directions = self._dir + rng.normal(0.0, 0.4, self._dir.shape)
        light_directions[:, 2] = -np.abs(light_directions[:, 2]) - 0.2
        model.light_dir[:] = light_directions / np.linalg.norm(light_directions, axis=1, keepdims=True)

    def _restore(self) -> None:
        model = self._model
        model.geom_rgba[:], model.geom_matid[:] = self._rgba, self._materials
        model.light_diffuse[:], model.light_dir[:] = self._diffuse, self._dir
        model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = self._head
