"""Exceptions that carry one clear sentence and the exit code of the command that meets them.

Error *codes* (L1-L4, D1-D2, F1-F2, E1-E2) are something else: they are feedback to a planner, see
`homie.kernel.types.ErrorCode`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from homie.kernel import exit_codes


class HomieError(Exception):
    """Base of everything Homie raises on purpose. The message says what is wrong and what to do."""

    exit_code = exit_codes.FAILURE


class BadInput(HomieError):
    """A user, a file or an option is wrong: exit code 2."""

    exit_code = exit_codes.BAD_INPUT


class MissingCheckpoint(BadInput):
    """A skill set was given no checkpoint. With `--on-missing-model fallback` another one is used in its place."""


class MissingPart(HomieError):
    """An optional part is not installed; the message names the command that installs it: exit code 3.

    Attributes:
        need: The sentence without its subject, which is the same for all users of what is missing.
    """

    exit_code = exit_codes.MISSING_PART

    def __init__(self, message: str, need: str = "") -> None:
        super().__init__(message)
        self.need = need or message


class InfrastructureError(HomieError):
    """The machine, a server or a simulator failed, not the planner and not the skill: exit code 4."""


class PartError(HomieError):
    """The code of a part that is not Homie's raised an exception: the sentence says in which file and line."""


class RobotFault(InfrastructureError):
    """The robot cannot go on safely and has been stopped; a person has to look at it."""


class CommandRefused(HomieError):
    """The safety gate refused a command. Nothing was sent to the robot."""


class TargetLost(HomieError):
    """What a subtask is about is not where it was seen any more: the attempt has failed, not the episode."""


class Stopped(HomieError):
    """Somebody has stopped the subtask that a robot is at: its attempt is over, and no other is made. A listener of an
    episode raises it when a period has passed (`PeriodPassed`)."""


class LimitReached(HomieError):
    """What may be spent on an episode, beside its rules, is used up: it ends by this limit. A planner raises it when it
    is asked; the round does not count.

    Attributes:
        limit: `calls` of tools, or `robot_seconds`.
    """

    def __init__(self, message: str, limit: Literal["calls", "robot_seconds"]) -> None:
        super().__init__(message)
        self.limit = limit


class PlannerError(HomieError):
    """The planner could not produce a decision (not: it produced a bad one, which is feedback)."""


class Unanswered(PlannerError):
    """No output of the planner could be read since the episode began: its endpoint or its settings are at fault, and
    the episode says nothing about the planner."""


class Interrupted(HomieError):
    """The user stopped the run with Ctrl-C; what was finished is on disk: exit code 130."""

    exit_code = exit_codes.STOPPED


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a sentence about an unknown word: the known one that it is most like, or `otherwise`."""
    return did_you_mean(word, known, before="") or otherwise


def did_you_mean(word: str, known: Iterable[str], before: str = ": ", after: str = "") -> str:
    """What is added to a sentence about an unknown word: the known one that it is most like, "" if it is like none.

    Upper and lower case do not matter.

    Args:
        before: Stands before the question.
        after: Stands behind it.

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
