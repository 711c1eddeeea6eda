r"""Specification of a robot's body: named groups of joints with their limits, and postures for driving.

```
RobotSpec -- groups: Group("base"), Group("torso"), Group("arm"), Group("head"), Group("gripper")
          \-- chain: the joints that `Kinematics` moves, torso first
```

There may be none, one or several groups of a kind. Commands and measurements address them by name. Example of a
differential base with a six-joint arm, a gripper and a fixed camera:

```python
SPEC = RobotSpec(
    name="cart",
    groups=(
        Group.base(linear=0.8, angular=1.5, linear_acceleration=0.6, angular_acceleration=2.5),
        Group("arm", "arm", tuple(Joint(f"joint_{n}", -3.0, 3.0, speed=1.5) for n in range(1, 7))),
        Group.gripper(opening=0.09, speed=0.1),
    ),
    period=0.04,
    footprint_radius=0.3,
    rest={"arm": (0.0, -1.8, 2.4, 0.0, -0.6, 0.0)},
    carry={"arm": (0.0, -1.6, 2.0, 0.0, -0.4, 0.0)},
    ready=({"arm": (0.0, -1.0, 1.6, 0.0, -0.6, 0.0)},),
)
```
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.robot.reach import Fingers, Reach
from homie.kernel.support.text import format_count, join_words
from homie.kernel.types import Array, Command, Mask, Proprioception, short_way

Kind: TypeAlias = Literal["base", "torso", "arm", "head", "gripper"]
"""base: commanded by velocities (linear, angular), or (linear, angular, sideways) if omnidirectional. gripper: by its
opening in m. head: by joint positions, pan before tilt if it has two joints. All others by joint positions."""

Posture: TypeAlias = Mapping[str, Sequence[float]]
"""Joint positions (rad, m) by group."""

LINEAR, ANGULAR, SIDEWAYS = "linear", "angular", "sideways"
"""Joint names of a base, for its velocities; only an omnidirectional base has the last one (to the left)."""
_NUMBERS = {LINEAR: "forward speed (m/s)", ANGULAR: "turning speed (rad/s)", SIDEWAYS: "speed to the left (m/s)"}
_WORDS: Mapping[Kind, str] = {
    "base": "a base that drives",
    "torso": "a torso",
    "arm": "an arm",
    "head": "a head that turns",
    "gripper": "a gripper",
}
RESERVED = ("effector", "targets")
"""Parameter names of `Command`, which no group may have."""


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint of a group.

    Args:
        name: Name in the robot's own software.
        lower: Lower position limit in rad or m; -inf for a continuous joint. For a base: lower velocity limit.
        upper: Upper limit, likewise.
        speed: Largest speed in rad/s or m/s.
        acceleration: Largest acceleration in rad/s^2 or m/s^2; inf leaves it to the robot's own controller.
        slides: Whether it is prismatic (m) instead of revolute (rad). Joints of a torso always count as prismatic.
    """

    name: str
    lower: float
    upper: float
    speed: float
    acceleration: float = math.inf
    slides: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Joints that are commanded together, such as an arm. Raises BadInput for invalid limits.

    limits (n, 2), speeds (n,) and accelerations (n,) are those of `joints`, as arrays.
    """

    name: str
    kind: Kind
    joints: tuple[Joint, ...]
    limits: Array = field(init=False, repr=False, compare=False)
    speeds: Array = field(init=False, repr=False, compare=False)
    accelerations: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_group(self)
        set_field = object.__setattr__  # the dataclass is frozen
        set_field(self, "limits", _readonly_array([[joint.lower, joint.upper] for joint in self.joints]))
        set_field(self, "speeds", _readonly_array([joint.speed for joint in self.joints]))
        set_field(self, "accelerations", _readonly_array([joint.acceleration for joint in self.joints]))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its joints, in the order of a command."""
        return tuple(joint.name for joint in self.joints)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Meaning and unit of each number of a command, in order."""
        if self.kind == "base":
            return tuple(_NUMBERS.get(joint.name, joint.name) for joint in self.joints)
        if self.kind == "gripper":
            return ("opening (m)",)
        return tuple(
            f"{joint.name} ({'m' if joint.slides or self.kind == 'torso' else 'rad'})" for joint in self.joints
        )

    @property
    def numbers_in_words(self) -> str:
        """The numbers of a command in words: `2 numbers, forward speed (m/s) and turning speed (rad/s)`."""
        return f"{format_count(len(self.joints), 'number')}, {join_words(self.numbers)}"

    @classmethod
    def base(
        cls,
        *,
        linear: float,
        angular: float,
        linear_acceleration: float,
        angular_acceleration: float,
        sideways: float | None = None,
        name: str = "base",
    ) -> Group:
        """Create the group of a base from its largest speeds (m/s, rad/s) and accelerations (m/s^2, rad/s^2); with
        `sideways` it is omnidirectional."""
        joints = [(LINEAR, linear, linear_acceleration), (ANGULAR, angular, angular_acceleration)]
        if sideways is not None:
            joints.append((SIDEWAYS, sideways, linear_acceleration))
        return cls(name, "base", tuple(Joint(joint, -speed, speed, speed, rate) for joint, speed, rate in joints))

    @classmethod
    def gripper(cls, *, opening: float, speed: float, name: str = "gripper") -> Group:
        """Create the group of a gripper from its largest opening (m) and the speed of its opening (m/s)."""
        return cls(name, "gripper", (Joint(f"{name}_opening", 0.0, opening, speed),))

    def measured(self, body: Proprioception) -> Array:
        """Return its measured state (n,): joint positions; the opening of a gripper, the velocities of a base."""
        if self.kind == "base":
            return np.array(body.base_velocity)
        if self.kind == "gripper":
            return np.array([body.grippers[self.name].opening])
        return np.array([body.joints[name] for name in self.names])


def _check_group(group: Group) -> None:
    subject = f"The group '{group.name}' of a robot"
    if not group.name.isidentifier() or group.name in RESERVED:
        raise BadInput(f"{subject} needs another name: a word of letters, digits and _, and none of {RESERVED}.")
    if group.kind not in get_args(Kind):
        raise BadInput(f"{subject} is of no kind '{group.kind}': choose one of {', '.join(get_args(Kind))}.")
    sizes = {"base": (2, 3), "gripper": (1,)}.get(group.kind, (max(1, len(group.joints)),))
    if len(group.joints) not in sizes:
        joint_count = format_count(len(group.joints), "joint")
        raise BadInput(f"{subject} has {joint_count}; one of kind '{group.kind}' has {' or '.join(map(str, sizes))}.")
    for joint in group.joints:
        if not (joint.lower <= joint.upper and joint.speed > 0.0 and joint.acceleration > 0.0):
            raise BadInput(
                f"{subject}: '{joint.name}' needs a lower limit that is no larger than the upper one, "
                "and a speed and an acceleration above 0."
            )


def _readonly_array(values: Sequence[object]) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Chain:
    """The joints that `homie.kernel.interfaces.Kinematics` moves, `q` (n,): those of every torso, then of the first
    arm.

    Attributes:
        names: Names of the joints.
        limits (n, 2), speeds (n,): Their position limits and largest speeds.
        torso: Number of torso joints, which come first.
        slides (n,): Which of them are prismatic (in metres).
    """

    groups: tuple[Group, ...]
    names: tuple[str, ...]
    limits: Array
    speeds: Array
    torso: int
    slides: Mask

    @classmethod
    def of(cls, groups: Sequence[Group]) -> Chain:
        """Create the chain of a body; it is empty if there is no arm."""
        arms = [group for group in groups if group.kind == "arm"][:1]
        torsos = [group for group in groups if group.kind == "torso"] if arms else []
        chain_groups = (*torsos, *arms)
        return cls(
            groups=chain_groups,
            names=tuple(name for group in chain_groups for name in group.names),
            limits=np.concatenate([np.zeros((0, 2)), *(group.limits for group in chain_groups)]),
            speeds=np.concatenate([np.zeros(0), *(group.speeds for group in chain_groups)]),
            torso=sum(len(group.joints) for group in torsos),
            slides=np.array(
                [joint.slides or group.kind == "torso" for group in chain_groups for joint in group.joints], bool
            ),
        )

    def measured(self, body: Proprioception) -> Array:
        """Return the measured joint positions (n,)."""
        return np.array([body.joints[name] for name in self.names])

    def posture(self, posture: Posture) -> Array:
        """Convert a posture by group to joint values (n,)."""
        return np.array([value for group in self.groups for value in posture[group.name]], dtype=np.float64)

    def nearest(self, q: Array, reference: Array) -> Array:
        """Shift the continuous joints in `q` by full turns to within pi of a reference (n,)."""
        return np.where(np.isinf(self.limits[:, 1]), short_way(q, reference), q)

    def lift(self, q: Array) -> float:
        """Return the lift (m) of a torso with one joint; 0 for other torsos."""
        return float(q[0]) if self.torso == 1 else 0.0

    def targets(self, q: Array) -> dict[str, tuple[float, ...]]:
        """Split joint values (n,) by group; values (torso,) are those of the torso alone."""
        values: dict[str, tuple[float, ...]] = {}
        for group in self.groups:
            if len(q):
                values[group.name], q = tuple(q[: len(group.joints)].tolist()), q[len(group.joints) :]
        return values

    def command(self, q: Array) -> Command:
        """Return the command that moves the joints of the chain to `q`, as for `targets`."""
        return Command(self.targets(q))


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotSpec:
    """Specification of a body for skills and the safety gate. Raises BadInput for inconsistent groups and postures.

    Args:
        name: Name of the robot, for messages.
        groups: Its groups of joints, with unique names.
        period: Control period, s.
        footprint_radius: Radius of a circle that encloses the base on the floor, m.
        eye: Position (x, y, z) of the head camera in the base frame with the torso at its lowest, m.
        rest: Posture of the folded arm for driving with an empty hand.
        carry: Posture for driving with a held object.
        ready: Raised postures before reaching out: the first is reached from `rest` directly, the others via `carry`.
            `classical` skills need them.
        reach: Distances at which the base stands for the arm's actions.
        fingers: Dimensions of the gripper.
        compliant: Whether its controller only pulls the arm towards a target, as operational space control does. A
            target may then jump as far as `Robot.lead` allows, and motions of the hand start at the measured pose.
    """

    name: str
    groups: tuple[Group, ...]
    period: float
    footprint_radius: float = 0.0
    eye: tuple[float, float, float] = (0.0, 0.0, 1.0)
    rest: Posture = field(default_factory=dict)
    carry: Posture = field(default_factory=dict)
    ready: tuple[Posture, ...] = ()
    reach: Reach = field(default_factory=Reach)
    fingers: Fingers = field(default_factory=Fingers)
    compliant: bool = False
    chain: Chain = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "chain", Chain.of(self.groups))
        _check_spec(self)

    def of(self, kind: Kind) -> tuple[Group, ...]:
        """Return its groups of a kind."""
        return tuple(group for group in self.groups if group.kind == kind)

    def first(self, kind: Kind) -> Group | None:
        """Return its first group of a kind, None if it has none."""
        return next(iter(self.of(kind)), None)

    @property
    def head(self) -> Group | None:
        """The first head that pans and tilts, None if no camera can be turned by two joints."""
        return next((group for group in self.of("head") if len(group.joints) == 2), None)

    def gaze(self, point: Array, lift: float) -> tuple[float, float] | None:
        """Return pan and tilt (rad), within the joint limits, at which the head looks at a point (3,) in the base
        frame; None for a robot without a pan-tilt head.

        Args:
            lift: Lift of the torso, m.
        """
        if self.head is None:
            return None
        (low_pan, high_pan), (low_tilt, high_tilt) = self.head.limits.tolist()
        drop, lateral = self.eye[2] + lift - point[2], point[1] - self.eye[1]
        forward = max(float(np.hypot(point[0], lateral)) - self.eye[0], 0.1)  # from the eye, which never looks back
        pan, tilt = float(np.arctan2(lateral, point[0])), float(np.arctan2(drop, forward))
        return float(np.clip(pan, low_pan, high_pan)), float(np.clip(tilt, low_tilt, high_tilt))

    def require(self, subject: str, *kinds: Kind, postures: bool = False) -> None:
        """Raise BadInput if it lacks groups that a part (`subject`: `The skill set 'classical'`) needs, or, with
        `postures`, has an arm without the postures `rest`, `carry` and `ready`."""
        if missing := [kind for kind in kinds if self.first(kind) is None]:
            required = join_words([_WORDS[kind] for kind in kinds])
            raise BadInput(
                f"{subject} needs {required}; the {self.name} has no {' and no '.join(missing)}: "
                "choose others by --skills."
            )
        if postures and self.chain.groups and not (self.rest and self.carry and self.ready):
            raise BadInput(
                f"{subject} needs the postures rest, carry and ready; the {self.name} declares none (`RobotSpec`): "
                "choose others by --skills."
            )

    def drive(self, linear: float, angular: float) -> Command:
        """Return the command that drives the first base forward and turns it, at m/s and rad/s."""
        base = self._require_first("base")
        return Command({base.name: (linear, angular, 0.0)[: len(base.joints)]})

    def grip(self, opening: float) -> Command:
        """Return the command that opens or closes the first gripper to an opening, m."""
        return Command({self._require_first("gripper").name: opening})

    def _require_first(self, kind: Kind) -> Group:
        group = self.first(kind)
        if group is None:
            raise BadInput(f"The {self.name} has no {kind}.")
        return group

    @property
    def max_linear(self) -> float:
        """Largest forward speed of the base, m/s; 0 without a base."""
        return self._base_limit(0, "speeds")

    @property
    def max_angular(self) -> float:
        """Largest turning speed of the base, rad/s; 0 without a base."""
        return self._base_limit(1, "speeds")

    @property
    def max_linear_acceleration(self) -> float:
        """Largest forward acceleration of the base, m/s^2; 0 without a base."""
        return self._base_limit(0, "accelerations")

    @property
    def max_angular_acceleration(self) -> float:
        """Largest angular acceleration of the base, rad/s^2; 0 without a base."""
        return self._base_limit(1, "accelerations")

    @property
    def gripper_max(self) -> float:
        """Largest opening of the first gripper, m; 0 without one."""
        gripper = self.first("gripper")
        return 0.0 if gripper is None else gripper.joints[0].upper

    @property
    def gripper_speed(self) -> float:
        """Largest speed of the first gripper's opening, m/s; 0 without one."""
        gripper = self.first("gripper")
        return 0.0 if gripper is None else gripper.joints[0].speed

    def _base_limit(self, number: int, quantity: Literal["speeds", "accelerations"]) -> float:
        base = self.first("base")
        return 0.0 if base is None else float(getattr(base, quantity)[number])


