"""Parser of clauses that begin with their subject, and of orders to leave objects where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planners.common_sense import is_container
from planners.rule.reading import lexicon
from planners.rule.reading.chores import Chores
from planners.rule.reading.nouns import Kind, noun
from planners.rule.reading.orders import Bring, Item, Place
from planners.rule.reading.things import Group, Location


class Statements(Chores):
    """Parses `the bowl belongs in the sink`, `the mug is in the drawer`, `the rest stays`."""

    def _subject(self) -> bool:
        """Parse `the bowl belongs in the sink`, `the mug is in the drawer`, `lemon to the sofa`."""
        cursor, start = self.cursor, self.cursor.at
        is_question = cursor.take({"what is", "what are"})
        group = self._group()
        if group is None:
            cursor.at = start
            return self._holds()
        if cursor.take({"doing"}) and is_question:
            places = self._places(to_too=False)
            return bool(places) and self._note_location(group.items, places)
        floating_quantifier = cursor.take({"all", "both", ", all", ", both"})
        if cursor.take(lexicon.GOES):
            if cursor.words[start] == "any":
                group = replace(group, items=tuple(replace(item, count=None) for item in group.items))
            destinations = self._places()
            if not destinations or destinations[-1].way == "from" or len(destinations) > 2:
                raise cursor.not_understood()
            if destinations[-1].way == "at":
                destinations[-1] = replace(destinations[-1], way="to")
            self._transfer("", Group(group.items, (*group.places, *destinations)), False)
            self.verb = "put"
            return True
        if cursor.take(lexicon.JOINS) and self.place:
            self._arrive(group.items, Place(self.place, is_container(self.place)))
            return True
        if cursor.take(lexicon.IS | lexicon.NEEDS) and not group.places:
            places = self._places(to_too=False)
            return self._note_location(group.items, places) if places else self._describe(group.items)
        if floating_quantifier:
            group = replace(group, places=tuple(self._places()))
        ways = [place.way for place in group.places]
        if "to" not in ways and ways != ["from", "at"] and not (ways and (self.verb or floating_quantifier)):
            return False
        self._transfer(self.verb if self.verb in lexicon.SET_DOWN else "put", group, False)
        return True

    def _ensure(self) -> bool:
        """Parse `make sure that all the fruit ends up in the bowl`."""
        cursor = self.cursor
        if not cursor.take(lexicon.SEE_TO):
            return False
        group = self._group()
        if group is None or group.places or not cursor.take(lexicon.ENDS_UP | lexicon.GOES | {"is", "are"}):
            return False
        places = self._places()
        if len(places) != 1 or places[0].way == "from":
            return False
        self._transfer("put", Group(group.items, tuple(places)), False)
        return True

    def _holds(self) -> bool:
        """Parse `one of the drawers has a sponge in it`."""
        cursor = self.cursor
        place_noun = noun(cursor)
        if place_noun is None or place_noun.kind is not Kind.PLACE:
            return False
        if cursor.take(lexicon.IS):
            self._note(Place(place_noun.words))
            return not cursor.sees({"to be"}) and self._skip_remark()
        if not cursor.take(lexicon.HAS):
            return False
        things = self._things()
        if not things or not cursor.take({"in it", "on it", "inside", "inside it", "in them"}):
            return False
        return self._note_location(things, [Location("at", Place(place_noun.words))])

    def _describe(self, items: tuple[Item, ...]) -> bool:
        """Parse `the mug is dirty`, which mentions an object; another clause must say what to do with it."""
        if not self._skip_remark():
            return False
        self.mentioned += [item for item in items if not self._is_brought(item)]
        self.items = items
        cursor, start = self.cursor, self.cursor.at
        if cursor.take({"and"}) and cursor.take(lexicon.GOES):
            self._transfer("put", Group(items, tuple(self._places())), False)
        else:
            cursor.at = start
        return True

    def _is_brought(self, item: Item) -> bool:
        return any(isinstance(order, Bring) and order.item.words == item.words for order in self.orders)

    def _note_location(self, items: Sequence[Item], places: Sequence[Location]) -> bool:
        """Record where items are, as the source of orders that move them. Return False for other clauses."""
        if len(places) != 1 or places[0].way != "at":
            return False
        source = places[0].place.words
        for item in items:
            transfers = [order for order in self.orders if isinstance(order, Bring) and order.item.words == item.words]
            for order in transfers:
                if order.item.source or order.place.words == source:
                    return False
                self.orders[self.orders.index(order)] = replace(order, item=replace(order.item, source=source))
            if not transfers:
                self.mentioned.append(replace(item, source=source))
        self.items = tuple(replace(item, source=source) for item in items)
        self._note(places[0].place)
        return True

    def _exception(self) -> bool:
        """Parse `except for the mug`, `not the pear`: exceptions from the previous order."""
        if not self.cursor.take(lexicon.EXCEPT):
            return False
        excluded = self._name_list()
        last = self._last_bring()
        if not excluded or last is None:
            return False
        self.orders[-1] = replace(last, item=self._exclude(last.item, excluded))
        return True

    def _stay(self) -> bool:
        """Parse `the rest stays`, `leave the mug where it is`."""
        cursor, start = self.cursor, self.cursor.at
        last = self._last_bring()
        if cursor.take({"which stays", "which stay"}):
            item = last.item if last is not None else self.cleared
            return item is not None and bool(item.excluded)
        if cursor.take({"leave it there", "leave them there"}):
            return last is not None
        if cursor.take({"what is no", "whatever is no", "what is not"}):
            kind = noun(cursor)
            is_same_item = kind is not None and last is not None and kind.words == last.item.words
            return is_same_item and bool(cursor.take(lexicon.STAYS))
        leave = cursor.take({"leave", "keep"})
        kept_noun = noun(cursor)
        if kept_noun is None or not (cursor.take(lexicon.WHERE_IT_IS) if leave else cursor.take(lexicon.STAYS)):
            places = (
                self._places(to_too=False) if leave and kept_noun is not None and kept_noun.kind is Kind.THING else []
            )
            if not places or kept_noun is None or not self._is_one_of_all(kept_noun.words):
                cursor.at = start
                return False
        elif not leave:
            cursor.take(lexicon.WHERE_IT_IS)
        if kept_noun.kind is Kind.REST or kept_noun.other:
            return bool(self.orders)
        if kept_noun.kind is not Kind.THING or kept_noun.words.endswith(" one"):
            return False
        self.kept.append(kept_noun.words)
        return True

    def _is_one_of_all(self, words: str) -> bool:
        """Return whether the previous order moves all items of a class that includes these words."""
        last = self._last_bring()
        return last is not None and last.item.count is None and bool(self._matching_names(last.item, (words,)))

    def _last_bring(self) -> Bring | None:
        """Return the last order if it is a `Bring`."""
        last = self.orders[-1] if self.orders else None
        return last if isinstance(last, Bring) else None

    def _leave_alone(self) -> None:
        """Exclude objects that are to stay where they are from the orders."""
        for at, order in enumerate(self.orders):
            if isinstance(order, Bring) and (matching := self._matching_names(order.item, self.kept)):
                self.orders[at] = replace(order, item=self._exclude(order.item, matching))
