"""Audits whether questions can be answered without their pictures: a text-only baseline, and the spread of answers.

The baseline is naive Bayes over features of a choice: its words, alone, with each word of the question, with the whole
question and with the question's length; how often does each occur in a right choice? Cross-validated by world, so that
questions with the same words and other pictures are never on both sides of a split. Points, paths, boxes and texts are
answered by the mean or the most frequent answer of the template.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from string import ascii_uppercase

from suites.published.robobench.choices import read_letters
from suites.published.robobench.geometry import even_points, read_box, read_path
from suites.published.robobench.plans import split_steps
from suites.questions.question import Question
from suites.questions.scoring import mark

FOLDS = 5
CHOOSING = ("choice", "yes_no", "number")
SMOOTHING = 1.0
"""Pseudocount added to every count (Laplace)."""


@dataclass(frozen=True, slots=True)
class Blind:
    """Accuracy without looking at the pictures, each a share 0..1 of right answers.

    Attributes:
        chance: By guessing.
        constant: By the best constant answer of each template, chosen with knowledge of the truth.
        text: By the text-only baseline.
    """

    n: int
    chance: float
    constant: float
    text: float


def audit(questions: Sequence[Question], seed: int = 0) -> dict[str, Blind]:
    """Audit questions by dimension and, under `DIMENSION/TEMPLATE`, by template; `all` for all questions."""
    right = _text_only(questions, seed)
    constant = _constant(questions)
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        for name in (question.dimension, f"{question.dimension}/{question.template}", "all"):
            groups[name].append(question)
    return {
        name: Blind(
            n=len(group),
            chance=fmean(chance(question, questions) for question in group),
            constant=fmean(constant[question.id] for question in group),
            text=fmean(right[question.id] for question in group),
        )
        for name, group in sorted(groups.items())
    }


def chance(question: Question, questions: Sequence[Question]) -> float:
    """The probability that a guess is right: for a point, the area share of its region; for a number, one over the
    number of distinct answers in its template; for a path, a box, a text or a plan, 0."""
    match question.kind:
        case "choice":
            return 1 / len(question.choices)
        case "yes_no":
            return 0.5
        case "number":
            return 1 / len(_candidates(question, questions))
        case "point" if question.region is not None:
            x1, y1, x2, y2 = question.region
            return (x2 - x1) * (y2 - y1)
    return 0.0


def spread(questions: Sequence[Question]) -> dict[str, Counter[str]]:
    """Count the true answers by template: choices by letter; points, paths, boxes, texts and plans are left out."""
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        if question.kind in CHOOSING:
            answers[f"{question.dimension}/{question.template}"][_letter(question)] += 1
    return dict(answers)


def _constant(questions: Sequence[Question]) -> dict[str, float]:
    """Whether the best constant answer of the template is right (1.0 or 0.0), by question."""
    best: dict[str, str] = {}
    for name, group in _by_template(questions).items():
        if group[0].kind in CHOOSING:
            best[name] = Counter(map(_letter, group)).most_common(1)[0][0]
        else:
            best[name] = _usual(group)
    return {question.id: _right(question, best[_template(question)]) for question in questions}


def _right(question: Question, answer: str) -> float:
    """Whether an answer is right; the object names of the question replace the placeholders of `_usual`."""
    if question.kind == "plan":
        for number, name in enumerate(_mentioned(question)):
            answer = answer.replace(f"{{{number}}}", name)
    return float(bool(answer) and mark(question, answer).right)


def _text_only(questions: Sequence[Question], seed: int) -> dict[str, float]:
    worlds = sorted({question.source for question in questions})
    random.Random(seed).shuffle(worlds)
    fold = {world: index % FOLDS for index, world in enumerate(worlds)}
    right: dict[str, float] = {}
    for index in range(FOLDS):
        train = [question for question in questions if fold[question.source] != index]
        model, usual = _Bayes(train, questions), {name: _usual(group) for name, group in _by_template(train).items()}
        for question in questions:
            if fold[question.source] == index:
                answer = model.answer(question) if question.kind in CHOOSING else usual.get(_template(question), "")
                right[question.id] = _right(question, answer)
    return right


class _Bayes:
    """Naive Bayes classifier: how often features occur in right choices, against how often in wrong ones."""

    def __init__(self, train: Sequence[Question], known: Sequence[Question]) -> None:
        self._numbers = {_template(question): _candidates(question, known) for question in known}
        self._right: Counter[str] = Counter()
        self._wrong: Counter[str] = Counter()
        for question in train:
            if question.kind in CHOOSING:
                for letter, choice in self._choices(question):
                    counts = self._right if letter == _letter(question) else self._wrong
                    counts.update(_features(question, letter, choice))

    def answer(self, question: Question) -> str:
        """The most probable choice; the first of those that are equally probable."""
        return max(self._choices(question), key=lambda item: self._odds(_features(question, *item)))[0]

    def _choices(self, question: Question) -> list[tuple[str, str]]:
        if question.kind == "choice":
            return list(zip(ascii_uppercase, question.choices, strict=False))
        words = ("yes", "no") if question.kind == "yes_no" else self._numbers[_template(question)]
        return [(word, word) for word in words]

    def _odds(self, features: Sequence[str]) -> float:
        return math.fsum(
            math.log((self._right[feature] + SMOOTHING) / (self._wrong[feature] + SMOOTHING)) for feature in features
        )


def _features(question: Question, letter: str, choice: str) -> list[str]:
    place, words = f"{_template(question)}|{letter}", _words(choice)
    together = [f"{asked}&{word}" for asked in _words(question.text) for word in words]
    whole = (question.text, str(len(question.text.split())))  # the absence of a word is as informative as its presence
    return [place, *(f"{_template(question)}={word}" for word in words), *together, *(f"{w}&{choice}" for w in whole)]


def _words(text: str) -> list[str]:
    return sorted(set(re.findall(r"\w+", text.lower())))


def _letter(question: Question) -> str:
    letters = read_letters(question.truth, len(question.choices)) if question.kind == "choice" else None
    return question.truth if letters is None else "".join(sorted(letters))


def _candidates(question: Question, questions: Sequence[Question]) -> tuple[str, ...]:
    if question.kind != "number":
        return ()
    same = {other.truth for other in questions if _template(other) == _template(question)}
    return tuple(sorted(same, key=int))


def _usual(group: Sequence[Question]) -> str:
    """The mean of points, paths or boxes; the most frequent of other answers."""
    if group[0].kind == "point":
        points = [point for question in group for point in read_path(question.truth) or ()]
        return f"({fmean(x for x, _ in points):.4f}, {fmean(y for _, y in points):.4f})" if points else ""
    if group[0].kind == "path":
        paths = [even_points(path) for question in group if (path := read_path(question.truth)) is not None]
        means = [(fmean(x for x, _ in at), fmean(y for _, y in at)) for at in zip(*paths, strict=True)]
        return ", ".join(f"({x:.4f}, {y:.4f})" for x, y in means)
    if group[0].kind == "box":
        boxes = [box for question in group if (box := read_box(question.truth)) is not None]
        return f"[{', '.join(f'{fmean(side):.4f}' for side in zip(*boxes, strict=True))}]" if boxes else ""
    return Counter(map(_outline, group)).most_common(1)[0][0]


def _outline(question: Question) -> str:
    """The truth; for a plan, with its object names replaced by their order of mention in the question."""
    truth = question.truth
    if question.kind == "plan":
        for number, name in enumerate(_mentioned(question)):
            truth = re.sub(rf"\b{re.escape(name)}\b", f"{{{number}}}", truth)
    return truth


def _mentioned(question: Question) -> list[str]:
    """The object names of a plan, as it writes them, in the order in which the question mentions them."""
    names = {name for step in split_steps(question.truth) for name in re.findall(r"[(,]\s*([^(),]+)", step)}
    return sorted(names, key=lambda name: question.text.find(name.replace("_", " ")))


def _template(question: Question) -> str:
    """Key of the questions that are answered in the same way."""
    return f"{question.dimension}/{question.template}/{question.kind}"


def _by_template(questions: Sequence[Question]) -> dict[str, list[Question]]:
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[_template(question)].append(question)
    return groups