def _check_spec(spec: RobotSpec) -> None:
    subject = f"The robot '{spec.name}'"
    names = [group.name for group in spec.groups]
    joints = [name for group in spec.groups if group.kind != "base" for name in group.names]
    for kind, labels in (("groups", names), ("joints", joints)):
        if duplicates := [name for number, name in enumerate(labels) if name in labels[:number]]:
            raise BadInput(f"{subject} has two {kind} '{duplicates[0]}': give each a name of its own.")
    if not spec.period > 0.0:
        raise BadInput(f"{subject} needs a control period above 0 s (has {spec.period}).")
    for title, posture in (("rest", spec.rest), ("carry", spec.carry), *(("ready", posture) for posture in spec.ready)):
        for group in spec.chain.groups if posture or spec.ready else ():
            if len(posture.get(group.name, ())) != len(group.joints):
                raise BadInput(
                    f"{subject}: the posture {title} needs for '{group.name}' {group.numbers_in_words} "
                    f"(has {len(posture.get(group.name, ()))})."
                )


def is_at_rest(body: Proprioception, previous: Proprioception | None, period: float) -> bool:
    """Whether a body is at rest by its measurements: base, joints and grippers.

    For a joint without a measured velocity the displacement since `previous`, one control `period` (s) ago, is used;
    without `previous` the body does not count as at rest.
    """
    linear, angular, *sideways = body.base_velocity
    still = all(abs(speed) <= STILL_LINEAR for speed in (linear, *sideways))
    if not (still and abs(angular) <= STILL_ANGULAR):  # written so that NaN counts as motion
        return False
    for name, position in body.joints.items():
        speed = body.velocities.get(name)
        if speed is None:
            if previous is None:
                return False
            speed = (position - previous.joints[name]) / period
        if not abs(speed) <= STILL_ANGULAR:
            return False
    return all(abs(gripper.speed) <= STILL_LINEAR for gripper in body.grippers.values())


STILL_LINEAR, STILL_ANGULAR = 0.01, 0.02
"""m/s and rad/s (m/s for prismatic joints) up to which a body counts as at rest: the largest values that odometry and
encoders report for a robot at rest."""
