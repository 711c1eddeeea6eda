"""The interface of a served robot. It needs no class of this module: the methods of `ServedRobot` are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

OPTIONAL = ("snapshot", "shapes", "film", "perform")
"""Optional methods of a robot; a client gets the names of those it has."""


class WrongInput(Exception):
    """A mistake of the user: there is no such task, an option has a bad value. One sentence."""


class Refused(Exception):
    """A command was not carried out, and nothing has moved; the attempt fails and the episode continues. One
    sentence."""


class Fault(Exception):
    """The robot cannot continue safely, and has stopped; the episode ends. One sentence."""


class ServedRobot(Protocol):
    """The methods of a robot. It is created as `cls(argument)`, with ARGUMENT of `my_robot.py:MyRobot:ARGUMENT`.

    All data are plain: dictionaries, lists, numbers, texts, and arrays of numpy for pictures. Metres, radians,
    seconds; the odometry frame is fixed to the floor, z up. It may also have `snapshot()`, `shapes()`,
    `film(width, height, target)` and `perform(action, target, destination, entity)`, see docs/remote.md.

    Attributes:
        spec: Description of its body, with the keys that docs/remote.md lists: `name`, `period`, `groups`,
            `kinematics`, ...
    """

    spec: Mapping[str, Any]

    def reset(self, seed: int) -> None:
        """Go to the start of an episode in the scene of a seed (`--seed`, or that of a task in a suite)."""

    def step(self, targets: Mapping[str, Sequence[float]]) -> None:
        """Execute targets by group, and return after one control period. A group that is left out holds its last
        target; a base stops. The targets have passed Homie's safety gate. Raises Refused, Fault."""

    def halt(self) -> None:
        """Stop everything and hold; no need to wait until it stands. Also called when the client has disconnected."""

    def measured(self) -> Mapping[str, Any]:
        """Return the measurements: `stamp` (s, monotonic; simulated time in a simulator), `joints` and `velocities` by
        name, `grippers` by group (`opening`, `contact` (right, left), `holding`, `speed`), `base` (x, y, yaw) and
        `base_velocity` (m/s, rad/s)."""

    def picture(self, camera: str) -> Mapping[str, Any]:
        """Return an image of a camera: `rgb` (H, W, 3) uint8; `depth` (H, W) float32 in m or None; `intrinsics` (fx,
        fy, cx, cy) in pixels; `position` (3,) and `rotation` (3, 3) of its optical frame (x right, y down, z forward)
        in the odometry frame; of a simulator `instances` (H, W), integers: an index into `instance_names`, -1 for
        none."""

    def close(self) -> None:
        """Stop, park, release everything; may be called twice."""
