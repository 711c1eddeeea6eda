"""Cache of rendered frames: a world in a state that was rendered before is not rendered again.

If skills set the world state directly, the trials of a task pass through bitwise identical states.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import mujoco
import numpy as np

from homie.kernel.types import CameraFrame

FRAMES = 80
"""Cache capacity in frames: the four views of EMMOE's twenty rounds. A frame of 256 x 256 pixels takes about 2 MiB,
data derived from it included."""
_STATE_FIELDS = ("geom_xpos", "geom_xmat", "cam_xpos", "cam_xmat", "light_xpos", "light_xdir", "ten_length")
"""Fields of `MjData` that affect an image."""
_MODEL_PREFIXES = ("geom_", "mat_", "light_", "cam_", "tendon_")
"""Prefixes of the fields of `MjModel` that affect an image; worlds change colours during an episode."""


class Pictured:
    """LRU cache of the frames of a model, by camera and visual state."""

    def __init__(self, model: mujoco.MjModel) -> None:
        names = [name for name in dir(model) if name.startswith(_MODEL_PREFIXES)]
        fields = [getattr(model, name) for name in names]
        self._model_fields = [field for field in fields if isinstance(field, np.ndarray) and field.size]
        self._frames: OrderedDict[tuple[str, bytes], CameraFrame] = OrderedDict()

    def state(self, data: mujoco.MjData) -> bytes:
        """Return a digest of all fields that affect an image of this state."""
        digest = hashlib.blake2b(digest_size=16)
        for field in (*(getattr(data, name) for name in _STATE_FIELDS), *self._model_fields):
            digest.update(np.ascontiguousarray(field).data)
        return digest.digest()

    def get(self, camera: str, state: bytes) -> CameraFrame | None:
        """Return the frame of a camera in a state, None if it is not cached."""
        frame = self._frames.get((camera, state))
        if frame is not None:
            self._frames.move_to_end((camera, state))
        return frame

    def keep(self, state: bytes, frame: CameraFrame) -> None:
        """Cache a frame of a state, evicting the least recently used one."""
        self._frames[frame.name, state] = frame
        if len(self._frames) > FRAMES:
            self._frames.popitem(last=False)
