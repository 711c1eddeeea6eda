"""How the rule planner runs errands: the order of their steps, and the reactions to failed steps.

An errand is one order of the instruction (`reading.orders`), such as bringing an item to a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from homie.kernel.interfaces import kind_of
from homie.kernel.types import ErrorCode, Feedback, Report, Subtask
from perception.words.names import canonical
from planners.common_sense import is_container, is_furniture, is_room, means
from planners.rule.answers import listed, whereabouts
from planners.rule.chores import Chores
from planners.rule.memory import Memory
from planners.rule.moves import TRIES, Course, GaveUp, closed_container
from planners.rule.reading.lexicon import kinds_of
from planners.rule.reading.orders import (
    Ask,
    Bring,
    CloseUp,
    Errand,
    Fetch,
    IfThere,
    Item,
    OpenUp,
    Place,
    Return,
    Stock,
    Swap,
    Use,
    Visit,
    names_in,
)

MAX_ITEMS = 12
"""Largest number of items that an errand for `all` of something handles."""
MAX_FAILED = 2
"""Number of failed items after which an errand is given up."""

ROUNDS_TO_MAKE_ROOM = 10
"""Go to and Put of what is held, Go to, Pick, Go to and Put of one thing that is in the way, and again of the first."""

__all__ = ["Errands", "GaveUp"]


class Errands(Chores):
    """Runs errands in order, closes what it opened, and reports the results."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._done: list[str] = []
        self._failed: list[str] = []
        self._reasons: list[str] = []
        """Why something failed, and what was assumed."""
        self._left: list[str] = []
        """What may be left to do."""
        self._notes: list[str] = []
        self._asked = False
        self._over = False

    @property
    def outcome(self) -> Report:
        """What is claimed: that the task is done only if everything was done as it was understood. "": nobody knows."""
        if self._failed or not self._over:
            return "failure"
        if self._asked:
            return "success" if self.answer and not self.doubts else "failure"
        return "" if self._left else "success"

    def report(self) -> str:
        """What was done and what failed, in the first person."""
        parts = []
        if self._done:
            parts.append(f"I have {' and '.join(dict.fromkeys(self._done))}.")
        if self._failed:
            parts.append(f"I could not {' or '.join(dict.fromkeys(self._failed))}.")
        parts += dict.fromkeys(self._reasons)
        if self.answer:
            parts.append(f"The answer is: {self.answer}.")
        elif self._asked:
            parts.append("I cannot answer.")
        parts += self.doubts
        if not self._over:
            parts.append("The task is not done.")
        elif self.outcome == "success":
            parts.append("The task is done, so I end it.")
        return " ".join([*parts, *self._left, *self._notes])

    def run(self, errands: tuple[Errand, ...]) -> Course[None]:
        """Run all errands in order; the others are run even if one fails."""
        yield from self._run(errands)
        kept = {errand.words for errand in errands if isinstance(errand, OpenUp)}
        for container in [name for name in self.memory.open if name not in kept]:
            if self.memory.held and any(isinstance(errand, Fetch) for errand in errands):
                self._notes.append(f"The {container} is still open because I have only one hand.")
            else:
                yield from self._shut(container)
        self._over = True

    def _run(self, errands: tuple[Errand, ...]) -> Course[None]:
        for at, errand in enumerate(errands):
            match errand:
                case Bring() | Stock():
                    if isinstance(errand, Bring):
                        yield from self._bring(errand.item, errand.place)
                    else:
                        yield from self._stock(errand.item, errand.place)
                    later = set(names_in(errands[at + 1 :]))
                    if errand.place.words in self.memory.open and errand.place.words not in later:
                        yield from self._shut(errand.place.words)
                case Swap():
                    yield from self._swap(errand.first, errand.second)
                case IfThere():
                    names = yield from self._look(errand.item, errand.place)
                    yield from self._run(errand.then if names else errand.otherwise)
                case Fetch():
                    yield from self._fetch(errand.item)
                case Visit():
                    reached = yield from self.reach(errand.words, f"The task is to get to the {errand.words}.")
                    self._note(bool(reached), f"gone to the {errand.words}", f"find the {errand.words}")
                case Return():
                    yield from self._return()
                case Use():
                    yield from self._use(errand)
                case Ask():
                    self._asked = True
                    yield from self.ask(errand)
                case OpenUp():
                    opened = yield from self.open(errand.words, f"I have to open the {errand.words}, so I go there.")
                    self._note(opened, f"opened the {errand.words}", f"open the {errand.words}")
                case CloseUp():
                    yield from self._close(errand.words)

    def _return(self) -> Course[None]:
        """Come back to whoever gave the task."""
        start = self.memory.start
        if not start:
            self._left.append("I do not know where you are, so I hold it here.")
        elif self.memory.room != start and self.memory.held:
            reached = yield from self.reach(start, f"I was given the task in the {start}, so I go back there.")
            self._note(bool(reached), f"come back to the {start}", f"come back to the {start}")

    def _note(self, ok: bool, done: str, failed: str) -> None:
        self._done += [done] if ok else []
        self._failed += [] if ok else [failed]

    def _close(self, words: str) -> Course[None]:
        """Close on request, unless it was opened and closed by an earlier errand."""
        if f"closed the {words}" in self._done:
            return
        yield from self._shut(words)

    def _shut(self, words: str) -> Course[None]:
        closed = yield from self.close(words, f"The {words} has to be closed.")
        self._note(closed, f"closed the {words}", f"close the {words}")

    # ------------------------------------------------------------ bringing

    def _fetch(self, item: Item) -> Course[None]:
        """Pick up one object and keep holding it."""
        name, source = yield from self._which(item, Place(""))
        taken = bool(name) and (yield from self._take(name, source))
        what = item.words or f"things on the {item.source}"
        self._note(bool(taken), f"picked up the {taken}", f"get the {what}")

    def _bring(self, item: Item, place: Place) -> Course[None]:
        closed = is_container(place.words) and place.words not in self.memory.stuck
        if place.inside and closed and not self.memory.held:
            why = f"I have only one hand, so I open the {place.words} before I pick anything up."
            yield from self.open(place.words, why)
        what = item.words or f"things on the {item.source}"
        moved: list[str] = []
        failed: list[str] = []
        while len(moved) < (item.count or MAX_ITEMS) and len(failed) < MAX_FAILED:
            name, source = yield from self._which(item, place, moved, failed)
            if not name:
                break
            carried = yield from self._carry(name, source, place)
            if carried:
                moved.append(canonical(carried))
            else:
                failed.append(name)
        ok = len(moved) >= (item.count or 1) and (item.count is not None or not failed)
        if not ok and moved:
            of = f" of {item.count}" if item.count else ""
            self._reasons.append(f"I have brought only {len(moved)}{of}.")
        self._note(ok, f"brought the {what} to the {place.words}", f"bring the {what} to the {place.words}")
        if item.count is None and (not item.source or is_room(item.source)) and self._may_be_more(item.source):
            where = f"in the {item.source}" if item.source else "elsewhere"
            self._left.append(f"I have searched where I could; if there are more {what} {where}, I have not seen them.")
        if self.memory.held and failed:
            yield from self._put_back(self.memory.held)

    def _may_be_more(self, room: str) -> bool:
        """Whether there is furniture in a room, or in the home, that was not looked at."""
        return not self.memory.remembered or bool(self.unseen(room))

    def _put_back(self, held: str) -> Course[None]:
        """What cannot be brought where it should go is put down again."""
        if (yield from self.free_hand(f"I cannot bring the {held} where it should go, so I put it down.")):
            self._reasons.append(f"I have put the {held} down at the {self.memory.at}.")

    def _carry(self, words: str, source: str, place: Place) -> Course[str]:
        """Bring one object to the place. Returns its name, or "" on failure."""
        for _ in range(TRIES):
            taken = yield from self._take(words, source)
            if not taken:
                return ""
            put = yield from self._leave(taken, place)
            if put is not None:
                return taken if put else ""
        return ""

    def _take(self, words: str, source: str) -> Course[str]:
        """Pick something up. Returns its name, or "" on failure."""
        memory = self.memory
        if memory.held and means(words, memory.held):
            return memory.held
        if memory.held and not (yield from self.free_hand(f"I hold the {memory.held} but need the {words}.")):
            return ""
        asked_for = words
        if source:
            source = yield from self._go_to_source(source, words)
            if not source:
                return ""
            words = next((thing.name for thing in memory.things_at(source, words)), words)
        room = memory.room
        for _ in range(TRIES):
            name = yield from self.reach(words, f"I need the {words}, so I go to it.")
            if not name:
                if source:
                    self._reasons.append(f"I have not found the {asked_for} at the {source}.")
                return ""
            if source and not self._is_from(asked_for, source, room):
                return ""
            feedback = yield from self.act(Subtask("Pick", name), name, f"I am at the {name}, so I pick it up.")
            if feedback.ok:
                return memory.held or name
            if feedback.code is ErrorCode.L3:
                container = closed_container(feedback)
                self.memory.shut(container)
                if not container or not (yield from self.open(container, f"The {name} is in the closed {container}.")):
                    return ""
            elif feedback.code is ErrorCode.L1:
                yield from self.free_hand("My hand is full.")
            elif feedback.code is ErrorCode.F2:
                memory.refuse(name)
                memory.forget(name)
            elif memory.visited[canonical(name)]:  # else a nearer look may show how
                words = "" if source else (yield from self._instead(words, name))
                if not words:
                    return ""
            memory.at = ""
        return ""

    def _go_to_source(self, source: str, words: str) -> Course[str]:
        """Go to where something is to be taken from, and open it if it opens. Returns the name of the place, "" if it
        is not there. Another one of that kind is taken for it if it is the only one that can be meant."""
        memory = self.memory
        reached = source if memory.at == canonical(source) else ""
        why = f"The {words} should be at the {source}, so I go there first."
        room = memory.room_in(source)
        if not reached and room and memory.by_sight is not True:
            # What is not known there by this name is not looked for elsewhere: the room says which one is meant.
            reached = source if (yield from self.go_to(source, why)) else ""
            if not reached:
                yield from self.go_to(room, f"There is no {source}, so I look what the {room} has.")
        elif not reached:
            reached = yield from self.reach(source, why)
        if not reached:
            others = memory.alike(source)
            if len(others) != 1:
                known = f"; what I know of that kind is the {listed(others)}" if others else ""
                self._reasons.append(f"I have not found the {source}{known}.")
                return ""
            why = f"There is no {source}, and the {others[0]} is the only one of that kind there."
            if not (yield from self.reach(others[0], why)):
                return ""
            self._reasons.append(f"I took the {others[0]} for the {source}, which I have not found.")
            source = others[0]
        if is_container(source):
            yield from self.open(source, f"I look into the {source}.")
        return source

    def _is_from(self, words: str, source: str, room: str) -> bool:
        """Whether what the robot has gone to is at the place from which it is to be taken, which is in that room."""
        memory = self.memory
        here = memory.seen_now(words)
        if any(memory.is_at(thing, source) for thing in here) or means(source, memory.place_of(words)):
            return True
        elsewhere = next((thing for thing in here if thing.place), None)
        if elsewhere is None and (not room or memory.room == room):
            return True
        shut_in = memory.container_ahead() if elsewhere is None and is_container(source) else ""
        if shut_in and means(source, kind_of(shut_in)):  # another drawer, where any drawer is meant
            return True
        seen = f"; I have seen one {whereabouts(elsewhere)}" if elsewhere is not None else ""
        self._reasons.append(f"I have not found the {words} at the {source}{seen}.")
        return False

    def _instead(self, words: str, failed: str) -> Course[str]:
        """The name of another object that also fits the words and has not failed yet; "" if there is none."""
        memory = self.memory
        memory.refused[canonical(failed)] += TRIES
        names = memory.seen(words)
        others = names if canonical(failed) in names else names[1:]  # a description most likely resolved to the first
        for name in others:
            if memory.refused[name] < TRIES:
                return name
        for place in memory.places_with(words):
            here = any(means(words, name) for name in memory.things_on(place))
            if not here and not memory.visited[place]:
                reached = yield from self.reach(place, f"There was another {failed} at the {place}, so I try that one.")
                return failed if reached else ""
        return ""

    def _leave(self, held: str, place: Place) -> Course[bool | None]:
        """Put the held object at its place. None if it was lost and has to be picked up again."""
        memory, words = self.memory, place.words
        tried: list[str] = []
        for _ in range(TRIES):
            reached = yield from self.reach(words, f"I hold the {held} and bring it to the {words}.")
            if not reached:
                return False
            side = "in" if place.inside else "on"
            why = f"I am at the {reached} with the {held} in my hand, so I put it {side} the {reached}."
            feedback = yield from self.act(Subtask("Put", held, reached), reached, why)
            if feedback.ok:
                memory.at = canonical(reached)
                return True
            if feedback.code is ErrorCode.E2 or (feedback.code is ErrorCode.L2 and not memory.held):
                memory.at = ""
                return None
            if feedback.code is ErrorCode.L3:
                container = closed_container(feedback) or reached
                memory.shut(container)
                if not (yield from self.open(container, f"The {container} is closed, so I open it.")):
                    return False
                return None
            memory.refused[canonical(reached)] += 1
            tried += [canonical(reached), memory.before_robot(reached)]
            other = next((piece for piece in memory.pieces(place.words) if piece not in tried), "")
            if not other and (yield from self._make_room(feedback, reached)):
                return None
            if not memory.held:  # put down elsewhere, and what is in the way cannot be moved
                return False
            words = other or words
            memory.at = ""
        return False

    def _make_room(self, feedback: Feedback, place: str) -> Course[bool]:
        """Put what is held down elsewhere and move aside what the feedback says is in the way at a place. False if it
        names nothing, too few rounds are left or it fails."""
        memory = self.memory
        if not feedback.about or memory.left < ROUNDS_TO_MAKE_ROOM + len(memory.open):
            return False
        why = f"I need a free hand to make room at the {place}."
        return (yield from self.free_hand(why, (place,))) and (yield from self._clear_away(feedback, place))

    # ------------------------------------------------------------ errands that depend on what is at a place

    def _look(self, item: Item, place: Place) -> Course[list[str]]:
        """The names of matching objects that are visible at a place, one entry per object."""
        why = f"I check what is in the {place.words}."
        if not (yield from self.reach(place.words, why)):
            return []
        if is_container(place.words):
            yield from self.open(place.words, why)
        return [name for name in self.memory.all_on(place.words) if self._matches(item, name)]

    def _stock(self, item: Item, place: Place) -> Course[None]:
        """Bring as many items as are missing."""
        there = yield from self._look(item, place)
        missing = (item.count or 0) - len(there)
        if missing > 0:
            yield from self._bring(replace(item, count=missing), place)
        else:
            self._note(missing == 0, f"seen {len(there)} of the {item.words}", "take any away")

    def _swap(self, first_item: Item, second_item: Item) -> Course[None]:
        """Find both items, then bring each to the place of the other."""
        ends: list[Place] = []
        for item in (first_item, second_item):
            where = yield from self._where(item)
            ends.append(Place(where, is_container(where)))
        what = f"the {first_item.words} and the {second_item.words}"
        if not all(place.words for place in ends) or means(ends[0].words, ends[1].words):
            self._note(False, "", f"see where {what} are")
            return
        first = yield from self._carry(first_item.words, "", ends[1])
        second = bool(first) and (yield from self._carry(second_item.words, "", ends[0]))
        self._note(bool(second), f"exchanged {what}", f"exchange {what}")

    def _where(self, item: Item) -> Course[str]:
        """The place of an item: from the task, or as seen from nearby."""
        if item.source:
            yield from self._look(item, Place(item.source))
            return item.source
        name = yield from self.reach(item.words, f"I check where the {item.words} is.")
        return self.memory.place_of(name) if name else ""

    # ------------------------------------------------------------ several items

    def _which(
        self, item: Item, place: Place, moved: Sequence[str] = (), failed: Sequence[str] = ()
    ) -> Course[tuple[str, str]]:
        """The name of the next object to bring and the place to take it from; ("", "") if there is none.

        An object of another kind than those already moved (or, for a class word such as `can`, than those seen at the
        destination) is approached directly by its name. For an object of the same kind the name would resolve to the
        nearest, which is the one moved last, so the robot first goes to the place of the others.
        """
        choose = bool(kinds_of(item.words)) and item.count is not None and not item.source
        if choose and (moved or self._there(item, place)):
            return self._of_a_kind(item, place, moved, failed)
        looked_for = item.words and not moved
        if looked_for and failed:
            return "", ""
        if looked_for and not (kinds_of(item.words) and item.source):
            return item.words, item.source
        if moved and not item.source:
            told = (thing for thing in self.memory.things_like(item.words) if not self.memory.is_at(thing, place.words))
            for name in (thing.name for thing in told):
                if self._matches(item, kind_of(name)) and name not in failed:
                    return name, ""
        sources = [item.source] if item.source else self._elsewhere(item, place)
        there = self._there(item, place)
        if moved and (there or item.words not in moved):
            for name in (name for source in sources for name in self.memory.known_on(source)):
                if self._matches(item, name) and name not in (*moved, *failed, *there):
                    return name, ""
        for source in sources:
            why = f"I check whether more is left on the {source}." if moved else f"I check what is on the {source}."
            if not (yield from self.reach(source, why)):
                continue
            if is_container(source) and source not in self.memory.open:
                yield from self.open(source, f"I look into the {source}.")
            for name in self.memory.things_on(source):
                if self._matches(item, name) and name not in failed:
                    return name, source
            self.memory.cleared(item.words, source)
        if moved and not item.source:
            return (yield from self._another(item, place, failed))
        if item.source and not moved and not failed:
            what = item.words or "anything"
            self._reasons.append(f"I have not found {what} at the {item.source}.")
        return "", ""

    def _another(self, item: Item, place: Place, failed: Sequence[str]) -> Course[tuple[str, str]]:
        """One more of an item, which was not seen yet: the robot looks into rooms and containers for it."""
        memory = self.memory

        def left() -> str:
            things = memory.things_like(item.words)
            names = (thing.name for thing in things if not memory.is_at(thing, place.words))
            return next((name for name in names if name not in failed and self._matches(item, kind_of(name))), "")

        for places in (self._other_rooms, self._furniture):
            for name in places(item.words):
                if found := left():
                    return found, ""
                usable = (
                    self._worth_a_look(name) and not means(place.words, name) and self._affordable(name, item.words)
                )
                if not usable or not (yield from self.go_to(name, f"I look for another {item.words} in the {name}.")):
                    continue
                if self._looks_inside(item.words, name) and (yield from self.open(name, f"I look into the {name}.")):
                    if found := left():
                        return found, ""
                    yield from self.close(name, f"There is no {item.words} in the {name}, so I close it.")
        return left(), ""

    def _of_a_kind(self, item: Item, place: Place, moved: Sequence[str], failed: Sequence[str]) -> tuple[str, str]:
        """The next object of a class such as fruit, of another kind than those at the destination: kinds seen elsewhere
        come first, then the other kinds of the class."""
        done = [
            moved_name
            for moved_name in (*moved, *failed, *self._there(item, place))
            if moved_name != canonical(item.words)
        ]
        known = [name for name in self.memory.seen(item.words) if not is_furniture(name)]
        for name in dict.fromkeys([*known, *kinds_of(item.words)]):
            if (
                self._matches(item, name)
                and not self.memory.refused[name]
                and not any(means(moved_name, name) for moved_name in done)
            ):
                return name, ""
        return "", ""

    def _there(self, item: Item, place: Place) -> list[str]:
        """Names of matching objects that have been seen at the destination."""
        return [name for name in self.memory.known_on(place.words) if self._matches(item, name)]

    def _matches(self, item: Item, name: str) -> bool:
        return (not item.words or means(item.words, name)) and not any(means(kept, name) for kept in item.besides)

    def _elsewhere(self, item: Item, place: Place) -> list[str]:
        """Places other than the destination where matching objects have been seen."""
        return [name for name in self.memory.places_with(item.words) if not means(place.words, name)]
