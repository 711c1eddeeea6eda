"""Succ, GcS and SPL of EmbodiedEval: corrected, and as its released code computes them.

The released code stops a list of predicates at the first failed one (so its GcS divides by fewer), takes a missing
reference as a path length of 0 for the whole task type, counts every feedback but the bare word "failed" as a success,
and multiplies two means by 100 that are not shares (docs/published-benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from homie.kernel.errors import BadInput
from suites.published.embodied_eval_episode import Episode, Unusable, conclusion, evaluate
from suites.published.embodied_eval_predicates import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The score of one episode.

    Attributes:
        task_type: Type of the task.
        values: Values of all predicates at the end; empty if nothing was executed.
        predicates: Number of predicates.
        steps: Number of executed steps.
        feedback: Feedback of each answer, as in the log.
        unusable: See `Episode`.
        reference_length: Steps of a human, None if unknown.
    """

    task_type: str
    values: tuple[Value, ...]
    predicates: int
    steps: int
    feedback: tuple[str, ...]
    unusable: Unusable | None = None
    reference_length: int | None = None

    @property
    def done(self) -> Value:
        return conclusion(self.values)

    @property
    def success(self) -> bool:
        """Succ: all predicates hold after the same step."""
        return self.done is Value.DONE

    @property
    def goal_conditions(self) -> float:
        """GcS: the share of predicates that hold at the end."""
        return self.values.count(Value.DONE) / self.predicates

    @property
    def path_weight(self) -> float | None:
        """SPL: of a success, the human's steps over the larger number of steps; None without a reference."""
        return None if self.reference_length is None else self.success * self._ratio(self.reference_length)

    def _ratio(self, reference: int) -> float:
        longest = max(reference, self.steps)
        return reference / longest if longest else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Means over episodes, shares in percent.

    Attributes:
        success, goal_conditions, path_weight: Succ, GcS, SPL; SPL is the mean over the `referenced` episodes, None if
            there are none.
        interactions: The share of answers with a feedback that did not fail, None without any feedback.
        steps: Mean number of steps.
        failed, out_of_steps, no_match, out_of_range: The ways in which episodes ended without success.
    """

    n: int
    success: float
    goal_conditions: float
    path_weight: float | None
    referenced: int
    interactions: float | None
    steps: float
    failed: float
    out_of_steps: float
    no_match: float
    out_of_range: float


def score_episode(episode: Episode) -> Score:
    """Score one episode.

    Args:
        episode: record of the episode.

    Raises:
        BadInput: a predicate speaks of an object that is not in the world.
    """
    log = [step.after for step in episode.steps]
    if episode.unusable is not None:
        log.append(log[-1] if log else episode.start)  # the log repeats the last feedback
    return Score(
        task_type=episode.task_type,
        values=evaluate(episode.predicates, episode.start, episode.steps) if episode.steps else (),
        predicates=len(episode.predicates),
        steps=len(episode.steps),
        feedback=tuple(": ".join(filter(None, (state.feedback, state.feedback_content))) for state in log),
        unusable=episode.unusable,
        reference_length=episode.reference_length,
    )


def metrics(scores: Sequence[Score]) -> Metrics:
    """Return the corrected metrics: every mean is over the episodes that it applies to, nothing is rounded.

    Args:
        scores: at least one.

    Raises:
        BadInput: there are no episodes.
    """
    if not scores:
        raise BadInput("metrics need at least one episode")
    weights = [score.path_weight for score in scores if score.path_weight is not None]
    feedback = [text for score in scores for text in score.feedback if text]

    def percent(value: Callable[[Score], float]) -> float:
        return 100 * sum(map(value, scores)) / len(scores)

    return Metrics(
        n=len(scores),
        success=percent(lambda score: score.success),
        goal_conditions=percent(lambda score: score.goal_conditions),
        path_weight=100 * sum(weights) / len(weights) if weights else None,
        referenced=len(weights),
        interactions=100 * sum(not text.startswith("failed") for text in feedback) / len(feedback)
        if feedback
        else None,
        steps=sum(score.steps for score in scores) / len(scores),
        failed=percent(lambda score: score.done is Value.FAILED),
        out_of_steps=percent(lambda score: score.done is Value.OPEN and score.unusable is None),
        no_match=percent(lambda score: score.unusable is Unusable.NO_MATCH),
        out_of_range=percent(lambda score: score.unusable is Unusable.OUT_OF_RANGE),
    )
