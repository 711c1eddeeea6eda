"""Network load for `guard_stops.py --how estop`: PYTHON -m benchmarks.speed.ros_flood send|hear

The sender publishes pictures and text messages on its own topics from an rclpy node; the listener receives all of them.
Needs an interpreter that has rclpy (docs/testing.md); imports nothing from Homie.
"""

from __future__ import annotations

import array
import sys
from typing import Any

WIDTH, HEIGHT, CAMERAS, RATE = 640, 480, 2, 30.0
"""Size (pixels) of rgb8 pictures, number of cameras, and rate (Hz): 55 MB/s."""
WORDS = 500.0
"""Rate (Hz) of text messages of one kilobyte each."""


def send(node: Any) -> None:
    """Publish from timers."""
    from rclpy.qos import qos_profile_sensor_data
    from sensor_msgs.msg import Image
    from std_msgs.msg import String

    pixels = array.array("B", bytes(3 * WIDTH * HEIGHT))
    picture = Image(width=WIDTH, height=HEIGHT, encoding="rgb8", step=3 * WIDTH, data=pixels)
    for number in range(CAMERAS):
        camera = node.create_publisher(Image, f"/flood/camera_{number}", qos_profile_sensor_data)
        node.create_timer(1.0 / RATE, lambda camera=camera: camera.publish(picture))
    words = node.create_publisher(String, "/flood/words", 10)
    text = String(data="x" * 1000)
    node.create_timer(1.0 / WORDS, lambda: words.publish(text))


def hear(node: Any) -> None:
    """Subscribe to all topics of the sender."""
    from rclpy.qos import qos_profile_sensor_data
    from sensor_msgs.msg import Image
    from std_msgs.msg import String

    for number in range(CAMERAS):
        node.create_subscription(Image, f"/flood/camera_{number}", lambda message: None, qos_profile_sensor_data)
    node.create_subscription(String, "/flood/words", lambda message: None, 10)


def main(what: str) -> None:
    import rclpy
    from rclpy.executors import ExternalShutdownException

    rclpy.init()
    node = rclpy.create_node(f"flood_{what}")
    {"send": send, "hear": hear}[what](node)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
