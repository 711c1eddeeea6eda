"""Discretised actions of an arm with seven numbers, as in EmbodiedBench: [x, y, z, roll, pitch, yaw, gripper].

Source: EmbodiedBench, section 4.1, appendix C.4, and `envs/eb_manipulation/eb_man_utils.py`. The position of the tool
is a cell of a grid of 100 x 100 x 100 over the workspace, its orientation three numbers of 3 degrees each, the gripper
0 (closed) or 1 (open). Lengths are metres in the frame of the workspace, whose table top is at z = 0.75.

`decode_*` and `encode_position` are the plain arithmetic of EmbodiedBench, without a check, and agree with it on its
golden vectors. `ArmAction` is the layer above, which accepts only numbers in range. EmbodiedBench has no inverse from a
rotation to numbers: `encode_rotation` is ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from homie.kernel.errors import BadInput
from homie.kernel.pose_action import CELLS, NUMBERS, TURNS
from homie.kernel.types import Array, Pose

LOW: tuple[float, float, float] = (-0.3, -0.5, 0.6)
HIGH: tuple[float, float, float] = (0.7, 0.5, 1.6)
"""Corners of the workspace, m."""
RESOLUTION = (HIGH[0] - LOW[0]) / CELLS
"""Side length of one cell, m."""
STEP = 3
"""Degrees of one orientation step; index 0 is -180 degrees."""

FIELDS = tuple(NUMBERS)

_EPSILON = 1e-12
"""EmbodiedBench divides by a cell that is larger by this, so that a point on a grid line falls into the lower cell."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_UPRIGHT = 1e-6
_GRIPPER_IN_TOOL: Array = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])


# ---------------------------------------------------------------- as EmbodiedBench has it


def decode_position(cells: ArrayLike) -> Array:
    """Return the middle of cells (..., 3) in metres. No check of the range."""
    return np.asarray(np.array(LOW) + RESOLUTION * np.asarray(cells) + RESOLUTION / 2)


def encode_position(points: ArrayLike) -> NDArray[np.int64]:
    """Return the cells (..., 3) that contain points in metres: at most 99, but below the workspace negative."""
    cells = np.floor((np.asarray(points, dtype=float) - np.array(LOW)) / (RESOLUTION + _EPSILON))
    inside: NDArray[np.int64] = np.minimum(cells, CELLS - 1).astype(np.int64)
    return inside


def decode_rotation(turns: ArrayLike) -> Array:
    """Return the quaternions (..., 4), scalar **last**, of roll, pitch, yaw in steps (..., 3). No check of the range.

    The angles turn about the fixed axes x, then y, then z. The sign is not normalised: (0, 0, 0) gives (0, 0, 0, -1).
    """
    half = np.radians(np.asarray(turns) * STEP - 180.0) / 2
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(half), -1, 0), np.moveaxis(np.sin(half), -1, 0)
    x, y = sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy
    z, w = cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy
    return np.stack([x, y, z, w], axis=-1)


def decode(action: ArrayLike) -> Array:
    """Return position, quaternion (scalar last) and gripper (..., 8) of seven numbers (..., 7). No check of the
    range."""
    seven = np.asarray(action)
    gripper = np.asarray(seven[..., 6:], dtype=float)
    return np.concatenate([decode_position(seven[..., :3]), decode_rotation(seven[..., 3:6]), gripper], axis=-1)


# ---------------------------------------------------------------- ours


