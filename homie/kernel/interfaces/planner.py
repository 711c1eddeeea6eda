"""The contract of planners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from homie.kernel.interfaces.parts import Configurable, SharedPart
from homie.kernel.types import (
    Decision,
    EpisodeResult,
    PlannerInput,
)


class Planner(Configurable, ABC):
    """A brain: from what the robot knows to the next decision. It never sees world state.

    One instance serves one episode at a time; `reset` is called before each. `decide` may raise
    `homie.kernel.errors.PlannerError` (the episode ends as infrastructure) but never invents a decision.

    Its argument is that of `--planner NAME:ARGUMENT`, its settings those of `--set NAME=VALUE`.
    """

    word = "planner"
    keys: ClassVar[tuple[str, ...]] = ()
    """Names of environment variables that may hold its API keys."""
    uses_wrist_camera: bool = False
    """Whether it wants the picture of the robot's `hand` camera (`PlannerInput.hand`)."""

    @abstractmethod
    def reset(self, task: str, *, seed: int) -> None:
        """Forget everything and prepare for a task.

        Args:
            task: The instruction in natural language.
            seed: Of everything that the planner samples.

        Raises:
            PlannerError: It cannot begin, for instance because its server does not answer.
        """

    @abstractmethod
    def decide(self, planner_input: PlannerInput) -> Decision:
        """The next decision. Its action may be wrong: checking is the executor's work.

        Args:
            planner_input: What the robot knows in this round: pictures (H, W, 3) uint8, detections, inventory, history,
                feedback. Not to be changed.

        Returns:
            One subtask or more, or a `problem` where the planner's own output could not be read.

        Raises:
            PlannerError: No decision could be made; the episode ends.
        """

    def conclude(self, result: EpisodeResult) -> None:
        """The episode is over. For planners that have to tell another program what became of the last subtask.

        It raises nothing: what goes wrong here is for the next `reset` to raise. Not called for an episode that was
        lost.

        Args:
            result: How it ended, with all subtasks.
        """

    def describe(self) -> Mapping[str, object]:
        """What decides its answers (hashes of its files and prompts, model, settings), JSON-ready, without secrets.

        The run folder keeps it for every episode (`provenance`), and a bench that goes on compares it: so it
        says the same of equal planners, before an episode and after it.
        """
        return {}

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        """Find out what would keep every planner of this class from being made, such as a key or a file that is
        missing, without loading a model. A bench asks before it writes anything.

        Args:
            argument: the argument of those planners.
            settings: their settings, checked.

        Raises:
            BadInput, MissingPart: No planner can be made of these.
        """

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> SharedPart | None:
        """What planners of this class share when several processes make one each, None for nothing.

        Args:
            argument: the argument of those planners.
            settings: their settings, checked.
            log: the file for what a shared process writes.
        """
        return None

    def texts(self) -> Mapping[str, str]:
        """The texts whose SHA-256 its description names (prompt templates, examples, a plan file), by that, in hex."""
        return {}
