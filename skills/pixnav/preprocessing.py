"""Preprocessing of images and the goal pixel for PixNav's network.

Three peculiarities of the original are kept because it was trained with them: red and blue are swapped, colours are not
normalised, and the mask is resized like an image, with soft edges.
"""

from __future__ import annotations

import cv2
import numpy as np
import torch

from homie.kernel.types import Image

SIDE = 224
WIDTH, HEIGHT = 640, 480
"""Size in pixels of the image in which the goal is marked."""
REACH = 8
"""Number of pixels of the mark on each side of the goal: a square of 17 by 17."""


def resize_picture(picture: Image) -> Image:
    """(h, w, 3) RGB -> (SIDE, SIDE, 3) BGR, bilinear"""
    return np.asarray(cv2.resize(picture[..., ::-1].copy(), (SIDE, SIDE)), dtype=np.uint8)


def mask(pixel: tuple[int, int]) -> Image:
    """Return the mark around a pixel (x, y) of a WIDTH by HEIGHT image: (SIDE, SIDE), 0..255."""
    full_mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    x, y = pixel
    full_mask[max(y - REACH, 0) : y + REACH + 1, max(x - REACH, 0) : x + REACH + 1] = 255
    return np.asarray(cv2.resize(full_mask, (SIDE, SIDE)), dtype=np.uint8)


def prepare(picture: Image) -> torch.Tensor:
    """(h, w, 3) RGB of any size -> (3, SIDE, SIDE), 0..1"""
    return torch.from_numpy(resize_picture(picture)).permute(2, 0, 1).to(torch.float32) / 255.0


def prepare_goal(picture: Image, pixel: tuple[int, int]) -> torch.Tensor:
    """The first image (h, w, 3) RGB and the goal's pixel, as in `mask` -> (4, SIDE, SIDE), 0..1"""
    marked = torch.from_numpy(mask(pixel)).to(torch.float32) / 255.0
    return torch.cat((prepare(picture), marked[None]))
