"""`homie robot record`: record the topics of a robot and of its commanders in a rosbag2 until Ctrl-C."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from homie.kernel.errors import InfrastructureError
from ros_bridge.bag import Bag, Topic
from ros_bridge.process_signals import watch_signals
from ros_bridge.profiles.diagnostics import DIAGNOSTIC_ARRAY
from ros_bridge.profiles.homie_topics import EPISODE, FINGERS, FINGERS_KIND, TEXT
from ros_bridge.profiles.model import Profile, read_profile
from ros_bridge.profiles.profile_check import commanded_topics, measured_topics
from ros_bridge.transport.clocks import CLOCK, CLOCK_TOPIC
from ros_bridge.transport.dds.cdr_messages import Definitions
from ros_bridge.transport.interface import BOOL, Node, Qos
from ros_bridge.transport.opening import Transport, open_node
from ros_bridge.transport.transforms import MANY, MANY_LATCHED, TF

KEEPING = 0.5
"""Seconds between two flushes to the disk."""
EVERYTHING = Qos(reliable=False, depth=20)
"""Accepts reliable and best-effort publishers; a robot needs only the newest messages, a recorder must lose none."""


def recorded_topics(profile: Profile) -> list[Topic]:
    """Return the topics of a profile, each once: measurements, commands, announcements of the agent, transforms."""
    measured = [(name, kind) for _, name, kind, _ in measured_topics(profile)]
    commanded = [(name, kind) for _, name, kind in commanded_topics(profile)]
    if profile.emergency_stop is not None:
        measured.append((profile.emergency_stop.topic, BOOL))
    if profile.diagnostics is not None:
        measured.append((profile.diagnostics, DIAGNOSTIC_ARRAY))
    topics = [Topic(name, kind, EVERYTHING) for name, kind in dict([*measured, *commanded]).items()]
    announced = [Topic(EPISODE, TEXT, MANY), *([Topic(FINGERS, FINGERS_KIND, EVERYTHING)] if profile.gripper else [])]
    clock = [Topic(CLOCK_TOPIC, CLOCK, EVERYTHING)] if profile.use_sim_time else []
    return [*topics, *announced, *clock, Topic("/tf", TF, MANY), Topic("/tf_static", TF, MANY_LATCHED)]


def listen(node: Node, bag: Bag, topics: list[Topic]) -> None:
    """Write every message of the topics into the bag until the node is closed."""

    def adding(name: str) -> Callable[[bytes], None]:
        return lambda data: bag.add(name, time.time_ns(), data)

    for topic in topics:
        node.raw_subscription(topic.kind, topic.name, adding(topic.name), topic.qos)


def record_robot(
    name: str, folder: Path, *, seconds: float | None, transport: Transport, ready: Callable[[int], None]
) -> Mapping[str, int]:
    """Record a robot until a signal ends it.

    Args:
        name: The profile, see `ros_bridge.profiles.model.read_profile`.
        folder: Folder of the new bag.
        seconds: Duration; None: until a signal.
        transport: `rclpy`, `dds` or `auto`.
        ready: Called with the number of topics once they are subscribed.

    Returns:
        Number of recorded messages by topic.

    Raises:
        BadInput, MissingPart: The recording cannot begin.
        InfrastructureError: The disk cannot be written, or no message has arrived.
    """
    topics = recorded_topics(read_profile(name))
    with watch_signals() as is_ended:
        definitions = Definitions(os.environ.get("ROS_DISTRO") or "humble")
        with Bag(folder, topics, definitions) as bag, open_node("/homie_record", transport) as node:
            listen(node, bag, topics)
            ready(len(topics))
            deadline = float("inf") if seconds is None else time.monotonic() + seconds
            while not is_ended() and (remaining := deadline - time.monotonic()) > 0:
                time.sleep(min(KEEPING, remaining))
                bag.keep()
        counts = bag.counts
    if not any(counts.values()):
        raise InfrastructureError(
            f"Nothing was recorded: no topic of the profile {name} has brought a message. Look with "
            f"`homie robot check {name}`, and at ROS_DOMAIN_ID."
        )
    return counts
