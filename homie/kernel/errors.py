"""Exceptions with a one-sentence message and the exit code of the command.

Not to be confused with error *codes* (L1-L4, D1-D2, F1-F2, E1-E2), which are feedback to a planner, see
`homie.kernel.types.ErrorCode`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from homie.kernel import exit_codes


class HomieError(Exception):
    """Base class of all exceptions of Homie. The message says what is wrong and what to do."""

    exit_code = exit_codes.FAILURE


class BadInput(HomieError):
    """Mistake of the user, in a file or in an option: exit code 2."""

    exit_code = exit_codes.BAD_INPUT


class MissingCheckpoint(BadInput):
    """A skill set was given no checkpoint. With `--on-missing-model fallback` another skill set is used instead."""


class MissingPart(HomieError):
    """An optional part is not installed; the message names the command that installs it: exit code 3.

    Attributes:
        need: The message without its subject: the same for all parts that need the missing package.
    """

    exit_code = exit_codes.MISSING_PART

    def __init__(self, message: str, need: str = "") -> None:
        super().__init__(message)
        self.need = need or message


class InfrastructureError(HomieError):
    """The machine, a server or a simulator failed, not the planner or the skill: exit code 4."""


class PartError(HomieError):
    """The code of a user's part raised an exception: the message says in which file and line."""


class RobotFault(InfrastructureError):
    """The robot cannot continue safely and has been stopped; a person has to check it."""


class CommandRefused(HomieError):
    """The safety gate refused a command. Nothing was sent to the robot."""


class TargetLost(HomieError):
    """The target of a subtask is no longer where it was seen: the attempt has failed, not the episode."""


class Stopped(HomieError):
    """A person has stopped the running subtask: its attempt is over, without a retry. A listener of an episode raises
    it when a period has passed (`PeriodPassed`)."""


class LimitReached(HomieError):
    """A budget of an episode, other than its rules, is used up and ends it. A planner raises it when it is asked for a
    decision; the round does not count.

    Attributes:
        limit: `calls` of tools, or `robot_seconds`.
    """

    def __init__(self, message: str, limit: Literal["calls", "robot_seconds"]) -> None:
        super().__init__(message)
        self.limit = limit


class PlannerError(HomieError):
    """The planner could not produce a decision. (A bad decision is not an error: the planner gets feedback.)"""


class Unanswered(PlannerError):
    """No output of the planner could be parsed since the episode began: its endpoint or its settings are at fault, and
    the episode is not a result of the planner."""


class Interrupted(HomieError):
    """The user stopped the run with Ctrl-C; finished work is on disk: exit code 130."""

    exit_code = exit_codes.STOPPED


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return the end of a message about an unknown word: the most similar known word, or `otherwise`."""
    return did_you_mean(word, known, before="") or otherwise


def did_you_mean(word: str, known: Iterable[str], before: str = ": ", after: str = "") -> str:
    """Return the most similar known word as a question to be appended to a message, "" if none is similar.

    Case is ignored.

    Args:
        before: Text before the question.
        after: Text after the question.

    Example:
        >>> did_you_mean("Aple", ["apple", "fridge"])
        ": did you mean 'apple'?"
        >>> did_you_mean("spoon", ["apple", "fridge"])
        ''
    """
    import difflib  # not at start-up, which needs no suggestions

    spellings = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word.casefold(), spellings, 1)
    return f"{before}did you mean '{spellings[close[0]]}'?{after}" if close else ""
