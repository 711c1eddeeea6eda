"""Soak test: a day of joint states and transforms at 30 Hz, sped up, between two processes; measures loss and leaks.

    python -m benchmarks.speed.ros_soak --sender rclpy --listener dds --minutes 30

The state of a moving robot is published as fast as the listener reads: 14 joints and 10 frames per step of 1/30 s of
robot time. The listener reads them as an agent does (`JointStates`, `Transforms`) and acknowledges every 50 steps.
Prints a row for docs/ros.md: steps of both topics, lost messages, resident memory of both processes after the first 5 %
and at the end, and the maximum errors of the base transform (in the first and the last tenth) and of the joints. Needs
the extra `ros`; `rclpy` an environment that has it (docs/testing.md).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ros_bridge.transport.interface import Message, Node, Qos
from ros_bridge.transport.joints import JointStates, Limits
from ros_bridge.transport.opening import open_node
from ros_bridge.transport.stamps import seconds, stamp
from ros_bridge.transport.transforms import Transforms

STATES, TF, COUNT = "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage", "std_msgs/msg/UInt64"
RATE, DAY = 30, 30 * 86_400
JOINTS = [f"joint_{number}" for number in range(14)]
EVERY, AHEAD = 50, 100
"""Steps between acknowledgements, and the sender's maximum lead over the last one, which is below the queue size."""
BEHIND = AHEAD + 25.5
"""Age (steps) at which the base pose is looked up when a transform arrives: two subscriptions to a topic may be `AHEAD`
steps apart, and 10 s are buffered, so the lookup never fails."""
PART = 10_000
"""Steps per stored maximum error, so that the memory of the listener itself does not grow."""
PATIENCE = 2.0
"""Timeout (s) for an acknowledgement, after which the sender continues: a message was lost."""
QUEUE = Qos(depth=500)
NETWORK = {"ROS_DOMAIN_ID": "94", "ROS_LOCALHOST_ONLY": "1"}


def position(joint: int, at: float) -> float:
    """Return the position of a joint (rad) at robot time `at` (s)."""
    return math.sin(0.1 * at + joint)


def base_pose(at: float) -> tuple[float, float, float]:
    """Return the base pose in odom: x, y (m), yaw (rad). It drives on a circle of radius 1 m at 0.1 m/s."""
    return math.cos(0.1 * at), math.sin(0.1 * at), 0.1 * at


