"""Conventions of a checkpoint's values and images: declared by a user or a server, compared before any command.

A row of actions is a motion or a pose of the hand: the values of the position, of the rotation, and of the gripper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.types import Array
from skills.dialects.hand import BEHIND, TOOL, vector_of_quaternion
from skills.policies.motions import Motion, from_euler, plausible, rotation_matrix, rotation_vector
from skills.policies.policy import cannot_go_on

Position: TypeAlias = Literal["delta", "absolute"]
Rotation: TypeAlias = Literal["rotation-vector", "euler-xyz", "quaternion-wxyz", "quaternion-xyzw"]
Grip: TypeAlias = Literal["close-is-1", "close-is-minus-1", "open-is-1", "open-is-0"]
Channels: TypeAlias = Literal["rgb", "bgr"]
Frame: TypeAlias = Literal["base", "world"]
Pictures: TypeAlias = Literal["upright", "mirrored"]
_CLOSED_OPEN: Mapping[str, tuple[float, float]] = {
    "close-is-1": (1.0, -1.0),
    "close-is-minus-1": (-1.0, 1.0),
    "open-is-1": (0.0, 1.0),
    "open-is-0": (1.0, 0.0),
}
"""Values of a closed and of an open hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Conventions of a checkpoint.

    Attributes:
        position: `delta`, added to the last target of the hand, or `absolute`, the pose of the end effector itself.
        rotation: Of a motion about the base's axes, or of the end effector: `rotation-vector`, `euler-xyz` (about fixed
            axes x, y, z), or a quaternion.
        gripper: Meaning of the gripper value; `open-is-1` and `open-is-0` range from 0 to 1, the others from -1 to 1.
        metres, radians: Scale of a position and of a rotation value (not of a quaternion).
        rate: Actions per second.
        picture_size: Width and height of images, pixels.
        channels: Order of the colour channels.
        pictures: `upright`, or `mirrored`, left and right exchanged: LIBERO's, which come upside down, are turned by
            180 degrees for training.
        state: Frame of the hand's poses in states and actions: `base`, or `world` (odometry).
    """

    position: Position = "delta"
    rotation: Rotation = "rotation-vector"
    gripper: Grip = "close-is-1"
    metres: float = 0.05
    radians: float = 0.5
    rate: float = 20.0
    picture_size: int = 224
    channels: Channels = "rgb"
    pictures: Pictures = "upright"
    state: Frame = "base"

    def to_dict(self) -> dict[str, Any]:
        """Return the conventions by name, as a server declares them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def numbers(self) -> int:
        """Number of values of one action."""
        return 4 + (4 if self.rotation.startswith("quaternion") else 3)

    def motions(self, actions: object) -> list[Motion]:
        """Convert a chunk of actions (H, numbers) or one action (numbers,) to motions.

        Motions of an `absolute` layout hold the pose of Homie's gripper in the layout's frame: its position (m), and
        its rotation vector as rotation. Raises PolicyFailed.
        """
        rows = _rows(actions)
        expectation = f"and rows of {self.numbers} finite numbers are taken"
        if rows.ndim != 2 or not len(rows) or rows.shape[1] != self.numbers:
            raise cannot_go_on(f"its actions are {rows.shape}, {expectation}")
        if not plausible(rows):
            worst = rows.flat[int(np.argmax(np.nan_to_num(np.abs(rows), nan=np.inf)))]
            raise cannot_go_on(f"its actions have the number {worst:g}, {expectation}")
        closed, opened = _CLOSED_OPEN[self.gripper]
        return [
            Motion(
                translation=row[:3] * self.metres + self._end_to_gripper(turn),
                rotation=turn,
                opening=float(np.clip((row[-1] - closed) / (opened - closed), 0.0, 1.0)),
                base=np.zeros(3),
            )
            for row, turn in zip(rows, map(self._turn, rows[:, 3:-1]), strict=True)
        ]

    def actions(self, motions: Sequence[Motion]) -> NDArray[np.float32]:
        """Return the chunk (H, 7) of some motions, with rotation vectors; values are clipped to -1..1."""
        rows = [
            np.concatenate(
                [
                    np.clip(motion.translation / self.metres, -1.0, 1.0),
                    np.clip(motion.rotation / self.radians, -1.0, 1.0),
                    [self.grip(motion.opening)],
                ]
            )
            for motion in motions
        ]
        return np.array(rows, np.float32)

    def grip(self, opening: float) -> float:
        """Return the gripper value of a hand that is open to a fraction of 0 to 1."""
        closed, opened = _CLOSED_OPEN[self.gripper]
        return closed + opening * (opened - closed)

    def _end_to_gripper(self, turn: Array) -> Array:
        """Return the offset (3,) m from the end effector to Homie's gripper; zero for a motion."""
        return np.zeros(3) if self.position == "delta" else BEHIND * rotation_matrix(turn)[:, 0]

    def _turn(self, numbers: Array) -> Array:
        """Return the rotation vector of a row, rad."""
        match self.rotation:
            case "rotation-vector":
                vector = numbers * self.radians
            case "euler-xyz":
                vector = from_euler(numbers * self.radians)
            case "quaternion-wxyz":
                vector = vector_of_quaternion(numbers)
            case "quaternion-xyzw":
                vector = vector_of_quaternion(np.roll(numbers, 1))
        return vector if self.position == "delta" else rotation_vector(rotation_matrix(vector) @ TOOL.T)

    def picture(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Convert an image (H, W, 3) to the checkpoint's format: scaled without distortion onto black."""
        size, (height, width) = self.picture_size, rgb.shape[:2]
        image = Image.fromarray(np.ascontiguousarray(rgb[:, ::-1]) if self.pictures == "mirrored" else rgb)
        if (width, height) != (size, size):
            ratio = max(width, height) / size
            small = image.resize((int(width / ratio), int(height / ratio)), Image.Resampling.BILINEAR)
            image = Image.new("RGB", (size, size))
            image.paste(small, ((size - small.width) // 2, (size - small.height) // 2))
        picture = np.asarray(image)
        return np.ascontiguousarray(picture[..., ::-1]) if self.channels == "bgr" else picture


LAYOUTS: Mapping[str, Layout] = {
    "libero": Layout(pictures="mirrored", state="world"),
    "metric": Layout(metres=1.0, radians=1.0, gripper="open-is-1", rate=5.0, picture_size=256),
    "libero-gr00t": Layout(gripper="open-is-1", picture_size=256, pictures="mirrored", state="world"),
    "pose": Layout(
        position="absolute", rotation="quaternion-wxyz", metres=1.0, radians=1.0, gripper="open-is-1", picture_size=256
    ),
}
"""Layouts by name: checkpoints trained on LIBERO (steps of up to 5 cm and 0.5 rad), and those of GR00T; unscaled metres
and radians; poses of the end effector in the base frame."""


def _rows(actions: object) -> Array:
    """Return the rows (H, numbers) of a chunk or of one action; (0,) for anything but numbers."""
    try:
        rows = np.asarray(actions)
    except ValueError:  # ragged
        return np.zeros(0)
    if not isinstance(actions, np.ndarray | list) or rows.dtype.kind not in "fiub":
        return np.zeros(0)
    return rows[None].astype(np.float64) if rows.ndim == 1 else rows.astype(np.float64)


def agree_layout(
    server_name: str, prefix: str, requested: str, changes: Mapping[str, Any], declared: Mapping[str, Any]
) -> Layout:
    """Return the layout on which a user and a server agree.

    Args:
        server_name: `The policy server at ws://...`.
        prefix: Prefix of the settings, such as `openpi`.
        requested: The name of a layout, "" for the server's conventions.
        changes: Conventions that a user overrides, by name.
        declared: Conventions that the server declares, by name.

    Raises:
        BadInput: The conventions are not declared, or the two declarations contradict one another.
    """
    field_names = [field.name for field in fields(Layout)]
    if requested and requested not in LAYOUTS:
        raise BadInput(
            f"There is no layout '{requested}': {suggestion(requested, LAYOUTS, f'choose {_join_names(LAYOUTS)}.')}"
        )
    missing = [name for name in field_names if name not in {**changes, **declared}]
    if not requested and missing:
        raise BadInput(
            f"{server_name} does not say what its numbers mean ({', '.join(missing)}): give `--skill-option"
            f" {prefix}.layout=NAME` as its checkpoint was trained, {_join_names(LAYOUTS)}."
        )
    chosen = {**(LAYOUTS[requested].to_dict() if requested else {}), **changes}
    for name, value in declared.items():
        if name in field_names and name in chosen and not _equal(chosen[name], value):
            raise BadInput(
                f"{server_name} says '{value}' for '{name}', and here it is '{chosen[name]}': give `--skill-option"
                f" {prefix}.{name}={value}`, or another layout."
            )
    return _check_values(
        server_name, Layout(**{**chosen, **{name: declared[name] for name in field_names if name in declared}})
    )


def _check_values(server_name: str, layout: Layout) -> Layout:
    choices = {
        "position": get_args(Position),
        "rotation": get_args(Rotation),
        "gripper": tuple(_CLOSED_OPEN),
        "channels": get_args(Channels),
        "pictures": get_args(Pictures),
        "state": get_args(Frame),
    }
    for name, values in choices.items():
        if getattr(layout, name) not in values:
            raise BadInput(
                f"{server_name} says '{getattr(layout, name)}' for '{name}', and Homie takes {_join_names(values)}."
            )
    for name in ("metres", "radians", "rate", "picture_size"):
        value = getattr(layout, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10_000:
            raise BadInput(f"{server_name} says '{value}' for '{name}', which is no such number.")
    return layout


def _equal(first: object, second: object) -> bool:
    if isinstance(first, int | float) and isinstance(second, int | float):
        return bool(np.isclose(first, second))
    return first == second


def _join_names(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " or ".join(names)
