"""Deviations of published evaluators from Homie's rules: a hook of the agent loop and of planners."""

from __future__ import annotations

import random
from collections.abc import Sequence

from homie.kernel.types.subtasks import Choice, Subtask


class Quirks:
    """Homie's rules. A subclass overrides those in which its evaluator differs, and has no state.

    Suites select quirks by name (`Protocol.faults`) from the entry point group `homie.quirks`.

    Attributes:
        name: Name in suites and in the records of episodes.
        explains: Whether a planner gets the reason why its answer could not be parsed and a retry, and an episode
            without any readable answer does not count as a result. If False, End is accepted even if it is not in the
            action list.
        continues: Whether the rest of a plan is executed after one of its subtasks has failed.
        counts_unlisted: Whether a subtask that is not in the action list counts as a failure.
        reads: Whether `read` replaces the parser of answers that are numbers of a list.
    """

    name: str = "none"
    explains: bool = True
    continues: bool = False
    counts_unlisted: bool = True
    reads: bool = False

    def fallback(self, choices: Sequence[Choice], actions: Sequence[str], rng: random.Random) -> Subtask | None:
        """Return the subtask to execute in place of an answer that could not be parsed; None for none.

        Args:
            choices: The action list, empty if planners name actions.
            actions: The actions of the robot.
            rng: Random number generator of the episode.
        """
        return None

    def read(self, text: str, choices: Sequence[Choice]) -> tuple[tuple[Subtask, ...], str]:
        """Parse the plan and the analysis of an answer. Only called if `reads` is True.

        Raises:
            ValueError: The answer is not a plan; the message says why.
        """
        raise NotImplementedError

    def beyond(self, number: int) -> Subtask | None:
        """Return the subtask to execute in place of a number that is not in the action list, and which ends the plan;
        None to refuse the number."""
        return None

    def __repr__(self) -> str:
        return f"<quirks {self.name}>"


NO_QUIRKS = Quirks()
"""Homie's own rules."""
