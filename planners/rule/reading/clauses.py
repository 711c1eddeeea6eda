"""Parser of the clauses of an instruction. Every word must have a role in a clause, otherwise the instruction is
rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planners.common_sense import is_container
from planners.rule.reading import lexicon
from planners.rule.reading.conditions import Condition, condition
from planners.rule.reading.nouns import Cursor, Kind, NotUnderstood, Noun, noun
from planners.rule.reading.orders import (
    CloseUp,
    Fetch,
    IfThere,
    Item,
    OpenUp,
    Order,
    Return,
    Visit,
    drop_repeats,
    in_order,
    names_in,
)
from planners.rule.reading.statements import Statements
from planners.rule.reading.things import Group
from planners.rule.reading.times import as_order


class Reader(Statements):
    """Parses orders from a cursor.

    Args:
        items: The initial referents of `it`.
        place: The initial referent of `there`.
    """

    def __init__(self, cursor: Cursor, items: Sequence[Item] = (), place: str = "") -> None:
        super().__init__(cursor, items, place)
        self._clause_count = 0
        self._sentence_start = 0
        """Index of the first order of this sentence."""
        self._person_spoke = False
        """Whether a person was the subject, which may continue: `I am in the study and would like ...`"""
        self._deferred_orders: list[Order] = []
        """Orders to append at the end of this sentence: `before X, Y` is Y and then X."""

    def text(self) -> None:
        """Parse everything up to the end. Raises NotUnderstood."""
        while self._separators():
            self._clause()
        self._complete()

    def _complete(self) -> None:
        """Remove objects that are to stay from the orders. Raises NotUnderstood for an object without a destination or
        an order."""
        self._end_sentence()
        self._append_visit()
        self._leave_alone()
        if self.cleared:
            raise NotUnderstood(f"do not know where the things on the {self.cleared.source} are to go")
        if self.mentioned:
            raise NotUnderstood(f"do not know what is to be done with the {self.mentioned[0].words}")

    def _separators(self) -> bool:
        """Skip the separators between two orders. Return False at the end of the text."""
        cursor = self.cursor
        while not cursor.over:
            if cursor.words[cursor.at] in (".", ":"):
                if cursor.words[cursor.at] == ".":
                    self._end_sentence()
                cursor.at += 1
            elif cursor.sees(lexicon.EXCEPT) or not cursor.take(lexicon.THEN | {","}):
                break
        return not cursor.over

    def _end_sentence(self) -> None:
        self.verb = ""
        self.orders += self._deferred_orders
        self._deferred_orders, self._sentence_start = [], len(self.orders)

    def _append_visit(self) -> None:
        """Append a visit to the person after orders that fetch an object; the place may be mentioned later."""
        remaining = drop_repeats(self.orders)
        fetches = any(isinstance(order, Fetch) for order in remaining)
        if self.awaited and fetches and not isinstance(remaining[-1], Visit):
            self.orders.append(Visit(self.here) if self.here else Return())

    # ------------------------------------------------------------ temporal clauses

    def _temporal(self) -> bool:
        """Parse `before you close the fridge, put the orange in it`, `put it there after closing the fridge`.

        A clause at the beginning of a sentence belongs to the order after it. A clause after an order belongs to it if
        it is the only order of the sentence.
        """
        cursor, mark = self.cursor, len(self.orders)
        is_leading = mark == self._sentence_start and not self._deferred_orders
        start = cursor.at
        before_clause = cursor.take(lexicon.BEFORE)
        after_clause = (
            ""
            if before_clause
            else cursor.take(lexicon.AFTER) or (cursor.sees({"while you are"}) and cursor.take({"while"}))
        )
        if not (before_clause or after_clause):
            return False
        if after_clause and self._visit_first():
            return True
        if self._deferred_orders or (after_clause and not is_leading and mark - self._sentence_start != 1):
            raise cursor.not_understood(start)
        as_order(cursor)
        self._clause()
        while cursor.take({"and"}):
            self._clause()
        timed_orders = self.orders[mark:]
        if not timed_orders:
            return False
        if not is_leading:
            if after_clause:
                self.orders[self._sentence_start :] = [*timed_orders, *self.orders[self._sentence_start : mark]]
            return True
        if before_clause:
            self._deferred_orders = timed_orders
            del self.orders[mark:]
        if not cursor.take({",", ", then", "then"}) or cursor.over or cursor.words[cursor.at] in (".", ":"):
            return False
        self._clause()
        return True

    def _visit_first(self) -> bool:
        """Parse `when you are in the kitchen` as the order to go there."""
        cursor, start = self.cursor, self.cursor.at
        is_arrival = cursor.take({"you are", "you have arrived", "you get", "you arrive"}) and cursor.take(
            {"in", "at", "to"}
        )
        if is_arrival and self._go(noun(cursor)) and cursor.take({","}):
            self._clause()
            return True
        cursor.at = start
        return False

    def _clause(self) -> None:
        """Parse one clause and the optional words around it. Raises NotUnderstood."""
        cursor, start = self.cursor, self.cursor.at
        cursor.skip(lexicon.POLITE | lexicon.ASIDE | {","})
        if not cursor.over and cursor.words[cursor.at].endswith("ing") and cursor.at > start:
            as_order(cursor)  # would you mind opening the fridge
        if cursor.take({"first", "first of all", "to begin with"}) and self._clause_count:
            raise cursor.not_understood(start)
        if cursor.over or cursor.words[cursor.at] in (".", ":"):
            return
        rules: tuple[Callable[[], bool], ...] = (
            self._temporal, self._small_talk, self._conditional, self._stay, self._leave_open, self._close, self._open,
            self._person, self._visit, self._clear, self._swap, self._stock, self._find, self._chore, self._give,
            self._move, self._exception, self._doors, self._ensure, self._subject, self._remark,
        )  # fmt: skip
        start = cursor.at
        for rule in rules:
            if rule():
                break
            cursor.at = start
        else:
            raise cursor.not_understood()
        self._clause_count += 1
        if cursor.sees(lexicon.EXCEPT) and not self._exception():
            raise cursor.not_understood()
        cursor.skip(lexicon.ASIDE | ({"first"} if self._clause_count == 1 else set()))
        self._reason()
        if not self._at_break() and not cursor.sees(lexicon.BEFORE | lexicon.AFTER):
            raise cursor.not_understood()

    def _reason(self) -> None:
        """Skip `so that I can wash up`, which mentions only people. Raises NotUnderstood for other reasons."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take({","} if len(cursor.words) > cursor.at + 1 else set())
        if not (cursor.take(lexicon.REASON) and cursor.take(lexicon.PEOPLE | {"it", "they", "he", "she"})):
            cursor.at = start
            return
        while not cursor.over and cursor.words[cursor.at] not in (".", ",", ":"):
            word = Cursor(cursor.words[cursor.at : cursor.at + 1])
            mentions = noun(word)
            if cursor.sees(lexicon.ORDERING | {"not", "no", "and", "then"}) or (
                mentions is not None and mentions.words
            ):
                raise cursor.not_understood(start)
            cursor.at += 1

    # ------------------------------------------------------------ conditions

    def _conditional(self) -> bool:
        """Parse `if there is an apple in the fridge, ..., otherwise ...`."""
        cursor, start = self.cursor, self.cursor.at
        parsed = condition(cursor)
        if parsed is None:
            cursor.at = start
            return self._conditional_closing()
        item_there, item_anywhere = Item(parsed.item.words, 1, parsed.place.words), parsed.item
        first = self._branch(parsed, item_anywhere if parsed.absent else item_there, parsed.place.words)
        second: tuple[Order, ...] = ()
        if self._otherwise(parsed.item.words):
            last = set(names_in(first)) - {parsed.item.words, parsed.place.words}
            second = self._branch(
                parsed, item_there if parsed.absent else item_anywhere, "" if last else parsed.place.words
            )
        elif parsed.searched:
            raise NotUnderstood(f"do not know what is to be done without a {parsed.item.words}")
        then_orders, else_orders = (second, first) if parsed.absent else (first, second)
        self.orders.append(IfThere(parsed.item, replace(parsed.place, inside=False), then_orders, else_orders))
        self._note(parsed.place)
        self.items = ()
        return True

    def _branch(self, parsed: Condition, item: Item, place: str) -> tuple[Order, ...]:
        """Parse the orders up to `otherwise` or the end of the sentence."""
        cursor = self.cursor
        cursor.skip(lexicon.SO)
        reader = Reader(cursor, (item,), place)
        reader._note_containers([parsed.place.words] if parsed.place.inside else [])
        while True:
            reader._clause()
            if cursor.over or cursor.words[cursor.at] in (".", ":") or self._sees_otherwise():
                reader._complete()
                if not reader.orders:
                    raise NotUnderstood(f"do not know what is to be done if there is a {parsed.item.words}")
                return in_order(drop_repeats(reader.orders))
            cursor.skip(lexicon.THEN | {","})

    def _sees_otherwise(self) -> bool:
        start = self.cursor.at
        self.cursor.skip({",", ".", ":", "and", "but"})
        other_case = self.cursor.sees(lexicon.ELSE | lexicon.WITHOUT)
        self.cursor.at = start
        return bool(other_case)

    def _otherwise(self, words: str) -> bool:
        """Skip `otherwise` or `if there is no apple`."""
        cursor, start = self.cursor, self.cursor.at
        cursor.skip({",", ".", ":", "and", "but"})
        if cursor.take(lexicon.ELSE):
            cursor.skip(lexicon.THERE | {","})
            return True
        if cursor.take(lexicon.WITHOUT) and (missing := noun(cursor)) and missing.words == words:
            cursor.skip(lexicon.THERE | {"in it", ","})
            return True
        cursor.at = start
        return False

    def _conditional_closing(self) -> bool:
        """Parse `if the fridge is open, close it` as `close the fridge`."""
        cursor = self.cursor
        if not cursor.take(lexicon.IF):
            return False
        names = self._place_list()
        cursor.take(lexicon.IS)
        door_order = CloseUp if cursor.take(lexicon.OPENED) else OpenUp if cursor.take(lexicon.CLOSED) else None
        if len(names) != 1 or door_order is None or not is_container(names[0]):
            return False
        self._note_containers(names)
        order_count = len(self.orders)
        cursor.skip(lexicon.SO)
        self._clause()
        return self.orders[order_count:] == [door_order(names[0])] and not self._sees_otherwise()

    # ------------------------------------------------------------ people and places

    def _person(self) -> bool:
        """Parse statements of people about themselves: where they are, what they want where, or a mere remark."""
        cursor = self.cursor
        if cursor.take(lexicon.MAY_HAVE):
            return self._wish("")
        if not cursor.take(lexicon.PEOPLE) and not (self._person_spoke and cursor.sees(lexicon.WANT)):
            return False
        self._person_spoke = True
        start = cursor.at
        if cursor.take(lexicon.AM):
            if cursor.take(lexicon.HERE | {"at home", "home", "back", "back home"}):
                return True
            if cursor.take(lexicon.AT):
                room = noun(cursor)
                if room is None or room.kind is not Kind.PLACE or room.count != 1:
                    raise cursor.not_understood(start)
                self.here = self._in_its_room(room)
                return True
            if cursor.sees(lexicon.NEAR | lexicon.ELSEWHERE):
                raise cursor.not_understood(start)
        cursor.at = start
        if (wish := cursor.take(lexicon.WANT)) and self._wish(wish):
            return True
        cursor.at = start
        if cursor.take(lexicon.LEFT) and (things := self._things()) and (places := self._places(to_too=False)):
            return self._note_location(things, places)
        cursor.at = start
        return self._purpose() if cursor.take({"want to", "would like to", "need to"}) else self._skip_remark()

    def _wish(self, wish: str) -> bool:
        """Parse `I want the mug on the desk`, `I would like a peach`. `I need the mug on the desk` is ambiguous: the
        desk may be the mug's current place."""
        cursor = self.cursor
        group = self._group()
        if group is None:
            return False
        start = cursor.at
        cursor.skip(lexicon.ASIDE | {","})
        is_moved = cursor.take(lexicon.TO_BE_MOVED)
        places = (*group.places, *self._places())
        if places == group.places and not is_moved:
            cursor.at = start
        ways = {destination.way for destination in places}
        if "at" in ways and wish not in ("want", "want to have") and not is_moved and "please" not in cursor.words:
            item_name = group.items[0].words or "thing"
            raise NotUnderstood(
                f"cannot tell whether the {item_name} is at the {places[-1].place.words} or is to go there"
            )
        if ways & {"to", "at"}:
            self._transfer("put", Group(group.items, places), False)
        elif is_moved:
            return False
        else:
            self._transfer("bring", Group(group.items, places), True)
        return True

    def _purpose(self) -> bool:
        """Parse `I want to warm up my mug`: another clause must say what to do with the mentioned objects."""
        cursor, mentions = self.cursor, list[Item]()
        while not self._at_break():
            if cursor.sees(lexicon.ASKING):
                return False
            mentions += self._thing()
            cursor.at += 0 if self._at_break() else 1
        self.mentioned += mentions
        self.items = tuple(mentions) or self.items
        return True

    def _small_talk(self) -> bool:
        """Parse `my hands are wet`, `it is getting dark`, `since the guests are coming`, which request nothing."""
        cursor = self.cursor
        reason = cursor.take({"because", "since", "as", "now that", "given that"})
        if reason and self._person():
            return bool(cursor.take({","})) and self._order_after_reason()
        words = cursor.take({"my", "our", "it is", "tomorrow there is", "tomorrow there are"} | lexicon.SOMEBODY)
        if not words or not self._skip_remark():
            return False
        return not reason or (bool(cursor.take({","})) and self._order_after_reason())

    def _order_after_reason(self) -> bool:
        """Parse the order after a reason."""
        self._clause()
        return True

    def _remark(self) -> bool:
        """Parse `a picnic:`, `there is fish`: neither an order nor about an object that the robot could move."""
        cursor, start = self.cursor, self.cursor.at
        if cursor.take({"there is", "there are"}):
            things = self._things()
            return self._note_location(things, self._places(to_too=False)) if things else self._skip_remark()
        heading = cursor.take({"a", "an", "the"}) and self._skip_remark()
        return bool(heading) and not cursor.over and cursor.words[cursor.at] == ":" and cursor.at > start

    def _visit(self) -> bool:
        cursor = self.cursor
        if cursor.take(lexicon.WAIT):
            cursor.skip(lexicon.ASIDE)
            if cursor.take(lexicon.THERE) or (self._at_break() and self.orders):
                return isinstance(self.orders[-1] if self.orders else None, Visit)
            return bool(cursor.take({"in", "at", "by", "near", "next to"})) and self._go(noun(cursor))
        if cursor.take(lexicon.CALL_AT):
            return self._go(noun(cursor))
        if not cursor.take(lexicon.VISIT):
            return False
        person = self._accompanying()
        if cursor.take(lexicon.HERE):
            room_noun = noun(cursor) if cursor.take({"in", "into"}) else None
            if room_noun is None and not self.here:
                raise NotUnderstood("do not know where you are")
            self.orders += [Fetch(item) for item in (*person, *self._accompanying())]
            return self._go(room_noun or Noun(Kind.PLACE, self.here))
        if not cursor.take({*lexicon.INTO, "in", "through to"}):
            return False
        place_noun = noun(cursor)
        if place_noun is None and cursor.take(lexicon.THERE):
            place_noun = Noun(Kind.PLACE, self.place)
        self.orders += [Fetch(item) for item in (*person, *self._accompanying())]
        return self._go(place_noun)

    def _accompanying(self) -> tuple[Item, ...]:
        """Parse `with the banana`."""
        if not self.cursor.take({"with"}):
            return ()
        things = self._things()
        if not things:
            raise self.cursor.not_understood()
        return things

    def _go(self, place_noun: Noun | None) -> bool:
        if place_noun is None or not place_noun.words or place_noun.count != 1 or place_noun.other:
            return False
        name = self._in_its_room(place_noun)
        self.orders.append(Visit(name))
        if place_noun.kind is Kind.THING:
            self.items = (Item(name),)
        else:
            self.place = name
        return True
