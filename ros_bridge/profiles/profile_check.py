"""Check of a profile against the network: topics with their rates and ages, actions, frames."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ros_bridge.profiles.diagnostics import DIAGNOSTIC_ARRAY, ERROR, Diagnostics
from ros_bridge.profiles.model import Profile
from ros_bridge.profiles.parts import Gripper
from ros_bridge.profiles.stop_button import StopButton
from ros_bridge.transport.clocks import CLOCK_TOPIC, MachineClock, PublishedClock, RobotClock
from ros_bridge.transport.interface import BOOL, SENSOR, Message, Node, Subscription
from ros_bridge.transport.joints import JointStates
from ros_bridge.transport.readings import UnreadableMessage, odometry_of
from ros_bridge.transport.refusals import CONTRADICT
from ros_bridge.transport.stamps import seconds
from ros_bridge.transport.transforms import NoTransform, Transforms

TRAJECTORY = "control_msgs/action/FollowJointTrajectory"
GRIPPER = "control_msgs/action/GripperCommand"
NAVIGATE = "nav2_msgs/action/NavigateToPose"
MOVE_GROUP = "moveit_msgs/action/MoveGroup"
OLD = 1.0
"""Age (s) above which joint states, odometry and moving frames count as too old."""
MISSED = 6.5
"""Additional seconds for latched messages: Fast DDS offers them again to a new reader every 3 s."""
FOREIGN = (
    "its server never answers over this middleware: set RMW_IMPLEMENTATION=rmw_cyclonedds_cpp on the robot, or choose "
    "the transport rclpy with the middleware of the robot"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Check result of one component of a profile.

    Attributes:
        problem: Why it is not present as the profile says; "" if it is.
        rate: Messages per second.
        age: Median age of the messages by their stamps, s; None without messages.
        note: Additional information on a component that is present.
    """

    part: str
    name: str
    problem: str = ""
    rate: float | None = None
    age: float | None = None
    note: str = ""


def check_profile(node: Node, profile: Profile, length: float = 3.0) -> list[Finding]:
    """Listen for `length` seconds and report which components of the profile are present.

    Args:
        node: A node on the robot's network.
        profile: The expected components.
        length: Listening time; slow cameras need some seconds. Missing fixed frames and a missing emergency stop are
            awaited for some seconds more, since they may be published only once.

    Returns:
        One finding for every topic, action and frame of the profile, in its order.
    """
    node.graph()
    published = PublishedClock(node)
    clock = published if profile.use_sim_time else MachineClock()
    transforms = Transforms(node, clock)
    listened = [_CheckedTopic(node, profile, clock, *topic) for topic in measured_topics(profile)]
    stop = None if profile.emergency_stop is None else StopButton(node, profile.emergency_stop)
    diagnostics = None if profile.diagnostics is None else Diagnostics(node, profile.diagnostics)
    time.sleep(length)
    graph = node.graph()
    simulated = CLOCK_TOPIC in graph.publishers
    findings = [_clock(published, profile, length)]
    for subject in listened:
        finding = subject.finding(graph.publishers.get(subject.name, frozenset()), length, simulated)
        publishers = node.publishers_of(subject.name)
        if CONTRADICT in finding.problem:
            finding = replace(finding, problem=f"{finding.problem}; they are {' and '.join(publishers)}")
        findings.append(finding)
    for part, name, kind in commanded_topics(profile):
        problem = _kind_problem(graph.subscriptions.get(name, frozenset()), kind, "nobody listens")
        findings.append(Finding(part, name, problem))
    actions = [
        (f"{name} action", group.action, TRAJECTORY)
        for name, group in profile.groups.items()
        if group.action is not None
    ]
    if profile.gripper is not None:
        actions.append(("gripper action", profile.gripper.action, gripper_kind(profile.gripper)))
    if profile.navigation is not None and profile.navigation.action in graph.actions:  # only --skills nav2 needs it
        actions.append(("navigation action", profile.navigation.action, NAVIGATE))
    if profile.reaching is not None and profile.reaching.action in graph.actions:  # only --skills moveit needs it
        actions.append(("reaching action", profile.reaching.action, MOVE_GROUP))
    for part, name, kind in actions:
        problem = _kind_problem(graph.actions.get(name, frozenset()), kind, "no server")
        findings.append(Finding(part, name, problem or (FOREIGN if name in graph.foreign else "")))
    deadline = time.monotonic() + MISSED
    while True:
        frames = list(_frames(transforms, profile, simulated))
        missing = any(frame.problem for frame in frames) or (stop is not None and stop.unknown())
        if not missing or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    findings += frames
    if stop is not None and profile.emergency_stop is not None:
        topic = profile.emergency_stop.topic
        findings.append(_stop(stop, topic, graph.publishers.get(topic, frozenset())))
    if diagnostics is not None and profile.diagnostics is not None:
        kinds = graph.publishers.get(profile.diagnostics, frozenset())
        findings += _diagnosed(diagnostics, profile.diagnostics, kinds, length)
    transforms.close()
    return findings


