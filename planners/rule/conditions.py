"""Conditions in instructions: what to do if something is at a place, and what otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planners.rule.lexer import Token, tokens
from planners.rule.lexicon import Kind
from planners.rule.loose import LooseReader
from planners.rule.orders import Errand, IfThere, Place
from planners.rule.phrases import Item
from planners.rule.waiting import NotUnderstood

_THERE_IS = r"(?:if|when|whenever|whether|in case|provided(?: that)?|as long as) (?:there (?:is|are)|you (?:find|see))"
_ITEM, _PLACE = r"(?P<item>[^,.;:!?]+?)", r"(?P<place>[^,.;:!?]+?)"
_HEADS = (
    rf"(?:\b(?:check|look|see) )?\b{_THERE_IS} (?P<none>no |not any )?{_ITEM} (?:in|on) {_PLACE}(?:[,:.;]| then )",
    rf"(?:^|(?<=[.,;:!] ))(?:is|are) (?:there )?{_ITEM} (?:in|on|inside|at) {_PLACE}\s*\?",
    rf"\b(?:check|search|inspect|look into|look inside|look in) {_PLACE} for {_ITEM}[,:.;]",
)
_SO = re.compile(r"^\s*(?:if (?:so|yes|there (?:is|are))\b|then\b)?[\s,]*")
_NONE = r"(?:none|nothing|no \w+(?: \w+)?|not)"
_ELSE = re.compile(
    r"[\s,.;:]*\b(?:and |but )?(?:otherwise|or else|else|if not"
    rf"|(?:if|when|in case) (?:there (?:is|are)|you (?:find|see)) {_NONE}(?: (?:there|in there|in it|on it))?"
    r"|(?:without|with no) (?:any )?\w+(?: \w+)? (?:in|on) (?:there|it))\b[\s,:]*(?:then\b)?\s*"
)
_ELSE_SOME = re.compile(
    r"[\s,.;:]*\b(?:and |but )?(?:otherwise|or else|else|if (?:so|there (?:is|are) (?:one|some)))\b[\s,:]*"
)
_END = re.compile(r"[.!?;](?:\s+|$)")


@dataclass(frozen=True, slots=True)
class _Condition:
    """A text in parts: what comes before, what is looked for and where, both branches, what comes after."""

    before: str
    item: str
    place: str
    then: str
    otherwise: str
    after: str


def read_loosely(text: str) -> tuple[Errand, ...]:
    """The errands in a text (lower case, single blanks) by the looser reading; raises NotUnderstood."""
    reader = LooseReader()
    while (condition := _condition(text)) is not None:
        reader.take(tokens(condition.before))
        errand = _read(condition)
        reader.add(errand, errand.place.words)
        text = condition.after
    reader.take(tokens(text))
    return reader.finish()


def _condition(text: str) -> _Condition | None:
    found = next((found for head in _HEADS if (found := re.search(head, text))), None)
    if found is None:
        return None
    rest = text[found.end() :].strip()
    rest = rest[_SO.match(rest).end() :]  # type: ignore[union-attr]
    reversed_ = bool(found.groupdict().get("none"))
    marker = (_ELSE_SOME if reversed_ else _ELSE).search(rest)
    end = _END.search(rest, marker.end() if marker else 0)
    first = rest[: marker.start()] if marker else rest[: end.start() if end else None]
    second = rest[marker.end() : end.start() if end else None] if marker else ""
    if not first or (marker and not second):
        raise NotUnderstood("What is to be done then?")
    then, otherwise = (second, first) if reversed_ else (first, second)
    after = rest[end.end() :] if end else ""
    return _Condition(text[: found.start()], found["item"], found["place"], then, otherwise, after)


def _read(condition: _Condition) -> IfThere:
    item = _only(condition.item, Kind.THING)
    place = _only(condition.place, Kind.PLACE)
    there = Item(item.text, item.count, place.text)
    then, otherwise = (
        _branch(text, what, place.text)
        for text, what in ((condition.then, there), (condition.otherwise, Item(item.text, item.count)))
    )
    return IfThere(Item(item.text), Place(place.text), then, otherwise)


def _branch(text: str, item: Item, where: str) -> tuple[Errand, ...]:
    if not text:
        return ()
    reader = LooseReader((item,), where)
    reader.take(tokens(text))
    errands = reader.finish()
    if not errands:
        raise NotUnderstood("What is to be done then?")
    return errands


def _only(text: str, kind: Kind) -> Token:
    """The one name in a text."""
    telling = [one for one in tokens(text) if one.kind is not Kind.FILLER and one.text != "of"]
    if len(telling) != 1 or telling[0].kind is not kind:
        raise NotUnderstood(f"What is '{text}'?")
    return telling[0]
