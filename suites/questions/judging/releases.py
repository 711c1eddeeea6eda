"""Reports as RoboBench's two releases compute them: one for each folder of a subtask, as the releases are run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from suites.published.robobench import release_2025_10 as october
from suites.published.robobench import release_2026_08 as august
from suites.published.robobench.judging import Judge, Record, Request, Stage
from suites.published.robobench.prompts import Question, Release
from suites.questions.judging.answers import Answers

Report = dict[str, object]
ENDED = "ended"
"""Report key: the error that ended the released evaluation of this subtask, if there was one."""


def released_reports(answers: Answers, judge: Judge, release: Release) -> dict[str, Report]:
    """The reports of all subtasks, by folder. Raises PlannerError if the judge does not respond."""
    subtasks: dict[str, list[Question]] = {}
    for question in answers.released:
        subtasks.setdefault(_folder(question), []).append(question)
    return {name: _report(answers, questions, judge, release) for name, questions in subtasks.items()}


def _folder(question: Question) -> str:
    return question.unique_id.partition("/images/")[0]


def _report(answers: Answers, questions: Sequence[Question], judge: Judge, release: Release) -> Report:
    records = [answers.record(question, release) for question in questions]
    try:
        if questions[0].options is not None:
            return _choices(questions, records, judge, release)
        if questions[0].task_type[0].startswith("4_"):
            return _affordances(records, release)
        assert answers.data is not None
        if release == "2025-10":
            return october.evaluate(records, judge, answers.data.dags)[0]
        return august.evaluate(records, judge, answers.data.dags)
    except (ValueError, OverflowError, FileNotFoundError) as error:
        return {ENDED: f"{type(error).__name__}: {error}", "total": len(records)}


def _choices(questions: Sequence[Question], records: Sequence[Record], judge: Judge, release: Release) -> Report:
    def letters(index: int) -> str:
        options = "\n".join(questions[index].options or ())
        request = Request(stage=Stage.CHOICE, record=records[index], data=f"{questions[index].question}\n{options}")
        return judge(request) or ""

    pairs = [(record.answer, record.truth) for record in records]
    return october.tally_choices(pairs, letters) if release == "2025-10" else august.tally_choices(pairs, letters)


def _affordances(records: Sequence[Record], release: Release) -> Report:
    """Score points, or paths if a truth has several points; October has no score for them."""
    if release == "2025-10":
        return {"total": len(records)}
    pairs = [(record.answer or "", record.truth) for record in records]
    tally: Callable[[Sequence[tuple[str, str]]], Report] = august.tally_points
    if any(len(august.read_path(truth) or ()) > 1 for _, truth in pairs):
        tally = august.tally_paths
    return tally(pairs)


def headline(report: Mapping[str, object]) -> str:
    """The figure of a report for a table: percent of choices, mean score of plans, mean distance."""
    for name in ("accuracy", "overall_accuracy"):
        if isinstance(share := report.get(name), (int, float)):
            return f"{100 * share:.2f}"
    overall = report.get("overall")
    if isinstance(overall, Mapping):
        return str(overall.get("overall_mean", overall.get("mean_score")))
    if isinstance(off := report.get("average_rmse", report.get("average_distance")), (int, float)):
        return f"distance {off}"
    return str(report.get(ENDED, "-"))


def share(report: Mapping[str, object]) -> tuple[int, float | None]:
    """The number of questions in a report, and its headline as a share 0..1: None if it has none, as for distances."""
    overall = report.get("overall")
    parts = {**report, **overall} if isinstance(overall, Mapping) else report
    counts = (parts.get(name) for name in ("total_questions", "total_count", "total"))
    number = next((int(count) for count in counts if isinstance(count, (int, float))), 0)
    for name, whole in (("accuracy", 1.0), ("overall_accuracy", 1.0), ("overall_mean", 100.0), ("mean_score", 100.0)):
        if isinstance(value := parts.get(name), (int, float)):
            return number, value / whole
    return number, None


def table(reports: Mapping[str, Mapping[str, object]]) -> str:
    """The reports' headlines as a Markdown table."""
    lines = ["| subtask | score |", "|---|---|"]
    lines += [f"| {PurePosixPath(name)} | {headline(report)} |" for name, report in reports.items()]
    return "\n".join(lines) + "\n"
