"""The pictures of a page: which views, how many a second, how large."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from homie.data.recording.recorder import jpeg
from homie.kernel.interfaces import Filmable, Robot
from homie.kernel.types import Image, Observation

FRAMES = 15.0
"""Pictures a second of the view that is looked at; the others take turns."""
HEARTBEAT = 0.2
"""s after which a page gets a message that nothing has changed."""
QUALITY = 80
"""Of JPEG: for the eye, over a cable of this machine."""
LARGE = 480
"""Pixels that the view that is looked at is high, where the robot can draw it so."""
SMALL = 192
"""Pixels that the view from outside is high among the small ones."""
OUTSIDE = "outside"
"""The name of the view of the film camera."""
SLOW, SMALL_SECONDS = 0.1, 20.0
"""A large picture that takes longer (s) is not tried again for so long (s): without a GL library, or on a machine on
which much else runs, pictures come in the size of the robot's observations."""


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


@dataclass(frozen=True, slots=True)
class Frame:
    """Pictures (JPEG) by view, empty where nothing has changed.

    Attributes:
        stamp: Robot time, s.
        taken: When it was looked, before anything was rendered: s of the monotonic clock.
        wall: The same in s since 1970, which a browser on this machine can compare with its own clock.
    """

    stamp: float
    taken: float
    wall: float
    views: Mapping[str, bytes] = field(default_factory=dict)


class PagePictures:
    """Renders what pages look at. For the robot's thread.

    Args:
        show: Gets every frame.
        watched: Whether anybody looks; pictures are rendered for nobody else.
    """

    def __init__(self, show: Callable[[Frame], None], watched: Callable[[], bool]) -> None:
        self._show, self._watched = show, watched
        self.focus = ""
        """The view that is looked at; "" for the first. Set by the server's thread."""
        self.target = ""
        """What the view from outside keeps in the picture besides the robot."""
        self.latest: dict[str, bytes] = {}
        """The last picture of each view, for a page that is opened later."""
        self._shown: dict[str, float] = {}
        """Robot time of the picture of each view that was shown last."""
        self._frame_time = self._next_time = self._large_from = -math.inf
        self._next_index = 0

    def refresh(self, robot: Robot, pictures: Pictures) -> None:
        """Called every control period: renders and shows what is due."""
        now = time.monotonic()
        if now >= self._next_time and self._watched():
            self._next_time = max(
                self._next_time + 1.0 / FRAMES, now
            )  # so many a second whatever the period of the robot
            self._render_due(robot, pictures, now)

    def _render_due(self, robot: Robot, pictures: Pictures, now: float) -> None:
        """Render the view that is looked at and the next of the others; where nothing has moved, those that are due."""
        views = shown_views(robot)
        focused = self.focus if self.focus in views else views[0]
        other_views = [view for view in views if view != focused]
        stamp, waits = robot.observe().stamp, robot.waits
        due_views = [view for view in (focused,) if not waits or self._shown.get(view) != stamp]
        for _ in other_views:
            self._next_index = (self._next_index + 1) % len(other_views)
            if not waits or self._shown.get(other_views[self._next_index]) != stamp:
                due_views.append(other_views[self._next_index])
                break
        if not due_views and now - self._frame_time < HEARTBEAT:
            return
        self._frame_time, wall = now, time.time()
        rendered = {view: jpeg(self._picture(pictures, view, large=view == focused), QUALITY) for view in due_views}
        self._shown |= dict.fromkeys(due_views, stamp)
        self.latest |= rendered
        self._show(Frame(stamp, now, wall, rendered))

    def _picture(self, pictures: Pictures, view: str, *, large: bool) -> Image:
        """What a view shows now, larger where it is the one that is looked at."""
        start = time.perf_counter()
        large = large and start >= self._large_from
        if view == OUTSIDE:
            height = LARGE if large else SMALL
            picture = pictures.outside(height * 4 // 3, height, self.target)
        else:
            picture = pictures.of(view, LARGE if large else None)
        if large and time.perf_counter() - start > SLOW:
            self._large_from = start + SMALL_SECONDS
        return picture


def shown_views(robot: Robot) -> tuple[str, ...]:
    """The views that a page shows: the planner's, the camera at the hand, and from outside in a simulator."""
    hand = (robot.hand,) if robot.hand and robot.hand not in robot.views else ()
    return (*robot.views, *hand, *((OUTSIDE,) if isinstance(robot, Filmable) else ()))
