"""A robot behind a robot server: every call is a request; skills and safety gate run on the client side.

```
skills --Command--> gate --targets--> Link --socket--> robot_server --> a robot in another Python
locator, records <--WorldSnapshot, Shape--- Link <----
```
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from homie.envs.remote import reading
from homie.envs.remote.description import Description
from homie.envs.remote.link import Link
from homie.envs.snapshot_robot import Shape, SnapshotRobot
from homie.kernel.interfaces import Robot
from homie.kernel.types import Command, Image, Observation, Proprioception, Subtask
from homie.kernel.world.snapshot import WorldSnapshot, read_snapshot


class RemoteRobot(Robot):
    """A robot behind a link. While its time is paused, measurements and world state are requested once and cached.

    Args:
        link: Connection to its server.
        description: The robot description from the server.
        seed: Seed of its scene, which is the same in every episode.
        reset_seconds: Timeout for the start of an episode.
    """

    def __init__(self, link: Link, description: Description, seed: int, reset_seconds: float) -> None:
        self.link, self.description = link, description
        self.spec = description.spec()
        self.kinematics = description.arm(self.spec)
        self.views, self.hand = description.views, description.hand
        self.eye = description.video or description.views[0]
        self.actions = description.actions
        self.over_limit, self.lead = description.over_limit, description.lead
        self.stop_seconds, self.waits = description.stop_seconds, description.waits
        self.inventory_by = description.inventory_by
        self._seed, self._reset_seconds = seed, reset_seconds
        self._offers = frozenset(link.about["offers"])
        self._latest: reading.TimedProprioception | None = None

    # ------------------------------------------------------------ episode

    def _restart(self, *, seed: int) -> None:
        self._store_measured(self.link.ask("reset", self._reset_seconds, seed=self._seed))

    def _send(self, command: Command) -> None:
        targets = {name: [float(value) for value in values] for name, values in command.targets.items()}
        self._store_measured(self.link.ask("step", targets=targets))

    def _halt(self) -> None:
        self._store_measured(self.link.ask("halt"))

    def _wait(self) -> None:
        if self.waits:
            self._send(Command())
        else:
            super()._wait()

    def _store_measured(self, measured: object) -> None:
        """Store the measurements that a request returned after time has advanced."""
        self._latest = reading.parse_measurement(measured)

    def close(self) -> None:
        self.link.close()

    # ------------------------------------------------------------ senses

    def _current_measurement(self) -> reading.TimedProprioception:
        if self._latest is None or not self.waits:
            self._latest = reading.parse_measurement(self.link.ask("measured"))
        return self._latest

    def measured(self) -> Proprioception:
        return self._current_measurement().body

    def observe(self, cameras: Collection[str] = ()) -> Observation:
        if not cameras:
            proprioception = self._current_measurement()
            return Observation(proprioception.stamp, proprioception.body)
        answer = self.link.ask("observe", cameras=list(cameras))
        proprioception = reading.parse_measurement(answer["measured"])
        frames = {name: reading.frame(name, picture) for name, picture in answer["pictures"].items()}
        return Observation(proprioception.stamp, proprioception.body, frames)

    def look(self, camera: str, height: int | None = None) -> Image:
        """Return the colour image of a camera at its own resolution; `height` is ignored."""
        return self.observe((camera,)).frames[camera].rgb

    def film(self, width: int, height: int, target: str = "") -> Image:
        """Return the robot's own video frame, if offered; else the letterboxed image of its video camera."""
        if "film" in self._offers:
            return reading.image(self.link.ask("film", width=width, height=height, target=target))
        return _letterbox(self.look(self.eye), width, height)

    def describe(self) -> Mapping[str, object]:
        description = self.link.about
        return {"server": {name: description.get(name) for name in ("protocol", "python", "numpy")}}


class RemoteWorld(RemoteRobot, SnapshotRobot):
    """A remote simulator that provides its world state."""

    def __init__(self, link: Link, description: Description, seed: int, reset_seconds: float) -> None:
        super().__init__(link, description, seed, reset_seconds)
        self._world: WorldSnapshot | None = None
        self._shapes: Mapping[str, Shape] | None = None

    def _store_measured(self, measured: object) -> None:
        super()._store_measured(measured)
        self._world = self._shapes = None

    def snapshot(self) -> WorldSnapshot:
        if self._world is None or not self.waits:
            self._world = read_snapshot({"format": 2, **self.link.ask("snapshot")}, f"What {self.link.url} says")
        return self._world

    def shape(self, name: str, world: WorldSnapshot) -> Shape:
        if "shapes" not in self._offers:
            return super().shape(name, world)
        if self._shapes is None or not self.waits:
            answer: Mapping[str, Any] = self.link.ask("shapes")
            self._shapes = {
                name: reading.shape(item, world.things[name].receives)
                for name, item in answer.items()
                if name in world.things
            }
        return self._shapes[name] if name in self._shapes else super().shape(name, world)


class RemotePerformer(RemoteWorld):
    """A remote simulator that executes whole actions by itself (`--skills own`)."""

    def perform(self, subtask: Subtask, entity: str) -> str:
        """See `homie.kernel.interfaces.Performer`."""
        answer = self.link.ask(
            "perform",
            self._reset_seconds,
            action=subtask.action,
            target=subtask.target,
            destination=subtask.destination,
            entity=entity,
        )
        self._store_measured(answer["measured"])
        return str(answer["why"])


def connect(link: Link, seed: int, reset_seconds: float) -> RemoteRobot:
    """Create the robot behind a link; the robot closes the link. Raises BadInput for an invalid description."""
    description = Description.read(link.about["spec"], link.url)
    offers = link.about["offers"]
    robot_class: type[RemoteRobot] = RemoteRobot
    if "snapshot" in offers:
        robot_class = RemotePerformer if "perform" in offers else RemoteWorld
    return robot_class(link, description, seed, reset_seconds)


def _letterbox(picture: Image, width: int, height: int) -> Image:
    """Scale an image (h, w, 3) to fit into a size, centred on black."""
    rows, columns = picture.shape[:2]
    scale = min(height / rows, width / columns)
    size = round(rows * scale), round(columns * scale)
    pixels = np.ix_(
        *(
            np.arange(target_size) * source_size // target_size
            for target_size, source_size in zip(size, (rows, columns), strict=True)
        )
    )
    canvas = np.zeros((height, width, 3), np.uint8)
    top, left = (height - size[0]) // 2, (width - size[1]) // 2
    canvas[top : top + size[0], left : left + size[1]] = picture[pixels]
    return canvas
