"""The reading of EMMOE's own code, to the letter: of several answers the last, and whatever stands between the labels.

It is the profile `strict-emmoe`, for figures that are compared with published ones. Where the official code finds
nothing it stops the run with a bare End; here that is asked again.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from homie.kernel.errors import BadInput
from planners.llm.reading.draft import Draft
from planners.llm.reading.rules import Unclear
from planners.parsing import make_subtask

_ANALYSIS, _MODEL = "Analysis:", "Model:"
_SUBTASK = re.compile(r"Subtask: *\[")
_LOOSE = re.compile(r"Subtask: *")


def official_draft(text: str) -> Draft:
    """What the official parser finds: the strict form, and only where that fails the loose one without brackets.

    Raises Unclear where neither is there, or where a subtask has more parts than three or an empty one.
    """
    found = _strict(text) or _loose(text)
    if found is None:
        raise Unclear("The answer has not the form Analysis, Subtask, Model.")
    inside, analysis, model = found
    try:
        return Draft((make_subtask(inside.split(",")),), analysis.strip(), model.strip())
    except BadInput as error:
        raise Unclear(str(error)) from error


def _strict(text: str) -> tuple[str, str, str] | None:
    """The last `Analysis:` that is followed by `Subtask: [...]` and, anywhere after it, `Model:`.

    The analysis has at least one character, the model is all that follows the last `Model:`. Linear in the text.
    """
    model = text.rfind(_MODEL)
    starts = [(one.start(), one.end()) for one in _SUBTASK.finditer(text)]
    at = text.rfind(_ANALYSIS)
    while at >= 0 and model >= 0:
        after = at + len(_ANALYSIS)
        first = bisect_left(starts, (after + 1, 0))
        if first < len(starts):
            closing = text.find("]", starts[first][1])
            if 0 <= closing < model:
                return text[starts[first][1] : closing], text[after : starts[first][0]], text[model + len(_MODEL) :]
        at = text.rfind(_ANALYSIS, 0, at)
    return None


def _loose(text: str) -> tuple[str, str, str] | None:
    """The same without brackets: the subtask ends at the first `Model:` behind it."""
    starts = [(one.start(), one.end()) for one in _LOOSE.finditer(text)]
    at = text.rfind(_ANALYSIS)
    while at >= 0:
        after = at + len(_ANALYSIS)
        first = bisect_left(starts, (after + 1, 0))
        if first < len(starts):
            model = text.find(_MODEL, starts[first][1])
            if model >= 0:
                return text[starts[first][1] : model], text[after : starts[first][0]], text[model + len(_MODEL) :]
        at = text.rfind(_ANALYSIS, 0, at)
    return None
