"""Components of a profile: base, groups of joints, gripper, cameras and others (SI units)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from homie.kernel.support.plain_numbers import PlainNumbers

_NAME = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")


def _ros_name(value: Any) -> Any:
    if not isinstance(value, str) or not _NAME.fullmatch(value) or "__" in value:
        raise ValueError("write an absolute name of ROS 2, such as /cmd_vel")
    return value


POINTS, POSITIONS = "trajectory_msgs/msg/JointTrajectory", "std_msgs/msg/Float64MultiArray"
"""Message types of joint streams."""
RosName: TypeAlias = Annotated[str, BeforeValidator(_ros_name)]
Positive: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Triple: TypeAlias = tuple[Finite, Finite, Finite]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]


class Part(PlainNumbers, BaseModel):
    """Base class of profile components: unknown names are refused, instances are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Base(Part):
    """A base that drives by velocities in the base frame."""

    command: RosName = Field(description="The topic that takes velocities, as /cmd_vel.")
    stamped: bool = Field(
        False,
        description="Velocities are geometry_msgs/msg/TwistStamped, as of ros2_control's diff_drive_controller from "
        "Jazzy on, else geometry_msgs/msg/Twist.",
    )
    odometry: RosName = Field(description="The topic of measured pose and velocity (nav_msgs/msg/Odometry), as /odom.")
    linear: Positive = Field(description="The highest speed, m/s.")
    angular: Positive = Field(description="The highest turning speed, rad/s.")
    sideways: Positive | None = Field(
        None,
        description="The highest speed to the side, m/s; for an omnidirectional base, which your programs drive so.",
    )
    linear_acceleration: Positive = Field(description="m/s^2.")
    angular_acceleration: Positive = Field(description="rad/s^2.")

    @property
    def kind(self) -> str:
        """The type of the messages on `command`."""
        return f"geometry_msgs/msg/{'TwistStamped' if self.stamped else 'Twist'}"


class Joint(Part):
    """A joint of a group. A continuous one has neither a lower nor an upper limit."""

    name: Text
    lower: Finite | None = Field(None, description="The lowest position, rad or m.")
    upper: Finite | None = Field(None, description="The highest position, rad or m.")
    velocity: Positive = Field(description="The highest speed, rad/s or m/s.")
    acceleration: Positive = Field(description="The highest acceleration, rad/s^2 or m/s^2.")

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> Joint:
        low, high = self.lower, self.upper
        if (low is None) != (high is None) or (low is not None and high is not None and low >= high):
            raise ValueError(f"{self.name}: give both limits with lower < upper, or none for a continuous joint")
        return self

    @property
    def limits(self) -> tuple[float, float]:
        """The lowest and the highest position, infinite for a continuous joint."""
        return (-math.inf if self.lower is None else self.lower, math.inf if self.upper is None else self.upper)


class Group(Part):
    """Joints that one controller moves, along trajectories, by single points, or both."""

    action: RosName | None = Field(
        None, description="Its control_msgs/action/FollowJointTrajectory, as /arm_controller/follow_joint_trajectory."
    )
    stream: RosName | None = Field(
        None,
        description="The topic of the controller that takes single points (trajectory_msgs/msg/JointTrajectory), as "
        "/arm_controller/joint_trajectory; what skills need that move joints period by period.",
    )
    positions: bool = Field(
        False,
        description="The stream takes positions of the `joints`, in this order (std_msgs/msg/Float64MultiArray), as "
        "ros2_control's forward_command_controller on /forward_position_controller/commands.",
    )
    joints: tuple[Joint, ...] = Field(min_length=1, max_length=64)

    @property
    def kind(self) -> str:
        """The type of the messages on `stream`."""
        return POSITIONS if self.positions else POINTS

    @model_validator(mode="after")
    def _has_a_controller(self) -> Group:
        if self.action is None and self.stream is None:
            raise ValueError("a group needs an `action` (FollowJointTrajectory), a `stream` of single points, or both")
        if self.positions and (self.stream is None or re.search("velocity|effort", self.stream)):
            raise ValueError(
                "`positions: true` needs a `stream` of a position controller; by velocities or efforts joints would "
                "move on when guard or network fail"
            )
        return self


