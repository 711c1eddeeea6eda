"""EMMOE's official parser, reproduced exactly: it takes the last of several answers, and any text between the labels.

It is the profile `strict-emmoe`, for comparison with published results. If it finds nothing, the official code ends
the run with End; here the model is asked again.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from homie.kernel.errors import BadInput
from planners.llm.reading.draft import Draft
from planners.llm.reading.rules import UnclearAnswer
from planners.parse_subtask import make_subtask

_ANALYSIS, _MODEL = "Analysis:", "Model:"
_SUBTASK = re.compile(r"Subtask: *\[")
_LOOSE = re.compile(r"Subtask: *")


def official_parts(text: str) -> tuple[str, str, str] | None:
    """Parse analysis, subtask and model as the official parser does; None if the answer has neither of its two forms,
    with and without brackets."""
    parts = _strict(text) or _loose(text)
    if parts is None:
        return None
    subtask_text, analysis, model = (part.strip() for part in parts)
    return analysis, subtask_text, model


def official_draft(text: str) -> Draft:
    """Parse an answer as the official parser does: the strict form, or else the form without brackets.

    Raises UnclearAnswer if there is neither, or if a subtask has an empty part or more than three parts.
    """
    parts = official_parts(text)
    if parts is None:
        raise UnclearAnswer("The answer has not the form Analysis, Subtask, Model.")
    analysis, subtask_text, model = parts
    try:
        return Draft((make_subtask(subtask_text.split(",")),), analysis, model)
    except BadInput as error:
        raise UnclearAnswer(str(error)) from error


def _strict(text: str) -> tuple[str, str, str] | None:
    """Parse the last `Analysis:` that is followed by `Subtask: [...]` and, anywhere after it, `Model:`.

    The analysis has at least one character, the model is all text after the last `Model:`. Linear in the text.
    """
    model = text.rfind(_MODEL)
    starts = [(match.start(), match.end()) for match in _SUBTASK.finditer(text)]
    at = text.rfind(_ANALYSIS)
    while at >= 0 and model >= 0:
        analysis_start = at + len(_ANALYSIS)
        first = bisect_left(starts, (analysis_start + 1, 0))
        if first < len(starts):
            closing = text.find("]", starts[first][1])
            if 0 <= closing < model:
                return (
                    text[starts[first][1] : closing],
                    text[analysis_start : starts[first][0]],
                    text[model + len(_MODEL) :],
                )
        at = text.rfind(_ANALYSIS, 0, at)
    return None


def _loose(text: str) -> tuple[str, str, str] | None:
    """Parse the form without brackets: the subtask ends at the first `Model:` after it."""
    starts = [(match.start(), match.end()) for match in _LOOSE.finditer(text)]
    at = text.rfind(_ANALYSIS)
    while at >= 0:
        analysis_start = at + len(_ANALYSIS)
        first = bisect_left(starts, (analysis_start + 1, 0))
        if first < len(starts):
            model = text.find(_MODEL, starts[first][1])
            if model >= 0:
                return (
                    text[starts[first][1] : model],
                    text[analysis_start : starts[first][0]],
                    text[model + len(_MODEL) :],
                )
        at = text.rfind(_ANALYSIS, 0, at)
    return None
