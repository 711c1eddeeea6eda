"""Orders with other actions than Pick and Put: `switch the stove off`, `wash the plate`."""

from __future__ import annotations

from planners.rule.reading import lexicon
from planners.rule.reading.nouns import Kind, noun
from planners.rule.reading.orders import Item, Use
from planners.rule.reading.transfers import Transfers


class Chores(Transfers):
    """Parses household verbs. The planner checks whether there are skills for them."""

    def _chore(self) -> bool:
        """Parse `switch the stove off`, `wash the plate`."""
        cursor, start = self.cursor, self.cursor.at
        if action := lexicon.SWITCHES.get(cursor.take(lexicon.SWITCHES.keys()), ""):
            return self._switch_all(action)
        verb = cursor.take({"turn", "switch", "power"})
        names = self._switched_objects() if verb else []
        action = lexicon.SWITCHES.get(f"{verb} {cursor.take({'on', 'off'})}", "") if names else ""
        if action and (self._at_break() or cursor.sees(lexicon.ASIDE)):
            self.orders += [Use(action, Item(name)) for name in names]
            return True
        cursor.at = start
        if not (action := lexicon.USES.get(cursor.take(lexicon.USES.keys()), "")):
            return False
        items = self._things()
        if not items:
            place = noun(cursor)
            if place is None or place.kind is not Kind.PLACE or place.count != 1:
                return False
            items = (Item(self._in_its_room(place)),)
        cursor.take(lexicon.BY_MEANS.get(action, frozenset()))
        if any(item.count != 1 or not item.words for item in items):
            return False
        self.orders += [Use(action, self._with_source(item, "")) for item in items]
        self._note_moved(items)
        return True

    def _switch_all(self, action: str) -> bool:
        names = self._switched_objects()
        self.orders += [Use(action, Item(name)) for name in names]
        return bool(names)

    def _switched_objects(self) -> list[str]:
        """Parse the objects to switch on or off; `it` is the last mentioned."""
        cursor, start = self.cursor, self.cursor.at
        if names := self._place_list():
            self.place = names[-1]
            return names
        if cursor.take({"it", "that"}) and self.place:
            return [self.place]
        cursor.at = start
        return []

    def _give(self) -> bool:
        """Parse `give the apple to the person in the bathroom`, `show the person the apple`."""
        cursor = self.cursor
        verb = cursor.take({"give", "hand", "hand over", "pass", "bring", "take", "show"})
        if not verb:
            return False
        person = self._recipient()
        things = self._things()
        person = person or (self._recipient() if cursor.take({"to", "over to"}) else "")
        if not person or len(things) != 1 or things[0].count != 1 or not things[0].words:
            return False
        self.orders.append(Use("Show" if verb == "show" else "Hand over", self._with_source(things[0], ""), person))
        self._note_moved(things)
        return True

    def _recipient(self) -> str:
        """Parse a person: `the person in the bathroom`, "" if none is mentioned."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take({"the", "a", "that", "this"})
        if not cursor.take({"person", "man", "woman", "human", "human being"}):
            cursor.at = start
            return ""
        start_index = cursor.at
        room = noun(cursor) if cursor.take({"in", "who is in", "sitting in", "standing in"}) else None
        if room is not None and room.kind is Kind.PLACE and room.count == 1:
            return f"{room.words} person"
        cursor.at = start_index
        return "person"