def rotation_matrix(turns: ArrayLike) -> Array:
    """Return the rotation (3, 3) of roll, pitch, yaw in steps (3,)."""
    x, y, z, w = decode_rotation(turns)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def encode_rotation(rotation: Array) -> tuple[int, int, int]:
    """Return roll, pitch, yaw in steps for a rotation (3, 3): each angle rounded, the pitch between -90 and 90 degrees.

    The decoded rotation differs by at most 4.5 degrees from the given one: half a step about each axis. A decoded
    rotation is encoded as the same rotation, though perhaps by other numbers: (0, 60, 0) and (60, 0, 60) are equal. At
    a pitch of 90 degrees only the sum of roll and yaw matters; the roll is 0 degrees then.
    """
    sine = float(np.clip(-rotation[2, 0], -1.0, 1.0))
    if np.hypot(rotation[0, 0], rotation[1, 0]) > _UPRIGHT:
        roll, yaw = np.arctan2(rotation[2, 1], rotation[2, 2]), np.arctan2(rotation[1, 0], rotation[0, 0])
    else:
        roll, yaw = 0.0, np.arctan2(-rotation[0, 1], rotation[1, 1])
    pitch = np.arctan2(sine, np.hypot(rotation[0, 0], rotation[1, 0]))
    steps = [round((float(np.degrees(angle)) + 180.0) / STEP) % TURNS for angle in (roll, pitch, yaw)]
    return steps[0], steps[1], steps[2]


@dataclass(frozen=True, slots=True)
class ArmAction:
    """One action in range: the cell of the tool, its orientation in steps, whether the gripper is open."""

    cell: tuple[int, int, int]
    turns: tuple[int, int, int]
    open: bool

    @classmethod
    def of(cls, values: Sequence[float]) -> ArmAction:
        """Create an action from seven numbers. Raises BadInput naming the first wrong one: EmbodiedBench accepts
        any."""
        if len(values) != len(FIELDS):
            raise BadInput(f"An action is {len(FIELDS)} numbers [{', '.join(FIELDS)}], not {len(values)}.")
        numbers = [_in_range(name, value) for name, value in zip(FIELDS, values, strict=True)]
        return cls((numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5]), numbers[6] == 1)

    @classmethod
    def read(cls, text: str) -> ArmAction:
        """Parse text such as `[54, 90, 49, 0, 60, 90, 1]`, with or without brackets. Raises BadInput."""
        inside = text.strip()
        if inside.startswith("[") and inside.endswith("]"):
            inside = inside[1:-1]
        parts = [part.strip() for part in inside.split(",")]
        for part in parts:
            if not _NUMBER.fullmatch(part):
                raise BadInput(
                    f"'{part}' is no number: an action is written [{', '.join(FIELDS)}]."  # codespell:ignore
                )
        return cls.of([float(part) for part in parts])

    @classmethod
    def from_pose(cls, pose: Pose, *, open: bool) -> ArmAction:
        """Return the action nearest to a pose of the tool. Raises BadInput outside the workspace."""
        x, y, z = (int(cell) for cell in encode_position(pose.position))
        return cls.of([x, y, z, *encode_rotation(pose.rotation), int(open)])

    @staticmethod
    def place(point: Array) -> str:
        """Format the cell of a point (3,) like the position of an object in EmbodiedBench: `[54, 53, 19]`."""
        return f"[{', '.join(str(int(cell)) for cell in encode_position(point))}]"

    @property
    def pose(self) -> Pose:
        """Target pose of the tool: m, in the frame of the workspace; z of the tool points out along the fingers."""
        return Pose(decode_position(self.cell), rotation_matrix(self.turns))

    @property
    def gripper(self) -> Pose:
        """The same pose in Homie's gripper convention: x points out along the fingers, y is the same."""
        tool = self.pose
        return Pose(tool.position, tool.rotation @ _GRIPPER_IN_TOOL)

    @property
    def values(self) -> tuple[int, ...]:
        """The seven numbers."""
        return (*self.cell, *self.turns, int(self.open))

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.values))}]"


def _in_range(name: str, value: float) -> int:
    if isinstance(value, bool) or not np.isfinite(value) or value != int(value):
        raise BadInput(f"{name} must be a whole number (got {value}).")
    number = int(value)
    if name == "gripper" and number not in (0, 1):
        raise BadInput(f"gripper must be 0 (closed) or 1 (open), not {number}.")
    last = NUMBERS[name]
    if not 0 <= number <= last:
        hint = f"; {TURNS} would be the same angle as 0" if last == TURNS - 1 and number == TURNS else ""
        raise BadInput(f"{name} must be between 0 and {last}, not {number}{hint}.")
    return number
