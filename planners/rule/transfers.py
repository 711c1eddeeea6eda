"""Orders to take things somewhere: which things, from where, and where to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perception.names import canonical
from planners.common_sense import is_container, is_room, means
from planners.rule import lexicon
from planners.rule.doors import Doors
from planners.rule.lexicon import is_kind_of
from planners.rule.nouns import Cursor, Kind, NotUnderstood, Noun, noun
from planners.rule.orders import Bring, Fetch, Item, Place, Stock, Swap, Visit

ROOM_PLACES = {
    "kitchen": "kitchen counter",
    "living room": "living room table",
    "bedroom": "bed",
    "bathroom": "washbasin",
    "dining room": "dining room table",
    "study": "desk",
}
"""Where something is put that is to be brought to a room."""
_WAYS = ("to", "at", "from")
_PREPOSITIONS = lexicon.INTO | lexicon.AT | lexicon.FROM
_VERBS_AFTER = lexicon.GOES | lexicon.IS | lexicon.STAYS


@dataclass(frozen=True, slots=True)
class Where:
    """A place after a preposition. way: `to`, `at`, `from`, or `person`: where the speaker is, "" if that is not known.
    kind: a thing, such as a bowl, is a place as well."""

    way: str
    place: Place
    kind: Kind = Kind.PLACE


@dataclass(frozen=True, slots=True)
class Group:
    """Things and the places named after them: `the apple on the desk to the sofa`."""

    items: tuple[Item, ...]
    places: tuple[Where, ...]


class Transfers(Doors):
    """Reads what is to be taken where."""

    def __init__(self, cursor: Cursor, items: Sequence[Item] = (), place: str = "") -> None:
        super().__init__(cursor, items, place)
        self.here = ""
        self.cleared: Item | None = None
        self.told: list[Item] = []
        self.verb = ""
        self.kept: list[str] = []

    # ------------------------------------------------------------ orders

    def _move(self) -> bool:
        """`put the apple on the desk and the pear on the sofa`"""
        cursor = self.cursor
        verb = cursor.take(lexicon.SET_DOWN | lexicon.BRING | lexicon.TAKE | lexicon.HAND | lexicon.CHILL)
        if not verb:
            return False
        if verb in ("set", "lay", "prepare") and self._lay():
            return True
        for_me = verb in lexicon.HAND and bool(cursor.take({"me", "us"}))
        self._particle()
        groups = self._groups()
        if not groups:
            raise cursor.not_understood()
        final = groups[-1]
        shared = (
            final.places[-1] if len(groups) > 1 and len(final.places) > 1 and final.places[-1].way == "to" else None
        )
        for group in groups:
            if shared is not None and group is not final and [one.way for one in group.places] == ["at"]:
                group = replace(group, places=(*group.places, shared))
            self._transfer(verb, group, for_me)
        self.verb = verb
        return True

    def _lay(self) -> bool:
        """`lay the table with a bowl and a mug`"""
        cursor, start = self.cursor, self.cursor.at
        table = noun(cursor)
        if table is not None and table.kind is Kind.PLACE and table.count == 1:
            cursor.skip(lexicon.ASIDE)
            if cursor.take({"with", "for", ":"}) and (things := self._things()):
                self._arrive(things, Place(table.words))
                return True
        cursor.at = start
        return False

    def _transfer(self, verb: str, group: Group, for_me: bool) -> None:
        """Decide which of the places says where to, and which where from."""
        ways = [[one for one in group.places if one.way == way] for way in _WAYS]
        to, at, source = ways
        if verb in lexicon.CHILL and not to:
            fridge = Where("to", Place("fridge", True))
            to, at = [fridge], [one for one in at if canonical(one.place.words) != "fridge"]
        elif not to and at and verb in lexicon.SET_DOWN | {""}:
            to, at = at[-1:], at[:-1]
            if at and at[0].kind is Kind.THING:
                raise NotUnderstood(f"cannot tell whether the {at[0].place.words} is where from or where to")
        elif not to and at and not source and not for_me and verb in lexicon.BRING:
            what = group.items[0].words or "rest"
            raise NotUnderstood(f"cannot tell whether the {what} is at the {at[0].place.words} or is to go there")
        starts = [*at, *source]
        unknown = [one for one in group.places if one.kind is Kind.UNKNOWN]
        if len(to) > 1 or len(starts) > 1 or (unknown and len(group.places) > 1):
            raise NotUnderstood("cannot tell which of the places is where to")
        items = tuple(self._from(item, starts[0].place.words if starts else "") for item in group.items)
        person = next((one.place.words for one in group.places if one.way == "person"), self.here if for_me else "")
        for_me = for_me or any(one.way == "person" for one in group.places)
        added = self.place or next(reversed(self.containers), "")
        if verb == "add" and not to and added:
            to = [Where("to", Place(added, is_container(added)))]
        if to:
            self._arrive(items, to[0].place)
        elif for_me or verb in lexicon.TAKE | lexicon.HAND or (source and verb.startswith("clear")):
            self._fetch(items)
            self.errands += [Visit(person)] if person else []
        else:
            raise NotUnderstood(f"do not know where the {items[0].words or 'rest'} is to go")

    def _from(self, item: Item, source: str) -> Item:
        """The item with the place where it is: as said here, or as told before."""
        if source:
            return replace(item, source=source)
        told = next((one for one in self.told if one.words == item.words and not item.source), None)
        return item if told is None else replace(item, source=told.source)

    def _arrive(self, items: Sequence[Item], place: Place) -> None:
        """Things are to go to a place."""
        where = Place(ROOM_PLACES.get(canonical(place.words), place.words), place.inside)
        for item in items:
            if not item.words and not item.source:
                if self.cleared is None:
                    raise NotUnderstood("do not know of what place everything is meant")
                item = replace(self.cleared, besides=(*self.cleared.besides, *item.besides))
            if item.words == place.words or (item.source and item.source == where.words):
                raise NotUnderstood(f"cannot bring the {item.words or 'things'} to where they are")
            if self.cleared is not None and item.source == self.cleared.source:
                self.cleared = None
            self.errands.append(Bring(item, where))
        self._moved(items)
        self._note(place)

    def _fetch(self, items: Sequence[Item]) -> None:
        self.errands += [Fetch(item) for item in items]
        self._use(items)
        self.items = tuple(items)
        if items[0].source:
            self._note(Place(items[0].source))

    def _moved(self, items: Sequence[Item]) -> None:
        self.items = tuple(replace(item, source="") for item in items)
        self._use(items)

    def _use(self, items: Sequence[Item]) -> None:
        """What was said of things has been used."""
        self.told = [one for one in self.told if all(one.words != item.words for item in items)]

    def _note(self, place: Place) -> None:
        self.place = place.words
        if is_container(place.words):
            self._note_containers([place.words])

    def _find(self) -> bool:
        """`find the mug`: a visit, if nothing is done with it afterwards."""
        cursor = self.cursor
        if not cursor.take(lexicon.FIND):
            return False
        items = self._things()
        places = self._places()
        if not items or len(places) > 1 or any(one.way == "to" for one in places):
            return False
        items = tuple(self._from(item, places[0].place.words if places else "") for item in items)
        self._fetch(items)
        if len(items) == 1 and items[0].count == 1 and not items[0].source and items[0].words:
            self.errands[-1] = Visit(items[0].words)
        return True

    def _clear(self) -> bool:
        """`empty the fridge onto the table`; without a destination, what is there has to get one later."""
        cursor = self.cursor
        if not cursor.take(lexicon.CLEAR):
            return False
        place = noun(cursor)
        if place is None or place.kind is not Kind.PLACE or place.count != 1:
            return False
        name = self._in_its_room(place)
        besides = self._besides()
        to = self._places()
        if len(to) > 1 or any(one.way == "from" for one in to):
            return False
        self.cleared = Item("", None, name, besides)
        self._note(Place(name))
        if to:
            self._arrive((self.cleared,), to[0].place)
        return True

    def _swap(self) -> bool:
        """`swap the mug and the bowl`; `the mug and the bowl change places`"""
        cursor = self.cursor
        verb = cursor.take(lexicon.SWAP)
        if verb:
            cursor.take({"the places of"})
        pairs: list[Item] = []
        while len(pairs) < 2:
            things = self._thing()
            if len(things) != 1:
                return False
            places = self._places(to_too=False)
            pairs.append(self._from(things[0], places[0].place.words if places else ""))
            if len(pairs) == 1 and not cursor.take({"and", "with", "for", "changes places with", "change places with"}):
                return False
        changing = cursor.take(lexicon.CHANGE_PLACES | {"around", "round"})
        before = cursor.words[: cursor.at]
        if not verb and not changing and "places" not in before:
            return False
        if any(one.count != 1 or not one.words for one in pairs):
            raise NotUnderstood("can only exchange one thing for one other")
        self.errands.append(Swap(*pairs))
        self._moved(pairs)
        return True

    def _stock(self) -> bool:
        """`have exactly four cans in the cabinet`; `the fridge should have three pieces of fruit in it`"""
        cursor = self.cursor
        if cursor.take(
            {"have", "make sure there are", "make sure there is", "there should be", "there are to be", "there must be"}
        ):
            things, places = self._things(), self._places()
            place = places[0].place if len(places) == 1 and places[0].way == "at" else None
        else:
            where = noun(cursor)
            if where is None or where.kind is not Kind.PLACE or not cursor.take(lexicon.SHOULD_HAVE):
                return False
            place = Place(where.words, is_container(where.words))
            things = self._things()
            cursor.take({"in it", "on it", "inside"})
        if place is None or len(things) != 1 or things[0].count is None or not things[0].words:
            return False
        if cursor.take({", where there are", ", where there is"}) and (
            noun(cursor) or cursor.take(lexicon.NUMBERS.keys())
        ):
            cursor.take({"now", "already"})
        self.errands.append(Stock(things[0], place))
        self._moved(things)
        self._note(place)
        return True

    # ------------------------------------------------------------ clauses that begin with what they speak of

    def _subject(self) -> bool:
        """`the bowl belongs in the sink`, `the mug is in the drawer`, `lemon to the sofa`"""
        cursor, start = self.cursor, self.cursor.at
        asked = cursor.take({"what is", "what are"})
        group = self._group()
        if group is None:
            cursor.at = start
            return self._holds()
        if cursor.take({"doing"}) and asked:
            places = self._places(to_too=False)
            return bool(places) and self._tell(group.items, places)
        floating = cursor.take({"all", "both", ", all", ", both"})
        if cursor.take(lexicon.GOES):
            if cursor.words[start] == "any":
                group = replace(group, items=tuple(replace(item, count=None) for item in group.items))
            wanted = self._places()
            if not wanted or wanted[-1].way == "from" or len(wanted) > 2:
                raise cursor.not_understood()
            if wanted[-1].way == "at":
                wanted[-1] = replace(wanted[-1], way="to")
            self._transfer("", Group(group.items, (*group.places, *wanted)), False)
            self.verb = "put"
            return True
        if cursor.take(lexicon.JOINS) and self.place:
            self._arrive(group.items, Place(self.place, is_container(self.place)))
            return True
        if cursor.take(lexicon.IS | lexicon.NEEDS) and not group.places:
            places = self._places(to_too=False)
            return self._tell(group.items, places) if places else self._describe(group.items)
        if floating:
            group = replace(group, places=tuple(self._places()))
        ways = [one.way for one in group.places]
        if "to" not in ways and ways != ["from", "at"] and not (ways and (self.verb or floating)):
            return False
        self._transfer(self.verb if self.verb in lexicon.SET_DOWN else "put", group, False)
        return True

    def _holds(self) -> bool:
        """`one of the drawers has a sponge in it`"""
        cursor = self.cursor
        where = noun(cursor)
        if where is None or where.kind is not Kind.PLACE:
            return False
        if cursor.take(lexicon.IS):
            self._note(Place(where.words))
            return not cursor.sees({"to be"}) and self._asks_nothing()
        if not cursor.take(lexicon.HAS):
            return False
        things = self._things()
        if not things or not cursor.take({"in it", "on it", "inside", "inside it", "in them"}):
            return False
        return self._tell(things, [Where("at", Place(where.words))])

    def _describe(self, items: tuple[Item, ...]) -> bool:
        """`the mug is dirty` speaks of a thing; what is to be done with it has to be said elsewhere."""
        if not self._asks_nothing():
            return False
        self.told += [one for one in items if not self._brought(one)]
        self.items = items
        cursor, start = self.cursor, self.cursor.at
        if cursor.take({"and"}) and cursor.take(lexicon.GOES):
            self._transfer("put", Group(items, tuple(self._places())), False)
        else:
            cursor.at = start
        return True

    def _brought(self, item: Item) -> bool:
        return any(isinstance(one, Bring) and one.item.words == item.words for one in self.errands)

    def _tell(self, items: Sequence[Item], places: Sequence[Where]) -> bool:
        """It is said where something is. What was to be moved before is taken from there."""
        if len(places) != 1 or places[0].way != "at":
            return False
        source = places[0].place.words
        for item in items:
            moved = [one for one in self.errands if isinstance(one, Bring) and one.item.words == item.words]
            for errand in moved:
                if errand.item.source or errand.place.words == source:
                    return False
                self.errands[self.errands.index(errand)] = replace(errand, item=replace(errand.item, source=source))
            if not moved:
                self.told.append(replace(item, source=source))
        self.items = tuple(replace(item, source=source) for item in items)
        self._note(places[0].place)
        return True

    def _exception(self) -> bool:
        """`except for the mug`, `not the pear`: of what was to be moved just now."""
        if not self.cursor.take(lexicon.EXCEPT):
            return False
        besides = self._listed()
        last = self._last_bring()
        if not besides or last is None:
            return False
        self.errands[-1] = replace(last, item=self._without(last.item, besides))
        return True

    def _without(self, item: Item, besides: Sequence[str]) -> Item:
        """The item without what is named. Where nothing of the kind was to be moved, nothing is left out."""
        touched = self._touched(item, besides)
        if touched and item.count is not None:
            raise NotUnderstood(f"cannot leave out the {touched[0]} where one {item.words} is meant")
        return replace(item, besides=(*item.besides, *touched))

    def _touched(self, item: Item, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the names that the item may mean."""
        return tuple(one for one in names if not item.words or means(item.words, one) or is_kind_of(one, item.words))

    def _stay(self) -> bool:
        """`the rest stays`, `leave the mug where it is`"""
        cursor, start = self.cursor, self.cursor.at
        last = self._last_bring()
        if cursor.take({"which stays", "which stay"}):
            item = last.item if last is not None else self.cleared
            return item is not None and bool(item.besides)
        if cursor.take({"leave it there", "leave them there"}):
            return last is not None
        if cursor.take({"what is no", "whatever is no", "what is not"}):
            kind = noun(cursor)
            same = kind is not None and last is not None and kind.words == last.item.words
            return same and bool(cursor.take(lexicon.STAYS))
        leave = cursor.take({"leave", "keep"})
        kept = noun(cursor)
        if kept is None or not (cursor.take(lexicon.WHERE_IT_IS) if leave else cursor.take(lexicon.STAYS)):
            where = self._places(to_too=False) if leave and kept is not None and kept.kind is Kind.THING else []
            if not where or kept is None or not self._among_many(kept.words):
                cursor.at = start
                return False
        elif not leave:
            cursor.take(lexicon.WHERE_IT_IS)
        if kept.kind is Kind.REST or kept.other:
            return bool(self.errands)
        if kept.kind is not Kind.THING or kept.words.endswith(" one"):
            return False
        self.kept.append(kept.words)
        return True

    def _among_many(self, words: str) -> bool:
        """Whether it is one of those that were all to be moved just now."""
        last = self._last_bring()
        return last is not None and last.item.count is None and bool(self._touched(last.item, (words,)))

    def _last_bring(self) -> Bring | None:
        """The errand read last, if it is to bring something."""
        last = self.errands[-1] if self.errands else None
        return last if isinstance(last, Bring) else None

    def _leave_alone(self) -> None:
        """Take out of the errands what is to stay where it is."""
        for at, errand in enumerate(self.errands):
            if isinstance(errand, Bring) and (touched := self._touched(errand.item, self.kept)):
                self.errands[at] = replace(errand, item=self._without(errand.item, touched))

    # ------------------------------------------------------------ things and places

    def _groups(self) -> list[Group]:
        """Groups with `and` between them, as long as each has a place."""
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
        besides = self._besides() if any(item.count is None for item in items) else ()
        if besides:
            items = tuple(self._without(item, besides) for item in items)
            places = [*places, *self._places()]
        return Group(items, tuple(places))

    def _particle(self) -> None:
        """`up` in `pick it up`, unless a preposition begins with it."""
        if len(self.cursor.sees(_PREPOSITIONS | lexicon.PARTICLES).split()) == 1:
            self.cursor.take(lexicon.PARTICLES - _PREPOSITIONS)

    def _things(self) -> tuple[Item, ...]:
        """A list of things that can be taken somewhere; empty where none begins."""
        cursor = self.cursor
        found: list[Item] = []
        while True:
            start = cursor.at
            if found and (not cursor.take(lexicon.LIST) or self._floats()):
                cursor.at = start
                break
            things = self._thing()
            if not things:
                cursor.at = start
                break
            source = things[-1].source
            if (
                found
                and source
                and not found[-1].source
                and {"are", "lie", "stand"} & set(cursor.words[start : cursor.at])
            ):
                if things[-1].count != 1:
                    raise NotUnderstood(f"do not know whether the {found[-1].words} is at the {source} as well")
                found = [replace(item, source=item.source or source) for item in found]
            found += things
        return tuple(found)

    def _floats(self) -> bool:
        """Whether `all` or `both` stands alone before a place: `the mug, the bowl, all on the sofa`."""
        after = Cursor(self.cursor.words[self.cursor.at :])
        return bool(after.take({"all", "both"}) and after.sees(_PREPOSITIONS))

    def _thing(self) -> tuple[Item, ...]:
        """One noun phrase with the clause that says where it is."""
        cursor, start = self.cursor, self.cursor.at
        named = noun(cursor)
        if named is None or named.kind is Kind.PLACE:
            cursor.at = start
            return ()
        if named.other:
            raise NotUnderstood(f"do not know which one '{cursor.rest(start)}' is")
        items = self._meant(named, start)
        relative = cursor.at
        everything = {"is", "are", "there is", "lies", "stands"} if named.kind is Kind.ALL else set()
        if cursor.take(lexicon.THAT_IS | everything):
            places = self._places(to_too=False, most=1)
            if not places:
                cursor.at = relative
            else:
                items = tuple(replace(item, source=places[0].place.words) for item in items)
        if (besides := self._besides()) and named.count is None:
            items = tuple(self._without(item, besides) for item in items)
        return items

    def _besides(self) -> tuple[str, ...]:
        """`except the mug and the bowl`"""
        cursor, start = self.cursor, self.cursor.at
        if not cursor.take(lexicon.EXCEPT | {"but"}):
            return ()
        words = self._listed()
        if not words:
            cursor.at = start
        return words

    def _listed(self) -> tuple[str, ...]:
        """Names in a list, of things that cannot be carried as well."""
        cursor, words = self.cursor, list[str]()
        while True:
            start = cursor.at
            named = noun(cursor) if not words or cursor.take(lexicon.LIST) else None
            if named is None or not named.words or named.words.endswith(" one"):
                cursor.at = start
                return tuple(words)
            words.append(named.words)

    def _meant(self, named: Noun, start: int) -> tuple[Item, ...]:
        """What a noun phrase means: pronouns and `the green one` refer to what was named before."""
        if named.kind in (Kind.IT, Kind.THEM):
            if not self.items or (named.kind is Kind.IT and len(self.items) > 1):
                raise NotUnderstood(f"do not know what '{' '.join(self.cursor.words[start : self.cursor.at])}' is")
            return self.items
        if named.kind is Kind.REST:
            return (self.cleared or Item("", None),)
        if named.words.endswith(" one"):
            if not self.items or not self.items[-1].words:
                raise NotUnderstood(f"do not know what the {named.words} is")
            return (Item(f"{named.words.removesuffix(' one')} {self.items[-1].words.split()[-1]}", named.count),)
        return (Item(named.words, named.count),)

    def _places(self, *, to_too: bool = True, most: int = 3) -> list[Where]:
        """The places that follow, each after its preposition."""
        cursor = self.cursor
        found: list[Where] = []
        while len(found) < most:
            cursor.skip(lexicon.ASIDE)
            start = cursor.at
            if found and found[-1].way == "from" and cursor.take({"and"}) and not cursor.sees(_PREPOSITIONS):
                cursor.at = start
            there = cursor.take(lexicon.THERE)
            if there:
                found.append(Where("to", self._referred(there)))
                continue
            if to_too and cursor.take(lexicon.HERE):
                found.append(Where("person", Place(self._room_of_person())))
                continue
            preposition = cursor.sees(_PREPOSITIONS | lexicon.NEAR)
            if not preposition or (preposition in lexicon.INTO and not to_too):
                cursor.at = start
                break
            if preposition in lexicon.NEAR - lexicon.AT:
                raise cursor.not_understood()
            cursor.take({preposition})
            way = "to" if preposition in lexicon.INTO else "from" if preposition in lexicon.FROM else "at"
            place, kind = self._after(preposition, start)
            before = found[-1] if found and way == "at" and is_room(place.words) else None
            if before is not None and before.kind is Kind.PLACE and not is_room(before.place.words):
                words = f"{place.words} {before.place.words}"
                found[-1] = replace(before, place=replace(before.place, words=words))
            else:
                found.append(Where(way, place, kind))
        return found

    def _room_of_person(self) -> str:
        """Where whoever speaks is: `to me in the bedroom`, or as was said before."""
        cursor, start = self.cursor, self.cursor.at
        room = noun(cursor) if cursor.take({"in", "at"}) else None
        if room is not None and room.kind is Kind.PLACE and room.count == 1:
            return room.words
        cursor.at = start
        return self.here

    def _after(self, preposition: str, start: int) -> tuple[Place, Kind]:
        """The place after a preposition, and what kind of a name it has."""
        cursor = self.cursor
        inside = preposition in lexicon.INSIDE
        named = noun(cursor)
        if named is None and inside and self.containers and preposition in ("in", "inside", "back in"):
            return Place(self.containers[-1], True), Kind.PLACE  # put it in
        if named is not None and named.kind in (Kind.IT, Kind.THEM):
            return replace(self._referred(preposition), inside=inside), Kind.PLACE
        if named is None or not named.words or named.count != 1 or named.other:
            raise cursor.not_understood(start)
        words = self._in_its_room(named) if named.kind is Kind.PLACE else named.words
        if cursor.sees(lexicon.NEAR - lexicon.AT):
            raise cursor.not_understood()
        return Place(words, inside or (preposition in lexicon.INTO and is_container(words))), named.kind

    def _referred(self, words: str) -> Place:
        """What `there` or `in it` means: the place named last, or the only thing if no place was named."""
        named = self.items[0].words if len(self.items) == 1 else ""
        vessel = named if is_kind_of(named, "dish") and words not in lexicon.THERE else ""
        if not (self.place or vessel):
            raise NotUnderstood(f"do not know where '{words}' is")
        if self.place and words.startswith("in") and vessel and not is_container(self.place):
            raise NotUnderstood(f"cannot tell whether '{words} it' means the {vessel} or the {self.place}")
        name = self.place or vessel
        return Place(name, words in lexicon.INSIDE or (words in lexicon.INTO and is_container(name)))