def _stop(stop: StopButton, topic: str, kinds: frozenset[str]) -> Finding:
    """Check the robot's own emergency stop."""
    unknown, pressed = stop.unknown(), stop.pressed
    stop.close()
    problem = _kind_problem(kinds, BOOL, "no publisher")
    problem = problem or ("a publisher, but no message" if unknown else "it is pressed" if pressed else "")
    return Finding("emergency stop", topic, problem, note="" if problem else "not pressed")


def _diagnosed(diagnostics: Diagnostics, topic: str, kinds: frozenset[str], length: float) -> Iterator[Finding]:
    """Report the health of a robot: the topic, and each component with a problem. Only errors are problems."""
    report_count = diagnostics.close()
    problem = _kind_problem(kinds, DIAGNOSTIC_ARRAY, "no publisher") or (
        "" if report_count else "a publisher, but no message"
    )
    yield Finding("diagnostics", topic, problem, rate=report_count / length)
    for name, level, text in diagnostics.problems():
        error = level == ERROR
        yield Finding("diagnostics", name, text if error else "", note="" if error else text)


def gripper_kind(gripper: Gripper) -> str:
    """Return the type of a gripper's action."""
    return TRAJECTORY if gripper.trajectory else GRIPPER


def _clock(published: PublishedClock, profile: Profile, length: float) -> Finding:
    """Check the clock by which ages are measured, that of a simulator with its speed."""
    if not profile.use_sim_time:
        return Finding("clock", MachineClock.name)
    speed = f" ({published.elapsed() / length:.2f} x real time)"
    return Finding("clock", CLOCK_TOPIC + speed, published.stop_reason(length / 2))


def measured_topics(profile: Profile) -> Iterator[tuple[str, str, str, float]]:
    """Yield component, name, message type and largest age of every measured topic."""
    yield "joint states", profile.joint_states, "sensor_msgs/msg/JointState", OLD
    if profile.base is not None:
        yield "odometry", profile.base.odometry, "nav_msgs/msg/Odometry", OLD
    for name, camera in profile.cameras.items():
        yield f"{name} camera", camera.rgb, camera.kind, camera.oldest
        if camera.depth is not None:
            yield f"{name} depth", camera.depth, "sensor_msgs/msg/Image", camera.oldest
        yield f"{name} info", camera.info, "sensor_msgs/msg/CameraInfo", OLD
    if profile.force is not None:
        yield "force", profile.force.topic, "geometry_msgs/msg/WrenchStamped", OLD


