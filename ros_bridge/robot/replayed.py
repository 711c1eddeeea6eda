"""Replay of a robot from a bag: measurements, images, commands and announcements of its agent, moment by moment.

A moment is as a program on the recording machine had it: the newest message of every topic by arrival time, not by the
stamps of the robot, whose clock may differ.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces import ReplayedMoment, ReplayedWords
from homie.kernel.robot.body import Group, Joint, Kind, RobotSpec
from homie.kernel.types import Command, Image, Pose2
from ros_bridge.bag_reading import BagReading, BagTopics
from ros_bridge.profiles.body_with_limits import body_of, narrow_limits
from ros_bridge.profiles.homie_topics import EPISODE, FINGERS, FINGERS_KIND, TEXT
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.parts import Group as Controlled
from ros_bridge.robot.image_decoding import picture_of
from ros_bridge.robot.lenses import camera_of
from ros_bridge.robot.proprioception import BodySensors
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.interface import Message
from ros_bridge.transport.readings import AT_REST, velocity_of

INFO = "sensor_msgs/msg/CameraInfo"
PERIOD = 0.02
"""Period (s) of the moments of a robot whose body is not known: joint states may come much faster."""
VELOCITY_LIFE = 0.5
"""Seconds for which a velocity is in force without being repeated, as in the drivers of such robots."""
KINDS: tuple[Kind, ...] = ("torso", "arm", "head")


class ReplayedRobot:
    """A bag, read with the profile of the recorded robot.

    Args:
        path: Path of the bag, see `ros_bridge.bag_reading.BagReading`.
        name: The profile, see `ros_bridge.profiles.model.read_profile`.
        distro: ROS 2 distribution of the robot.

    Raises:
        BadInput: There is no such bag or profile.
        MissingPart: A package is not installed.
    """

    def __init__(self, path: Path, name: str, distro: str = "humble") -> None:
        self.profile = read_profile(name)
        self.spec = spec_of(self.profile)
        self._bag = BagReading(path)
        self._definitions = Definitions(distro)
        self.problems: tuple[str, ...] = ()
        """Sentences on what could not be read; complete after an iteration."""
        self._images: dict[str, Message] = {}
        self._infos: dict[str, Message] = {}
        self._image_problems: dict[str, str] = {}
        """Problems with images, by camera."""

    @property
    def cameras(self) -> Mapping[str, float]:
        """Cameras with images in the bag, and their images per second. Reads the bag."""
        topics = {camera.rgb: name for name, camera in self.profile.cameras.items()}
        times: dict[str, list[float]] = {}
        for recorded in self._bag:
            if recorded.topic in topics:
                times.setdefault(topics[recorded.topic], []).append(recorded.at)
        return {name: _rate(ats) for name, ats in times.items()}

    def look(self, camera: str) -> Image | None:
        """Return the newest image (H, W, 3) of a camera at the current moment, undistorted if the bag has its camera
        info; None before the first. Raises BadInput for an image that cannot be decoded."""
        message = self._images.get(camera)
        if message is None:
            return None
        try:
            picture = picture_of(message)
            info = self._infos.get(camera)
            if info is None:
                return picture
            if (info.height, info.width) != picture.shape[:2]:
                height, width = picture.shape[:2]
                self._image_problems[camera] = (
                    f"the pictures of {camera} have {width}x{height} pixels, their camera info is of "
                    f"{info.width}x{info.height}: their lens is not undone"
                )
                return picture
            return camera_of(info, camera, self.profile.cameras[camera].rgb).colours(picture)
        except RobotFault as fault:
            raise BadInput(f"The bag {self._bag.path}: {fault}") from fault

    def __iter__(self) -> Iterator[ReplayedMoment | ReplayedWords]:
        """Replay the bag from its start. Raises BadInput for topics of other types than the profile's."""
        topics, words = BagTopics(self._definitions), list[str]()
        self._images, self._infos = {}, {}
        state = _ReplayState(topics, self.profile, self.spec)
        topics.subscription(TEXT, EPISODE, lambda message: words.append(str(message.data)))
        for name, camera in self.profile.cameras.items():
            topics.subscription(camera.kind, camera.rgb, functools.partial(self._images.__setitem__, name))
            topics.subscription(INFO, camera.info, functools.partial(self._infos.__setitem__, name))
        last = -math.inf
        for recorded in self._bag:
            state.now = max(state.now, recorded.at)
            topics.play(recorded)
            for text in words:
                yield ReplayedWords(state.now, text)
            words.clear()
            # A quarter less than a period: joint states come with some jitter.
            if recorded.topic == self.profile.joint_states and state.now - last > 0.75 * self.spec.period:
                moment = state.moment()
                if moment is not None:
                    last = state.now
                    yield moment
        refusals = [
            f"{count} messages of {topic} are malformed and left out" for topic, count in topics.refused.items()
        ]
        unreal = [f"{count} commands on {topic} are not finite and left out" for topic, count in state.refused.items()]
        self.problems = (*self._bag.cut, *refusals, *unreal, *self._image_problems.values())


