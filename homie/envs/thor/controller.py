"""Protocols of AI2-THOR's controller and events, as far as Homie uses them."""

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
    """The result of an action."""

    @property
    def metadata(self) -> dict[str, Any]:
        """State of the world (`Metadata`)."""

    @property
    def frame(self) -> Image | None:
        """The colour image (H, W, 3)."""

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """Depth (H, W), m, if it is rendered."""

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]] | None:
        """Mask (H, W) of each visible objectId, if instances are rendered."""


class Controller(Protocol):
    """`ai2thor.controller.Controller`, as far as Homie uses it. Its scene is loaded on construction."""

    @property
    def last_event(self) -> Event:
        """The last event: initially that of loading the scene."""

    def reset(self, scene: str) -> Event:
        """Reload a scene (`FloorPlan1`)."""

    def step(self, action: str, **arguments: Any) -> Event:
        """Execute an action. Failure is reported in the metadata; an unknown action raises ValueError."""

    def stop(self) -> None:
        """Stop the simulator."""
