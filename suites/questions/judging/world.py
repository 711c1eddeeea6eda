"""The judge `world`: executes written plans in their own worlds, by ideal skills and by motion.

A plan is right if every step could be executed, the goal holds, the plan itself brought about each condition of it, and
no step but a Go to was needless. Its score is RoboBench's: node correctness from equal actions, and completion from the
conditions of the goal that were reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from homie.bench.intervals_and_tests import Estimate, Term, clustered_wilson
from homie.kernel.support.text import format_count
from homie.runtime.orphans import worker_pool
from homie.runtime.runstore.json_lines import RecordFile
from suites.published.robobench.choices import final_words
from suites.published.robobench.plans import PlanScore, floor_score
from suites.questions.judging.answers import Answers
from suites.questions.question import Question
from suites.questions.rollout import PlanResult, carry_out
from suites.questions.scoring import UNREADABLE, Mark, mark
from suites.questions.table import Row
from suites.questions.written_plans import compare_plans, read_plan

ROLLOUTS = "rollouts.jsonl"
Way = Literal["ideal", "motion"]


class PlanRollout(BaseModel):
    """Result of executing the plan of a question.

    Attributes:
        matched, total, needless: As in `plans.Comparison`.
        motion: None if motion was not requested.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    matched: int
    total: int
    needless: int
    ideal: PlanResult
    motion: PlanResult | None = None

    def mark(self, way: Way = "ideal") -> Mark:
        """The mark by one of the two ways of execution."""
        carried = self.ideal if way == "ideal" else self.motion
        if carried is None:
            return UNREADABLE
        node = floor_score(self.matched, self.total)
        score = PlanScore(node, floor_score(carried.reached, carried.conditions))
        whole = carried.done and carried.reached == carried.conditions
        return Mark(whole and not self.needless, score.percent / 100)

    @property
    def note(self) -> str:
        """The result in words, for each way of execution."""
        parts = [format_count(self.needless, "needless step")] if self.needless else []
        for way, carried in (("ideal", self.ideal), ("motion", self.motion)):
            if carried is not None:
                failed = f", {carried.why}" if carried.why else ""
                parts.append(f"{way}: {carried.reached} of {carried.conditions} conditions{failed}")
        return "; ".join(parts)


def roll_out(
    answers: Answers, path: Path, workers: int, advance: Callable[[str], object], *, motion: bool
) -> dict[str, PlanRollout]:
    """Execute all plans of a run that are not in the file yet; each result is stored at once.

    Args:
        answers: answers of the run. Empty answers are not executed.
        path: file of the results.
        workers: number of processes.
        advance: Called with the id of each question whose plan was executed, including those of an earlier run.
        motion: whether plans are also executed by motion.

    Raises:
        InfrastructureError: the simulator failed; the same command resumes.
    """
    with RecordFile(path, PlanRollout) as kept, worker_pool(workers) as pool:
        done = {rollout.id: rollout for rollout in kept.records}
        for name in done:
            advance(name)
        rest = [
            (question, words, motion)
            for question in answers.questions
            if question.task is not None and question.id not in done
            if read_plan(words := final_words(answers.words[question.id]))
        ]
        for rollout in pool.map(_run_plan, rest):
            kept.add(rollout)
            done[rollout.id] = rollout
            advance(rollout.id)
    return done


def _run_plan(work: tuple[Question, str, bool]) -> PlanRollout:
    question, words, motion = work
    assert question.task is not None
    plan = read_plan(words)
    beside = compare_plans(plan, read_plan(question.truth), question.task.before)
    return PlanRollout(
        id=question.id,
        matched=beside.matched,
        total=beside.total,
        needless=beside.needless,
        ideal=carry_out(question.task, plan, "ideal"),
        motion=carry_out(question.task, plan, "classical") if motion else None,
    )


def world_marks(answers: Answers, rollouts: Mapping[str, PlanRollout]) -> dict[str, Mark]:
    """The marks of all answers: of plans by ideal skills, of others by rule."""
    return {
        question.id: mark(question, answers.words[question.id])
        if question.task is None
        else rollouts[question.id].mark()
        if question.id in rollouts
        else UNREADABLE
        for question in answers.questions
    }


class PlanRow(BaseModel):
    """Row of a table for the plans of one template, or of `all`: counts, and means over all of them, shares 0..1.

    Attributes:
        right, completion: By ideal skills, and by motion (None if motion was not requested).
        failed: Number of plans with a step that failed. Intervals are of 95 %, as in `table.Row`.
    """

    model_config = ConfigDict(frozen=True)

    template: str
    n: int
    node: float
    needless: int
    completion: float
    right: float
    right_interval: tuple[float, float] | None
    failed: int
    motion_completion: float | None
    motion_right: float | None
    motion_right_interval: tuple[float, float] | None
    motion_failed: int | None


class WorldFigures(BaseModel):
    """The figures of this judge: of all questions by dimension, and of plans by template."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[Row, ...]
    plans: tuple[PlanRow, ...]


def plan_rows(questions: Sequence[Question], rollouts: Mapping[str, PlanRollout], *, motion: bool) -> list[PlanRow]:
    """One row for each template of plans and one for all; empty if there are no plans."""
    groups: dict[str, list[tuple[str, PlanRollout | None]]] = defaultdict(list)
    for question in questions:
        if question.task is not None:
            for name in (question.template, "all"):
                groups[name].append((question.source, rollouts.get(question.id)))
    return [_row(name, groups[name], motion=motion) for name in sorted(groups, key=lambda name: (name == "all", name))]


def _row(name: str, group: Sequence[tuple[str, PlanRollout | None]], *, motion: bool) -> PlanRow:
    """A row of the table.

    Args:
        group: Pairs of a world and the result of a plan in it.
    """
    executed = [rollout for _, rollout in group if rollout is not None]
    motions = [rollout.motion for rollout in executed if rollout.motion is not None]

    def share(total: float) -> float:
        return total / len(group)

    def right(way: Way) -> Estimate:
        return clustered_wilson(
            Term(world, float(rollout is not None and rollout.mark(way).right), 1.0) for world, rollout in group
        )

    return PlanRow(
        template=name,
        n=len(group),
        node=share(sum(rollout.matched / rollout.total for rollout in executed)),
        needless=sum(rollout.needless for rollout in executed),
        completion=share(sum(rollout.ideal.completion for rollout in executed)),
        right=right("ideal").value or 0.0,
        right_interval=right("ideal").interval,
        failed=sum(bool(rollout.ideal.why) for rollout in executed),
        motion_completion=share(sum(carried.completion for carried in motions)) if motion else None,
        motion_right=right("motion").value if motion else None,
        motion_right_interval=right("motion").interval if motion else None,
        motion_failed=sum(bool(carried.why) for carried in motions) if motion else None,
    )


HEAD = ("plans", "n", "nodes %", "needless steps", "ideal: completion %", "right %", "failed", "motion: completion %")


def plan_table(table: Sequence[PlanRow]) -> str:
    """The rows as a Markdown table."""
    head = (*HEAD, "right %", "failed")
    lines = [head, ("---",) * len(head)]
    lines += [
        (
            row.template.replace("_", " "),
            str(row.n),
            _percent(row.node),
            str(row.needless),
            _percent(row.completion),
            _percent(row.right),
            str(row.failed),
            _percent(row.motion_completion),
            _percent(row.motion_right),
            "-" if row.motion_failed is None else str(row.motion_failed),
        )
        for row in table
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
