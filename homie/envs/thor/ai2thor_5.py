"""The controller of `ai2thor` 5, which communicates with its Unity program through pipes."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
from typing import Any

from homie.envs.thor.controller import Event
from homie.envs.thor.settings import ThorSettings
from homie.kernel.errors import BadInput, suggestion

DISPLAY = ":0"
"""Default X display of a build on this machine."""

LATER = 10.0
"""Time (s) by which the package's timeouts exceed Homie's: its errors do not say how the program has ended."""


class Ai2Thor5:
    """A `Release`."""

    def __init__(self, settings: ThorSettings) -> None:
        from ai2thor.controller import Controller

        self._settings = settings
        self._controller: Any = Controller.__new__(Controller)  # so that its state is accessible during the start
        self._controller.server = None

    @property
    def last_event(self) -> Event:
        event: Event = self._controller.last_event
        return event

    @property
    def launched(self) -> bool:
        return self._controller.server is not None

    @property
    def log(self) -> str:
        return f"{self._controller.log_dir}/unity.log"

    def start(self) -> None:
        settings = self._settings
        width, height = settings.pixels
        display_options: dict[str, str] = {"x_display": settings.display} if settings.display else {}
        if settings.executable is not None:
            display_options["local_executable_path"] = shlex.quote(str(settings.executable))
            display_options.setdefault("x_display", os.environ.get("DISPLAY", DISPLAY))
        try:
            self._controller.__init__(
                scene=settings.floor_plan,
                width=width,
                height=height,
                gridSize=settings.grid,
                fieldOfView=settings.field_of_view,
                visibilityDistance=settings.visibility,
                renderDepthImage=True,
                renderInstanceSegmentation=True,
                snapToGrid=False,
                server_timeout=max(settings.reply_seconds, settings.start_seconds) + LATER,
                server_start_timeout=settings.start_seconds + LATER,
                **display_options,
            )
        except ValueError as error:
            scenes = self._controller.scenes_in_build if self.launched else ()
            if not scenes or self._controller.normalize_scene(settings.floor_plan) in scenes:
                raise
            scene_names = sorted(name.removesuffix("_physics") for name in scenes)
            hint = suggestion(settings.floor_plan, scene_names, "choose another floor_plan.")
            raise BadInput(f"This build of AI2-THOR has no scene '{settings.floor_plan}': {hint}") from error

    def reset(self, scene: str) -> Event:
        event: Event = self._controller.reset(scene)
        return event

    def step(self, action: str, **arguments: Any) -> Event:
        event: Event = self._controller.step(action=action, **arguments)
        return event

    def ending(self) -> str:
        process = self._controller.server.unity_proc if self.launched else None
        code: int | None = None if process is None else process.poll()
        if code is None:
            return ""
        return f"signal {signal.Signals(-code).name} ended it" if code < 0 else f"its program ended with code {code}"

    def kill(self) -> None:
        server = self._controller.server
        if server is None:
            return
        if server.unity_proc is not None:
            server.unity_proc.kill()
            server.unity_proc.wait()
        with contextlib.suppress(OSError):  # pipes to a program that has ended
            server.stop()

    def stop(self) -> None:
        self._controller.stop()
