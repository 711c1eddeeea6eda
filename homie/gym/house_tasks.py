"""Base of the two environments in a house: choice of the task, and its success."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from homie.gym.reset_and_step import Action, SessionEnv
from homie.gym.tasks import HouseTask, check_fits, of_goal, of_house, of_suite
from homie.kernel.errors import BadInput
from homie.kernel.options import OpenOptions
from homie.kernel.registry import split
from homie.kernel.scenes import scene_options


class HouseEnv(SessionEnv[Action]):
    """An environment in a house.

    Args:
        suite, task: A task of a suite by its id, in its own house.
        goal, instruction: Goal as in a suite file, and its instruction, in the house of any seed. With neither suite
            nor goal, the task is sampled from house and seed.
    """

    def __init__(
        self,
        *,
        suite: str,
        task: str,
        goal: object,
        instruction: str,
        render_mode: str | None,
        options: Mapping[str, Any],
        steps: int | None = None,
    ) -> None:
        """Create the environment.

        Args:
            steps: Number of steps after which an episode is truncated; None for `rounds` of the options.

        Raises:
            BadInput: A value is invalid.
        """
        if bool(suite) != bool(task) or (suite and goal is not None):
            raise BadInput("Give suite and task, or goal and instruction, or none of them.")
        self._task: HouseTask | None = of_suite(suite, task) if suite else None
        if goal is not None:
            self._task = of_goal(goal, instruction)
        if self._task is not None and self._task.scene is not None:
            options = {**options, **scene_options("mujoco", self._task.scene.settings)}
            if self._task.scene.spec is not None:
                options["scene"] = self._task.scene.spec
        known_options, self._objects = split(options)
        self._open_options = OpenOptions.build(**known_options)
        super().__init__(render_mode, options, self._open_options.rounds if steps is None else steps)
        self._episode_task: HouseTask | None = None

    def success(self) -> bool:
        return self._current_task.goal.holds(self.session.world_state())

    def instruction(self) -> str:
        return self._current_task.text

    @property
    def _current_task(self) -> HouseTask:
        assert self._episode_task is not None, "reset has set it"
        return self._episode_task

    def _begin(self, seed: int) -> None:
        fixed = self._task.scene if self._task is not None else None
        super()._begin(seed if fixed is None or fixed.spec is not None else fixed.seed)
        scene = self.session.robot.scene.model_dump(mode="json")  # type: ignore[attr-defined]
        self._episode_task = self._task or of_house(scene, seed)
        check_fits(self._episode_task, self.session.world_state())
