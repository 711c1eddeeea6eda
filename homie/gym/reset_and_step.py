"""Base of all environments: session, seeding, rendering, reward, termination and truncation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from homie.kernel.errors import BadInput
from homie.kernel.options import MAX_SEED
from homie.kernel.types import ErrorCode, Execution, Feedback, Image
from homie.runtime.open_session import Session, open_session

Action = TypeVar("Action")

CODES = ("", "success", *ErrorCode)
"""Feedback by index: none yet, success, then the ten error codes."""
DRAWS = 20
"""Maximum number of scenes sampled for an episode before the reason why they are unsuitable is raised. Of houses with
two rooms and four objects, two in a hundred have no object that could be brought to a table."""


class Unsuitable(BadInput):
    """The scene of a seed lacks an object that the task needs."""


class SessionEnv(gymnasium.Env[dict[str, Any], Action]):
    """An environment around a session. An episode is terminated by success, truncated after `rounds` steps."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (Gymnasium has it so)

    def __init__(self, render_mode: str | None, options: Mapping[str, Any], rounds: int) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise BadInput(f"render_mode is None or 'rgb_array' (got {render_mode!r}).")
        self.render_mode = render_mode
        self.rounds = rounds
        self._options = dict(options)
        self._session: Session | None = None
        self._steps = 0
        self._feedback: Feedback | None = None

    @property
    def session(self) -> Session:
        """The underlying session. Raises BadInput before the first reset."""
        if self._session is None:
            raise BadInput("The environment has not been reset yet: call reset() first.")
        return self._session

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seed of the scene, as `--seed` of the command; without one, scenes are sampled until one suits the
                task.

        Raises:
            BadInput: An option is wrong, or the scene of the seed does not suit the task.
        """
        super().reset(seed=seed)
        if seed is None:
            self._begin_sampled()
        else:
            self._begin(seed % (MAX_SEED + 1))
        self._steps, self._feedback = 0, None
        return self._observation(), self._info(None)

    def _begin_sampled(self) -> None:
        refusal_count = 0
        while True:
            try:
                self._begin(int(self.np_random.integers(MAX_SEED + 1)))
            except Unsuitable:
                refusal_count += 1
                if refusal_count == DRAWS:
                    raise
            else:
                return

    def _begin(self, seed: int) -> None:
        """Open or reset the session with the scene of a seed."""
        if self._session is None:
            self._session = open_session(None, False, {**self._options, "seed": seed})
        else:
            self._session.reset(seed)

    def _outcome(self, execution: Execution | None, *, ended: bool) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the result of `step`, after a subtask or the end."""
        self._steps += 1
        self._feedback = self._feedback if execution is None else execution.feedback
        info = self._info(execution)
        success = info["success"]
        terminated = success or ended
        return self._observation(), float(success), terminated, self._steps >= self.rounds and not terminated, info

    @abstractmethod
    def success(self) -> bool:
        """Whether the task is done, judged from the world state."""

    @abstractmethod
    def instruction(self) -> str:
        """Return the task instruction."""

    @abstractmethod
    def _observation(self) -> dict[str, Any]: ...

    def _info(self, execution: Execution | None) -> dict[str, Any]:
        """Return the info dictionary, with text for language agents; `success` is judged from the world state."""
        feedback = self._feedback
        return {
            "task": self.instruction(),
            "subtask": "" if execution is None else str(execution.subtask),
            "feedback": "" if feedback is None else str(feedback.code or "success"),
            "message": "" if feedback is None or feedback.ok else feedback.message,
            "inventory": self.session.inventory,
            "success": self.success(),
            "robot_seconds": self.session.robot.observe().stamp,
        }

    def _code(self) -> int:
        """Return the last feedback as an index into CODES."""
        if self._feedback is None:
            return 0
        return CODES.index(self._feedback.code or "success")

    def render(self) -> Image | None:
        """Return a third-person image (480, 640, 3) in the mode `rgb_array`."""
        return self.session.film() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Release the robot. Idempotent."""
        if self._session is not None:
            self._session.close()
            self._session = None


def numbers_of(action: object, size: int) -> NDArray[np.float64]:
    """Convert an action to numbers (size,). Raises BadInput for another shape or non-finite numbers."""
    numbers = np.asarray(action)
    if numbers.shape != (size,) or numbers.dtype.kind not in "biuf":
        raise BadInput(f"An action is {size} numbers in one row (got {_printable(action)}).")
    if not np.isfinite(numbers).all():
        raise BadInput(f"The numbers of an action are finite (got {_printable(action)}).")
    return numbers.astype(np.float64)


def indices_of(action: object, sizes: Sequence[int]) -> list[int]:
    """Convert an action of a MultiDiscrete space of these sizes to indices. Raises BadInput if one is out of range."""
    numbers = numbers_of(action, len(sizes))
    for place, (number, size) in enumerate(zip(numbers.tolist(), sizes, strict=True), 1):
        if not (number.is_integer() and 0 <= number < size):
            raise BadInput(f"Number {place} of an action is a whole number from 0 to {size - 1} (got {number:g}).")
    return [int(number) for number in numbers]


def _printable(action: object) -> str:
    return shorten(" ".join(str(action).split()), 60, placeholder="...")


def picture_space(size: tuple[int, int]) -> Box:
    """Return the space of images (H, W, 3) of a width and height."""
    width, height = size
    return Box(0, 255, (height, width, 3), np.uint8)
