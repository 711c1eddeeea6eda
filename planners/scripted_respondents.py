"""Respondents without a model, for tests and baselines: from a file, constant, or random."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import PlainQuestion, Respondent, VerbatimAnswer
from homie.kernel.support.documents import LARGEST, bounded_bytes, parse_json
from homie.kernel.support.files import reading


class ScriptedRespondent(Respondent):
    """Answers from a JSON file: an object with answers by question ids; other questions get an empty answer.

    Raises BadInput for an unusable file.
    """

    def __init__(self, argument: str) -> None:
        if not argument:
            raise BadInput("Scripted answers need a file: --planner scripted:answers.json.")
        path = Path(argument).expanduser()
        with reading(path, "the answers"):
            text = bounded_bytes(path, LARGEST)
            answers = parse_json(text)
        if not isinstance(answers, dict) or not all(isinstance(answer, str) for answer in answers.values()):
            raise BadInput(f'The answers {path} must be one JSON object, such as {{"q-1": "B"}}.')
        self._answers: Mapping[str, str] = answers
        self._digest = hashlib.sha256(text).hexdigest()

    def answer(self, question: PlainQuestion) -> VerbatimAnswer:
        return VerbatimAnswer(self._answers.get(question.id, ""))

    def describe(self) -> Mapping[str, object]:
        return {"answers": len(self._answers), "sha256": self._digest}


class ConstantRespondent(Respondent):
    """Gives the same answer to every question: `constant:A`."""

    def __init__(self, argument: str) -> None:
        if not argument:
            raise BadInput("Which answer? Give one, as in --planner constant:A.")
        self._text = argument

    def answer(self, question: PlainQuestion) -> VerbatimAnswer:
        return VerbatimAnswer(self._text)

    def describe(self) -> Mapping[str, object]:
        return {"answer": self._text}


class RandomRespondent(Respondent):
    """Samples an answer, the same for a question every time; a point in the picture if no answers are listed."""

    def __init__(self, argument: str) -> None:
        self._seed = argument

    def answer(self, question: PlainQuestion) -> VerbatimAnswer:
        lot = random.Random(f"{self._seed}/{question.id}")
        if question.possible:
            return VerbatimAnswer(lot.choice(question.possible))
        return VerbatimAnswer(f"({lot.random():.3f}, {lot.random():.3f})")

    def describe(self) -> Mapping[str, object]:
        return {"seed": self._seed}
