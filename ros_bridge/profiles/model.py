"""Robot profiles: topics, actions, frames and joints of a robot, with its limits of speed and position.

SI units: m, rad, s, N. A profile is YAML; `fetch` and `franka` come with Homie, others are files of users.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from homie.kernel.errors import BadInput, did_you_mean, suggestion
from homie.kernel.support.documents import bounded_bytes, parse_yaml
from homie.kernel.support.files import is_about_a_field, reading
from homie.kernel.support.validation_sentences import first_problem
from ros_bridge.profiles.parts import (
    Base,
    Camera,
    EmergencyStop,
    Force,
    Frames,
    Gripper,
    Group,
    Joint,
    Link,
    Navigation,
    Part,
    Reaching,
    RosName,
    Standing,
    Text,
    Workspace,
)
from ros_bridge.transport.joints import Limits

LARGEST = 1_000_000
"""Largest profile file in bytes: a usual one has some thousand."""
ADVICE = "A robot profile is a YAML file (docs/ros.md); `homie robot profile ROBOT.urdf` drafts one."


class Profile(Part):
    """A robot."""

    name: Text
    body: Text | None = Field(
        None,
        description="What Homie knows of its body, for skills: a name (`homie list bodies`), a file of amendments "
        "beside this one that ends in .yaml, or MODULE:ATTRIBUTE of a SimulatedBody.",
    )
    frames: Frames
    joint_states: RosName = "/joint_states"
    base: Base | None = None
    groups: dict[Text, Group] = Field(default_factory=dict)
    gripper: Gripper | None = None
    cameras: dict[Text, Camera] = Field(default_factory=dict)
    chain: tuple[Link, ...] = Field((), description="From the base frame to the effector; needed by `workspace`.")
    workspace: Workspace | None = None
    force: Force | None = None
    emergency_stop: EmergencyStop | None = None
    navigation: Navigation | None = None
    reaching: Reaching | None = None
    diagnostics: RosName | None = Field(
        None, description="What it says of its health (diagnostic_msgs/msg/DiagnosticArray), as /diagnostics."
    )
    standing: Standing = Standing()
    use_sim_time: bool = Field(
        False, description="Its messages are stamped by a simulator, which publishes its clock on /clock."
    )

    @property
    def body_is_a_file(self) -> bool:
        """Whether `body` is a file of amendments; `read_profile` replaces it by its whole path."""
        return self.body is not None and self.body.endswith((".yaml", ".yml"))

    def limits_of(self, name: str) -> Limits:
        """Return the limits of a joint in the joint states; those of fingers are unknown."""
        for group in self.groups.values():
            for joint in group.joints:
                if joint.name == name:
                    return Limits(*joint.limits, joint.velocity)
        return Limits()

    @property
    def planned_joints(self) -> tuple[Joint, ...]:
        """Joints moved by the robot's own planner, in the order of `reaching.moves`; empty without one."""
        moves = () if self.reaching is None else self.reaching.moves
        return tuple(joint for name in moves for joint in self.groups[name].joints)

    @model_validator(mode="after")
    def _fits_together(self) -> Profile:
        if self.base is None and not self.groups and self.gripper is None:
            raise ValueError("a robot needs a base, a group of joints or a gripper")
        names = [joint.name for group in self.groups.values() for joint in group.joints]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"the joint '{twice}' stands in two places: each belongs to one group")
        if self.navigation is not None and self.base is None:
            raise ValueError("navigation needs a base that drives")
        if self.workspace is not None and not self.chain:
            raise ValueError("a workspace needs the chain to the effector")
        unknown = [link.driver for link in self.chain if link.kind != "fixed" and link.driver not in names]
        if unknown:
            hint = did_you_mean(unknown[0], names, " (", ")")
            raise ValueError(f"the joint '{unknown[0]}' of the chain is in no group{hint}")
        lacking = [] if self.reaching is None else [name for name in self.reaching.moves if name not in self.groups]
        if lacking:
            hint = did_you_mean(lacking[0], self.groups, " (", ")")
            raise ValueError(f"reaching moves the group '{lacking[0]}', which is none of the groups{hint}")
        return self


def built_in() -> list[str]:
    """Return the names of the built-in profiles."""
    return sorted(
        entry.name.removesuffix(".yaml") for entry in files(__package__).iterdir() if entry.name.endswith(".yaml")
    )


def read_profile(name: str) -> Profile:
    """Read a built-in profile by name, or a profile file.

    Raises:
        BadInput: The profile does not exist or is invalid; the sentence names the first mistake.

    Example:
        >>> read_profile("fetch").groups["torso"].joints[0].upper
        0.38615
    """
    if name in built_in():
        return parse_profile((files(__package__) / f"{name}.yaml").read_text(encoding="utf-8"), f"the profile {name}")
    path = Path(name)
    if not path.suffix and not path.exists():
        hint = suggestion(name, built_in(), f"Homie brings {' and '.join(built_in())}, or give a YAML file.")
        raise BadInput(f"There is no robot profile '{name}': {hint}")
    with reading(path, "the robot profile", advice=ADVICE):
        data = bounded_bytes(path, LARGEST)
        if len(data) > LARGEST:
            raise BadInput(f"{path} is too large for a robot profile ({LARGEST:,} bytes at most).")
        text = data.decode()
    profile = parse_profile(text, str(path))
    if not profile.body_is_a_file:
        return profile
    return profile.model_copy(update={"body": str((path.parent / str(profile.body)).resolve())})


def parse_profile(text: str, source: str) -> Profile:
    """Parse a profile in YAML. Raises BadInput with one sentence that begins with `source`."""
    with reading(source, advice=ADVICE):
        content = parse_yaml(text)
    if not isinstance(content, dict):
        raise BadInput(f"{source} must hold a mapping of names to values. {ADVICE}")
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        suffix = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
        advice = "" if is_about_a_field(error) else f" {ADVICE}"
        raise BadInput(f"{source}: {first_problem(error)}{suffix}.{advice}") from error
