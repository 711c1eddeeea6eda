"""Schema of the robot description that a robot server sends: strict parsing, and serialization of a Homie robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal

import mujoco
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.mujoco.robots.model_kinematics import ModelKinematics
from homie.envs.symbolic_robot import NoArm
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Kinematics, Robot
from homie.kernel.robot.body import Group, Joint, Kind, RobotSpec
from homie.kernel.robot.reach import Fingers, Reach
from homie.kernel.support.validation_sentences import first_problem

Posture = dict[str, tuple[float, ...]]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class JointEntry(_Part):
    """A joint, as `homie.Joint`."""

    name: str
    lower: float
    upper: float
    speed: float
    acceleration: float = math.inf
    slides: bool = False


class GroupEntry(_Part):
    """A group of joints, as `homie.Group`."""

    name: str
    kind: Kind
    joints: tuple[JointEntry, ...]


class PandaEntry(_Part):
    """A Franka Panda: offset (m) of its foot from the origin of the base frame."""

    height: float = 0.0
    ahead: float = 0.0


class KinematicsEntry(_Part):
    """Kinematics of the arm: a Panda, a Fetch with torso, or any arm as the text of an MJCF file (docs/robots.md)."""

    panda: PandaEntry | None = None
    fetch: bool = False
    mjcf: str = ""


class Description(_Part):
    """A robot: the fields of `homie.RobotSpec` and the attributes of `homie.Robot`.

    Attributes:
        video: Name of the camera for videos (`homie.Robot.eye`); `eye` is the field of the spec, the head camera's
            position.
    """

    name: str
    period: float
    groups: tuple[GroupEntry, ...]
    footprint_radius: float = 0.0
    eye: tuple[float, float, float] = (0.0, 0.0, 1.0)
    rest: Posture = {}
    carry: Posture = {}
    ready: tuple[Posture, ...] = ()
    reach: dict[str, Any] = {}
    fingers: dict[str, Any] = {}
    kinematics: KinematicsEntry = KinematicsEntry()
    views: tuple[str, ...] = Field(default=("front",), min_length=1)
    hand: str = ""
    video: str = ""
    actions: tuple[str, ...] = ()
    over_limit: Literal["clamp", "refuse"] = "clamp"
    lead: float = 3.0
    stop_seconds: float = 3.0
    waits: bool = False
    inventory_by: Literal["feedback", "hand"] = "hand"
    compliant: bool = False

    @classmethod
    def read(cls, content: object, url: str) -> Description:
        """Parse the description sent by the server at `url`. Raises BadInput."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise BadInput(f"The robot server at {url} describes its robot wrongly: {first_problem(error)}.") from error

    def spec(self) -> RobotSpec:
        """Return the robot specification. Raises BadInput for inconsistent groups or postures."""
        try:
            reach, fingers = Reach(**self.reach), Fingers(**self.fingers)
        except TypeError as error:
            raise BadInput(f"The robot '{self.name}': reach or fingers have an unknown key ({error}).") from error
        return RobotSpec(
            name=self.name,
            groups=tuple(
                Group(group.name, group.kind, tuple(Joint(**joint.model_dump()) for joint in group.joints))
                for group in self.groups
            ),
            period=self.period,
            footprint_radius=self.footprint_radius,
            eye=self.eye,
            rest=self.rest,
            carry=self.carry,
            ready=self.ready,
            reach=reach,
            fingers=fingers,
            compliant=self.compliant,
        )

    def arm(self, spec: RobotSpec) -> Kinematics:
        """Create the client-side kinematics of the arm. Raises BadInput if the description does not determine them."""
        if self.kinematics.panda is not None:
            return PandaKinematics(self.kinematics.panda.height, self.kinematics.panda.ahead)
        if self.kinematics.fetch:
            return ArmKinematics()
        if self.kinematics.mjcf:
            try:
                return ModelKinematics(mujoco.MjModel.from_xml_string(self.kinematics.mjcf), spec)
            except (ValueError, KeyError) as error:
                reason = " ".join(str(error).split())
                raise BadInput(f"The MJCF of the robot '{self.name}' cannot be used: {reason}") from error
        if spec.chain.groups:
            raise BadInput(f"The robot '{self.name}' has an arm: its description needs `kinematics`.")
        return NoArm()


def describe(robot: Robot) -> Mapping[str, Any]:
    """Return the description of a Homie robot. Raises BadInput if it cannot express the robot's kinematics."""
    spec = robot.spec
    return {
        "name": spec.name,
        "period": spec.period,
        "groups": [
            {"name": group.name, "kind": group.kind, "joints": [asdict(joint) for joint in group.joints]}
            for group in spec.groups
        ],
        "footprint_radius": spec.footprint_radius,
        "eye": spec.eye,
        "rest": spec.rest,
        "carry": spec.carry,
        "ready": spec.ready,
        "reach": asdict(spec.reach),
        "fingers": asdict(spec.fingers),
        "compliant": spec.compliant,
        "kinematics": _kinematics(robot),
        "views": robot.views,
        "hand": robot.hand,
        "video": robot.eye,
        "actions": robot.actions,
        "over_limit": robot.over_limit,
        "lead": robot.lead,
        "stop_seconds": robot.stop_seconds,
        "waits": robot.waits,
        "inventory_by": robot.inventory_by,
    }


def _kinematics(robot: Robot) -> Mapping[str, Any]:
    arm = robot.kinematics
    if type(arm) is PandaKinematics:
        forward, _, height = arm.foot.tolist()
        return {"panda": {"height": height, "ahead": forward}}
    if not robot.spec.chain.groups:
        return {}
    raise BadInput(
        f"The {robot.spec.name} cannot be served: a description can say no other kinematics than those of a Panda."
    )
