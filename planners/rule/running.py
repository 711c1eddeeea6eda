"""Execution of orders by the rule planner: the steps of each, and the report on them."""

from __future__ import annotations

from dataclasses import replace

from homie.kernel.types import Report
from perception.names import canonical
from planners.common_sense import is_container, is_room, means
from planners.rule.answers import Answers
from planners.rule.choosing import Choosing
from planners.rule.chores import Chores
from planners.rule.error_reactions import NOT_FOUND, Course
from planners.rule.giving_up import MAX_FAILED
from planners.rule.memory import Memory
from planners.rule.reading.orders import (
    Ask,
    Bring,
    CloseUp,
    Fetch,
    IfThere,
    Item,
    OpenUp,
    Order,
    Place,
    Return,
    Stock,
    Swap,
    Use,
    Visit,
    names_in,
)

MAX_ITEMS = 12
"""Maximum number of objects that an order for `all` handles."""


class OrderRunner(Answers, Chores, Choosing):
    """Runs orders in sequence, closes what it opened, and reports the results."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._successes: list[str] = []
        self._failed_parts: list[str] = []
        self._caveats: list[str] = []
        """Sentences about what may be left undone."""
        self._notes: list[str] = []
        self._is_question = False
        self._is_finished = False

    @property
    def outcome(self) -> Report:
        """The reported outcome: success only if everything was done as understood; "" if that is uncertain."""
        if self._failed_parts or not self._is_finished:
            return "failure"
        if self._is_question:
            return "success" if self.answer and not self.doubts else "failure"
        return "" if self._caveats else "success"

    @property
    def spoken_answer(self) -> str:
        """The answer to a question, or why it is unknown; "" without a question."""
        unknown_answer = " ".join(("I do not know.", *dict.fromkeys(self.doubts))) if self._is_question else ""
        return self.answer or unknown_answer

    def report(self) -> str:
        """Return a report of successes and failures, in the first person."""
        parts = []
        if self._successes:
            parts.append(f"I have {' and '.join(dict.fromkeys(self._successes))}.")
        if self._failed_parts:
            parts.append(f"I could not {' or '.join(dict.fromkeys(self._failed_parts))}.")
        parts += dict.fromkeys((*self._reasons, *self._failure_reasons()))
        if self.answer:
            parts.append(f"The answer is: {self.answer}.")
        elif self._is_question:
            parts.append("I cannot answer.")
        parts += self.doubts
        if not self._is_finished:
            parts.append("The task is not done.")
        elif self.outcome == "success":
            parts.append("The task is done, so I end it.")
        return " ".join([*parts, *self._caveats, *self._notes])

    def _failure_reasons(self) -> list[str]:
        """Return sentences on why targets were not reached, and after a failed search on unsearched furniture."""
        if not self._failed_parts:
            return []
        unseen = any(sentence.startswith(NOT_FOUND) for sentence in self._misses)
        repeated = {f"{NOT_FOUND} {failure.removeprefix('find ')}." for failure in self._failed_parts}
        misses = [sentence for sentence in self._misses if sentence not in repeated]
        return [*misses, *(self._unexamined_doubts() if unseen else ())]

    def run(self, orders: tuple[Order, ...]) -> Course[None]:
        """Run all orders in sequence, also after one has failed."""
        yield from self._run(orders)
        requested_open = {order.words for order in orders if isinstance(order, OpenUp)}
        for container in self.memory.to_close(requested_open):
            if self.memory.held and any(isinstance(order, Fetch) for order in orders):
                self._notes.append(f"The {container} is still open because I have only one hand.")
            else:
                yield from self._close_and_note(container)
        self._is_finished = True

    def _run(self, orders: tuple[Order, ...]) -> Course[None]:
        for index, order in enumerate(orders):
            match order:
                case Bring() | Stock():
                    if isinstance(order, Bring):
                        yield from self._bring(order.item, order.place)
                    else:
                        yield from self._stock(order.item, order.place)
                    later_names = set(names_in(orders[index + 1 :]))
                    if order.place.words in self.memory.open and order.place.words not in later_names:
                        yield from self._close_and_note(order.place.words)
                case Swap():
                    yield from self._swap(order.first, order.second)
                case IfThere():
                    names = yield from self._look(order.item, order.place)
                    yield from self._run(order.then if names else order.otherwise)
                case Fetch():
                    yield from self._fetch(order.item)
                case Visit():
                    reached_name = yield from self.reach(order.words, f"The task is to get to the {order.words}.")
                    failure_verb = "get to" if self.is_unreached(order.words) else "find"
                    self._note(bool(reached_name), f"gone to the {order.words}", f"{failure_verb} the {order.words}")
                    if not reached_name:
                        self._misses.append(self.why_missed(order.words))
                case Return():
                    yield from self._return()
                case Use():
                    ok = yield from self.use(order)
                    item_name = f"the {order.item.words}"
                    recipient = f" to the {order.to}" if order.to else ""
                    verb = order.action.lower()
                    self._note(ok, f"done '{verb}' with {item_name}", f"{verb} {item_name}{recipient}")
                case Ask():
                    self._is_question = True
                    yield from self.ask(order)
                case OpenUp():
                    opened = yield from self.open(order.words, f"I have to open the {order.words}, so I go there.")
                    self._note(opened, f"opened the {order.words}", f"open the {order.words}")
                case CloseUp():
                    yield from self._close(order.words)

    def _return(self) -> Course[None]:
        """Return to the person who gave the task."""
        start = self.memory.start
        if not start:
            self._caveats.append("I do not know where you are, so I hold it here.")
        elif self.memory.room != start and self.memory.held:
            reached_name = yield from self.reach(start, f"I was given the task in the {start}, so I go back there.")
            self._note(bool(reached_name), f"come back to the {start}", f"come back to the {start}")

    def _note(self, ok: bool, success_text: str, failure_text: str) -> None:
        self._successes += [success_text] if ok else []
        self._failed_parts += [] if ok else [failure_text]

    def _close(self, words: str) -> Course[None]:
        """Close a container on request, unless an earlier order has opened and closed it."""
        if f"closed the {words}" in self._successes:
            return
        yield from self._close_and_note(words)

    def _close_and_note(self, words: str) -> Course[None]:
        closed = yield from self.close(words, f"The {words} has to be closed.")
        self._note(closed, f"closed the {words}", f"close the {words}")

    # ------------------------------------------------------------ bringing

    def _fetch(self, item: Item) -> Course[None]:
        """Pick up one object and keep holding it."""
        name, source = yield from self._next_object(item, Place(""))
        taken_name = bool(name) and (yield from self._take(name, source))
        item_name = item.words or f"things on the {item.source}"
        self._note(bool(taken_name), f"picked up the {taken_name}", f"get the {item_name}")

    def _bring(self, item: Item, place: Place) -> Course[None]:
        closed = is_container(place.words) and place.words not in self.memory.stuck
        if place.inside and closed and not self.memory.held:
            reason = f"I have only one hand, so I open the {place.words} before I pick anything up."
            yield from self.open(place.words, reason)
        item_name = item.words or f"things on the {item.source}"
        moved_names: list[str] = []
        failed_names: list[str] = []
        while len(moved_names) < (item.count or MAX_ITEMS) and len(failed_names) < MAX_FAILED:
            name, source = yield from self._next_object(item, place, moved_names, failed_names)
            if not name:
                break
            carried_name = yield from self._carry(name, source, place)
            if carried_name:
                moved_names.append(canonical(carried_name))
            else:
                failed_names.append(name)
        ok = len(moved_names) >= (item.count or 1) and (item.count is not None or not failed_names)
        if not ok and moved_names:
            total = f" of {item.count}" if item.count else ""
            self._reasons.append(f"I have brought only {len(moved_names)}{total}.")
        self._note(ok, f"brought the {item_name} to the {place.words}", f"bring the {item_name} to the {place.words}")
        if item.count is None and (not item.source or is_room(item.source)) and self._may_be_more(item.source):
            search_area = f"in the {item.source}" if item.source else "elsewhere"
            self._caveats.append(
                f"I have searched where I could; if there are more {item_name} {search_area}, I have not seen them."
            )
        if self.memory.held and failed_names:
            yield from self._put_down_again(self.memory.held)

    def _may_be_more(self, room: str) -> bool:
        """Return whether there is furniture in a room, or in the home, that was not examined."""
        return not self.memory.remembered or bool(self.unseen(room))

    def _put_down_again(self, held: str) -> Course[None]:
        """Put an object down that cannot be brought to its destination."""
        if (yield from self.free_hand(f"I cannot bring the {held} where it should go, so I put it down.")):
            self._reasons.append(f"I have put the {held} down at the {self.memory.at}.")

    # ------------------------------------------------------------ orders that depend on the objects at a place

    def _look(self, item: Item, place: Place) -> Course[list[str]]:
        """Go and return the names of matching objects that are visible at a place, one entry per object."""
        reason = f"I check what is in the {place.words}."
        if not (yield from self.reach(place.words, reason)):
            return []
        if is_container(place.words):
            yield from self.open(place.words, reason)
        return [name for name in self.memory.all_on(place.words) if self._matches(item, name)]

    def _stock(self, item: Item, place: Place) -> Course[None]:
        """Bring as many items as are missing."""
        present_names = yield from self._look(item, place)
        missing = (item.count or 0) - len(present_names)
        if missing > 0:
            yield from self._bring(replace(item, count=missing), place)
        else:
            self._note(missing == 0, f"seen {len(present_names)} of the {item.words}", "take any away")

    def _swap(self, first_item: Item, second_item: Item) -> Course[None]:
        """Find both items, then bring each to the place of the other."""
        places: list[Place] = []
        for item in (first_item, second_item):
            place_name = yield from self._find_place(item)
            places.append(Place(place_name, is_container(place_name)))
        item_names = f"the {first_item.words} and the {second_item.words}"
        if not all(place.words for place in places) or means(places[0].words, places[1].words):
            self._note(False, "", f"see where {item_names} are")
            return
        first = yield from self._carry(first_item.words, "", places[1])
        second = bool(first) and (yield from self._carry(second_item.words, "", places[0]))
        self._note(bool(second), f"exchanged {item_names}", f"exchange {item_names}")

    def _find_place(self, item: Item) -> Course[str]:
        """Return the place of an item: from the task, or as seen from nearby."""
        if item.source:
            yield from self._look(item, Place(item.source))
            return item.source
        name = yield from self.reach(item.words, f"I check where the {item.words} is.")
        if not name:
            self._misses.append(self.why_missed(item.words))
        return self.memory.place_of(name) if name else ""
