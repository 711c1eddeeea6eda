"""What the two environments in a house share: what is to be done there, and whether it is done."""

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
        goal, instruction: As a suite file has them, in the house of any seed. None of them: a task made from house and
            seed.
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
        """Open the environment.

        Args:
            steps: Number of steps after which an episode is truncated; None for `rounds` of the options.

        Raises:
            BadInput: A value that is not possible.
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
        named, self._objects = split(options)
        self._checked = OpenOptions.build(**named)
        super().__init__(render_mode, options, self._checked.rounds if steps is None else steps)
        self._now: HouseTask | None = None

    def success(self) -> bool:
        return self._current.goal.holds(self.session.world_state())

    def instruction(self) -> str:
        return self._current.text

    @property
    def _current(self) -> HouseTask:
        assert self._now is not None, "reset has set it"
        return self._now

    def _begin(self, seed: int) -> None:
        fixed = self._task.scene if self._task is not None else None
        super()._begin(seed if fixed is None or fixed.spec is not None else fixed.seed)
        scene = self.session.robot.scene.model_dump(mode="json")  # type: ignore[attr-defined]
        self._now = self._task or of_house(scene, seed)
        check_fits(self._now, self.session.world_state())