def resident() -> float:
    """Return the resident memory of this process (MiB)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def send(transport: str, steps: int, length: float) -> None:
    """Publish all steps, for at most `length` seconds; print the number sent, stalls and memory."""
    acknowledged, heard = [0], threading.Event()
    with open_node("/soak_sender", transport) as node:  # type: ignore[arg-type]
        states, transforms = node.publisher(STATES, "/joint_states", QUEUE), node.publisher(TF, "/tf", QUEUE)

        def take(message: Message) -> None:
            acknowledged[0] = int(message.data)
            heard.set()

        node.subscription(COUNT, "/soak/acknowledged", take)
        while not (states.subscribers() and transforms.subscribers()):
            time.sleep(0.01)
        time.sleep(2.0)  # messages sent during discovery may be lost
        ends, sent, memory, stalls = time.monotonic() + length, 0, [resident()], 0
        while sent < steps and time.monotonic() < ends:
            at = (sent + 1) / RATE
            states.publish(joint_states(node, at))
            transforms.publish(frames(node, at))
            sent += 1
            while sent - acknowledged[0] > AHEAD:
                heard.clear()
                if sent - acknowledged[0] > AHEAD and not heard.wait(PATIENCE):
                    stalls += 1
                    acknowledged[0] = sent
            if sent % 1000 == 0:
                memory.append(resident())
        time.sleep(3.0)
        print(json.dumps({"sent": sent, "stalls": stalls, "memory": ends_of(memory)}), flush=True)
        sys.stdin.read()


def joint_states(node: Node, at: float) -> Message:
    """Return the joint states at robot time `at` (s)."""
    positions = [position(number, at) for number in range(len(JOINTS))]
    return node.message(STATES, header={"stamp": stamp(at)}, name=JOINTS, position=positions)


def frames(node: Node, at: float) -> Message:
    """Return the transforms of the base in odom and of a chain of nine frames on it at robot time `at` (s)."""
    x, y, yaw = base_pose(at)
    chain = [("odom", "base_link", (x, y, 0.0), yaw)]
    parent = "base_link"
    for number in range(9):
        chain.append((parent, f"link_{number}", (0.0, 0.0, 0.1), position(number, at)))
        parent = f"link_{number}"
    messages = []
    for above, name, place, turn in chain:
        transform = {
            "translation": dict(zip("xyz", place, strict=True)),
            "rotation": {"x": 0.0, "y": 0.0, "z": math.sin(turn / 2), "w": math.cos(turn / 2)},
        }
        header = {"stamp": stamp(at), "frame_id": above}
        fields = {"header": header, "child_frame_id": name, "transform": transform}
        messages.append(node.message("geometry_msgs/msg/TransformStamped", **fields))
    return node.message(TF, transforms=messages)


@dataclass
class ListenerStatistics:
    """Statistics of a listener.

    Attributes:
        states, transforms: Numbers of messages received.
        step: Step of the latest joint states.
        off: Maximum errors of base (m) and joints (rad) in each `PART`.
        memory: Resident memory (MiB), once per second.
    """

    states: int = 0
    transforms: int = 0
    step: int = 0
    off: dict[int, tuple[float, float]] = field(default_factory=dict)
    memory: list[float] = field(default_factory=list)


def listen(sender: str, listener: str, steps: int, minutes: float) -> None:
    """Run both processes and print the row."""
    words = [sys.executable, "-m", "benchmarks.speed.ros_soak", "--sender", sender, "--minutes", str(minutes)]
    heard = ListenerStatistics()
    with (
        open_node("/soak_listener", listener) as node,  # type: ignore[arg-type]
        subprocess.Popen(
            [*words, "--steps", str(steps), "--send"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other,
    ):
        joints = JointStates("/joint_states", dict.fromkeys(JOINTS, Limits()), lambda: 1, lambda: heard.step / RATE)
        known = Transforms(node, lambda: heard.step / RATE)
        acknowledge = node.publisher(COUNT, "/soak/acknowledged")

        def on_states(message: Message) -> None:
            joints.take(message)
            heard.states += 1
            heard.step = round(seconds(message.header.stamp) * RATE)
            if heard.step % EVERY == 0:
                acknowledge.publish(node.message(COUNT, data=heard.step))

        def on_transforms(message: Message) -> None:
            heard.transforms += 1
            step = round(seconds(message.transforms[0].header.stamp) * RATE)
            if step > BEHIND and step % EVERY == 0:
                base, joint = heard.off.get(step // PART, (0.0, 0.0))
                error = base_error(known, (step - BEHIND) / RATE)
                heard.off[step // PART] = (max(base, error), max(joint, joint_error(joints)))

        node.subscription(STATES, "/joint_states", on_states, QUEUE)
        node.subscription(TF, "/tf", on_transforms, QUEUE)
        finished = threading.Event()

        def remember() -> None:
            while not finished.wait(1.0):
                heard.memory.append(resident())

        threading.Thread(target=remember, daemon=True).start()
        began = time.monotonic()
        assert other.stdin is not None and other.stdout is not None
        sender_report = json.loads(other.stdout.readline())
        elapsed = time.monotonic() - began
        finished.set()
        other.stdin.close()
        print(row(sender, f"{node.transport}", sender_report, heard, elapsed), flush=True)


def base_error(known: Transforms, at: float) -> float:
    """Return the base position error (m) at a robot time (s) between received transforms."""
    x, y, _ = base_pose(at)
    pose = known.lookup("odom", "base_link", at=at)
    return float(np.hypot(pose[0, 3] - x, pose[1, 3] - y))


def joint_error(joints: JointStates) -> float:
    """Return the maximum joint position error (rad), each joint at its own stamp."""
    readings = [(number, joints.get(name)) for number, name in enumerate(JOINTS)]
    return max(abs(read.position - position(number, read.at)) for number, read in readings if read is not None)


def ends_of(memory: list[float]) -> tuple[float, float]:
    """Return the memory (MiB) after the first 5 %, when all code is loaded and buffers are full, and at the end."""
    return memory[min(len(memory) - 1, len(memory) // 20 + 1)], memory[-1]


def row(sender: str, listener: str, sender_report: dict[str, object], heard: ListenerStatistics, elapsed: float) -> str:
    """Format the row of the table."""
    sent = int(str(sender_report["sent"]))
    first, last = sender_report["memory"]  # type: ignore[misc]
    mine = ends_of(heard.memory)
    off, tenth = list(heard.off.values()), max(1, len(heard.off) // 10)
    base = [max(each[0] for each in part) * 1e3 for part in (off[:tenth], off[-tenth:])]
    joint = max(each[1] for each in off)
    lost = (sent - heard.states, sent - heard.transforms)
    cells = (
        f"{sender} to {listener}",
        f"{sent:,} in {elapsed / 60:.0f} min ({sent / RATE / 3600:.1f} h at {RATE} Hz)",
        f"{lost[0]}, {lost[1]} ({sender_report['stalls']} stalls)",
        f"{first:.1f}, {last:.1f} MiB",
        f"{mine[0]:.1f}, {mine[1]:.1f} MiB",
        f"{base[0]:.3f}, {base[1]:.3f} mm; {joint:.1e} rad",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sender", choices=("dds", "rclpy"), default="dds", help="transport of the robot")
    parser.add_argument("--listener", choices=("dds", "rclpy"), default="dds", help="transport of the listener")
    parser.add_argument("--steps", type=int, default=DAY, help="messages of each topic; by default those of a day")
    parser.add_argument("--minutes", type=float, default=60.0, help="it ends after so many minutes at the latest")
    parser.add_argument("--send", action="store_true", help="be the sender")
    options = parser.parse_args()
    for name, value in NETWORK.items():
        os.environ.setdefault(name, value)
    if options.send:
        send(options.sender, options.steps, options.minutes * 60)
    else:
        print("| from, to | steps | joint states, transforms lost | sender | listener | base, joints off |")
        print("|---|---|---|---|---|---|", flush=True)
        listen(options.sender, options.listener, options.steps, options.minutes)
