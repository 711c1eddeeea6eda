"""Check the text around an answer, which may introduce it as something else or retract it.

An answer is on its own lines or after a colon. In doubt the model is asked again, which costs no round.
"""

from __future__ import annotations

import re

from planners.llm.reading.rules import Rules, UnclearAnswer

_BLANK = " \t\r\n*_`~\"'“”>-–—=#|;,."
_FENCE = re.compile(r"(?:```|~~~)[ \t]{0,3}[\w+.-]{0,20}")
_WHOLE_FENCE = re.compile(r"\s*(```|~~~)[ \t]{0,3}[\w+.-]{0,20}[ \t]*\n(.*?)\n?[ \t]*\1\s*", re.DOTALL)
_LEAD_LENGTH = 400
"""Number of characters before an answer that are searched for its introduction."""
_NOT_THE_ANSWER = re.compile(
    r"\b(?:not|never|n't|no|without|avoid|wrong|incorrect\w*|mistake\w*|bad|invalid|instead|rather|unlike|previous\w*"
    r"|earlier|before|already|last|past|answered|said|wrote|was|were|had|would|could|might|may|should|if|unless|suppose"
    r"|imagine|consider\w*|alternativ\w*|option\w*|either|example|examples|e\.g|instance|sample|like|such|format|schema"
    r"|template|placeholder|form|structure|history|feedback|asked|prompt|question|maybe|perhaps|possibl[ey]|later"
    r"|afterwards|after|then|eventually|once|when|until|refus\w*|reject\w*|cannot|can't|don't|didn't|isn't|won't"
    r"|shouldn't|failed|user|human|expert|drafts?|old|hypothetic\w*|round \d+|fake|joke|test|instruct\w*|system|tells?"
    r"|told|says?|quot\w+|copy|copied|repeat\w*|attempt\w*|guess\w*|doubt\w*)\b|\?",
    re.IGNORECASE,
)
"""Words of a sentence that introduces something other than the answer."""
_HARMLESS = re.compile(
    r"\b(?:in|with|using|following|per|to) (?:the |your |this )?(?:\w+ ){0,2}"
    r"(?:format|form|schema|structure|instructions)"
    r"|\bas (?:you )?(?:asked|requested|required|specified|instructed)\b"
    r"|\b(?:after|having) (?:careful )?(?:thinking|analy[sz]\w+|considering|consideration|thought)\b[^,:]{0,80}",
    re.IGNORECASE,
)
"""Introductions of an answer that contain such words: `in the requested format`, `after thinking`."""
_POINTS_TO_ANSWER = re.compile(
    r"\b(?:following|below|this (?:answer|output|object|json|subtask|response)|next lines?)\b", re.IGNORECASE
)
_RETRACTED = re.compile(
    r"\b(?:wait|actually|hmm+|oops|sorry|apolog\w*|correction|corrected|wrong|incorrect\w*|mistak\w*|scratch that"
    r"|second thought|instead|ignore|disregard|discard|should(?:n't| not)|must(?:n't| not)|would(?:n't| not| be| have)"
    r"|previous\w*|last (?:round|answer|subtask|step)|example|alternativ\w*|however|but|unless|revis\w*|reconsider\w*"
    r"|on the other hand|not (?:yet|my|this|what|done|an answer|the answer|correct|right|possible|allowed|recommended)"
    r"|do not (?:do|execute|use|run)|don't (?:do|execute|use|run)|never mind|cancel|retract|hypothetical\w*|only if"
    r"|or (?:is|maybe|perhaps|should|better)|i was told|kidding|joke|draft|pretend\w*|the user"  # codespell:ignore
    r"|(?:next|new) round|round \d+|was my|were my|as the user)\b|\bno[,.!]",
    re.IGNORECASE,
)
"""Words after an answer that may retract it."""
_BRACKETED = re.compile(r"\[\s*[A-Za-z][\w ]{0,30}[,\]]|\{\s*[\"'“]\w{1,30}[\"'”]\s*:")
"""Text after an answer that looks like another subtask."""

_ANSWER_LINE = re.compile(r"^[ \t*_`\"'>-]*\[\s*[A-Za-z][\w ]{0,30}(?:,[^\[\]\n]*)?\][ \t*_`\"'.,]*$", re.MULTILINE)
"""A line before an answer that is an answer itself."""


def check_surroundings(lead: str, tail: str, rules: Rules) -> None:
    """Check the text before and after the only answer. Raises UnclearAnswer if it may not be meant as the answer."""
    lead, fenced = _unfenced(lead, opening=True)
    tail, closed = _unfenced(tail, opening=False)
    if fenced or closed:
        rules.use("fence")
    if lead.strip(_BLANK + ":") or tail.strip(_BLANK + ")]}:"):
        rules.use("prose")
        _check_lead(lead)
        check_tail(tail)


def strip_fence(text: str) -> str:
    """Return the content of a text that is a single fenced block; return any other text unchanged."""
    match = _WHOLE_FENCE.fullmatch(text)
    return match[2] if match and match[1] not in match[2] else text


def has_only_marks(text: str) -> bool:
    """Return whether a text between two answers has only marks."""
    return not re.sub(r"\d{1,2}[.)]|\bstep \d{1,2}\b:?", "", _FENCE.sub("", text), flags=re.IGNORECASE).strip(
        _BLANK + ":"
    )


def _unfenced(text: str, *, opening: bool) -> tuple[str, bool]:
    """Remove the fence mark next to the answer, on a line of its own; return whether there was one."""
    marks = list(_FENCE.finditer(text[-40:] if opening else text[:40]))
    if opening and marks and not (text[-40:])[marks[-1].end() :].strip(" \t\r\n*"):
        return text[: len(text) - len(text[-40:]) + marks[-1].start()] + "\n", True
    if not opening and marks and not text[: marks[0].start()].strip(" \t\r\n*"):
        return "\n" + text[marks[0].start() + 3 :], True
    return text, False


def _check_lead(lead: str) -> None:
    line = lead.rpartition("\n")[2].strip(" \t*_`\"'")
    if line and not line.endswith((":", "：")) and not re.fullmatch(r"(?:[-*•]|\(?\d{1,2}[.)])", line):
        raise UnclearAnswer("The answer stands inside a sentence.")
    if _ANSWER_LINE.search(lead):
        raise UnclearAnswer("Another subtask stands on a line of its own before the answer.")
    ending = lead.rstrip(" \t\r\n*_`\"'")[-_LEAD_LENGTH:]
    sentences = [sentence for sentence in re.split(r"(?<=[.!])\s+|\n\s*", ending) if sentence.strip(_BLANK)]
    last = sentences[-1] if sentences else ""
    introduces = not last.rstrip().endswith((".", "!", ")"))
    if _NOT_THE_ANSWER.search(_HARMLESS.sub(" ", last)) and (introduces or _POINTS_TO_ANSWER.search(last)):
        raise UnclearAnswer("The words before the answer make it doubtful whether it is meant.")


def check_tail(tail: str) -> None:
    """Check the text after an answer. Raises UnclearAnswer if the line goes on or the text may retract the answer."""
    line = tail.partition("\n")[0].strip(_BLANK + ")]}:")
    if line:
        raise UnclearAnswer("The answer goes on in the middle of a line.")
    if _RETRACTED.search(tail) or _BRACKETED.search(tail):
        raise UnclearAnswer("The words after the answer make it doubtful whether it is meant.")
