"""Metrics as the release of August 2026 (yulin-luo/RoboBench, 103da5e) computes them, including its defects.

Exceptions that end the released evaluation are raised here too: ValueError, OverflowError, FileNotFoundError.
"""

from __future__ import annotations

import ast
import contextlib
import json
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from suites.published.robobench import geometry
from suites.published.robobench.geometry import Box, Point
from suites.published.robobench.judging import Dag, Judge, Record, Request, Stage, ask, find_dag
from suites.published.robobench.plans import BEST, PlanScore, QuestionType, StepScore

Report = dict[str, object]
"""A part of the released report, by its field names."""
NO_DAG = "Not applicable for navigation tasks."
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_CHOSEN = re.compile(r"[A-D](?:\s*[,/&+]\s*[A-D])*\s*[.)]?")
_ROUND = re.compile(r"\(\s*([\d.]+)\s*,\s*([\d.]+)\s*\)")
_SQUARE = re.compile(r"\[\s*([\d.]+)\s*,\s*([\d.]+)\s*\]")
_PATH = re.compile(r"\[\s*(?:\[\s*[0-9.]+\s*,\s*[0-9.]+\s*\]\s*(?:,\s*)?)+\]")
_FOUR = r"\s*([0-9.]+)\s*," * 3 + r"\s*([0-9.]+)\s*"
_BOXES = (re.compile(rf"\[{_FOUR}\]"), re.compile(rf"\({_FOUR}\)"))
_FIRST_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMBERED = re.compile(r"\d+[-.)]")
_WORDS = ("yes", "no", "left", "right", "equal")


def choice_letters(response: str | None, judge: Callable[[], str | None] | None) -> str:
    """The letters of an answer: of its first `<answer>`, even inside a thought; the judge reads unclear answers.

    Args:
        response: the model's reply.
        judge: called at most once; it has to give exactly one letter. None where there is no judge.

    Returns:
        Letters A-D, sorted; "" for an empty answer.

    Raises:
        ValueError: the answer is unclear and no judge reads it. It ends the released evaluation.
    """
    text = response or ""
    tagged = _TAGGED.search(text)
    text = (tagged[1] if tagged else _THOUGHT.sub("", text)).strip().upper()
    if not text or _CHOSEN.fullmatch(text):
        return _letters(text)
    reply = judge() if judge is not None else None
    letter = (reply or "").strip().upper()
    if letter not in {"A", "B", "C", "D"}:
        raise ValueError(f"no letter in {response!r}")
    return letter


def truth_letters(truth: str) -> str:
    """All letters A-D in a truth, also those within its words: `C. the blue cup` is BC."""
    return _letters(truth)


def tally_choices(
    answers: Sequence[tuple[str | None, str]], judge: Callable[[int], str | None] | None = None
) -> Report:
    """Compute the accuracy of pairs of answer and truth; raises as `choice_letters`.

    Args:
        judge: Called with the index of an unclear answer.
    """
    correct = sum(
        choice_letters(answer, None if judge is None else partial(judge, index)) == truth_letters(truth)
        for index, (answer, truth) in enumerate(answers)
    )
    return {
        "total_questions": len(answers),
        "correct": correct,
        "accuracy": correct / len(answers) if answers else 0,
    }


def read_point(text: str) -> Point | None:
    """The first `(x, y)`, else the first `[x, y]`, without sign.

    Raises:
        ValueError: a number has two points.
    """
    match = _ROUND.search(text) or _SQUARE.search(text)
    return (float(match[1]), float(match[2])) if match else None


def read_path(text: str) -> list[Point] | None:
    """The first list that has only `[x, y]`, else all `(x, y)`, also if that list cannot be parsed; None without any.

    Raises:
        ValueError: a number of an `(x, y)` has two points.
        OverflowError: a whole number of the list is too large.
    """
    if match := _PATH.search(text):
        with contextlib.suppress(ValueError, SyntaxError, TypeError), warnings.catch_warnings(action="ignore"):
            return [(float(x), float(y)) for x, y in ast.literal_eval(match[0])]
    points = [(float(x), float(y)) for x, y in _ROUND.findall(text)]
    return points or None


