"""Schema of a file of amendments, which completes a third-party MJCF robot to a body that Homie can simulate.

Third-party models lack speeds and Homie's kind of servos, have rolling wheels and cameras of their own, and may have no
keyframe. The YAML file names their joints by group and adds the rest; docs/robots.md has one with every key.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_yaml
from homie.kernel.support.files import is_about_a_field, reading
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.validation_sentences import fault_of, sentence_of, where

Posture = Literal["rest", "carry", "ready"]
Positive = Annotated[float, Field(gt=0.0)]


class _Part(PlainNumbers, BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Servo(_Part):
    """A position servo: gain (N/m, Nm/rad), maximum force (N, Nm), and reflected gear inertia (kg, kg m^2)."""

    kp: Positive
    force: Positive
    armature: Positive


SLIDING = Servo(kp=20000.0, force=300.0, armature=4.0)
TURNING = Servo(kp=1200.0, force=60.0, armature=0.4)
NODDING = Servo(kp=20.0, force=5.0, armature=0.05)
"""Default servos of sliding joints, of hinges, and of heads."""


class JointGroup(_Part):
    """Joints that are commanded together, with their speed limits (rad/s, m/s)."""

    kind: Literal["torso", "arm", "head"]
    joints: dict[str, Positive] = Field(min_length=1)
    servo: Servo | None = None


class NewJoint(_Part):
    """A hinge to add to the model. range: rad."""

    body: str
    axis: Vec3 = (0.0, 0.0, 1.0)
    pos: Vec3 = (0.0, 0.0, 0.0)
    range: tuple[float, float]


class Frame(_Part):
    """A frame on a body, given by its x and y axes in the body frame, or by its yaw and downward pitch (degrees)."""

    body: str
    pos: Vec3 = (0.0, 0.0, 0.0)
    xyaxes: tuple[float, float, float, float, float, float] | None = None
    yaw: float = 0.0
    down: float = 0.0


class Camera(Frame):
    """A camera that looks along x of its frame. fovy: vertical field of view, degrees."""

    fovy: Annotated[float, Field(gt=0.0, lt=180.0)] = 90.0


class Finger(_Part):
    """A sliding finger; it replaces the joints of its body.

    Attributes:
        opens: Opening direction in the frame of its body.
        travel: Length of its travel, m.
        pad: Half sizes (m) of the box that touches the grasped object.
        pad_pos: Middle of that box in the frame of the body, m.
    """

    body: str
    opens: Vec3
    travel: Positive
    pad: Vec3
    pad_pos: Vec3 = (0.0, 0.0, 0.0)


class GripperParts(_Part):
    """The hand. frame: x out along the fingers, y the direction in which they close. speed: Finger speed, m/s."""

    body: str
    frame: Frame
    right: Finger
    left: Finger
    speed: Positive = 0.05
    force: Positive = 60.0


class BaseParts(_Part):
    """The base: its body and its speed and acceleration limits; or the foot of a `fixed` arm."""

    body: str
    fixed: bool = False
    linear: Positive = 0.6
    angular: Positive = 1.5
    sideways: Positive | None = None
    """Lateral speed limit of an omnidirectional base, m/s."""
    linear_acceleration: Positive = 0.6
    angular_acceleration: Positive = 2.5
    height: float = 0.0
    """Height of the body's origin above the floor, m."""

    @model_validator(mode="after")
    def _stands_or_drives(self) -> BaseParts:
        if self.fixed and (speeds := sorted(self.model_fields_set - {"body", "fixed", "height"})):
            raise ValueError(f"what is fixed has no {speeds[0]}")
        return self


class Touching(_Part):
    """Selection of the collision geoms: those of some default classes or groups, except those of some bodies, such as
    wheels, on which Homie's base does not roll. All others are visual only."""

    classes: list[str] = []
    groups: list[int] = []
    without: list[str] = []


class Amendments(_Part):
    """A file of amendments. postures: Joint positions (rad, m) by name; other joints are at 0. reach, hand: Fields of
    `homie.kernel.robot.reach.Reach` and `Fingers`."""

    name: str = Field(min_length=1)
    mjcf: str
    base: BaseParts
    groups: dict[str, JointGroup] = Field(min_length=1)
    gripper: GripperParts
    cameras: dict[str, Camera] = {}
    touching: Touching
    postures: dict[Posture, dict[str, float]]
    added_joints: dict[str, NewJoint] = {}
    footprint_radius: Positive
    eye: Vec3 = (0.0, 0.0, 1.2)
    reach: dict[str, Any] = {}
    hand: dict[str, float] = {}

    @model_validator(mode="after")
    def _is_whole(self) -> Amendments:
        if lacking := [name for name in get_args(Posture) if name not in self.postures]:
            raise ValueError(f"postures lack {', '.join(lacking)}")
        if not self.base.fixed and (lacking := [name for name in CAMERAS if name not in self.cameras]):
            raise ValueError(f"cameras lack {', '.join(lacking)}")
        if not any(group.kind == "arm" for group in self.groups.values()):
            raise ValueError("no group is an arm")
        return self

    @property
    def speeds(self) -> Mapping[str, float]:
        """Speed limits of the joints of all groups, by name."""
        return {name: speed for group in self.groups.values() for name, speed in group.joints.items()}


CAMERAS = ("front", "left", "back", "right", "head", "wrist")
"""Cameras that every mobile body needs; a fixed arm does not."""


def read_amendments(path: Path) -> Amendments:
    """Read a YAML file of amendments. Raises BadInput with the first mistake in one sentence."""
    advice = "A body is a YAML file of amendments to an MJCF model (docs/robots.md)."
    with reading(path, "the body", advice=advice):
        loaded = load_yaml(path)
    if not isinstance(loaded, dict):
        raise BadInput(f"The body {path} must hold a mapping of names to values. {advice}")
    try:
        return Amendments.model_validate(loaded)
    except ValidationError as error:
        first = fault_of(error)
        suffix = "" if is_about_a_field(error) else f" {advice}"
        raise BadInput(f"{path}: {sentence_of(first, where(first['loc']), error=error)}.{suffix}") from error
