"""A small folder of questions, one of each kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from question_kinds import KINDS, a_question

from suites.questions.folder import write_questions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "asked"
    (top / "pictures").mkdir(parents=True)
    PIL.Image.fromarray(np.full((8, 12, 3), 90, np.uint8)).save(top / "pictures/a.png")
    questions = [
        a_question(**fields, id=f"q-{fields['kind']}", pictures=("pictures/a.png",), source=f"world-{number}")
        for number, fields in enumerate(KINDS)
    ]
    write_questions(top, questions)
    return top