def read_box(text: str) -> Box | None:
    """The first four numbers in square brackets, else the first four in round ones.

    Raises:
        ValueError: a number has two points.
    """
    match = next((match for box in _BOXES if (match := box.search(text))), None)
    return (float(match[1]), float(match[2]), float(match[3]), float(match[4])) if match else None


def tally_points(answers: Sequence[tuple[str, str]]) -> Report:
    """The mean distance over the answers that can be read: 0, the best value, if none can."""
    pairs = [(read_point(answer), read_point(truth)) for answer, truth in answers]
    distances = [math.dist(point, truth) for point, truth in pairs if point and truth]
    return {"total": len(answers), "valid": len(distances), "average_distance": _mean(distances, 4)}


def tally_paths(answers: Sequence[tuple[str, str]]) -> Report:
    """The mean Frechet, Hausdorff and root mean square distance over the answers that can be read."""
    pairs = [(read_path(answer), read_path(truth)) for answer, truth in answers]
    valid = [(path, truth) for path, truth in pairs if path and truth]
    return {
        "total": len(answers),
        "valid": len(valid),
        "average_frechet": _mean([geometry.frechet(*pair) for pair in valid], 4),
        "average_hausdorff": _mean([geometry.hausdorff(*pair) for pair in valid], 4),
        "average_rmse": _mean([geometry.rmse(*pair) for pair in valid], 4),
    }


def read_plan_reply(reply: str | None) -> PlanScore | None:
    """Parse node correctness and completion from the judge's JSON: truncated to integers; of a text, its first number.

    Raises:
        ValueError: a result is NaN.
        OverflowError: a result is infinite.
    """
    results = _results(reply, ("node_correctness", "task_completion"))
    numbers = [_whole(result) for result in results] if results else [None]
    valid = [number for number in numbers if number is not None]
    return PlanScore(*valid) if len(valid) == 2 else None


def read_step_reply(reply: str | None) -> StepScore | None:
    """Parse skill, object and parameter from the judge's JSON: any numbers from 0 to 1."""
    names = ("skill_usage_accuracy", "operation_object_reasonableness", "parameter_accuracy")
    valid = [number for number in map(_fraction, _results(reply, names) or ()) if number is not None]
    return StepScore(*valid) if len(valid) == 3 else None


def question_type(record_id: str, truth: str) -> QuestionType:
    """Which question a record asks: by its id, else by its truth: a truth that begins with a number and a separator, or
    that has several lines, is a plan.

    That left, right and equal are answers to Q3 is inferred: the golden cases have Equal only.
    """
    for kind in QuestionType:
        if f"_{kind.name}" in record_id:
            return kind
    if truth.strip().lower() in _WORDS:
        return QuestionType.Q3
    return QuestionType.Q1 if _NUMBERED.match(truth.strip()) or "\n" in truth else QuestionType.Q2


def truth_step(truth: str) -> str:
    """The step in the truth of Q2, as released: the text after the last hyphen, also a hyphen within a name."""
    return truth.rpartition("-")[2]


def evaluate(records: Sequence[Record], judge: Judge, dags: Mapping[str, Sequence[Dag]]) -> Report:
    """Compute the planning report.

    Args:
        records: of any of the three questions.
        judge: called for all Q1, then for all steps of Q2 and their comparison, then for all Q3.
        dags: the content of `dag.json` by folder.

    Returns:
        The released report.

    Raises:
        FileNotFoundError: a DAG or the first image of a Q1 record is missing; raised before the judge is called.
        ValueError, OverflowError: see `read_plan_reply`.
    """
    groups = {
        kind: [record for record in records if question_type(record.id, record.truth) is kind] for kind in QuestionType
    }
    requests = [_plan_request(record, dags) for record in groups[QuestionType.Q1]]
    plans = _plans(ask(judge, requests))
    steps = _steps(groups[QuestionType.Q2], judge)
    done = _done(ask(judge, [Request(stage=Stage.Q3, record=record) for record in groups[QuestionType.Q3]]))
    return {"q1": plans, "q2": steps, "q3": done, "overall": overall(plans, steps, done)}


