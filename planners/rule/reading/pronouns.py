"""Reference resolution: `it`, `them`, `the rest`, `the green one`, `there`, `in it`, `here`."""

from __future__ import annotations

from collections.abc import Sequence

from planners.common_sense import is_container
from planners.rule.reading import lexicon
from planners.rule.reading.doors import Doors
from planners.rule.reading.lexicon import is_kind_of
from planners.rule.reading.nouns import Cursor, Kind, NotUnderstood, Noun, noun
from planners.rule.reading.orders import Item, Place


class Pronouns(Doors):
    """Resolves references to objects and places mentioned before."""

    def __init__(self, cursor: Cursor, items: Sequence[Item] = (), place: str = "") -> None:
        super().__init__(cursor, items, place)
        self.here = ""
        self.cleared: Item | None = None

    def _referents(self, noun_phrase: Noun, start: int) -> tuple[Item, ...]:
        """Return the items to which a noun phrase refers; pronouns and `the green one` refer to earlier items."""
        if noun_phrase.kind in (Kind.IT, Kind.THEM):
            if not self.items or (noun_phrase.kind is Kind.IT and len(self.items) > 1):
                raise NotUnderstood(f"do not know what '{' '.join(self.cursor.words[start : self.cursor.at])}' is")
            return self.items
        if noun_phrase.kind is Kind.REST:
            return (self.cleared or Item("", None),)
        if noun_phrase.words.endswith(" one"):
            if not self.items or not self.items[-1].words:
                raise NotUnderstood(f"do not know what the {noun_phrase.words} is")
            return (
                Item(f"{noun_phrase.words.removesuffix(' one')} {self.items[-1].words.split()[-1]}", noun_phrase.count),
            )
        return (Item(noun_phrase.words, noun_phrase.count),)

    def _room_of_person(self) -> str:
        """Parse the room of the speaker: `to me in the bedroom`, or as stated before."""
        cursor, start = self.cursor, self.cursor.at
        room = noun(cursor) if cursor.take({"in", "at"}) else None
        if room is not None and room.kind is Kind.PLACE and room.count == 1:
            return room.words
        cursor.at = start
        return self.here

    def _referenced_place(self, words: str) -> Place:
        """Return the place to which `there` or `in it` refers: the last place mentioned, or else the only object."""
        noun_phrase = self.items[0].words if len(self.items) == 1 else ""
        vessel = noun_phrase if is_kind_of(noun_phrase, "dish") and words not in lexicon.THERE else ""
        if not (self.place or vessel):
            raise NotUnderstood(f"do not know where '{words}' is")
        if self.place and words.startswith("in") and vessel and not is_container(self.place):
            raise NotUnderstood(f"cannot tell whether '{words} it' means the {vessel} or the {self.place}")
        name = self.place or vessel
        return Place(name, words in lexicon.INSIDE or (words in lexicon.INTO and is_container(name)))
