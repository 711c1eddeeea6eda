"""Pictures for people, and the pace at which a simulation goes."""

from __future__ import annotations

import time

from homie.kernel.interfaces import Filmable, Robot
from homie.kernel.types import Image, Observation

LATE = 0.25
"""s behind the clock from which lost time is not caught up: a skill that thinks must not be followed by a rush."""


class Pictures:
    """What cameras see. While the robot's time is paused, each camera renders once. For one thread."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._seen: dict[tuple[str, int | None], tuple[float, Image]] = {}

    def of(self, camera: str, height: int | None = None) -> Image:
        """The picture (H, W, 3) of a camera now.

        Args:
            camera: Its name.
            height: Pixels, where the robot can draw its pictures in another size; None for that of its observations.

        Raises:
            BadInput: The robot has no such camera.
        """
        stamp = self._robot.observe().stamp
        known = self._seen.get((camera, height))
        if known is not None and known[0] == stamp and self._robot.waits:
            return known[1]
        if isinstance(self._robot, Filmable):
            picture = self._robot.look(camera, height)
        else:
            picture = self._robot.observe((camera,)).frames[camera].rgb
        self._seen[camera, height] = stamp, picture
        return picture

    def outside(self, width: int, height: int, target: str) -> Image:
        """The robot and its target from outside, (height, width, 3). Only of a `Filmable` robot."""
        assert isinstance(self._robot, Filmable)  # asked for by `Board`, which offers the view of no other
        return self._robot.film(width, height, target)

    def measured(self, camera: str) -> Observation:
        """What a camera sees now, with its depth, and when. Raises BadInput for one that the robot has not."""
        return self._robot.observe((camera,))


class Pace:
    """Keeps robot time from running ahead of the clock.

    Args:
        speed: Robot seconds in a second; 0 for no limit.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._anchor: tuple[float, float] | None = None

    def keep(self, stamp: float) -> None:
        """Sleep until it is time for what comes after robot time `stamp` (s)."""
        if self._speed <= 0.0:
            return
        now = time.monotonic()
        clock, robot = self._anchor or (now, stamp)
        ahead = clock + (stamp - robot) / self._speed - now
        if self._anchor is None or ahead < -LATE or stamp < robot:
            self._anchor = now, stamp
        elif ahead > 0.0:
            time.sleep(ahead)

    def rest(self) -> None:
        """Robot time pauses for a while."""
        self._anchor = None
