"""Announcements of a simulated robot on the network, so that nobody takes it for a real one. Privileged.

/homie/simulation        (std_msgs/msg/String, kept)  a `Simulation` as JSON
/homie/simulation/state  (std_msgs/msg/String)        the state of its world (`homie.kernel.interfaces.Mirrored`)
/homie/simulation/clock  (rosgraph_msgs/msg/Clock)    simulated time; the stamps of messages are those of the machine
/homie/simulation/look   (std_msgs/msg/String)        names of requested cameras, separated by spaces
/homie/simulation/NAME/  rgb, depth, info             a camera that the real robot does not have
/homie/simulation/NAME/instances                      object number of each pixel (16SC1, -1 for none), by stamp
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.support.validation_sentences import first_problem
from ros_bridge.profiles.parts import Camera, Finite, Part, Text

TOPIC = "/homie/simulation"
STATE, LOOK, CLOCK = (f"{TOPIC}/{name}" for name in ("state", "look", "clock"))
DRAWN = 10.0
"""Largest age (s) of an image of a simulation: without a graphics card, on a busy machine, rendering takes seconds, and
the stamp is that of the rendered state."""


class Simulation(Part):
    """A simulated robot.

    Attributes:
        robot, options: How to open another robot of the same scene (`homie.kernel.options.OpenOptions`).
        cameras: All of its cameras by its own names, including those of the profile.
        foot: Pose of its base (x, y in m, yaw in rad) if it does not drive.
        names: Names of the objects in instance images, by number.
        rehearsal: Whether it is treated as a real robot: only a person arms it, and its state is not published.
    """

    robot: Text
    options: dict[str, Any]
    cameras: dict[Text, Camera] = Field(default_factory=dict)
    foot: tuple[Finite, Finite, Finite] = (0.0, 0.0, 0.0)
    names: tuple[str, ...] = ()
    rehearsal: bool = False

    @classmethod
    def parse(cls, text: str) -> Simulation:
        """Parse a simulation in a message. Raises BadInput with one sentence."""
        try:
            return cls.model_validate(parse_json(text))
        except ValidationError as error:
            problem = first_problem(error, "it")
            raise BadInput(f"What {TOPIC} says of a simulation cannot be read: {problem}.") from error
        except ValueError as error:
            raise BadInput(f"What {TOPIC} says of a simulation cannot be read: {reason_of(error)}.") from error


def extra_cameras(names: Mapping[str, Camera], own: tuple[str, ...]) -> dict[str, Camera]:
    """Return all cameras of a simulated robot: those in the profile, and topics for the others (`own`, in order)."""
    return {name: names[name].model_copy(update={"oldest": DRAWN}) if name in names else _camera(name) for name in own}


def instances_topic(camera: str) -> str:
    """Return the topic of the instance images of a camera."""
    return f"{TOPIC}/{camera}/instances"


def _camera(name: str) -> Camera:
    base = f"{TOPIC}/{name}"
    return Camera(rgb=f"{base}/rgb", depth=f"{base}/depth", info=f"{base}/info", frame=f"homie_{name}", oldest=DRAWN)