def overall(plans: Mapping[str, object], steps: Mapping[str, object], done: Mapping[str, object]) -> Report:
    """The mean over the three questions, weighted by the number of all records, readable or not."""
    parts = [(_number(part["count"]), _number(part["mean_score"])) for part in (plans, steps, done)]
    total = sum(count for count, _ in parts)
    weighted = sum(count * mean for count, mean in parts)
    means = {f"q{number}_mean": mean for number, (_, mean) in enumerate(parts, 1)}
    return {"total_count": total, "overall_mean": round(weighted / total, 2) if total else 0, **means}


def _plan_request(record: Record, dags: Mapping[str, Sequence[Dag]]) -> Request:
    dag: object = NO_DAG
    if "navigation" not in record.task_type:
        entry = find_dag(dags, record)
        if entry is None:
            raise FileNotFoundError(f"no DAG for {record.id}")
        dag = entry["gt_dag"]
    if not record.images:
        raise FileNotFoundError(f"no first image for {record.id}")
    return Request(stage=Stage.Q1, record=record, images=record.images[:1], dag=dag, plan=record.answer or "")


def _plans(replies: Sequence[tuple[Record, str | None]]) -> Report:
    read = [(record, read_plan_reply(reply)) for record, reply in replies]
    details: list[Report] = []
    for record, score in read:
        parts = (score.node, score.completion, score.percent) if score else (None, None, None)
        row: Report = dict(zip(("node_correctness", "task_completion", "combined"), parts, strict=True))
        details.append({"id": record.id, **row, **({} if score else {"parse_error": True})})
    return _part(len(replies), [score.percent for _, score in read if score], details)


def _steps(records: Sequence[Record], judge: Judge) -> Report:
    extracted = ask(judge, [Request(stage=Stage.Q2_EXTRACT, record=record) for record in records])
    requests = [
        Request(stage=Stage.Q2_COMPARE, record=record, truth_step=truth_step(record.truth), step=step.strip())
        for record, step in extracted
        if step and step.strip()
    ]
    read = [(record, read_step_reply(reply)) for record, reply in ask(judge, requests)]
    details: list[Report] = []
    for record, score in read:
        if score is None:
            details.append({"id": record.id, "score": None, "parse_error": True})
        else:
            parts = {"skill": score.skill, "object": score.object, "parameter": score.counted_parameter}
            details.append({"id": record.id, **parts, "score": score.percent})
    return _part(len(records), [score.percent for _, score in read if score], details)


def _part(count: int, scores: list[float], details: list[Report]) -> Report:
    if not count:
        return {"count": 0, "mean_score": 0, "scores": []}
    report: Report = {"count": count, "mean_score": _mean(scores, 2), "scores": scores, "details": details}
    return {**report, "parse_failures": count - len(scores)}


def _done(replies: Sequence[tuple[Record, str | None]]) -> Report:
    if not replies:
        return {"count": 0, "mean_score": 0, "scores": []}
    details: list[Report] = []
    scores = []
    for record, reply in replies:
        words, truth = (reply or "").strip().lower(), record.truth.strip().lower()
        scores.append(100.0 if words == truth else 0.0)
        row: Report = {"id": record.id, "extracted": words, "gt": truth, "correct": words == truth}
        details.append({**row, "score": scores[-1]})
    return {"count": len(replies), "mean_score": _mean(scores, 2), "scores": scores, "details": details}


def _letters(text: str) -> str:
    return "".join(sorted(set(re.findall("[A-D]", text.upper()))))


def _results(reply: str | None, names: Sequence[str]) -> list[object] | None:
    """The `result` of each named part of the JSON object between the first and the last brace."""
    text = reply or ""
    try:
        value = json.loads(text[text.index("{") : text.rindex("}") + 1])
        return [value[name]["result"] for name in names]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _whole(value: object) -> int | None:
    if isinstance(value, (int, float)):
        number = int(value)
    else:
        match = _FIRST_NUMBER.search(str(value))
        if match is None:
            return None
        number = int(float(match[0]))
    return number if 0 <= number <= BEST else None


def _fraction(value: object) -> float | None:
    if not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def _number(value: object) -> float:
    assert isinstance(value, (int, float))
    return value


def _mean(values: Sequence[float], digits: int) -> float:
    return round(sum(values) / len(values), digits) if values else 0
