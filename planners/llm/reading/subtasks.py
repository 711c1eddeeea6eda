"""Parse one subtask from its parts or from words: an action with exactly its arguments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from homie.kernel.actions import ARGUMENTS, WORDS, Arguments, arguments_of, misfit
from homie.kernel.pose_action import MOVE
from homie.kernel.types import Subtask
from planners.llm.reading.rules import Rules, UnclearAnswer

DECORATION = " \t\r\n*_`'\"“”‘’"
MAX_PARTS = 3
_COMMAS = ",，、"
"""The comma, which separates names, and its look-alikes."""
_NAME_LENGTH = 80
"""Maximum characters of a name. The longest of the catalogue have 25; a longer text is a sentence."""
_SHOWN = 60
"""Maximum characters of a text quoted in a message."""
_NAME_WORDS = 5
"""Maximum words of a name in a phrase without commas."""
_NOTHING = frozenset(("", "none", "null", "n/a", "nil"))
"""Values that models write for a target that an action does not have."""

_NAME = re.compile(r"[^\W_][\w '’-]*")
_STOPS = frozenset(
    (
        "and", "then", "or", "to", "from", "in", "on", "into", "onto", "inside", "with", "not", "if", "it", "because",
        "so", "but", "there", "here", "that", "which", "who", "is", "are", "was", "be", "by", "at", "near", "next",
        "now", "again", "first", "please", "until", "before", "after", "for", "while", "i", "you", "we", "my", "your",
        "should", "will", "would", "can", "may", "nothing", "something", "anything", "somewhere", "when", "where",
        "what"
    )
)  # fmt: skip
"""Words that a name in a phrase without commas cannot contain: with them the phrase is more than one subtask."""
_PLACES = frozenset(("in", "into", "inside", "on", "onto"))
_ARTICLES = frozenset(("the", "a", "an"))
_NUMBERED = re.compile(r"(?:\(?\d{1,2}[.):]\)?|[-•+])\s+(?=\S)")
_CALL = re.compile(r"([A-Za-z][\w ]{0,30}?)\s?\(([^()\[\]{}]{0,200})\)")
_KEYWORD = re.compile(r"\s*(?:target|destination|object|name)\s*=\s*")


@dataclass(frozen=True, slots=True)
class Lists:
    """Choices of a round: actions with their arguments and synonyms, and models. Empty if unknown."""

    actions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    arguments: Arguments = field(default_factory=lambda: ARGUMENTS)
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)

    def misfit(self, subtask: Subtask) -> str:
        """Apply `misfit` of `homie.kernel.actions`; "" for an unlisted action, which is checked elsewhere."""
        is_listed = subtask.action in (self.actions or self.arguments)
        return misfit(subtask, arguments_of(subtask.action, self.arguments)) if is_listed else ""


def subtask_of(parts: Sequence[str], lists: Lists, rules: Rules) -> Subtask:
    """Make a subtask from its parts as written. An unlisted action stays unchanged.

    Raises UnclearAnswer for parts that are not a subtask or that do not fit the action.
    """
    stripped = [" ".join(part.split()).strip(DECORATION) for part in parts]
    named_parts = list(stripped)
    while len(named_parts) > 1 and named_parts[-1].casefold() in _NOTHING:
        named_parts.pop()
    if not 1 <= len(named_parts) <= MAX_PARTS or not all(named_parts):
        raise UnclearAnswer(
            f"'{short(', '.join(stripped))}' is not a subtask: write [End], [action, target] or [Put, object, place]."
        )
    if not _has_letters(named_parts[0]):
        raise UnclearAnswer(f"'{short(named_parts[0])}' is not an action.")
    action = match_action(named_parts[0], lists, rules)
    if action is None and len(named_parts) == 1 and (worded_subtask := _subtask_in_words(named_parts[0], lists, rules)):
        return worded_subtask
    if action is None and lists.actions and _is_sentence(named_parts[0], lists):
        raise UnclearAnswer(f"'{short(named_parts[0])}' does not begin with an action of the list and a comma.")
    for name in named_parts if action is None else named_parts[1:]:
        check_name(name)
    subtask = Subtask(action or named_parts[0], *named_parts[1:])
    if problem := lists.misfit(subtask):
        raise UnclearAnswer(f"{problem}.")
    if len(named_parts) < len(stripped):
        rules.use("empty-parts")
    return subtask


def match_action(text: str, lists: Lists, rules: Rules) -> str | None:
    """Return the listed action that a text names, or None. Look-alike letters of other alphabets do not match."""
    if text in lists.actions:
        return text
    if not text.isascii():
        return None
    key = _letters(text)
    for action in lists.actions:
        if _letters(action) == key:
            rules.use("action-spelling")
            return action
    synonym = next((action for words, action in lists.words.items() if _letters(words) == key), None)
    if synonym not in lists.actions:
        return None
    rules.use("action-synonym")
    return synonym


def text_subtask(text: str, lists: Lists, rules: Rules) -> Subtask:
    """Parse a whole text as one subtask: with or without brackets, numbered, as a call, or in words.

    Raises UnclearAnswer.
    """
    inside, trailing = split_brackets(text, rules)
    if trailing.strip(f"{DECORATION}.,"):
        raise UnclearAnswer(f"'{short(text)}' says more than one subtask.")
    return subtask_of(inside.split(","), lists, rules)


def split_brackets(text: str, rules: Rules) -> tuple[str, str]:
    """Return the text between the brackets of a subtask and the text after them; without brackets all of it and "".

    Raises UnclearAnswer for an unmatched bracket.
    """
    text = text.replace("\\[", "[").replace("\\]", "]").lstrip(DECORATION)
    if (without_number := strip_number(text)) != text:
        rules.use("numbering")
        text = without_number
    if call := _CALL.fullmatch(text.strip(DECORATION + ".")):
        rules.use("call")
        return ",".join([call[1], *(_KEYWORD.sub("", part) for part in call[2].split(",") if part.strip())]), ""
    double = text.startswith("[[")
    opening, closing = ("[[", "]]") if double else (text[:1], {"[": "]", "(": ")"}.get(text[:1], ""))
    if not closing:
        if "]" in text:
            raise UnclearAnswer(f"'{short(text)}' has only one of its two brackets.")
        return text.strip(DECORATION).rstrip(". "), ""
    end = text.find(closing, len(opening))
    if end < 0:
        raise UnclearAnswer(f"The bracket of the subtask '{short(text)}' is not closed.")
    if opening != "[":
        rules.use("extra-brackets")
    return text[len(opening) : end], text[end + len(closing) :]


def strip_number(text: str) -> str:
    """Remove the number or bullet before a text."""
    match = _NUMBERED.match(text)
    return text[match.end() :].lstrip(DECORATION) if match else text


def check_name(name: str) -> None:
    """Raise UnclearAnswer for a text that is not the name of a single object."""
    if mark := next((mark for mark in name if mark in _COMMAS), ""):
        hint = "" if mark == "," else f" ({mark} is not the comma that separates names)"
        raise UnclearAnswer(f"'{short(name)}' is not one name: name one thing, without commas and brackets{hint}.")
    if any(mark in name for mark in "[]{}") or not _has_letters(name) or len(name) > _NAME_LENGTH:
        raise UnclearAnswer(f"'{short(name)}' is not one name: name one thing, without commas and brackets.")


def short(text: str) -> str:
    """Return the beginning of a text, for a message about it."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]} ..."


