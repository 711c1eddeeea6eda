"""A file of questions that is not what it should be is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_documents import WRONG, check_sentence

from suites.questions.folder import read_questions


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_a_file_of_questions_is_one_sentence(tmp_path: Path, wrong: str) -> None:
    check_sentence(lambda path: read_questions(path.parent), tmp_path / "questions.jsonl", WRONG[wrong])