class _ReplayState:
    """Measurements and commands up to the current moment."""

    def __init__(self, topics: BagTopics, profile: Profile, spec: RobotSpec) -> None:
        self.now = -math.inf
        self._spec, self._profile = spec, profile
        self._felt = BodySensors(topics, profile, spec, Pose2(0.0, 0.0, 0.0), lambda: self.now)
        self._velocity = AT_REST, -math.inf
        self._targets: dict[str, tuple[float, ...]] = {}
        self.refused: dict[str, int] = {}
        """Number of commands that are not finite, by topic."""
        if profile.base is not None:
            topics.subscription(profile.base.kind, profile.base.command, self._on_velocity)
        for group in spec.groups:
            names = {
                name: [joint.name for joint in group_profile.joints] for name, group_profile in profile.groups.items()
            }
            controlled = next(
                (
                    group_profile
                    for name, group_profile in profile.groups.items()
                    if _are_same_joints(group, names[name])
                ),
                None,
            )
            if controlled is not None and controlled.stream is not None:
                handler = self._on_positions if controlled.positions else self._on_stream
                topics.subscription(controlled.kind, controlled.stream, functools.partial(handler, group, controlled))
        if profile.gripper is not None:
            topics.subscription(FINGERS_KIND, FINGERS, self._on_fingers)

    def moment(self) -> ReplayedMoment | None:
        """Return the current moment, None while a measurement is missing."""
        try:
            body = self._felt.body(patience=0.0)
        except RobotFault:
            return None
        targets, self._targets = self._targets, {}
        base = self._spec.first("base")
        if base is not None:
            velocity, at = self._velocity
            targets[base.name] = (velocity if self.now - at <= VELOCITY_LIFE else AT_REST)[: len(base.joints)]
        return ReplayedMoment(self.now, body, Command(targets))

    def _on_velocity(self, message: Message) -> None:
        assert self._profile.base is not None
        velocity = velocity_of(message)
        if self._finite(self._profile.base.command, velocity):
            self._velocity = velocity, self.now

    def _on_stream(self, group: Group, controlled: Controlled, message: Message) -> None:
        positions = list(message.points[-1].positions) if message.points else []
        self._aim(group, controlled, list(message.joint_names), positions)

    def _on_positions(self, group: Group, controlled: Controlled, message: Message) -> None:
        self._aim(group, controlled, [joint.name for joint in controlled.joints], list(message.data))

    def _aim(self, group: Group, controlled: Controlled, names: list[str], positions: list[float]) -> None:
        is_complete = _are_same_joints(group, names) and len(positions) == len(names)
        if is_complete and self._finite(str(controlled.stream), positions):
            self._targets[group.name] = tuple(float(positions[names.index(name)]) for name in group.names)

    def _on_fingers(self, message: Message) -> None:
        gripper, group = self._profile.gripper, self._spec.first("gripper")
        if gripper is not None and group is not None and self._finite(FINGERS, (message.position,)):
            self._targets[group.name] = (gripper.gap_of(float(message.position)),)

    def _finite(self, topic: str, numbers: Iterable[float]) -> bool:
        """Return whether a command is finite, and count it if not."""
        if all(map(math.isfinite, numbers)):
            return True
        self.refused[topic] = self.refused.get(topic, 0) + 1
        return False


def spec_of(profile: Profile) -> RobotSpec:
    """Return the body that a profile names, or a body with its groups where it names none.

    Raises:
        BadInput: The body does not exist, or is that of another robot.
    """
    if profile.body is not None:
        return narrow_limits(body_of(profile).spec, profile)
    groups: list[Group] = []
    if profile.base is not None:
        base = profile.base
        groups.append(
            Group.base(
                linear=base.linear,
                angular=base.angular,
                linear_acceleration=base.linear_acceleration,
                angular_acceleration=base.angular_acceleration,
                sideways=base.sideways,
            )
        )
    for name, group in profile.groups.items():
        kind: Kind = next((candidate for candidate in KINDS if candidate in name), "arm")
        joints = tuple(Joint(joint.name, *joint.limits, joint.velocity, joint.acceleration) for joint in group.joints)
        groups.append(Group(name, kind, joints))
    if profile.gripper is not None:
        groups.append(Group.gripper(opening=profile.gripper.width, speed=1.0))
    return RobotSpec(name=profile.name, groups=tuple(groups), period=PERIOD)


def _are_same_joints(group: Group, joints: list[str]) -> bool:
    return group.kind not in ("base", "gripper") and sorted(group.names) == sorted(joints)


def _rate(times: list[float]) -> float:
    """Return the messages per second; 1 if unknown."""
    duration = max(times) - min(times)
    return (len(times) - 1) / duration if len(times) > 1 and duration > 0 else 1.0
