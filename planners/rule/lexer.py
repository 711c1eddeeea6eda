"""An instruction as tokens: names that the vocabulary knows, and what the other words do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from perception.names import normalise
from planners.common_sense import is_room
from planners.rule.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    EVERY_THING,
    KINDS_OF,
    LONGEST,
    NUMBERS,
    Kind,
    is_adjective,
    is_place,
    is_thing,
    phrases,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A name or another run of words. count: how many, None for all; apart: it comes with `other` or `another`, so it
    is none of those named beside it; plain: a name without article or number, or with `any`; plural: said of several;
    of an unknown word: it stands where a noun does."""

    kind: Kind
    text: str
    count: int | None = 1
    apart: bool = False
    plain: bool = False
    plural: bool = False


_ALL_THERE = (
    r"\b(?:all|what|everything|anything|whatever)"
    r"(?: (?:that|there|which|you find|you see|is|are|was|stands|lies|sits))+ (?=(?:on|in|inside|from)\b)"
)
_SAID = (
    (r"\b(do|does|did|is|are|was|were|should|would|could|must|need)n't\b", r"\1 not"),
    (r"\b(?:won't|can't|cannot)\b", "not"),
    (r"\bi'd\b", "i would"),
    (r"\bi'm\b", "i am"),
    (r"\bi've\b", "i have"),
    (r"\b(i|it|that|they|we)'(?:ll|s|re)\b", r"\1 will"),
    (r"\b(?:all|everything) but\b", "everything except"),
    (r"\b(?:make sure|see to it|ensure|take care)(?: that)? there (?:are|is|will be)\b", "have exactly"),
    (r"\b(?:something|anything) (?:to eat|edible|(?:one|you|i|we|they) can eat|that can be eaten)\b", "some food"),
    (r"\b(?:for|to) (?:me|us|you|one|later|now|the time being|a while|a moment|good)\b(?! to)", ""),
    (r"\b(?:of course|out of the way|in (?:my|your|his|her|the) (?:hand|mind)|at once|at the moment|by hand)\b", ""),
    (r"\b(?:put|set|get) (?:that|it|this|things) right\b", ""),
    (r"\b(?:that|this) is all(?: (?:i|we) (?:ask|want|need)\w*)?\b", ""),
    (r"\b(?:of )?(?:any|whatever|whichever) kind\b|\bno matter which\b", ""),
    (r"\bin (?:this|the|my|our|your) (?:room|house|home|apartment|flat)\b", ""),
    (r"\bno (?:idea|matter|problem|hurry|rush|need to hurry)\b", ""),
    (r"\b(?:unless|so that) you\b", "then"),
    (r"\b(?:the|one) (?:one|person|guest|other one) (?=(?:on|in|at|by)\b)", "someone "),
    (r"\b(?:would|could|can|will) you\b", ""),
    (r"\b(?:with|keep|keeping|leave|leaving|have) (?:the|its|all|every) (doors?) (closed|shut)\b", r", \1 \2"),
    (_ALL_THERE, "everything "),
    (r"\b(?:all|both|every one|each)(?: of (?:the )?(?:things|items|objects|stuff))\b", "all things"),
)  # fmt: skip
_ASIDE = re.compile(
    r"\b(?:when|while|before|after|until|till|because|since|where|as long as|once|as|whichever|however|whenever)\b"
    r"(?! closed)[^,.;:!?]*"
)
"""A clause that says when, why or how; it is left out where it names nothing that the vocabulary knows."""
_UNTOLD = ADJECTIVES - {"citrus"} | {"of"}
_SPELLED = re.compile(r"[a-z0-9'\u00e0-\u024f]+|[,.;:!?]|(?<=\s)[-\u2013\u2014](?=\s)|\u2014")


def tokens(text: str) -> list[Token]:
    """The tokens of a text in lower case with single blanks."""
    for pattern, instead in _SAID:
        text = re.sub(pattern, instead, text)
    return _tokens(_ASIDE.sub(_without_aside, text))


def _tokens(text: str) -> list[Token]:
    words = _SPELLED.findall(text)
    found: list[Token] = []
    at = 0
    while at < len(words):
        token, at = _next(words, at, found)
        found.append(token)
    return found


def named(text: str) -> bool:
    """Whether a text is one name that the vocabulary knows, with article or number or without."""
    found = _tokens(text.lower())
    return len(found) == 1 and found[0].kind in (Kind.THING, Kind.PLACE)


def _without_aside(found: re.Match[str]) -> str:
    inner = tokens(found.group().split(" ", 1)[1]) if " " in found.group() else []
    telling = {Kind.THING, Kind.PLACE, Kind.EVERYTHING, Kind.REST, Kind.NOT}
    if not found.group().startswith("where"):
        telling.add(Kind.NUMBER)
    return found.group() if any(one.kind in telling for one in inner) else " "


