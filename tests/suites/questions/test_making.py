"""A dozen questions from one house: balanced, answerable, the same by seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from homie.kernel.errors import BadInput
from suites.questions.folder import read_questions
from suites.questions.making.make import DIMENSIONS, make
from suites.questions.options import MakeOptions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("questions") / "made"
    make(MakeOptions(out=out, number=10, size=256))
    return out


@pytest.mark.slow
def test_every_dimension_has_its_questions(folder: Path) -> None:
    questions = read_questions(folder)
    counts = {dimension: sum(q.dimension == dimension for q in questions.questions) for dimension in DIMENSIONS}
    assert min(counts.values()) >= 2
    for question in questions.questions:
        assert all(picture.shape[0] == 256 for picture in questions.pictures(question))


def test_the_same_words_have_all_their_answers(folder: Path) -> None:
    failures = [q for q in read_questions(folder).questions if q.dimension == "failure_analysis"]
    by_text = {q.text: sorted(o.truth for o in failures if o.text == q.text) for q in failures}
    assert all(len(set(truths)) == len(truths) > 1 for truths in by_text.values())
    pictures = [q.pictures for q in failures]
    assert len(set(pictures)) == len(pictures)


def test_no_picture_is_left_over(folder: Path) -> None:
    named = {name for question in read_questions(folder).questions for name in question.pictures}
    assert {f"pictures/{path.name}" for path in (folder / "pictures").iterdir()} == named


def test_a_folder_with_something_in_it_is_left_alone(folder: Path) -> None:
    with pytest.raises(BadInput, match="is not empty"):
        make(MakeOptions(out=folder, number=10))
