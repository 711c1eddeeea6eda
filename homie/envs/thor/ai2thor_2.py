"""The controller of `ai2thor` 2.1, which EB-ALFRED requires: its Unity program posts events to an HTTP server."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Full
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homie.envs.thor.settings import ThorSettings
from homie.kernel.errors import BadInput
from homie.kernel.types import Image

SMALLEST = 300
"""Minimum image width and height in pixels that the package allows."""
FARTHEST = 5000.0
"""Depth (mm) at which the package clips."""


@dataclass(frozen=True, slots=True)
class Event2:
    """An event of version 2.1, converted to the units of version 5."""

    metadata: dict[str, Any]
    frame: Image | None
    depth_frame: NDArray[np.float32] | None
    instance_masks: Mapping[str, NDArray[np.bool_]]

    @classmethod
    def of(cls, event: Any) -> Event2:
        metadata = dict(event.metadata)
        metadata.setdefault("actionReturn", metadata.get("reachablePositions"))
        depth = event.depth_frame
        if depth is not None:
            depth = np.where(depth < FARTHEST, depth / np.float32(1000.0), np.float32(0.0))
        return cls(metadata, event.frame, depth, event.instance_masks)


class Ai2Thor2:
    """A `Release` with depth up to 5 m. Raises BadInput for images that are too small for the package."""

    def __init__(self, settings: ThorSettings) -> None:
        from ai2thor.controller import Controller

        if min(settings.pixels) < SMALLEST:
            raise BadInput(
                f"ai2thor 2.1 gives no pictures below {SMALLEST}x{SMALLEST}: choose a larger --picture-size, or none."
            )
        self._settings = settings
        self._controller: Any = Controller()
        self.launched = False

    @property
    def last_event(self) -> Event2:
        return Event2.of(self._controller.last_event)

    @property
    def log(self) -> str:
        return ""  # the program writes to this process's own output

    def start(self) -> None:
        settings, controller = self._settings, self._controller
        controller.killing_unity = True  # otherwise its thread prints a traceback whenever the program ends
        if settings.executable is None:
            controller.download_binary()
        elif not os.access(settings.executable, os.X_OK):
            raise FileNotFoundError(f"no program at {settings.executable}")
        else:
            controller.local_executable_path = shlex.quote(str(settings.executable))
        width, height = settings.pixels
        self.launched = True
        controller.start(
            player_screen_width=width, player_screen_height=height, x_display=settings.display.lstrip(":") or None
        )
        self.reset(settings.floor_plan)

    def reset(self, scene: str) -> Event2:
        settings = self._settings
        self._controller.reset(scene)
        return self.step(
            "Initialize",
            gridSize=settings.grid,
            fieldOfView=settings.field_of_view,
            visibilityDistance=settings.visibility,
            renderImage=True,
            renderDepthImage=True,
            renderObjectImage=True,
            continuous=True,  # any rotation, not only right angles
        )

    def step(self, action: str, **arguments: Any) -> Event2:
        controller = self._controller
        previous_id = controller.server.sequence_id
        event = Event2.of(controller.step(self._translate_arguments(action, arguments)))
        # The package has refused the action and returned the event of an earlier one.
        if controller.server.sequence_id == previous_id:
            event.metadata["errorMessage"] = self._refusal(action, arguments["objectId"])
        return event

    def _refusal(self, action: str, object_id: str) -> str:
        """Return why the package refuses to open or close an object: it is so already, or it is not visible."""
        item = self._controller.last_event.get_object(object_id)
        if item is not None and item["isOpen"] == (action == "OpenObject"):
            return f"{object_id} is {'open' if item['isOpen'] else 'closed'} already"
        return "Target object not found within the specified visibility."

    def _translate_arguments(self, action: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        match action:
            case "Teleport":
                pose_arguments = {
                    "rotation": arguments["rotation"],
                    "horizon": arguments["horizon"],
                    "rotateOnTeleport": True,
                }
                return {"action": "TeleportFull", **arguments["position"], **pose_arguments}
            case "PutObject":
                held = [item["objectId"] for item in self._controller.last_event.metadata["inventoryObjects"]]
                place = {"receptacleObjectId": arguments["objectId"], "placeStationary": True}
                return {"action": action, **arguments, **place, "objectId": held[0] if held else ""}
            case "RotateLeft" | "RotateRight" | "LookUp" | "LookDown":
                return {"action": action}
        return {"action": action, **arguments}

    def ending(self) -> str:
        from ai2thor.controller import process_alive

        process = self._controller.unity_pid
        return "" if process is None or process_alive(process) else "its program has ended"

    def kill(self) -> None:
        controller = self._controller
        if controller.unity_pid is not None and not self.ending():
            os.kill(controller.unity_pid, signal.SIGKILL)
        for queue in (controller.request_queue, controller.response_queue):  # wakes waiting threads, which then end
            with contextlib.suppress(Full):
                queue.put_nowait({})
        if controller.server is not None:
            controller.server.wsgi_server.shutdown()

    def stop(self) -> None:
        self._controller.stop()
