"""Parts that a worker reuses between episodes: networks and models, and the robot while its scene stays the same.

Job --options--> WorkerParts --Parts, around a robot in the scene of the job--> session.play
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from homie.kernel.interfaces import Planner, Robot
from homie.kernel.options import OpenOptions, PartsOptions
from homie.runtime.assembly import ChosenParts, Parts, choose, load_planner

VARIED = ("planner", "planner_settings", "robot", "robot_settings")
"""Options that may differ between episodes of one bench, and whose parts are cheap to recreate: scripts of the suite's
experts are planners for one task, and a robot's argument or settings may select its scene."""


class WorkerParts:
    """Owner of all parts of a worker: creates them on demand and closes them.

    Example:
        ```
        with contextlib.closing(WorkerParts()) as kept:
            for options in episodes:
                with kept.parts(options) as parts:
                    ...
        ```
    """

    def __init__(self) -> None:
        self._chosen: ChosenParts | None = None
        self._parts_options: dict[str, Any] = {}
        self._robot: Robot | None = None
        self._scene: dict[str, Any] = {}

    @contextlib.contextmanager
    def parts(self, options: OpenOptions, planner: Planner | None = None) -> Iterator[Parts]:
        """Provide the parts for an episode, which begins with their `reset`.

        After an error all parts are discarded, because they may be broken; the next episode gets new ones.

        Args:
            options: Options of the episode.
            planner: Replaces the planner of the options.

        Raises:
            BadInput, MissingPart: As for `homie.runtime.assembly.choose` and `Chosen.around`.
        """
        try:
            chosen = self._parts_without_robot(options)
            if planner is not None:
                chosen = replace(chosen, planner=planner)
            yield chosen.around(self._robot_for(options, chosen), options)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the robot, then release networks and models. Idempotent."""
        robot, chosen = self._robot, self._chosen
        self._robot, self._chosen = None, None
        try:
            if robot is not None:
                robot.close()
        finally:
            if chosen is not None:
                chosen.close()

    def _parts_without_robot(self, options: OpenOptions) -> ChosenParts:
        """Return the parts without robot, recreating those whose options changed."""
        values = _model_values(PartsOptions, options)
        changed = {name for name, value in values.items() if self._parts_options.get(name) != value}
        if self._chosen is None or not changed <= set(VARIED):
            self.close()
            self._chosen, changed = choose(options), set()
        if changed & {"planner", "planner_settings"}:
            self._chosen = replace(self._chosen, planner=load_planner(options.planner, options.planner_settings))
        self._parts_options = values
        return self._chosen

    def _robot_for(self, options: OpenOptions, chosen: ChosenParts) -> Robot:
        """Return the previous robot if it is in the requested scene, else a new one."""
        scene = {
            name: value for name, value in _model_values(OpenOptions, options).items() if not name.startswith("planner")
        }
        if self._robot is not None and scene != self._scene:
            previous, self._robot = self._robot, None
            previous.close()
        if self._robot is None:
            self._robot = chosen.robot(options)
        self._scene = scene
        return self._robot


def _model_values(model: type[PartsOptions], options: OpenOptions) -> dict[str, Any]:
    """Return the options that belong to a model of options."""
    return {name: getattr(options, name) for name in model.model_fields}