def commanded_topics(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield component, name and message type of every topic with commands for the robot, without actions."""
    if profile.base is not None:
        yield "base command", profile.base.command, profile.base.kind
    for name, group in profile.groups.items():
        if group.stream:
            yield f"{name} stream", group.stream, group.kind


class _CheckedTopic:
    """Subscription to a measured topic."""

    def __init__(
        self, node: Node, profile: Profile, clock: RobotClock, part: str, name: str, kind: str, oldest: float
    ) -> None:
        self.name = name
        self._clock = clock
        self._part = part
        self._kind = kind
        self._oldest = oldest
        self._expected = {joint.name for group in profile.groups.values() for joint in group.joints}
        self._odometry = profile.frames.odometry
        self._lock = threading.Lock()
        self._ages: list[float] = []
        self._joints: set[str] = set()
        self._wrong = ""
        self._states = JointStates(
            name,
            {joint: profile.limits_of(joint) for joint in self._expected},
            lambda: self._subscription.publishers(),
            time.monotonic,
        )
        self._subscription: Subscription = node.subscription(kind, name, self._take, SENSOR)

    def finding(self, kinds: frozenset[str], length: float, simulated: bool) -> Finding:
        """Stop listening, and return the result of `length` seconds.

        Args:
            simulated: Somebody publishes /clock.
        """
        self._subscription.close()
        with self._lock:
            ages, joints = list(self._ages), set(self._joints)
        problem = _kind_problem(kinds, self._kind, "no publisher")
        age = float(np.median(ages)) if ages else None
        if not problem and age is None:
            problem = "a publisher, but no message"
        elif not problem and age is not None:
            problem = _age_problem(age, self._oldest, self._clock, simulated)
        missing = sorted(self._expected - joints)
        if not problem and self._part == "joint states" and missing:
            problem = f"without {', '.join(missing[:3])}" + (" ..." if len(missing) > 3 else "")
        return Finding(self._part, self.name, problem or self._wrong, len(ages) / length, age)

    def _take(self, message: Message) -> None:
        with self._lock:
            self._ages.append(self._clock.now() - seconds(message.header.stamp))
            if self._part == "joint states":
                self._joints.update(message.name)
                self._states.take(message)
                faults = ((joint, self._states.wrong(joint)) for joint in sorted(self._expected))
                problem = next((f"the joint {joint} is refused: {reason}" for joint, reason in faults if reason), "")
                if problem or CONTRADICT not in self._wrong:  # of two publishers, the last two messages may agree
                    self._wrong = problem
            elif self._part == "odometry":
                self._wrong = self._odometry_problem(message)

    def _odometry_problem(self, message: Message) -> str:
        try:
            frame = odometry_of(message).frame
        except UnreadableMessage as error:
            return f"refused: {error}"
        return f"is in the frame '{frame}', not in '{self._odometry}'" if frame not in ("", self._odometry) else ""


def _age_problem(age: float, oldest: float, clock: RobotClock, simulated: bool) -> str:
    """Return the problem with the age (s) of messages by a clock; "" if there is none.

    Args:
        simulated: Somebody publishes /clock.
    """
    if -OLD <= age <= oldest:
        return ""
    if isinstance(clock, PublishedClock):
        return f"{abs(age):.1f} s {'older than' if age > 0 else 'ahead of'} /clock: its node must follow it, too"
    if simulated and abs(age) > OLD:
        return "stamped by /clock, not by the clock of this machine: set use_sim_time: true in the profile"
    if age < 0:
        return "from the future: set the clocks of robot and machine"
    return f"too old (at most {oldest:g} s)"


def _kind_problem(kinds: frozenset[str], kind: str, nobody: str) -> str:
    if not kinds:
        return nobody
    return "" if kind in kinds else f"is a {', '.join(sorted(kinds))}, not a {kind}"


def _frames(transforms: Transforms, profile: Profile, simulated: bool) -> Iterator[Finding]:
    base = profile.frames.base
    queries: list[tuple[str, str, Callable[[], object]]] = [
        (
            "effector frame",
            profile.frames.effector,
            lambda: transforms.lookup(base, profile.frames.effector, oldest=OLD),
        )
    ]
    if profile.base is not None:
        odometry = profile.frames.odometry
        queries.append(("odometry frame", odometry, lambda: transforms.lookup(odometry, base, oldest=OLD)))
    for name, camera in profile.cameras.items():
        queries.append(
            (f"{name} frame", camera.frame, lambda frame=camera.frame: transforms.lookup(base, frame, oldest=OLD))  # type: ignore[misc]
        )
    for part, frame, lookup in queries:
        try:
            lookup()
            yield Finding(part, frame)
        except NoTransform as error:
            hint = ": set use_sim_time: true in the profile" if simulated and not profile.use_sim_time else ""
            yield Finding(part, frame, str(error).rstrip(".") + (hint if " s old" in str(error) else ""))
