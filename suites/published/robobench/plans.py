"""Plans of RoboBench: their syntax, which of the three questions a record asks, and scores without a judge."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from homie.kernel.errors import BadInput

BEST = 10
"""The highest node correctness and the highest completion."""
_NUMBERED = re.compile(r"(?:^|[,;\n])\s*\d+\s*[-.)]\s*")
_ARM = re.compile(r"\b(left|right)\s*:")
_CALL = re.compile(r"(?P<skill>[\w -]+?)\s*(?:\((?P<arguments>[^()]*)\))?$")


class QuestionType(StrEnum):
    """The type of a planning question: the whole plan, the next step, or whether a step is done."""

    Q1 = "q1"
    Q2 = "q2"
    Q3 = "q3"


class Node(NamedTuple):
    """One action of a plan.

    Attributes:
        arm: Left, right, or "" for a robot with one arm.
    """

    arm: str
    skill: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanScore:
    """Q1: node correctness and completion, each 0..10 (paper, section 4)."""

    node: int
    completion: int

    def __post_init__(self) -> None:
        if not (0 <= self.node <= BEST and 0 <= self.completion <= BEST):
            raise BadInput(f"node correctness and completion are 0 to {BEST}, not {self.node} and {self.completion}")

    @property
    def percent(self) -> float:
        return (self.node + self.completion) / (2 * BEST) * 100


@dataclass(frozen=True, slots=True)
class StepScore:
    """Q2: skill, object and parameter, each 0..1. A parameter of a wrong skill or object scores zero."""

    skill: float
    object: float
    parameter: float

    def __post_init__(self) -> None:
        if not all(0 <= part <= 1 for part in (self.skill, self.object, self.parameter)):
            raise BadInput("skill, object and parameter of a step are 0 to 1")

    @property
    def counted_parameter(self) -> float:
        return self.parameter if self.skill and self.object else 0.0

    @property
    def percent(self) -> float:
        return (self.skill + self.object + self.counted_parameter) / 3 * 100


def split_steps(plan: str) -> tuple[str, ...]:
    """Split a plan into steps, without their numbers. Hyphens in names are kept.

    Example:
        >>> split_steps("1-grasp(t-shirt), 2-left:place(cup, box), right:no_ops")
        ('grasp(t-shirt)', 'left:place(cup, box), right:no_ops')
    """
    parts = (part.strip().rstrip(",").rstrip() for part in _NUMBERED.split(plan))
    return tuple(part for part in parts if part)


def nodes(step: str) -> tuple[Node, ...]:
    """Parse the actions of a step: one, or one per arm. Case, blanks, `_` and `-` make no difference.

    Raises:
        BadInput: the text is not a step.

    Example:
        >>> nodes("2-left:pick_up(Red Cup), right:no_ops")
        (Node(arm='left', skill='pickup', arguments=('redcup',)), Node(arm='right', skill='noops', arguments=()))
    """
    (text,) = split_steps(step) or ("",)
    parts = _ARM.split(text)
    if len(parts) == 1:
        return (_node("", text),)
    return tuple(_node(arm, call.strip().rstrip(",")) for arm, call in zip(parts[1::2], parts[2::2], strict=True))


def matched_nodes(plan: Sequence[str], truth: Sequence[str]) -> tuple[int, int]:
    """Count the actions of the truth that a plan has, each at most once and in any order.

    Args:
        plan: the steps of an answer; an invalid step matches nothing.
        truth: the steps of the truth.

    Returns:
        The number of matched actions and the number of actions of the truth.

    Raises:
        BadInput: the truth has something that is not a step.
    """
    reference = Counter(node for step in truth for node in nodes(step))
    return (reference & Counter(node for step in plan for node in _readable(step))).total(), reference.total()


def compared_step(step: str, truth: str) -> StepScore | None:
    """Return the score of a next step by equal names, None if it is not one step of one arm.

    Example:
        >>> compared_step("put(cup, shelf)", "3-put(cup, table)")
        StepScore(skill=1.0, object=1.0, parameter=0.0)

    Raises:
        BadInput: the truth is not a step.
    """
    known, read = nodes(truth), _readable(step) if len(split_steps(step)) == 1 else ()
    if len(known) != 1 or len(read) != 1:
        return None
    (right,), (answer,) = known, read
    return StepScore(
        float(answer.skill == right.skill),
        float(answer.arguments[:1] == right.arguments[:1]),
        float(answer.arguments[1:] == right.arguments[1:]),
    )


def floor_score(matched: int, total: int) -> int:
    """Return `floor(10 * matched / total)`: node correctness from nodes, completion from critical states.

    Raises:
        BadInput: there is nothing to match, or more was matched than there is.
    """
    if not 0 <= matched <= total or total == 0:
        raise BadInput(f"{matched} of {total} cannot be matched")
    return BEST * matched // total


def _readable(step: str) -> tuple[Node, ...]:
    try:
        return nodes(step)
    except BadInput:
        return ()


def _node(arm: str, call: str) -> Node:
    match = _CALL.fullmatch(call.strip())
    if match is None:
        raise BadInput(f"{call!r} is not a step: write skill(argument, argument)")
    arguments = (match["arguments"] or "").split(",")
    return Node(arm, _plain(match["skill"]), tuple(_plain(argument) for argument in arguments if argument.strip()))


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


class Mean(NamedTuple):
    """A mean over all records in percent, None without records.

    Attributes:
        unreadable: Number of records that counted as 0.
    """

    n: int
    percent: float | None
    unreadable: int


def mean_score(percents: Sequence[float | None]) -> Mean:
    """Return the mean of scores. An unreadable one (None) counts as 0, so that nobody gains by nonsense.

    Example:
        >>> mean_score([80.0, None])
        Mean(n=2, percent=40.0, unreadable=1)
    """
    known = [percent for percent in percents if percent is not None]
    mean = math.fsum(known) / len(percents) if percents else None
    return Mean(len(percents), mean, len(percents) - len(known))
