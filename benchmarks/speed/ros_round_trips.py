"""Round trips and throughput of the ROS 2 transport `dds` on this machine, between two processes.

    python benchmarks/speed/ros_round_trips.py

Prints a table for docs/ros.md. Needs the extra `ros`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from ros_bridge.transport.dds.node import DdsNode
from ros_bridge.transport.interface import SENSOR, Message
from ros_bridge.transport.network import Network
from ros_bridge.transport.stamps import now, seconds, stamp

TWIST, IMAGE, ADD = "geometry_msgs/msg/Twist", "sensor_msgs/msg/Image", "example_interfaces/srv/AddTwoInts"
PICTURES = ((256, 256, 30), (640, 480, 30), (1280, 720, 30))
NETWORK = Network(domain=91, interface="lo")


def peer() -> None:
    """Run the other process until stdin ends: echo velocities, add numbers, send pictures on request."""
    with DdsNode("/peer", NETWORK) as node:
        back = node.publisher(TWIST, "/echo")
        node.subscription(TWIST, "/cmd_vel", back.publish)
        node.service(ADD, "/add", lambda request: node.message(f"{ADD}_Response", sum=request.a + request.b))
        camera = node.publisher(IMAGE, "/camera", SENSOR)
        for line in sys.stdin:
            width, height, rate, count = map(int, line.split())
            pixels = np.zeros(width * height * 3, np.uint8)
            began = time.perf_counter()
            for number in range(count):
                time.sleep(max(0.0, began + number / rate - time.perf_counter()))
                header = {"stamp": stamp(now()), "frame_id": "camera"}
                fields = {"width": width, "height": height, "step": 3 * width, "encoding": "rgb8", "data": pixels}
                camera.publish(node.message(IMAGE, header=header, **fields))


def measure(rounds: int, length: float) -> None:
    with (
        DdsNode("/measures", NETWORK) as node,
        subprocess.Popen([sys.executable, __file__, "--peer"], stdin=subprocess.PIPE, text=True) as other,
    ):
        assert other.stdin is not None
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
        print("| what | median | 95 % | worst | lost |\n|---|---|---|---|---|")
        _twists(node, rounds)
        _calls(node, rounds)
        _pictures(node, length, lambda line: print(line, file=other.stdin, flush=True))
        other.stdin.close()


def _twists(node: DdsNode, rounds: int) -> None:
    heard = threading.Event()
    node.subscription(TWIST, "/echo", lambda _: heard.set())
    command = node.publisher(TWIST, "/cmd_vel")
    _wait(lambda: command.subscribers() > 0)
    times, message = [], node.message(TWIST, linear={"x": 0.2})
    for _ in range(rounds):
        heard.clear()
        began = time.perf_counter()
        command.publish(message)
        if heard.wait(1):
            times.append(time.perf_counter() - began)
        time.sleep(0.002)
    _row("Twist there and back", times, rounds)


def _calls(node: DdsNode, rounds: int) -> None:
    client = node.client(ADD, "/add")
    _wait(client.ready)
    times = []
    for number in range(rounds):
        began = time.perf_counter()
        assert client.call(node.message(f"{ADD}_Request", a=number, b=1)).result(2).sum == number + 1
        times.append(time.perf_counter() - began)
    _row("service call", times, rounds)


def _pictures(node: DdsNode, length: float, order: Callable[[str], None]) -> None:
    ages: list[float] = []

    def take(message: Message) -> None:
        ages.append(now() - seconds(message.header.stamp))

    camera = node.subscription(IMAGE, "/camera", take, SENSOR)
    _wait(lambda: camera.publishers() > 0)
    for width, height, rate in PICTURES:
        ages.clear()
        count = int(length * rate)
        order(f"{width} {height} {rate} {count}")
        time.sleep(length + 0.5)
        _row(f"{width}x{height} RGB at {rate} Hz, age", ages, count)


def _row(what: str, times: list[float], expected: int) -> None:
    ms = np.array(times or [np.nan]) * 1e3
    shown = (np.median(ms), np.percentile(ms, 95), ms.max())
    print(f"| {what} | {' | '.join(f'{value:.2f} ms' for value in shown)} | {expected - len(times)} of {expected} |")


def _wait(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("The two processes do not find each other.")
        time.sleep(0.01)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="store_true", help="be the other process")
    parser.add_argument("--rounds", type=int, default=500, help="round trips")
    parser.add_argument("--seconds", type=float, default=5, help="seconds of each stream of pictures")
    options = parser.parse_args()
    peer() if options.peer else measure(options.rounds, options.seconds)
