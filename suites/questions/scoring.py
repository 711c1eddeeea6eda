"""Scores answers. An unreadable answer is wrong and is counted; no answer can stop the scoring."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from suites.published.robobench.choices import final_words, read_letters
from suites.published.robobench.geometry import (
    affordance_score,
    even_rmse,
    overlap,
    read_box,
    read_path,
    read_point,
)
from suites.published.robobench.plans import compared_step, matched_nodes, nodes, split_steps
from suites.questions.question import Question
from suites.questions.written_plans import compare_plans, read_plan

OVERLAP = 0.5
"""Minimum intersection over union of a correct box (PASCAL VOC, Everingham et al. 2010)."""
NEAR = 0.05
"""Maximum distance, as a share of the picture, of a correct point without a region, and maximum root mean square of a
correct path: two fingers' breadth on a picture of 40 cm."""


WHOLE = 100.0
"""Percent."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of an answer.

    Attributes:
        right: Whether the answer is correct; its mean is the accuracy.
        score: From 0 to 1, with partial credit for points and paths (`100 * (1 - d)^2.5` of RoboBench's paper), boxes
            (their overlap) and plans (share of matched steps; for a next step RoboBench's three parts).
        read: Whether the answer could be read at all.
    """

    right: bool
    score: float
    read: bool = True


UNREADABLE = Mark(right=False, score=0.0, read=False)


def mark(question: Question, answer: str) -> Mark:
    """Mark an answer, the model's reply."""
    words = final_words(answer)
    match question.kind:
        case "choice":
            letters = read_letters(answer, len(question.choices))
            truth = read_letters(question.truth, len(question.choices))
            return UNREADABLE if letters is None else _all_or_nothing(letters == truth)
        case "yes_no":
            read = {word.lower() for word in re.findall(r"\b(?:yes|no)\b", words, re.IGNORECASE)}
            return UNREADABLE if len(read) != 1 else _all_or_nothing(read == {question.truth})
        case "number":
            numbers = re.findall(r"(?<![\d.])\d+(?![\d.]\d)", words)
            return UNREADABLE if len(numbers) != 1 else _all_or_nothing(int(numbers[0]) == int(question.truth))
        case "point":
            return _point(question, words)
        case "path":
            path, truth_path = read_path(words), read_path(question.truth)
            if path is None or truth_path is None or len(path) < 2:
                return UNREADABLE
            off = even_rmse(path, truth_path)
            return Mark(off <= NEAR, affordance_score(off) / 100)
        case "box":
            box, truth_box = read_box(words), read_box(question.truth)
            if box is None or truth_box is None:
                return UNREADABLE
            common = overlap(box, truth_box)
            return Mark(common >= OVERLAP, common)
        case "plan" if question.task is not None:
            plan = read_plan(words)
            beside = compare_plans(plan, read_plan(question.truth), question.task.before)
            return Mark(beside.same, beside.matched / beside.total, read=bool(plan))
        case "plan" if len(split_steps(question.truth)) == 1 and len(nodes(question.truth)) == 1:
            step = compared_step(words, question.truth)
            return UNREADABLE if step is None else Mark(step.percent == WHOLE, step.percent / WHOLE)
        case "plan":
            matched, total = matched_nodes(split_steps(words), split_steps(question.truth))
            return Mark(matched == total, matched / total, read=bool(words))
        case "text":
            return _all_or_nothing(_plain(words) == _plain(question.truth)) if words else UNREADABLE


def _point(question: Question, words: str) -> Mark:
    point, truth = read_point(words), read_point(question.truth)
    if point is None or truth is None:
        return UNREADABLE
    distance = math.dist(point, truth)
    if question.region is None:
        right = distance <= NEAR
    else:
        x1, y1, x2, y2 = question.region
        right = x1 <= point[0] <= x2 and y1 <= point[1] <= y2
    return Mark(right, affordance_score(distance) / 100)


def _all_or_nothing(right: bool) -> Mark:
    return Mark(right, float(right))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower().replace("_", " ")))