def is_nothing(text: str) -> bool:
    """Return whether a text stands for a missing value, such as `None`."""
    return text.casefold() in _NOTHING


def _has_letters(text: str) -> bool:
    # Grammars know characters of a newer Unicode, which this Python takes for unassigned (Cn).
    return any(letter.isalnum() or unicodedata.category(letter) == "Cn" for letter in text)


def _is_sentence(text: str, lists: Lists) -> bool:
    """Return whether a text in the place of an action is longer than any action, or begins with one and continues."""
    words = text.split()
    begins_with_action = any(match_action(" ".join(words[:count]), lists, Rules()) for count in range(1, len(words)))
    return begins_with_action or len(words) > max(len(action.split()) for action in lists.actions)


def _letters(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text).lower()


def _subtask_in_words(text: str, lists: Lists, rules: Rules) -> Subtask | None:
    """Parse a subtask in words, `Put the apple in the fridge`; None if they are ambiguous."""
    words = text.rstrip(".!").split()
    for count in range(min(3, len(words)), 0, -1):
        trial = Rules()
        action = match_action(" ".join(words[:count]), lists, trial)
        if action is None or action == MOVE:
            continue
        names = _names(words[count:], arguments_of(action, lists.arguments))
        if names is None:
            return None
        for rule in (*trial.used, *(["words"] if names else [])):
            rules.use(rule)
        return Subtask(action, *names)
    return None


def _names(words: list[str], arguments: tuple[str, ...]) -> list[str] | None:
    """Parse the names in words without commas, as many as an action takes; None if they are ambiguous."""
    groups = [words] if words else []
    if len(arguments) > 1:
        marks = [at for at, word in enumerate(words) if word.lower() in _PLACES]
        if len(marks) != 1:
            return None
        groups = [words[: marks[0]], words[marks[0] + 1 :]]
    names = [" ".join(group[1:] if group and group[0].lower() in _ARTICLES else group) for group in groups]
    is_unambiguous = all(
        _NAME.fullmatch(name) and len(name.split()) <= _NAME_WORDS and _STOPS.isdisjoint(name.lower().split())
        for name in names
    )
    return names if is_unambiguous and len(names) == len(arguments) else None
