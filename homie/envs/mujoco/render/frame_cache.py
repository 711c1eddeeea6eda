"""Frames of states that come again: a world that stands as it stood before is not drawn a second time.

Where skills set the world, the trials of a task go through equal states, bit for bit.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import mujoco
import numpy as np

from homie.kernel.types import CameraFrame

FRAMES = 80
"""That are kept: the four views of EMMOE's twenty rounds. With what is worked out of it a frame of 256 x 256 pixels has
about 2 MiB."""
_POSED = ("geom_xpos", "geom_xmat", "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "ten_length")
"""What of a state a picture shows."""
_LOOKS = ("geom_", "mat_", "light_", "cam_", "tendon_")
"""How the fields of a model begin that say what it looks like; worlds change colours as things happen."""


class Pictured:
    """The last frames of a model, by camera and by all that shows in a picture."""

    def __init__(self, model: mujoco.MjModel) -> None:
        names = [name for name in dir(model) if name.startswith(_LOOKS)]
        fields = [getattr(model, name) for name in names]
        self._looks = [field for field in fields if isinstance(field, np.ndarray) and field.size]
        self._frames: OrderedDict[tuple[str, bytes], CameraFrame] = OrderedDict()

    def state(self, data: mujoco.MjData) -> bytes:
        """What tells this state from others that look different."""
        digest = hashlib.blake2b(digest_size=16)
        for field in (*(getattr(data, name) for name in _POSED), *self._looks):
            digest.update(np.ascontiguousarray(field).data)
        return digest.digest()

    def get(self, camera: str, state: bytes) -> CameraFrame | None:
        """The frame of a camera in a state, None where it is not kept."""
        frame = self._frames.get((camera, state))
        if frame is not None:
            self._frames.move_to_end((camera, state))
        return frame

    def keep(self, state: bytes, frame: CameraFrame) -> None:
        """Keep a frame of a state, in the place of the one that was asked for longest ago."""
        self._frames[frame.name, state] = frame
        if len(self._frames) > FRAMES:
            self._frames.popitem(last=False)
