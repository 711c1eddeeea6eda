"""Perception pipeline: takes pictures from the robot, runs the detector, and updates the locator.

look(cameras):  Robot.observe --> Detector.detect --> Locator.update  =  Sight
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from types import MappingProxyType

import numpy as np

from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces import Detector, Locator, Robot
from homie.kernel.interfaces.parts import brief, check_returned, is_line, method_of
from homie.kernel.types import CameraFrame, Detection, Observation

OWN_VIEWS: Mapping[str, str] = MappingProxyType({})
"""Stands for the robot's own views."""
MOST = 1000
"""Maximum number of detections per picture: detectors report 100 to 300 at most, and mapping 5,000 boxes takes minutes.
"""


@dataclass(frozen=True, slots=True)
class Sight:
    """An observation and the detections in its pictures, ordered by view as its frames."""

    observation: Observation
    detections: tuple[Detection, ...] = ()

    def through(self, cameras: Collection[str]) -> Sight:
        """Return the part from some of its cameras, in their order. Raises KeyError for a camera that it lacks."""
        frames = {name: self.observation.frames[name] for name in cameras}
        detections = tuple(detection for name in frames for detection in self.detections if detection.view == name)
        return Sight(replace(self.observation, frames=frames), detections)

    def shown_as(self, names: Mapping[str, str]) -> Sight:
        """Return the sight with its cameras renamed; `names` has a new name for each of them."""
        frames = {names[name]: replace(frame, name=names[name]) for name, frame in self.observation.frames.items()}
        detections = tuple(replace(detection, view=names[detection.view]) for detection in self.detections)
        return Sight(replace(self.observation, frames=frames), detections)


class Senses:
    """Perception of an agent: robot, detector and locator. Shared by the agent loop and the executor.

    Each state of the world is rendered, detected and remembered only once: if the robot's time pauses between two
    commands (`Robot.waits`), the picture of a camera is reused until the next command. With other robots every call
    takes new pictures.

    ```python
    senses = Senses(robot, detector, locator)
    senses.reset(seed=7)
    sight = senses.look(robot.views)
    senses.look((*robot.views, "head"))  # in a simulator: renders the head camera only
    ```
    """

    def __init__(self, robot: Robot, detector: Detector, locator: Locator) -> None:
        self.robot = robot
        self.detector = detector
        self.locator = locator
        self.forget()

    def reset(self, *, seed: int) -> None:
        """Reset robot, detector and locator to the start of an episode. Raises as `Robot.reset`."""
        self.robot.reset(seed=seed)
        self.detector.reset()
        self.locator.reset(seed=seed)
        self.forget()

    def forget(self) -> None:
        """Discard cached pictures: someone else may have changed the world while its time was paused."""
        self._stamp: float | None = None
        self._frames: dict[str, CameraFrame] = {}
        self._detected: dict[str, tuple[Detection, ...]] = {}

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """Return the current state of the robot, with pictures of some cameras, without detection.

        Raises:
            BadInput: The robot returns another type, or a picture is missing.
            RobotFault: Its time or the pose of its base is not finite: timeouts would never expire.
        """
        if not cameras:
            return self._measure()
        if not self.robot.waits or self._measure().stamp != self._stamp:
            self.forget()
        unobserved = tuple(name for name in dict.fromkeys(cameras) if name not in self._frames)
        observation = self._measure(unobserved)
        if missing := [name for name in unobserved if name not in observation.frames]:
            method = method_of("robot", self.robot, "observe")
            raise BadInput(f"{method} was asked for the camera '{missing[0]}' and returned no frame of it.")
        self._stamp = observation.stamp
        self._frames.update(observation.frames)
        return replace(observation, frames={name: self._frames[name] for name in cameras})

    def _measure(self, cameras: Collection[str] = ()) -> Observation:
        observation = check_returned(
            self.robot.observe(cameras), Observation, method_of("robot", self.robot, "observe")
        )
        base = observation.body.base
        for quantity, value in (("time", observation.stamp), ("x", base.x), ("y", base.y), ("yaw", base.yaw)):
            if not math.isfinite(value):
                name = self.robot.spec.name
                raise RobotFault(f"The robot {name} measures {value} as its {quantity}, which is not a finite number.")
        return observation

    def look(self, cameras: Collection[str]) -> Sight:
        """Take pictures with some cameras, run the detector on them, and update the locator.

        Without cameras the result has only proprioception, and the locator is not updated.
        """
        observation = self.observe(cameras)
        unsearched = {name: frame for name, frame in observation.frames.items() if name not in self._detected}
        if unsearched:
            self._search(replace(observation, frames=unsearched))
        return Sight(observation, tuple(detection for name in observation.frames for detection in self._detected[name]))

    def look_around(self, views: Mapping[str, str] = OWN_VIEWS) -> Sight:
        """Take the planner's views. The locator's cameras are observed at the same moment, so that a goal made from it
        needs no further pictures.

        Args:
            views: Cameras by the name of the view in the planner's input; the robot's own views if empty.
        """
        cameras = tuple(views.values()) or self.robot.views
        extra_cameras = (name for name in self.locator.cameras if name not in cameras)
        sight = self.look((*cameras, *extra_cameras)).through(cameras)
        return sight.shown_as({camera: view for view, camera in views.items()}) if views else sight

    def _search(self, observation: Observation) -> None:
        detections = _validated_detections(
            self.detector.detect(observation), observation, method_of("detector", self.detector, "detect")
        )
        self.locator.update(observation, detections)
        self._detected.update(_by_view(detections, observation.frames))


