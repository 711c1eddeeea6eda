"""Parser of orders to take objects somewhere: objects, sources and destinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perception.names import canonical
from planners.common_sense import is_container
from planners.rule.reading import lexicon
from planners.rule.reading.nouns import PUNCTUATION, Cursor, Kind, NotUnderstood, noun
from planners.rule.reading.orders import Bring, Fetch, Item, Place, Stock, Swap, Visit
from planners.rule.reading.things import Group, Location, Things

ROOM_PLACES = {
    "kitchen": "kitchen counter",
    "living room": "living room table",
    "bedroom": "bed",
    "bathroom": "washbasin",
    "dining room": "dining room table",
    "study": "desk",
}
"""The furniture on which an object is put if the order gives only a room."""
_WAYS = ("to", "at", "from")


class Transfers(Things):
    """Parses orders to take objects somewhere.

    Attributes:
        mentioned: Items that no order has used yet.
    """

    def __init__(self, cursor: Cursor, items: Sequence[Item] = (), place: str = "") -> None:
        super().__init__(cursor, items, place)
        self.mentioned: list[Item] = []
        self.verb = ""
        self.kept: list[str] = []
        self.awaited = False
        """Whether a person wants an object brought without having said where they are."""

    def _move(self) -> bool:
        """Parse `put the apple on the desk and the pear on the sofa`."""
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
            if shared is not None and group is not final and [place.way for place in group.places] == ["at"]:
                group = replace(group, places=(*group.places, shared))
            self._transfer(verb, group, for_me)
        self.verb = verb
        return True

    def _lay(self) -> bool:
        """Parse `lay the table with a bowl and a mug`."""
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
        """Decide which place is the destination and which the source, and add the orders."""
        ways = [[place for place in group.places if place.way == way] for way in _WAYS]
        destinations, at, source = ways
        if verb in lexicon.CHILL and not destinations:
            fridge = Location("to", Place("fridge", True))
            destinations, at = [fridge], [place for place in at if canonical(place.place.words) != "fridge"]
        elif (
            not destinations
            and at
            and (verb in lexicon.SET_DOWN | {""} or (verb in lexicon.GATHER and at[-1].kind is Kind.THING))
        ):
            destinations, at = at[-1:], at[:-1]
            if at and at[0].kind is Kind.THING:
                raise NotUnderstood(f"cannot tell whether the {at[0].place.words} is where from or where to")
        elif not destinations and at and not source and not for_me and verb in lexicon.BRING:
            item_name = group.items[0].words or "rest"
            raise NotUnderstood(f"cannot tell whether the {item_name} is at the {at[0].place.words} or is to go there")
        starts = [*at, *source]
        unknown_places = [place for place in group.places if place.kind is Kind.UNKNOWN]
        if len(destinations) > 1 or len(starts) > 1 or (unknown_places and len(group.places) > 1):
            raise NotUnderstood("cannot tell which of the places is where to")
        items = tuple(self._with_source(item, starts[0].place.words if starts else "") for item in group.items)
        person = next(
            (place.place.words for place in group.places if place.way == "person"), self.here if for_me else ""
        )
        for_me = for_me or any(place.way == "person" for place in group.places)
        default_place = self.place or next(reversed(self.containers), "")
        if verb == "add" and not destinations and default_place:
            destinations = [Location("to", Place(default_place, is_container(default_place)))]
        if destinations:
            self._arrive(items, destinations[0].place)
        elif for_me or verb in lexicon.TAKE | lexicon.HAND or (source and verb.startswith("clear")):
            self._fetch(items)
            self.orders += [Visit(person)] if person else []
            self.awaited = for_me and not person
        elif verb in lexicon.GATHER:
            self.mentioned += items
            self.items = items
        else:
            reason = f"do not know where the {items[0].words or 'rest'} is to go"
            cursor = self.cursor
            if not (cursor.over or cursor.words[cursor.at] in PUNCTUATION or cursor.sees(lexicon.THEN)):
                reason += f" and {cursor.not_understood()}"
            raise NotUnderstood(reason)

    def _with_source(self, item: Item, source: str) -> Item:
        """Return the item with its source: from this clause, or from an earlier one."""
        if source:
            return replace(item, source=source)
        mentioned = next(
            (pending for pending in self.mentioned if pending.words == item.words and not item.source), None
        )
        return item if mentioned is None else replace(item, source=mentioned.source)

    def _arrive(self, items: Sequence[Item], place: Place) -> None:
        """Add orders that bring items to a place."""
        destination = Place(ROOM_PLACES.get(canonical(place.words), place.words), place.inside)
        for item in items:
            if not item.words and not item.source:
                if self.cleared is None:
                    raise NotUnderstood("do not know of what place everything is meant")
                item = replace(self.cleared, excluded=(*self.cleared.excluded, *item.excluded))
            if item.words == place.words or (item.source and item.source == destination.words):
                raise NotUnderstood(f"cannot bring the {item.words or 'things'} to where they are")
            if self.cleared is not None and item.source == self.cleared.source:
                self.cleared = None
            self.orders.append(Bring(item, destination))
        self._note_moved(items)
        self._note(place)

    def _fetch(self, items: Sequence[Item]) -> None:
        self.orders += [Fetch(item) for item in items]
        self._use(items)
        self.items = tuple(items)
        if items[0].source:
            self._note(Place(items[0].source))

    def _note_moved(self, items: Sequence[Item]) -> None:
        self.items = tuple(replace(item, source="") for item in items)
        self._use(items)

    def _use(self, items: Sequence[Item]) -> None:
        """Remove items that an order has used from the pending ones."""
        self.mentioned = [
            mentioned for mentioned in self.mentioned if all(mentioned.words != item.words for item in items)
        ]

    def _note(self, place: Place) -> None:
        self.place = place.words
        if is_container(place.words):
            self._note_containers([place.words])

    def _find(self) -> bool:
        """Parse `find the mug`: a visit, unless a later order uses the mug."""
        cursor = self.cursor
        if not cursor.take(lexicon.FIND):
            return False
        items = self._things()
        places = self._places()
        if not items or len(places) > 1 or any(place.way == "to" for place in places):
            return False
        items = tuple(self._with_source(item, places[0].place.words if places else "") for item in items)
        self._fetch(items)
        if len(items) == 1 and items[0].count == 1 and not items[0].source and items[0].words:
            self.orders[-1] = Visit(items[0].words)
        return True

    def _clear(self) -> bool:
        """Parse `empty the fridge onto the table`; without a destination, a later clause must give one."""
        cursor = self.cursor
        if not cursor.take(lexicon.CLEAR):
            return False
        place = noun(cursor)
        if place is None or place.kind is not Kind.PLACE or place.count != 1:
            return False
        name = self._in_its_room(place)
        excluded = self._exceptions()
        destinations = self._places()
        if len(destinations) > 1 or any(source_place.way == "from" for source_place in destinations):
            return False
        self.cleared = Item("", None, name, excluded)
        self._note(Place(name))
        if destinations:
            self._arrive((self.cleared,), destinations[0].place)
        return True

    def _swap(self) -> bool:
        """Parse `swap the mug and the bowl`; `the mug and the bowl change places`."""
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
            pairs.append(self._with_source(things[0], places[0].place.words if places else ""))
            if len(pairs) == 1 and not cursor.take({"and", "with", "for", "changes places with", "change places with"}):
                return False
        changes_places = cursor.take(lexicon.CHANGE_PLACES | {"around", "round"})
        preceding = cursor.words[: cursor.at]
        if not verb and not changes_places and "places" not in preceding:
            return False
        if any(item.count != 1 or not item.words for item in pairs):
            raise NotUnderstood("can only exchange one thing for one other")
        self.orders.append(Swap(*pairs))
        self._note_moved(pairs)
        return True

    def _stock(self) -> bool:
        """Parse `have exactly four cans in the cabinet`; `the fridge should have three pieces of fruit in it`."""
        cursor = self.cursor
        if cursor.take(
            {"have", "make sure there are", "make sure there is", "there should be", "there are to be", "there must be"}
        ):
            things, places = self._things(), self._places()
            place = places[0].place if len(places) == 1 and places[0].way == "at" else None
        else:
            place_noun = noun(cursor)
            if place_noun is None or place_noun.kind is not Kind.PLACE or not cursor.take(lexicon.SHOULD_HAVE):
                return False
            place = Place(place_noun.words, is_container(place_noun.words))
            things = self._things()
            cursor.take({"in it", "on it", "inside"})
        if place is None or len(things) != 1 or things[0].count is None or not things[0].words:
            return False
        if cursor.take({", where there are", ", where there is"}) and (
            noun(cursor) or cursor.take(lexicon.NUMBERS.keys())
        ):
            cursor.take({"now", "already"})
        self.orders.append(Stock(things[0], place))
        self._note_moved(things)
        self._note(place)
        return True
