"""Materials and procedural textures.

Textures are light-grey patterns near white. The colour is the geom's rgba, so that a renderer without textures (the ray
caster) shows the same colour. The bare numbers are grey levels (1 is white) and amplitudes, chosen by eye.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

SIZE = 256
"""Side of a texture in pixels."""


def _planks(rng: np.random.Generator, rows: int, contrast: float) -> NDArray[np.float64]:
    """Return boards along x with a grain, each in its own tone, with dark joints between them."""
    image = np.empty((SIZE, SIZE))
    high = SIZE // rows
    for row in range(rows):
        grain = np.cumsum(rng.normal(size=(high, 1)), axis=0) * 0.008 + rng.normal(size=(high, 1)) * 0.015
        wave = np.sin(np.linspace(0, 2 * np.pi, SIZE) * rng.integers(1, 3) + rng.uniform(0, 6))[None] * 0.012
        board = 0.92 + contrast * rng.uniform(-1, 1) + grain - grain.mean() + wave
        cut = int(rng.integers(0, SIZE))
        band = np.roll(np.broadcast_to(board, (high, SIZE)).copy(), cut, axis=1)
        if contrast:
            band[:, cut : cut + 2] *= 0.8
            band[-2:, :] *= 0.78
        image[row * high : (row + 1) * high] = band
    return image


def _tiles(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Return square tiles with grout lines."""
    image = np.empty((SIZE, SIZE))
    step = SIZE // count
    for i in range(count):
        for j in range(count):
            image[i * step : (i + 1) * step, j * step : (j + 1) * step] = 0.94 + rng.uniform(-0.025, 0.025)
    for k in range(count):
        image[k * step : k * step + 3] = 0.74
        image[:, k * step : k * step + 3] = 0.74
    return image


def _noise(rng: np.random.Generator, amount: float) -> NDArray[np.float64]:
    """Return fine woven noise."""
    fine = rng.normal(size=(SIZE, SIZE))
    smooth = (fine + np.roll(fine, 1, 0) + np.roll(fine, 1, 1) + np.roll(fine, (1, 1), (0, 1))) / 2
    return 0.92 + amount * smooth


def add_materials(spec: mujoco.MjSpec) -> None:
    """Add the materials of parts (`matte`, ...), `glow`, `ceiling`, and the floors' `wood`, `tiles`, `carpet`."""
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.75, 0.83, 0.90],
        rgb2=[0.93, 0.94, 0.94],
        width=32,
        height=192,
    )
    rng = np.random.default_rng(7)
    patterns = {
        "grain": (_planks(rng, 1, 0.0), (1.2, 1.2)),
        "wood": (_planks(rng, 8, 0.07), (1.3, 1.3)),
        "tiles": (_tiles(rng, 4), (1.2, 1.2)),
        "carpet": (_noise(rng, 0.045), (3.0, 3.0)),
    }
    for name, (pattern, repeat) in patterns.items():
        pixels = (np.clip(pattern, 0, 1) * 255).astype(np.uint8)[..., None].repeat(3, axis=2)
        texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=SIZE, height=SIZE, nchannel=3)
        texture.data = pixels.tobytes()
        material = spec.add_material(name=name, texuniform=True, texrepeat=repeat, specular=0.1, shininess=0.1)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    spec.add_material(name="matte", specular=0.1, shininess=0.1)
    spec.add_material(name="gloss", specular=0.4, shininess=0.6)
    spec.add_material(name="fabric", specular=0.0, shininess=0.0)
    spec.add_material(name="ceiling", specular=0.0, emission=0.45)
    spec.add_material(name="metal", specular=0.7, shininess=0.8)
    spec.add_material(name="glow", specular=0.0, emission=0.65)
