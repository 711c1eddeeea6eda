"""Images of a world without physics: a labelled tile for every visible thing, and a mask of the instances."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw

from homie.kernel.types import Image
from homie.kernel.world.snapshot import ThingState

SIZE = 256
"""Width and height in pixels."""
COLUMNS = 2
TALLEST = 32
"""Maximum height of a tile (pixels)."""
_GROUND = (235, 235, 230)


def draw(things: Mapping[str, ThingState]) -> tuple[Image, NDArray[np.int32]]:
    """Draw labelled tiles of things.

    Returns:
        The image (SIZE, SIZE, 3), and for each pixel the index of its thing, -1 for none.
    """
    instances = np.full((SIZE, SIZE), -1, np.int32)
    picture = Picture.new("RGB", (SIZE, SIZE), _GROUND)
    pen = ImageDraw.Draw(picture)
    rows = -(-len(things) // COLUMNS)
    height, width = min(TALLEST, SIZE // max(rows, 1)), SIZE // COLUMNS
    for index, (name, item) in enumerate(things.items()):
        x, y = width * (index % COLUMNS), height * (index // COLUMNS)
        pen.rectangle((x + 1, y + 1, x + width - 2, y + height - 2), fill=item.rgb or _paint(item.kind))
        pen.text((x + 4, y + height // 4), name.replace("_", " "), fill=(0, 0, 0))
        instances[y + 1 : y + height - 1, x + 1 : x + width - 1] = index
    return np.asarray(picture), instances


def _paint(kind: str) -> tuple[int, int, int]:
    """Return a light colour that depends only on the kind."""
    digest = zlib.crc32(kind.encode())
    red, green, blue = (130 + (digest >> shift) % 110 for shift in (0, 8, 16))
    return red, green, blue
