"""Pictures of a page: views, frame rates and sizes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from homie.data.recording.recorder import jpeg
from homie.kernel.interfaces import Filmable, Robot
from homie.kernel.types import Image, Observation

FRAMES = 15.0
"""Frames per second of the focused view; the others take turns."""
HEARTBEAT = 0.2
"""Interval after which a page gets an empty frame if nothing has changed, s."""
QUALITY = 80
"""JPEG quality: for display over a local connection."""
LARGE = 480
"""Height in pixels of the focused view, if the robot can render other sizes."""
SMALL = 192
"""Height in pixels of the outside view while it is not focused."""
OUTSIDE = "outside"
"""The name of the view of the film camera."""
SLOW, SMALL_SECONDS = 0.1, 20.0
"""If rendering a large picture takes longer than `SLOW` (s), pictures have the size of the robot's observations for
`SMALL_SECONDS`, which happens without a GL library and on a busy machine."""


class Pictures:
    """Current camera pictures, cached while the robot's time is paused. For one thread."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._cache: dict[tuple[str, int | None], tuple[float, Image]] = {}

    def of(self, camera: str, height: int | None = None) -> Image:
        """Return the current picture (H, W, 3) of a camera.

        Args:
            camera: Its name.
            height: Pixels, if the robot can render other sizes; None for the size of its observations.

        Raises:
            BadInput: The robot has no such camera.
        """
        stamp = self._robot.observe().stamp
        entry = self._cache.get((camera, height))
        if entry is not None and entry[0] == stamp and self._robot.waits:
            return entry[1]
        if isinstance(self._robot, Filmable):
            picture = self._robot.look(camera, height)
        else:
            picture = self._robot.observe((camera,)).frames[camera].rgb
        self._cache[camera, height] = stamp, picture
        return picture

    def outside(self, width: int, height: int, target: str) -> Image:
        """Return a picture (height, width, 3) of the robot and its target from outside. Only for a `Filmable` robot."""
        assert isinstance(self._robot, Filmable)  # `shown_views` offers the outside view only for such a robot
        return self._robot.film(width, height, target)

    def measured(self, camera: str) -> Observation:
        """Return an observation with the camera's picture and depth. Raises BadInput if there is no such camera."""
        return self._robot.observe((camera,))


@dataclass(frozen=True, slots=True)
class Frame:
    """Pictures (JPEG) by view, empty if nothing has changed.

    Attributes:
        stamp: Robot time, s.
        taken: Capture time, before rendering: s of the monotonic clock.
        wall: The same in s since 1970, which a browser on this machine can compare with its own clock.
    """

    stamp: float
    taken: float
    wall: float
    views: Mapping[str, bytes] = field(default_factory=dict)


class PagePictures:
    """Renders the views of pages. For the robot's thread.

    Args:
        show: Gets every frame.
        watched: Whether any page is open; without one nothing is rendered.
    """

    def __init__(self, show: Callable[[Frame], None], watched: Callable[[], bool]) -> None:
        self._show, self._watched = show, watched
        self.focus = ""
        """The focused view; "" for the first. Set by the server's thread."""
        self.target = ""
        """The object that the outside view keeps in the picture besides the robot."""
        self.latest: dict[str, bytes] = {}
        """The latest picture of each view, for a page that is opened later."""
        self._shown: dict[str, float] = {}
        """Robot time of the latest picture of each view, s."""
        self._frame_time = self._next_time = self._large_from = -math.inf
        self._next_index = 0

    def refresh(self, robot: Robot, pictures: Pictures) -> None:
        """Render and show the pictures that are due; called every control period."""
        now = time.monotonic()
        if now >= self._next_time and self._watched():
            self._next_time = max(
                self._next_time + 1.0 / FRAMES, now
            )  # the frame rate does not depend on the robot's control period
            self._render_due(robot, pictures, now)

    def _render_due(self, robot: Robot, pictures: Pictures, now: float) -> None:
        """Render the focused view and the next of the others, skipping pictures of the same paused robot time."""
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
        """Return the current picture of a view, larger if requested and fast enough."""
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
    """Return the views that a page shows: the planner's, the wrist camera, and in a simulator the outside view."""
    hand = (robot.hand,) if robot.hand and robot.hand not in robot.views else ()
    return (*robot.views, *hand, *((OUTSIDE,) if isinstance(robot, Filmable) else ()))
