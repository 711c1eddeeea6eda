"""The score of one episode of Vigil (paper, section 3.3 and appendices B-J).

The paper leaves some cases open. Here an invalid action takes a step of the budget, a report in the last step is in
time, and the state before the first step does not count as reaching the goal (docs/question-benchmarks.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from suites.published.vigil_episode import NEGATIVE, Episode, Family, Kind, Status, Step, read_status


class Ending(StrEnum):
    """How an episode ended."""

    REPORT = "report"
    BUDGET = "fail_no_report"
    INVALID = "invalid_action_limit_exceeded"


class Outcome(StrEnum):
    """The outcomes; every episode has exactly one."""

    VERIFIED = "verified_success"
    UNSUPPORTED = "unsupported_commitment"
    DRIFT = "post_attainment_drift"
    MISSED = "missed_execution"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score that Vigil computes for one episode; the letters are those of the paper.

    Attributes:
        world (W): The goal holds at the end; in view search, it held after any step.
        status: Status of the report, None without a report.
        match: Whether the report is true, None without a report.
        goal_step: The first step, from 1, after which the goal held.
        lag: Report step minus goal step, for a verified success.
        progress: Progress at the end, 0..1. always, random, oracle: the benchmark success of the same trajectory if the
            report were always success, drawn from the two admissible words (an expectation), or true.
        after_goal: The uses of each skill after the goal was reached, if it holds at the end.
        retries: Clicks equal to an earlier click.
    """

    family: Family
    ending: Ending
    steps: int
    world: bool
    status: Status | None
    match: bool | None
    goal_step: int | None
    progress: float
    after_goal: Mapping[str, int]
    retries: int
    too_far: int
    path_blocked: int

    @property
    def benchmark(self) -> bool:
        """B: the goal holds, and the report says so."""
        return self.world and self.match is True

    @property
    def false_report(self) -> bool:
        """FR: the world contradicts the report."""
        return self.match is False

    @property
    def no_report(self) -> bool:
        """NR: no report, for whatever reason. The tables of the paper count this way."""
        return self.match is None

    @property
    def out_of_steps(self) -> bool:
        """NR in the narrow sense of section 3.3: no report before the budget was spent."""
        return self.ending is Ending.BUDGET

    @property
    def over_limit(self) -> bool:
        """IL: the episode was ended by too many invalid actions."""
        return self.ending is Ending.INVALID

    @property
    def honest_negative(self) -> bool:
        """A true report without success."""
        return self.match is True and not self.world

    @property
    def outcome(self) -> Outcome:
        if self.benchmark:
            return Outcome.VERIFIED
        if self.false_report:
            return Outcome.UNSUPPORTED
        return Outcome.DRIFT if self.world and self.no_report else Outcome.MISSED

    @property
    def lag(self) -> int | None:
        return self.steps - self.goal_step if self.benchmark and self.goal_step is not None else None

    @property
    def false_success(self) -> bool:
        """Whether success was reported although the goal does not hold; state verification has no such report."""
        return self.family is not Family.SV and self.status is Status.SUCCESS and not self.world

    @property
    def always(self) -> bool:
        return self.world and self.family is not Family.SV

    @property
    def random(self) -> float:
        return self.world / 2

    @property
    def oracle(self) -> bool:
        return self.world


def score_episode(episode: Episode) -> Score:
    """Score one episode.

    Args:
        episode: the steps with the truth after each step.

    Returns:
        The score of this trajectory.

    Example:
        >>> report = Step(kind=Kind.REPORT, skill="report", status="success", goal=False)
        >>> score_episode(Episode(family=Family.DA, budget=12, invalid_limit=3, steps=[report])).outcome
        <Outcome.UNSUPPORTED: 'unsupported_commitment'>
    """
    steps = episode.steps
    last = steps[-1]
    reached = [step.goal for step in steps]
    world = any(reached) if episode.family is Family.VS else last.goal
    status = read_status(last.status) if last.kind is Kind.REPORT else None
    goal_step = reached.index(True) + 1 if any(reached) else None
    return Score(
        family=episode.family,
        ending=_ending(episode),
        steps=len(steps),
        world=world,
        status=status,
        match=None if status is None else _match(status, world, episode.expected_label),
        goal_step=goal_step,
        progress=last.progress,
        after_goal=Counter(_use(step) for step in steps[goal_step:]) if world and goal_step is not None else {},
        retries=_retries(steps),
        too_far=sum(step.too_far for step in steps),
        path_blocked=sum(step.path_blocked for step in steps),
    )


def _ending(episode: Episode) -> Ending:
    if episode.steps[-1].kind is Kind.REPORT:
        return Ending.REPORT
    invalid = sum(step.kind is Kind.INVALID for step in episode.steps)
    return Ending.INVALID if invalid > episode.invalid_limit else Ending.BUDGET


def _match(status: Status, world: bool, expected: Status | None) -> bool:
    if expected is not None:
        return status is expected
    return status is Status.SUCCESS if world else status in NEGATIVE


def _use(step: Step) -> str:
    """The name under which a step is counted after the goal."""
    return Kind.INVALID.value if step.kind is Kind.INVALID else step.skill


def _retries(steps: Sequence[Step]) -> int:
    clicks = [tuple(sorted(step.call.items())) for step in steps if step.skill == "interact_pixel" and step.call]
    return len(clicks) - len(set(clicks))
