"""What the numbers and pictures of a checkpoint mean: declared by a user or a server, compared before any command.

A row of actions is a motion or a pose of the hand: the numbers of the position, of the rotation, and of the gripper.
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
"""The numbers of a closed and of an open hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Conventions of a checkpoint.

    Attributes:
        position: `delta`, added to the last target of the hand, or `absolute`, the pose of the end effector itself.
        rotation: Of a motion about the base's axes, or of the end effector: `rotation-vector`, `euler-xyz` (about fixed
            axes x, y, z), or a quaternion.
        gripper: Which number means what; `open-is-1` and `open-is-0` go from 0 to 1, the others from -1 to 1.
        metres, radians: What 1 of a position and of a rotation (of a quaternion none) stands for.
        rate: Actions per second.
        picture_size: Width and height of pictures, pixels.
        channels: Order of their colours.
        pictures: `upright`, or `mirrored`, left and right exchanged: LIBERO's, which come upside down, are turned by
            180 degrees for training.
        state: Frame of the hand's poses, in a state and of actions: of the `base`, or of the `world` (odometry).
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

    def declared(self) -> dict[str, Any]:
        """By name, as a server says it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def numbers(self) -> int:
        """Of one action."""
        return 4 + (4 if self.rotation.startswith("quaternion") else 3)

    def motions(self, actions: object) -> list[Motion]:
        """The motions of a chunk of actions (H, numbers) or of one (numbers,).

        Those of an `absolute` layout hold the pose of Homie's gripper in the layout's frame: its position (m), and as
        rotation its rotation vector. Raises PolicyFailed.
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
                translation=row[:3] * self.metres + self._ahead(turn),
                rotation=turn,
                opening=float(np.clip((row[-1] - closed) / (opened - closed), 0.0, 1.0)),
                base=np.zeros(3),
            )
            for row, turn in zip(rows, map(self._turn, rows[:, 3:-1]), strict=True)
        ]

    def actions(self, motions: Sequence[Motion]) -> NDArray[np.float32]:
        """The chunk (H, 7) of some motions, where rotations are vectors; numbers end at -1 and 1."""
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
        """The number of a hand that is open to a share of 0 to 1."""
        closed, opened = _CLOSED_OPEN[self.gripper]
        return closed + opening * (opened - closed)

    def _ahead(self, turn: Array) -> Array:
        """From the end effector to Homie's gripper, (3,) m; of a motion nothing."""
        return np.zeros(3) if self.position == "delta" else BEHIND * rotation_matrix(turn)[:, 0]

    def _turn(self, numbers: Array) -> Array:
        """The rotation vector of a row, rad."""
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
        """A picture (H, W, 3) as the checkpoint takes it: shrunk without distortion onto black."""
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
"""By name: checkpoints trained on LIBERO (steps of up to 5 cm and 0.5 rad), and those of GR00T; metres and radians as
they are; poses of the end effector in the base frame."""


def _rows(actions: object) -> Array:
    """The rows (H, numbers) of actions, or of one; (0,) for anything but numbers."""
    try:
        rows = np.asarray(actions)
    except ValueError:  # ragged
        return np.zeros(0)
    if not isinstance(actions, np.ndarray | list) or rows.dtype.kind not in "fiub":
        return np.zeros(0)
    return rows[None].astype(np.float64) if rows.ndim == 1 else rows.astype(np.float64)


def agreed(
    server_name: str, prefix: str, requested: str, changes: Mapping[str, Any], declared: Mapping[str, Any]
) -> Layout:
    """The layout that a user and a server agree on.

    Args:
        server_name: `The policy server at ws://...`.
        prefix: Of the settings, `openpi`.
        requested: The name of a layout, "" for what the server says.
        changes: What a user says otherwise, by name.
        declared: What the server declares, by name.

    Raises:
        BadInput: Neither says what the numbers mean, or they contradict one another.
    """
    known = [field.name for field in fields(Layout)]
    if requested and requested not in LAYOUTS:
        raise BadInput(
            f"There is no layout '{requested}': {suggestion(requested, LAYOUTS, f'choose {_listed(LAYOUTS)}.')}"
        )
    missing = [name for name in known if name not in {**changes, **declared}]
    if not requested and missing:
        raise BadInput(
            f"{server_name} does not say what its numbers mean ({', '.join(missing)}): give `--skill-option"
            f" {prefix}.layout=NAME` as its checkpoint was trained, {_listed(LAYOUTS)}."
        )
    chosen = {**(LAYOUTS[requested].declared() if requested else {}), **changes}
    for name, value in declared.items():
        if name in known and name in chosen and not _equal(chosen[name], value):
            raise BadInput(
                f"{server_name} says '{value}' for '{name}', and here it is '{chosen[name]}': give `--skill-option"
                f" {prefix}.{name}={value}`, or another layout."
            )
    return _possible(server_name, Layout(**{**chosen, **{name: declared[name] for name in known if name in declared}}))


def _possible(server_name: str, layout: Layout) -> Layout:
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
                f"{server_name} says '{getattr(layout, name)}' for '{name}', and Homie takes {_listed(values)}."
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


def _listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    return " or ".join(names)
