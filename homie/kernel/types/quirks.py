"""Where a published evaluator does otherwise than Homie: a hook of the agent loop and of planners."""

from __future__ import annotations

import random
from collections.abc import Sequence

from homie.kernel.types.subtasks import Choice, Subtask


class Quirks:
    """The rules of Homie. A subclass changes those that its evaluator has otherwise, and keeps no state.

    An entry point of the group `homie.quirks` gives a suite its quirks by their name (`Protocol.faults`).

    Attributes:
        name: As suites and the records of episodes write it.
        explains: Whether a planner sees why its answer could not be read, is asked again for it, and an episode
            without any readable answer is not a result. A subtask End is taken even if no list has it where it is
            False.
        continues: Whether the rest of a plan is carried out after one of its subtasks has failed.
        counts_unlisted: Whether a subtask that is not in the action list counts as a failure.
        reads: Whether `read` replaces the reading of answers that are numbers of a list.
    """

    name: str = "none"
    explains: bool = True
    continues: bool = False
    counts_unlisted: bool = True
    reads: bool = False

    def fallback(self, choices: Sequence[Choice], actions: Sequence[str], rng: random.Random) -> Subtask | None:
        """The subtask in place of an answer that could not be read; None where nothing is done then.

        Args:
            choices: The action list, empty where planners name actions.
            actions: The actions of the robot.
            rng: Of the episode.
        """
        return None

    def read(self, text: str, choices: Sequence[Choice]) -> tuple[tuple[Subtask, ...], str]:
        """The plan of an answer and what it says of it, only called where `reads` is True.

        Raises:
            ValueError: The answer is not a plan; the message says why.
        """
        raise NotImplementedError

    def beyond(self, number: int) -> Subtask | None:
        """The subtask in place of a number that is not in the action list, which ends the plan; None to refuse it."""
        return None

    def __repr__(self) -> str:
        return f"<quirks {self.name}>"


NO_QUIRKS = Quirks()
"""Homie's own rules."""