def _validated_detections(detections: object, observation: Observation, method: str) -> tuple[Detection, ...]:
    """Validate the return value of a detector. Raises BadInput."""
    if not isinstance(detections, tuple | list) or not all(isinstance(item, Detection) for item in detections):
        raise BadInput(f"{method} returned {brief(detections)}: return a tuple of homie.Detection.")
    if len(detections) > MOST * len(observation.frames):
        raise BadInput(
            f"{method} returned {len(detections)} detections of {len(observation.frames)} pictures: give at most "
            f"{MOST} of each, such as those with the highest scores."
        )
    for detection in detections:
        if fault := _fault(detection, observation.frames):
            raise BadInput(f"{method} returned a homie.Detection whose {fault}.")
    return tuple(detections)


def _fault(detection: Detection, frames: Mapping[str, CameraFrame]) -> str:
    """Describe the first invalid value of a detection, as the end of a sentence; "" if all are valid."""
    box, mask = detection.box, detection.mask
    for field in ("name", "view", "instance", "part"):
        if not isinstance(text := getattr(detection, field), str):
            return f"{field} is {brief(text)}: give a text"
    if not is_line(detection.name):
        return f"name is {brief(detection.name)}: give what a person would call it"
    if detection.view not in frames:
        return f"view is {brief(detection.view)}: give that of its picture, one of {', '.join(frames)}"
    if not isinstance(detection.score, Real) or not 0.0 <= float(detection.score) <= 1.0:
        return f"score is {brief(detection.score)}: give a number from 0 to 1"
    if not isinstance(box, tuple | list) or len(box) != 4 or not all(isinstance(pixel, Integral) for pixel in box):
        return f"box is {brief(box)}: give four whole numbers, pixels (x0, y0, x1, y1)"
    if box[0] > box[2] or box[1] > box[3]:
        return f"box is {brief(box)}: give the smaller numbers first, pixels (x0, y0, x1, y1)"
    boolean = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
    if mask is not None and not (boolean and mask.shape == frames[detection.view].rgb.shape[:2]):
        return f"mask is {brief(mask)}: give an array of bool, as high and wide as the picture"
    return ""


def _by_view(detections: Collection[Detection], views: Collection[str]) -> Mapping[str, tuple[Detection, ...]]:
    return {view: tuple(detection for detection in detections if detection.view == view) for view in views}
