"""Demonstrations for tests: a cart that rolls, seen by two cameras."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from homie.data.recording.demonstration import Camera, Demonstration, Film, Layout, Stage
from homie.kernel.types import SUCCESS, ErrorCode, Feedback, Image, Subtask

FAR = Feedback("fail", ErrorCode.D1, "Unable to pick, the target is far away")
LAYOUT = Layout(
    robot="cart",
    fps=10,
    state=("base.x", "lift.pos"),
    action=("base.linear.vel", "lift.pos"),
    cameras={"head": Camera(48, 64), "wrist": Camera(32, 32)},
)


class Rolling(Film):
    """Bright and dark fields of one colour that move one pixel from picture to picture."""

    def __init__(self, frames: int, size: tuple[int, int], seed: int) -> None:
        self._frames, self._size, self._seed = frames, size, seed

    def __iter__(self) -> Iterator[Image]:
        height, width = self._size
        fields = np.random.default_rng(self._seed).integers(40, 240, (height // 8, width // 8, 1)) * [1.0, 0.9, 0.8]
        fields = fields.astype(np.uint8)
        picture = fields.repeat(8, axis=0).repeat(8, axis=1)
        for frame in range(self._frames):
            yield np.roll(picture, frame, axis=1)


def demonstration(seed: int, frames: int = 12) -> Demonstration:
    """Refused at first, then an apple is gone to and picked; the instruction is one of two."""
    generator = np.random.default_rng(seed)
    stages = (
        Stage(first=0, subtask=Subtask("Pick", "apple"), feedback=FAR),
        Stage(first=0, subtask=Subtask("Go to", "apple"), feedback=SUCCESS, analysis="It is far away."),
        Stage(first=6, subtask=Subtask("Pick", "apple"), feedback=SUCCESS, analysis="It is near.", model="rt1x"),
        Stage(first=frames - 1, subtask=Subtask("End"), feedback=SUCCESS),
    )
    return Demonstration(
        name=f"run/{seed}",
        task=f"pick the apple {seed % 2}",
        layout=LAYOUT,
        stamps=np.arange(frames) / LAYOUT.fps,
        states=generator.normal(size=(frames, 2)).astype(np.float32),
        actions=generator.normal(size=(frames, 2)).astype(np.float32),
        films={camera: Rolling(frames, (size.height, size.width), seed) for camera, size in LAYOUT.cameras.items()},
        stages=stages,
        success=True,
    )
