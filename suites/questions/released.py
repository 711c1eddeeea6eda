"""RoboBench's released folder as questions: its texts, its pictures, and the rules for answers called `homie`.

Multiple choices and "is it done" (Q3) are all or nothing. Plans (Q1) and next steps (Q2) are compared by equality of
steps, without a judge: neither of the released scores does that; `homie questions judge` computes those.
"""

from __future__ import annotations

from pathlib import Path

from homie.kernel.errors import BadInput
from suites.published.robobench.choices import read_letters
from suites.published.robobench.dataset import TEXTS, Dataset, read_dataset
from suites.published.robobench.geometry import read_box, read_path
from suites.published.robobench.plans import nodes, split_steps
from suites.published.robobench.prompts import Question as ReleasedQuestion
from suites.published.robobench.prompts import Release, image_paths
from suites.questions.question import Kind, Question

RELEASE: Release = "2026-08"
"""Release whose prompts are used: the more detailed one, which belongs to the current data."""

AFFORDANCE = "4_"
"""Prefix of the dimension whose answers are places in the picture."""
PLACES: tuple[Kind, ...] = ("point", "path", "box")


def is_released(folder: Path) -> bool:
    """Whether a folder has RoboBench's layout."""
    return (folder / TEXTS).is_file()


def read_released(folder: Path) -> tuple[Question, ...]:
    """Read the questions of RoboBench's folder.

    Raises:
        BadInput: as for `read_dataset`, or pictures are missing, or a truth is not an answer to its question.
    """
    data = read_dataset(folder)
    if missing := data.missing(RELEASE):
        raise BadInput(f"{folder} lacks {len(missing)} pictures that its questions name, such as {missing[0]}.")
    return tuple(_converted(data, question) for question in data.questions)


def _converted(data: Dataset, released: ReleasedQuestion) -> Question:
    kind, choices, truth = _answer(released)
    # The release of 2026-08 cannot ask for places; the words of the other are the same, with no options added.
    text = data.prompt(released, "2025-10" if kind in PLACES else RELEASE).text
    if kind == "choice" and read_letters(truth, len(choices)) is None:
        raise BadInput(f"The truth {truth!r} of {released.unique_id} names none of its {len(choices)} options.")
    return Question(
        id=released.unique_id,
        dimension=released.task_type[0],
        template="/".join(released.task_type[1:]),
        text=text,
        pictures=image_paths(released, RELEASE),
        kind=kind,
        choices=choices,
        truth=truth,
        source=released.unique_id,
        whole=True,
    )


def _answer(released: ReleasedQuestion) -> tuple[Kind, tuple[str, ...], str]:
    if released.options is not None:
        return "choice", released.options, released.gt_answer
    truth = released.gt_answer.strip()
    if released.unique_id.endswith("_Q3") and truth.lower() in ("yes", "no"):
        return "yes_no", (), truth.lower()
    if released.task_type[0].startswith(AFFORDANCE):
        if read_box(truth) is not None:
            return "box", (), truth
        points = read_path(truth)
        if points is not None:
            return "point" if len(points) == 1 else "path", (), truth
    return "plan" if _is_plan(truth) else "text", (), truth


def _is_plan(truth: str) -> bool:
    try:
        return any(nodes(step) for step in split_steps(truth))
    except BadInput:
        return False
