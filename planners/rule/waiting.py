"""Things of an instruction that wait for a destination, and what becomes of them when one is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planners.common_sense import is_container, means
from planners.rule.lexer import Token
from planners.rule.lexicon import is_kind_of
from planners.rule.orders import Bring, Errand, Place, Stock
from planners.rule.phrases import Item
from planners.rule.sentences import Segment

ROOM_PLACES = {
    "kitchen": "kitchen counter",
    "living room": "living room table",
    "bedroom": "bed",
    "bathroom": "washbasin",
    "dining room": "dining room table",
    "study": "desk",
}
"""Where something is put that is to be brought to a room."""


class NotUnderstood(Exception):
    """The sentence says why."""


@dataclass(slots=True)
class Waiting:
    """A thing without a destination so far. stale: it was named in a sentence before this one; told: it was
    said where it is; again: it was moved
    before and is only mentioned again; plain: named without article or number; apart: none of those beside it."""

    item: Item
    stale: bool = False
    told: bool = False
    again: bool = False
    plain: bool = False
    apart: bool = False


class WaitingThings:
    """What was named and has no destination yet. A pronoun means `items` at first, and `there` means `where`."""

    def __init__(self, items: Sequence[Item], where: str) -> None:
        self.errands: list[Errand] = []
        self._last = tuple(items)
        self._waiting: list[Waiting] = []
        self._where = where
        self._to: Place | None = None
        self._implied: Place | None = None
        self._ahead: Place | None = None
        self._here = ""
        self._cleared = ""
        self._total = False
        self._containers: list[str] = [where] if is_container(where) else []
        self._named: list[str] = []

    def _wait(self, new: Waiting) -> None:
        """One more thing that waits for its destination. What waits from a sentence before must be the same thing, or
        a word for the kind of it; else nobody said where that should go."""
        self._named += [new.item.words] if new.item.words else []
        same = next((old for old in self._waiting if old.item.words == new.item.words), None)
        if same and not new.apart:
            item = new.item
            same.item = replace(item, source=item.source or same.item.source, besides=item.besides or same.item.besides)
            same.again = same.stale = False
            return
        for old in list(self._waiting):
            if old.again or (old.told and old is same) or (old.stale and is_kind_of(new.item.words, old.item.words)):
                self._waiting.remove(old)
            elif old.stale:
                raise NotUnderstood(f"Where is the {old.item.words} to go?")
        self._waiting.append(new)

    def _except(self, words: str) -> None:
        for one in self._waiting:
            if one.item.count is None:
                one.item = replace(one.item, besides=words)
        if self._cleared:
            self._waiting.append(Waiting(Item("", None, self._cleared, words), again=True))

    def _number(self, token: Token) -> None:
        """`two kinds`, or `three` of what was named last."""
        if not self._waiting and self._last:
            self._mention("one")
        if not self._waiting:
            raise NotUnderstood(f"{token.text} of what?")
        one = self._waiting[-1]
        one.item, one.again, one.stale = replace(one.item, count=token.count), False, False
        if self._total:
            one.item = replace(one.item, source="")

    def _mention(self, text: str) -> None:
        """What a pronoun stands for waits for its destination, again."""
        if not self._waiting:
            self._waiting = [Waiting(one, again=True) for one in self._last]
        for one in self._waiting:
            one.stale = False
            if text in ("one", "another", "another one") or (text == "it" and one.again and one.item.words):
                one.item = replace(one.item, count=1)

    # ------------------------------------------------------------ places

    def _note(self, place: str) -> None:
        self._where = place
        if is_container(place):
            self._containers = [*(one for one in self._containers if one != place), place]

    def _place(self, words: str, inside: bool) -> Place:
        return Place(ROOM_PLACES.get(words, words), inside or is_container(words))

    def _start_at(self, name: str, segment: Segment) -> None:
        """What waits is there now."""
        if segment.first_person and segment.says("am"):
            self._here = name
        for one in self._waiting:
            if not one.item.source and not one.stale and (one is self._waiting[-1] or not segment.swaps):
                one.item, one.told = replace(one.item, source=name), segment.tells

    def _arrive(self, place: Place) -> None:
        """What waits is to go there."""
        things = [one for one in self._waiting if not self._stands_for_others(one)]
        for one in things:
            item = one.item
            if one.plain and item.source and item.words in ("fruit", "food"):
                item = replace(item, count=None)
            if item.source and means(item.source, place.words) and item.source == place.words:
                item = replace(item, source="")
            if not item.words and not item.source:
                raise NotUnderstood("All of what?")
            if item.words == place.words:
                raise NotUnderstood(f"The {item.words} can not go there.")
            if self._total:
                self.errands.append(Stock(item, place))
            else:
                self.errands.append(Bring(item, place))
        self._last = tuple(replace(one.item, source="") for one in things)
        self._waiting, self._to, self._implied, self._total = [], place, None, False
        if is_container(place.words):
            self._note(place.words)

    def _stands_for_others(self, one: Waiting) -> bool:
        """Whether it is a word for what is named beside it: `lemon and orange, both fruits`."""
        others = [other.item.words for other in self._waiting if other is not one and other.item.words]
        members = [words for words in others if is_kind_of(words, one.item.words)]
        return bool(one.item.words and members) and not one.apart and one.item.count in (None, len(members))
