"""What Homie needs of AI2-THOR: its controller and its events, as protocols, and how the real one is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from homie.envs.thor.settings import ThorSettings
from homie.kernel.errors import RobotFault
from homie.kernel.support.packages import missing_part
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
    """`ai2thor.controller.Controller`, as far as Homie uses it."""

    def reset(self, scene: str) -> Event:
        """Begin a scene (`FloorPlan1`) anew."""

    def step(self, action: str, **arguments: Any) -> Event:
        """Carry out an action. One that fails says so in the metadata; one that does not exist raises ValueError."""

    def stop(self) -> None:
        """End the simulator."""


def open_ai2thor(settings: ThorSettings) -> Controller:
    """Start AI2-THOR's own simulator.

    Raises:
        MissingPart: The package ai2thor is not installed.
        RobotFault: The simulator does not start: no build, no display, no network to fetch the build from.
    """
    try:
        from ai2thor.controller import Controller as Ai2Thor
    except ImportError as error:
        raise missing_part("The robot 'thor'", "ai2thor", "thor") from error
    width, height = settings.pixels
    where = {"local_executable_path": str(settings.executable)} if settings.executable is not None else {}
    display = {"x_display": settings.display} if settings.display else {}
    try:
        controller: Controller = Ai2Thor(
            scene=settings.floor_plan,
            width=width,
            height=height,
            gridSize=settings.grid,
            fieldOfView=settings.field_of_view,
            visibilityDistance=settings.visibility,
            renderDepthImage=True,
            renderInstanceSegmentation=True,
            snapToGrid=False,
            **where,
            **display,
        )
    except Exception as error:  # whatever its own code, Unity or the download of its build raises
        raise RobotFault(
            f"AI2-THOR does not start ({type(error).__name__}: {error}): it needs its build, a display and a graphics "
            "card; `--robot thor:fake` needs none of them."
        ) from error
    return controller
