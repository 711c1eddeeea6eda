"""Preprocessing of images for NoMaD's encoders (`transform_images` of its deployment code, without cropping)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image as Pillow

from homie.kernel.types import Image

SIDE = 96
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and deviation of ImageNet's pixels in 0..1, red, green, blue."""


def prepare(pictures: Sequence[Image]) -> torch.Tensor:
    """Resize images (h, w, 3) of any size to squares and normalise them: (n, 3, SIDE, SIDE) float32."""
    small = np.stack([np.asarray(Pillow.fromarray(picture).resize((SIDE, SIDE))) for picture in pictures])
    scaled = torch.from_numpy(small).permute(0, 3, 1, 2).to(torch.float32) / 255.0
    return (scaled - torch.tensor(MEAN)[:, None, None]) / torch.tensor(STD)[:, None, None]
