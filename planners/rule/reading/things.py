"""Parser of the objects and places of an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planners.common_sense import is_container, is_room, is_surface, means
from planners.rule.reading import lexicon
from planners.rule.reading.lexicon import is_kind_of
from planners.rule.reading.nouns import Cursor, Kind, NotUnderstood, noun
from planners.rule.reading.orders import Item, Place
from planners.rule.reading.pronouns import Pronouns

_PREPOSITIONS = lexicon.INTO | lexicon.AT | lexicon.FROM


@dataclass(frozen=True, slots=True)
class Location:
    """A place after a preposition.

    Attributes:
        way: `to`, `at`, `from`, or `person` for the place of the speaker ("" if unknown).
        kind: Kind of the name: an object such as a bowl can be a place as well.
    """

    way: str
    place: Place
    kind: Kind = Kind.PLACE


@dataclass(frozen=True, slots=True)
class Group:
    """Objects and the places after them: `the apple on the desk to the sofa`."""

    items: tuple[Item, ...]
    places: tuple[Location, ...]


class Things(Pronouns):
    """Parses lists of objects with the places after them."""

    def _groups(self) -> list[Group]:
        """Parse groups joined by `and`, as long as each has a place."""
        cursor = self.cursor
        groups: list[Group] = []
        while True:
            start = cursor.at
            if groups and not cursor.take(lexicon.LIST):
                return groups
            group = self._group()
            if group is None or (
                groups and (not group.places or cursor.sees(lexicon.GOES | lexicon.IS | lexicon.STAYS))
            ):
                cursor.at = start
                return groups
            groups.append(group)

    def _group(self) -> Group | None:
        items = self._things()
        if not items:
            return None
        self._particle()
        places = self._places()
        excluded = self._exceptions() if any(item.count is None for item in items) else ()
        if excluded:
            items = tuple(self._exclude(item, excluded) for item in items)
            places = [*places, *self._places()]
        return Group(items, tuple(places))

    def _particle(self) -> None:
        """Skip `up` in `pick it up`, unless it begins a preposition."""
        if len(self.cursor.sees(_PREPOSITIONS | lexicon.PARTICLES).split()) == 1:
            self.cursor.take(lexicon.PARTICLES - _PREPOSITIONS)

    def _things(self) -> tuple[Item, ...]:
        """Parse a list of portable objects; empty if none begins at the cursor."""
        cursor = self.cursor
        items: list[Item] = []
        while True:
            start = cursor.at
            if items and (not cursor.take(lexicon.LIST) or self._quantifier_before_place()):
                cursor.at = start
                break
            things = self._thing()
            if not things:
                cursor.at = start
                break
            source = things[-1].source
            if (
                items
                and source
                and not items[-1].source
                and {"are", "lie", "stand"} & set(cursor.words[start : cursor.at])
            ):
                if things[-1].count != 1:
                    raise NotUnderstood(f"do not know whether the {items[-1].words} is at the {source} as well")
                items = [replace(item, source=item.source or source) for item in items]
            items += things
        return tuple(items)

    def _quantifier_before_place(self) -> bool:
        """Return whether `all` or `both` comes directly before a place: `the mug, the bowl, all on the sofa`."""
        following = Cursor(self.cursor.words[self.cursor.at :])
        return bool(following.take({"all", "both"}) and following.sees(_PREPOSITIONS))

    def _thing(self) -> tuple[Item, ...]:
        """Parse one noun phrase with the clause that says where the object is."""
        cursor, start = self.cursor, self.cursor.at
        noun_phrase = noun(cursor)
        if noun_phrase is None or noun_phrase.kind is Kind.PLACE:
            cursor.at = start
            return ()
        if noun_phrase.other:
            raise NotUnderstood(f"do not know which one '{cursor.rest(start)}' is")
        items = self._referents(noun_phrase, start)
        relative = cursor.at
        everything = {"is", "are", "there is", "lies", "stands"} if noun_phrase.kind is Kind.ALL else set()
        if cursor.take(lexicon.THAT_IS | everything):
            places = self._places(to_too=False, max_places=1)
            if not places:
                cursor.at = relative
            else:
                items = tuple(replace(item, source=places[0].place.words) for item in items)
        if (excluded := self._exceptions()) and noun_phrase.count is None:
            items = tuple(self._exclude(item, excluded) for item in items)
        return items

    def _exceptions(self) -> tuple[str, ...]:
        """Parse `except the mug and the bowl`."""
        cursor, start = self.cursor, self.cursor.at
        if not cursor.take(lexicon.EXCEPT | {"but"}):
            return ()
        words = self._name_list()
        if not words:
            cursor.at = start
        return words

    def _name_list(self) -> tuple[str, ...]:
        """Parse the names in a list, also those of furniture."""
        cursor, words = self.cursor, list[str]()
        while True:
            start = cursor.at
            noun_phrase = noun(cursor) if not words or cursor.take(lexicon.LIST) else None
            if noun_phrase is not None and noun_phrase.numbered:  # all but two
                raise cursor.not_understood(start)
            if noun_phrase is None or not noun_phrase.words or noun_phrase.words.endswith(" one"):
                cursor.at = start
                return tuple(words)
            words.append(noun_phrase.words)

    def _places(self, *, to_too: bool = True, max_places: int = 3) -> list[Location]:
        """Parse the places that follow, each after its preposition."""
        cursor = self.cursor
        places: list[Location] = []
        while len(places) < max_places:
            cursor.skip(lexicon.ASIDE)
            start = cursor.at
            if places and places[-1].way == "from" and cursor.take({"and"}) and not cursor.sees(_PREPOSITIONS):
                cursor.at = start
            is_there = cursor.take(lexicon.THERE)
            if is_there:
                places.append(Location("to", self._referenced_place(is_there)))
                continue
            if to_too and cursor.take(lexicon.HERE):
                places.append(Location("person", Place(self._room_of_person())))
                continue
            preposition = cursor.sees(_PREPOSITIONS | lexicon.NEAR)
            if not preposition or (preposition in lexicon.INTO and not to_too):
                cursor.at = start
                break
            if preposition in lexicon.NEAR - lexicon.AT:
                raise cursor.not_understood()
            cursor.take({preposition})
            way = "to" if preposition in lexicon.INTO else "from" if preposition in lexicon.FROM else "at"
            place, kind = self._place_after(preposition, start)
            previous = places[-1] if places and way == "at" and is_room(place.words) else None
            if previous is not None and previous.kind is Kind.PLACE and not is_room(previous.place.words):
                words = f"{place.words} {previous.place.words}"
                places[-1] = replace(previous, place=replace(previous.place, words=words))
            else:
                places.append(Location(way, place, kind))
        return places

    def _place_after(self, preposition: str, start: int) -> tuple[Place, Kind]:
        """Parse the place after a preposition, and the kind of its name."""
        cursor = self.cursor
        inside = preposition in lexicon.INSIDE
        noun_phrase = noun(cursor)
        if noun_phrase is None and inside and self.containers and preposition in ("in", "inside", "back in"):
            return Place(self.containers[-1], True), Kind.PLACE  # put it in
        if noun_phrase is not None and noun_phrase.kind in (Kind.IT, Kind.THEM):
            return replace(self._referenced_place(preposition), inside=inside), Kind.PLACE
        if noun_phrase is None or not noun_phrase.words or noun_phrase.count != 1 or noun_phrase.other:
            raise cursor.not_understood(start)
        if inside and noun_phrase.kind is Kind.THING and not lexicon.is_vessel(noun_phrase.words):
            raise NotUnderstood(f"do not know how to put anything '{preposition} the {noun_phrase.words}'")
        words = self._in_its_room(noun_phrase) if noun_phrase.kind is Kind.PLACE else noun_phrase.words
        if preposition in lexicon.ON_TOP and is_container(words) and not is_surface(words):
            location = f"{preposition} the {words}"
            raise NotUnderstood(f"do not know how to put anything '{location}', which I can only open and fill")
        if cursor.sees(lexicon.NEAR - lexicon.AT):
            raise cursor.not_understood()
        return Place(words, inside or (preposition in lexicon.INTO and is_container(words))), noun_phrase.kind

    def _exclude(self, item: Item, excluded: Sequence[str]) -> Item:
        """Exclude the named objects from an item, as far as they belong to it."""
        matching = self._matching_names(item, excluded)
        if matching and item.count is not None:
            raise NotUnderstood(f"cannot leave out the {matching[0]} where one {item.words} is meant")
        return replace(item, excluded=(*item.excluded, *matching))

    def _matching_names(self, item: Item, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names to which an item may refer."""
        return tuple(
            name for name in names if not item.words or means(item.words, name) or is_kind_of(name, item.words)
        )