class Gripper(Part):
    """A gripper with a `control_msgs/action/GripperCommand`, or one that a trajectory controller moves.

    Homie uses the gap between the fingers, m; `command_position`, `gap_of` and `measured` convert to and from the
    positions of the robot.
    """

    action: RosName
    trajectory: bool = Field(
        False,
        description="Its action is a control_msgs/action/FollowJointTrajectory of its `joints`; no force is sent then.",
    )
    joints: tuple[Text, ...] = Field((), description="Its joints in the joint states.")
    width: Positive = Field(description="How far it opens between the fingers, m.")
    effort: Positive = Field(description="The largest force of its commands, N.")
    position: Literal["width", "finger", "angle"] = Field(
        "width", description="What its command counts: the gap, one finger, or the angle of a joint that turns them."
    )
    open: Finite | None = Field(None, description="The angle when it is open, rad; for `position: angle`.")
    closed: Finite | None = Field(None, description="The angle when it is closed, rad; for `position: angle`.")

    @model_validator(mode="after")
    def _angle_is_whole(self) -> Gripper:
        turns, angles = self.position == "angle", (self.open, self.closed)
        if turns and (None in angles or self.open == self.closed):
            raise ValueError("`position: angle` needs two different angles, `open` and `closed`")
        if not turns and angles != (None, None):
            raise ValueError("`open` and `closed` are for `position: angle`")
        if self.trajectory and not self.joints:
            raise ValueError("`trajectory: true` needs the `joints` that the trajectory is of")
        if turns and len(self.joints) > 1:
            raise ValueError("with `position: angle` name the one joint whose angle the command counts, or none")
        return self

    def command_position(self, gap: float) -> float:
        """Convert a gap (m) to a command position."""
        if self.position == "angle":
            assert self.open is not None and self.closed is not None
            return self.closed + (self.open - self.closed) * gap / self.width
        return gap * (0.5 if self.position == "finger" else 1.0)

    def gap_of(self, position: float) -> float:
        """Convert a command position to a gap (m)."""
        return (position - self.command_position(0.0)) * self._scale

    def measured(self, positions: Sequence[float]) -> float:
        """Convert the positions of its `joints` to a gap (m): several joints measure the travel of one finger each, a
        single one the command position."""
        return self.gap_of(positions[0]) if len(positions) == 1 else sum(positions)

    def joint_states(self, gap: float, rate: float) -> tuple[list[float], list[float]]:
        """Return the positions and speeds of its `joints` for a gap (m) and its rate of change (m/s)."""
        count = len(self.joints)
        if count == 1:
            return [self.command_position(gap)], [rate / self._scale]
        return [gap / count] * count, [rate / count] * count

    def rate(self, speeds: Sequence[float]) -> float:
        """Return the rate of change of the gap (m/s) for the speeds of its `joints`."""
        return speeds[0] * self._scale if len(speeds) == 1 else sum(speeds)

    @property
    def _scale(self) -> float:
        """Gap per unit of the command position."""
        return self.width / (self.command_position(self.width) - self.command_position(0.0))


class Camera(Part):
    """The topics of a camera. Depth is registered to the colour image, pixel by pixel."""

    rgb: RosName = Field(description="Rectified already where its name has the word `rect`.")
    info: RosName
    depth: RosName | None = None
    frame: Text = Field(description="Its optical frame: x right, y down, z forward.")
    oldest: Positive = Field(0.5, description="Seconds after which a picture is too old to act on.")

    @property
    def kind(self) -> str:
        """The type of the messages on `rgb`: compressed if image_transport names the topic so."""
        return f"sensor_msgs/msg/{'CompressedImage' if self.compressed else 'Image'}"

    @property
    def compressed(self) -> bool:
        """Whether colour images come as JPEG or PNG."""
        return self.rgb.endswith("/compressed")


class Link(Part):
    """One step of the chain from the base frame to the effector, as in a URDF.

    xyz and rpy place it in the previous one, turned about the fixed axes x, y, z; then the joint moves it along or
    about `axis`. A joint that follows another (`<mimic>`) is at multiplier * the other's position + offset.
    """

    joint: Text
    kind: Literal["revolute", "prismatic", "fixed"]
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    axis: Triple = (0.0, 0.0, 1.0)
    follows: Text | None = None
    multiplier: Finite = 1.0
    offset: Finite = 0.0

    @property
    def driver(self) -> str:
        """The joint that drives it: the followed one, or itself."""
        return self.follows or self.joint

    @field_validator("axis")
    @classmethod
    def _axis_has_a_direction(cls, axis: Triple) -> Triple:
        if math.hypot(*axis) < 1e-6:
            raise ValueError("an axis needs a direction, such as [0, 0, 1]")
        return axis


class Workspace(Part):
    """The box in the base frame that the effector may not leave."""

    lower: Triple
    upper: Triple

    @model_validator(mode="after")
    def _corners_are_in_order(self) -> Workspace:
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise ValueError("each number of lower must be below that of upper")
        return self


class Force(Part):
    """A force limit that stops the robot when exceeded (`geometry_msgs/msg/WrenchStamped`)."""

    topic: RosName
    limit: Positive = Field(description="N.")


class EmergencyStop(Part):
    """The robot's own emergency stop, as published by its driver (`std_msgs/msg/Bool`)."""

    topic: RosName
    pressed: bool = Field(
        True, description="What it says while it is pressed: false where the topic says that the robot may move."
    )


class Navigation(Part):
    """Navigation software of the robot (Nav2), for `--skills nav2`."""

    action: RosName = Field("/navigate_to_pose", description="Its nav2_msgs/action/NavigateToPose.")


class Reaching(Part):
    """Motion planner of the robot's arm (MoveIt), for `--skills moveit`."""

    action: RosName = Field("/move_action", description="Its moveit_msgs/action/MoveGroup.")
    group: Text = Field(description="The planning group of MoveIt, as arm_with_torso.")
    moves: tuple[Text, ...] = Field(
        min_length=1, description="The `groups` of this profile whose joints the planning group has, all of them."
    )
    touch: tuple[Text, ...] = Field((), description="The links of the hand, which may touch what is in it.")
    speed: Annotated[float, Field(gt=0, le=1)] = Field(
        0.7, description="Share of the speeds and accelerations of MoveIt's joint_limits.yaml that it may use."
    )


class Standing(Part):
    """Measured speeds below which the robot counts as standing; only then is a stop complete.

    linear (m/s) and angular (rad/s) of the base, joint (rad/s or m/s) of every joint.
    """

    linear: Positive = 0.01
    angular: Positive = 0.02
    joint: Positive = 0.02


class Frames(Part):
    """The frames that Homie uses."""

    odometry: Text = "odom"
    base: Text = "base_link"
    effector: Text
