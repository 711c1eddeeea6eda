"""What Homie needs of AI2-THOR: its controller and its events, as protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.kernel.types import Image

Metadata: TypeAlias = Mapping[str, Any]
"""`event.metadata` of AI2-THOR: agent, objects, lastActionSuccess, errorMessage, actionReturn, ... Metres and degrees,
y up, x to the right and z ahead of an agent with rotation 0; rotation clockwise seen from above, horizon downwards."""


class Event(Protocol):
    """What a controller answers to an action."""

    @property
    def metadata(self) -> dict[str, Any]:
        """What AI2-THOR tells of its world (`Metadata`)."""

    @property
    def frame(self) -> Image | None:
        """The picture (H, W, 3)."""

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """Metres (H, W), where depth is rendered."""

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]] | None:
        """For each objectId in sight its pixels (H, W), where instances are rendered."""


class Controller(Protocol):
    """`ai2thor.controller.Controller`, as far as Homie uses it. It is made with its scene loaded."""

    @property
    def last_event(self) -> Event:
        """What was answered last: to begin with, the scene as it was loaded."""

    def reset(self, scene: str) -> Event:
        """Begin a scene (`FloorPlan1`) anew."""

    def step(self, action: str, **arguments: Any) -> Event:
        """Carry out an action. One that fails says so in the metadata; one that does not exist raises ValueError."""

    def stop(self) -> None:
        """End the simulator."""