def _next(words: list[str], at: int, before: list[Token]) -> tuple[Token, int]:
    word = words[at]
    if not word[0].isalnum():
        kind = {",": Kind.COMMA, ":": Kind.COLON}.get(word, Kind.STOP if word in ".;!?" else Kind.COLON)
        return Token(kind, word), at + 1
    several = _phrase(words, at)
    name = _name(words, at)
    if name is None and word in DETERMINERS | set(NUMBERS) and (several is None or several[1] == at + 1):
        end = at + 1
        while end < len(words) and not _known(words, end):
            end += 1
        if end > at + 1:
            return Token(Kind.UNKNOWN, " ".join(words[at + 1 : end]), plural=True), end
    if name is not None and (several is None or name[1] >= several[1]):
        token, end = name
        if token.kind is Kind.PLACE and words[end : end + 1] in (["door"], ["doors"]):
            end += 1
        if end < len(words) and token.kind in (Kind.THING, Kind.PLACE) and not _known(words, end):
            return Token(Kind.UNKNOWN, f"{token.text} {words[end]}", plural=True), end + 1  # a soup pot is no soup
        return token, end
    if several is not None:
        return several
    if word in NUMBERS:
        return Token(Kind.NUMBER, word, NUMBERS[word]), at + 1
    return Token(Kind.FILLER if word.endswith("ly") else Kind.UNKNOWN, word), at + 1


def _known(words: list[str], at: int) -> bool:
    """Whether something that is understood begins here."""
    word = words[at]
    if not word[0].isalnum() or word in NUMBERS or word in DETERMINERS or word.endswith("ly"):
        return True
    return _phrase(words, at) is not None or _name(words, at) is not None


def _phrase(words: list[str], at: int) -> tuple[Token, int] | None:
    for length in range(LONGEST, 0, -1):
        text = " ".join(words[at : at + length])
        if at + length <= len(words) and text in phrases():
            kind, meaning = phrases()[text]
            return Token(kind, meaning), at + length
    return None


def _name(words: list[str], start: int) -> tuple[Token, int] | None:
    """The noun phrase that begins here and its end; None if there is none with a known name."""
    count: int | None = None
    at, every, apart, kinds = start, False, False, False
    while at < len(words):
        word = words[at]
        if word in NUMBERS or (word.isdigit() and len(word) <= 2):
            count = NUMBERS[word] if word in NUMBERS else int(word)
        elif word not in DETERMINERS and not (word == "of" and at > start):
            break
        every, apart = every or word in ("all", "every", "each"), apart or word == "another"
        at += 1
    described = at
    while at < len(words) and (_adjective(words, at, start) or words[at] in KINDS_OF or _room_before(words, at)):
        kinds = kinds or words[at] in KINDS_OF
        at += 1
        if kinds and words[at : at + 1] == ["of"]:
            at += 1
    for head in range(at, described - 1, -1):
        for length in range(min(LONGEST, len(words) - head), 0, -1):
            token = _headed(words, start, described, head, length)
            if token is not None:
                apart = apart or "other" in words[described:head]
                plural = token.plural or every or (count or 1) > 1
                many = None if every or (count is None and plural and token.plural) else (count or 1)
                return replace(
                    token, count=many, apart=apart, plural=plural, plain=head == start or words[start] == "any"
                ), head + length
    if count is not None and kinds:
        return Token(Kind.NUMBER, " ".join(words[start:at]), count), at
    return None


def _adjective(words: list[str], at: int, start: int) -> bool:
    """`open` is one only after an article: `the open can`."""
    return is_adjective(words[at]) and (at > start or words[at] not in ("open", "opened", "closed"))


def _room_before(words: list[str], at: int) -> bool:
    """Whether a room stands here as in `living room table`."""
    return (
        is_room(" ".join(words[at : at + 2]))
        or is_room(words[at])
        or words[max(at - 1, 0) : at + 1] == ["living", "room"]
    )


def _headed(words: list[str], start: int, described: int, head: int, length: int) -> Token | None:
    """A token for the phrase whose head is these words; None if they are no known name."""
    text = " ".join(words[head : head + length])
    if not all(word[0].isalnum() for word in words[head : head + length]):
        return None
    adjectives = [w for w in words[described:head] if w not in KINDS_OF and w not in _UNTOLD]
    if length == 1 and text in EVERY_THING | {f"{one}s" for one in EVERY_THING} and not adjectives:
        return Token(Kind.EVERYTHING, text, None, plural=True) if head > start else None
    if text == "one" and adjectives:
        return Token(Kind.THING, " ".join([*adjectives, "one"]))
    if length == 1 and text == "can" and head == start:
        return None  # a can has an article or a number; what has none is a verb
    kind = Kind.THING if is_thing(text) else Kind.PLACE if is_place(text) else None
    if kind is None or (length > 1 and words[head] in DETERMINERS):
        return None
    words_of_it = normalise(" ".join([*adjectives, text]))
    return Token(kind, words_of_it, plural=_in_plural(text))


def _in_plural(text: str) -> bool:
    """Whether a name means several: `boxes of sugar`; one box is called `crackers`."""
    head = text.split(" of ")[0].split()[-1]
    return normalise(head) != head and head != "crackers"
