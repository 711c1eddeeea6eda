"""Computations of the release of October 2025 (lyl750697268/RoboBench, 6c165b4), including its defects."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from suites.published.robobench.judging import Dag, Judge, Record, Request, Stage, ask, find_dag
from suites.published.robobench.plans import QuestionType

Report = dict[str, object]
"""A part of the released report, by its names."""
_NUMBER = re.compile(r"\d+-")
_WORDS = ("yes", "no", "true", "false")
FAILED = "error"
"""Reply of the judge of choices when the call to it failed."""


def choice(response: str | None, judge: Callable[[], str] | None) -> str:
    """Return the answer of a choice: the only letter A-D anywhere in the text, else the judge's reply, else the text.

    Args:
        response: the model's words.
        judge: asked if there are several letters; None where there is no judge.
    """
    text = (response or "").strip().upper()
    letters = re.findall("[A-D]", text)
    if len(letters) < 2:
        return letters[0] if letters else text
    reply = judge().strip() if judge is not None else FAILED
    return ",".join(letters) if reply == FAILED else reply.upper()


def truth_choice(truth: str) -> str:
    """Return all letters A-D of a truth, sorted, with repetitions: `D. behind the box` is BBDD. Without one, the
    text."""
    text = truth.strip().upper()
    return "".join(sorted(re.findall("[A-D]", text))) or text


def tally_choices(
    answers: Sequence[tuple[str | None, str] | None], judge: Callable[[int], str] | None = None
) -> Report:
    """Compute the accuracy of answers; entries without an answer count, but are not evaluated.

    Args:
        judge: Asked for the answer of an index.
    """
    evaluated = [(index, *answer) for index, answer in enumerate(answers) if answer and answer[0]]
    correct = sum(
        choice(response, None if judge is None else partial(judge, index)) == truth_choice(truth)
        for index, response, truth in evaluated
    )
    return {
        "total_questions": len(answers),
        "correct_answers": correct,
        "overall_accuracy": correct / len(answers) if answers else 0,
        "evaluated": len(evaluated),
    }


def question_type(record_id: str, truth: str) -> QuestionType:
    """Determine the type of a question by its id, else by its truth. A plan of one step counts as a next step."""
    for kind in QuestionType:
        if f"_{kind.name}" in record_id:
            return kind
    if truth.strip().lower() in _WORDS:
        return QuestionType.Q3
    return QuestionType.Q1 if len(_NUMBER.findall(truth)) > 1 else QuestionType.Q2


def truth_steps(truth: str) -> list[str]:
    """Split a truth into steps. All hyphens are deleted, so `t-shirt` is `tshirt` and can no longer be matched."""
    parts = (part.strip().rstrip(",").replace("-", "") for part in _NUMBER.split(truth))
    return [part for part in parts if part]


def evaluate(
    records: Sequence[Record], judge: Judge, dags: Mapping[str, Sequence[Dag]]
) -> tuple[Report, dict[str, list[str]]]:
    """Return the planning report.

    A record with an unreadable reply of the judge is in no numerator and in no denominator; an answer to Q3 without a
    word of the judge is wrong.

    Args:
        records: of any of the three questions; images and drawing are the files that are on disk.
        judge: asked for all extractions of Q1, then for their scores, then for Q2 likewise, then for Q3.
        dags: the content of `dag.json` by folder.

    Returns:
        The released report, and the steps of the truth of each extracted plan by record id.
    """
    groups = {
        kind: [record for record in records if question_type(record.id, record.truth) is kind] for kind in QuestionType
    }
    extracted = [
        (record, steps)
        for record, reply in ask(judge, [Request(stage=Stage.Q1_EXTRACT, record=r) for r in groups[QuestionType.Q1]])
        if (steps := _plan_steps(reply)) is not None
    ]
    plans = _plans(ask(judge, [r for record, steps in extracted if (r := _score_request(record, steps, dags))]))
    next_steps = _steps(groups[QuestionType.Q2], judge)
    done = _done(ask(judge, [Request(stage=Stage.Q3_EXTRACT, record=record) for record in groups[QuestionType.Q3]]))
    parts = {"q1": plans, "q2": next_steps, "q3": done}
    return {**parts, "overall": _overall(parts)}, {record.id: truth_steps(record.truth) for record, _ in extracted}


def _score_request(record: Record, steps: Sequence[object], dags: Mapping[str, Sequence[Dag]]) -> Request | None:
    """Build the request to score a plan, None without a DAG. Missing pictures are ignored."""
    dag = find_dag(dags, record)
    if dag is None:
        return None
    data = {
        "GT action list": [_bare(step) for step in truth_steps(record.truth)],
        "GT dag": dag["gt_dag"],
        "model plan action list": [_bare(str(step)) for step in steps],
    }
    drawing = (record.drawing,) if record.drawing else ()
    return Request(stage=Stage.Q1_SCORE, record=record, images=record.images[:1] + drawing, data=str(data))


def _bare(step: str) -> str:
    return step.replace("_handle", "")


def _plan_steps(reply: str | None) -> Sequence[object] | None:
    steps = _member(_literal(reply), "plan_step")
    return steps if isinstance(steps, list) else None


def _plans(replies: Sequence[tuple[Record, str | None]]) -> Report | None:
    rows: list[Report] = []
    totals = []
    issues: Counter[str] = Counter()
    for record, reply in replies:
        value = _literal(reply)
        node, completion = (_result(value, name) for name in ("node_correctness", "task_completion_degree"))
        if node is None or completion is None:
            continue
        types = _member(_member(value, "planning_issue_analysis"), "issue_types")
        names = [str(name) for name in types] if isinstance(types, list) else []
        issues.update(names)
        totals.append(round((node + completion) / 20 * 100, 2))
        row: Report = {"id": record.id, "node_correctness": node, "completion_degree": completion}
        rows.append({**row, "total": totals[-1], "planning_issue_types": names})
    return {**_part(totals, rows), "issue_type_statistics": dict(issues)} if rows else None


def _steps(records: Sequence[Record], judge: Judge) -> Report | None:
    extracted = ask(judge, [Request(stage=Stage.Q2_EXTRACT, record=record) for record in records])
    requests = [
        Request(stage=Stage.Q2_COMPARE, record=record, truth_step=record.truth.rpartition("-")[2], step=step.strip())
        for record, step in extracted
        if step and step.strip()
    ]
    names = ("skill_usage_accuracy", "operation_object_reasonableness", "parameter_accuracy")
    rows: list[Report] = []
    scores = []
    for record, reply in ask(judge, requests):
        value = _literal(reply)
        parts = [part for name in names if (part := _result(value, name, 0)) is not None]
        if isinstance(value, dict) and len(parts) == len(names):
            skill, target, parameter = parts
            whole = skill + target + (parameter if skill and target else 0)
            scores.append(round(min(max(whole / 3 * 100, 0), 100), 2))
            rows.append({"id": record.id, "score": scores[-1]})
    return _part(scores, rows) if rows else None


def _done(replies: Sequence[tuple[Record, str | None]]) -> Report | None:
    scores = [
        100.0 if reply is not None and reply.strip().lower() == record.truth.strip().lower() else 0.0
        for record, reply in replies
    ]
    rows: list[Report] = [{"id": r.id, "score": score} for (r, _), score in zip(replies, scores, strict=True)]
    return _part(scores, rows) if rows else None


def _part(scores: Sequence[float], rows: list[Report]) -> Report:
    return {"mean_score": round(sum(scores) / len(scores), 2), "count": len(scores), "individual_scores": rows}


def _overall(parts: Mapping[str, Report | None]) -> Report:
    counts = {name: _number(part, "count") for name, part in parts.items()}
    means = {name: _number(part, "mean_score") for name, part in parts.items()}
    total = sum(counts.values())
    weighted = sum(counts[name] * means[name] for name in parts)
    return {
        "mean_score": round(weighted / total, 2) if total else 0,
        "total_count": total,
        **{f"{name}_count": count for name, count in counts.items()},
        **{f"{name}_score": mean for name, mean in means.items()},
    }


def _number(part: Report | None, name: str) -> float:
    value = part[name] if part else 0
    assert isinstance(value, (int, float))
    return value


def _literal(reply: str | None) -> object:
    """Parse a reply as a Python literal: `true` and `null` of JSON are none."""
    try:
        value: object = ast.literal_eval((reply or "").strip())
    except (ValueError, SyntaxError):
        return None
    return value


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _result(value: object, name: str, missing: float | None = None) -> float | None:
    """Return the number under `result`, `missing` if there is none; too large numbers are accepted, texts are not."""
    part = _member(value, name)
    if not isinstance(part, dict) or "result" not in part:
        return missing
    result = part["result"]
    return result if isinstance(result, (int, float)) else None
