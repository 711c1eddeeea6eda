"""Parser of orders about doors and drawers, and the state shared by all parsers of orders."""

from __future__ import annotations

from collections.abc import Sequence

from planners.common_sense import is_container, is_furniture, is_room
from planners.rule.reading import lexicon
from planners.rule.reading.nouns import PUNCTUATION, Cursor, Kind, NotUnderstood, Noun, noun
from planners.rule.reading.orders import CloseUp, Item, OpenUp, Order

_STANDING_OPEN = frozenset(
    f"{that} {verb} open" for that in ("that", "which") for verb in ("is", "are", "stand", "stands")
)


class Doors:
    """Parses orders to open and close.

    Args:
        items: The initial referents of `it`.
        place: The initial referent of `there`.
    """

    def __init__(self, cursor: Cursor, items: Sequence[Item] = (), place: str = "") -> None:
        self.cursor = cursor
        self.orders: list[Order] = []
        self.items = tuple(items)
        self.place = place
        self.containers = [place] if is_container(place) else []

    def _at_break(self) -> bool:
        cursor = self.cursor
        return (
            cursor.over or cursor.words[cursor.at] in (",", ".", ":") or bool(cursor.sees(lexicon.THEN | lexicon.ELSE))
        )

    def _skip_remark(self) -> bool:
        """Skip words that name nothing known, up to the end of the clause. Return False if they may be a request."""
        cursor = self.cursor
        while not self._at_break():
            word, following = Cursor(cursor.words[cursor.at : cursor.at + 1]), Cursor(cursor.words[cursor.at + 1 :])
            # `fruit` in `fruit salad`
            compound = not following.over and not following.sees(lexicon.phrases() | PUNCTUATION)
            is_known = noun(word) is not None and (not compound or bool(cursor.sees(lexicon.phrases())))
            if is_known or cursor.sees(lexicon.ASKING):
                return False
            cursor.at += 1
        return True

    def _close(self) -> bool:
        cursor = self.cursor
        if verb := cursor.take(lexicon.CLOSE | lexicon.CLOSING):
            names = self._door_names()
            cursor.take(_STANDING_OPEN)
            if verb == "close up" and not names:
                names = self.containers[-1:]
        elif cursor.take({"keep", "leave", "have", "with", "mind", "watch"}):
            names = self._door_names()
            previous_word = cursor.words[cursor.at - 1]
            if not cursor.take(lexicon.CLOSED) and previous_word not in lexicon.DOORS:
                return False
        else:
            return False
        self._add_close_orders(names)
        return True

    def _leave_open(self) -> bool:
        """Parse orders to leave a container open, or not to leave it open."""
        cursor = self.cursor
        if cursor.take({"do not leave", "do not keep", "never leave", "without leaving"}):
            names = self._door_names(lexicon.ANY_DOOR)
        elif cursor.take({"leave neither"}):
            first, second = self._door_names(), self._door_names() if cursor.take({"nor"}) else []
            names = [*first, *second] if first and second else []
        elif cursor.take({"leave nothing", "leave no door", "leave no doors", "nothing", "no door", "no doors"}):
            cursor.take({"left", "is left", "is to be left", "should be left", "stays", "is to stay", "should stay"})
            names = list(self.containers)
        elif cursor.take({"leave", "keep", "hold", "have"}):
            names = self._door_names()
            if cursor.take(lexicon.OPENED):
                self._add_open_orders(names)
                return True
            return False
        else:
            return False
        if not cursor.take({"open", "left open"}) or not names:
            return False
        self._add_close_orders(names)
        return True

    def _open(self) -> bool:
        if not self.cursor.take(lexicon.OPEN):
            return False
        self._add_open_orders(self._door_names())
        return True

    def _doors(self) -> bool:
        """Parse `the fridge closed`, `doors shut`, `everything is to be shut again`. `The door is open` is not an
        order."""
        cursor, start = self.cursor, self.cursor.at
        see_to = cursor.take(lexicon.SEE_TO)
        names = self._door_names(lexicon.DOORS)
        if not names:
            return False
        if see_to and cursor.take({"is", "are", "stays", "stay"}):
            if cursor.take(lexicon.CLOSED):
                self._add_close_orders(names)
            elif cursor.take(lexicon.OPENED):
                self._add_open_orders(names)
            return cursor.words[cursor.at - 1] in ("closed", "shut", "open", "opened", "again")
        if cursor.take(lexicon.IS):
            cursor.skip(lexicon.ASIDE)
            self._note_containers(names)
            return bool(cursor.take(lexicon.OPENED | lexicon.CLOSED)) and cursor.words[start] != "everything"
        cursor.take(lexicon.GOES | lexicon.STAYS)
        if not cursor.take(lexicon.CLOSED):
            return False
        self._add_close_orders(names)
        return True

    def _door_names(self, extra_words: frozenset[str] = frozenset()) -> list[str]:
        """Parse the containers that a clause names or refers to; empty if that is unclear."""
        cursor = self.cursor
        place_names = self._place_list()
        if place_names:
            return place_names
        if cursor.take(lexicon.ALL_DOORS | extra_words):
            return list(self.containers)
        return self.containers[-1:] if cursor.take(lexicon.ONE_DOOR) else []

    def _place_list(self) -> list[str]:
        """Parse `the fridge and the door of the drawer`: a list of single pieces of furniture."""
        cursor, names = self.cursor, list[str]()
        start = cursor.at
        while True:
            cursor.take(lexicon.DOOR_OF)
            place = noun(cursor)
            if place is None or place.kind not in (Kind.PLACE, Kind.UNKNOWN) or place.count != 1 or place.other:
                cursor.at = start
                return names
            cursor.take(lexicon.DOORS)
            names.append(self._in_its_room(place))
            start = cursor.at
            if not cursor.take(lexicon.LIST):
                return names

    def _in_its_room(self, place: Noun) -> str:
        """Return the name of a place with the room that follows it: `the table in the kitchen`."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take(lexicon.THAT_IS)
        if place.kind is Kind.PLACE and not is_room(place.words) and cursor.take({"in", "of"}):
            room = noun(cursor)
            if room is not None and is_room(room.words) and not any(is_room(word) for word in place.words.split()):
                return f"{room.words} {place.words}"
        cursor.at = start
        return place.words

    def _add_close_orders(self, names: Sequence[str]) -> None:
        self._move_doors(names, CloseUp, "close")

    def _add_open_orders(self, names: Sequence[str]) -> None:
        self._move_doors(names, OpenUp, "open")

    def _move_doors(self, names: Sequence[str], order: type[OpenUp] | type[CloseUp], verb: str) -> None:
        if not names:
            remaining = self.cursor.rest()
            participle = "opened" if verb == "open" else "closed"
            raise (
                self.cursor.not_understood() if remaining else NotUnderstood(f"do not know what is to be {participle}")
            )
        for name in names:
            if is_furniture(name) and not is_container(name):
                raise NotUnderstood(f"cannot {verb} the {name}")
            if order(name) not in self.orders or isinstance(self.orders[-1], OpenUp):
                self.orders.append(order(name))
        self._note_containers(names)
        self.place = names[-1]

    def _note_containers(self, names: Sequence[str]) -> None:
        self.containers = [*(name for name in self.containers if name not in names), *names]
