"""How the rule planner runs errands: the order of their steps, and the reactions to failed steps.

An errand is one order of the instruction (`reading.orders`), such as bringing an item to a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from homie.kernel.types import ErrorCode, Feedback, Subtask
from perception.words.names import canonical
from planners.common_sense import is_container, is_furniture, is_room, means
from planners.rule.memory import Memory
from planners.rule.moves import TRIES, Course, GaveUp, Moves, closed_container
from planners.rule.reading.lexicon import kinds_of
from planners.rule.reading.orders import (
    Bring,
    CloseUp,
    Errand,
    Fetch,
    IfThere,
    Item,
    OpenUp,
    Place,
    Stock,
    Swap,
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


class Errands(Moves):
    """Runs errands in order, closes what it opened, and reports the results."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._done: list[str] = []
        self._failed: list[str] = []
        self._left: list[str] = []
        self._over = False

    def report(self) -> str:
        """What was done and what failed, in the first person."""
        parts = []
        if self._done:
            parts.append(f"I have {' and '.join(dict.fromkeys(self._done))}.")
        if self._failed:
            parts.append(f"I could not {' or '.join(dict.fromkeys(self._failed))}.")
        elif self._over and not self._left:
            parts.append("The task is done, so I end it.")
        elif self._over:
            parts += self._left
        else:
            parts.append("The task is not done.")
        return " ".join(parts)

    def run(self, errands: tuple[Errand, ...]) -> Course[None]:
        """Run all errands in order; the others are run even if one fails."""
        yield from self._run(errands)
        kept = {errand.words for errand in errands if isinstance(errand, OpenUp)}
        for container in [name for name in self.memory.open if name not in kept]:
            if self.memory.held and any(isinstance(errand, Fetch) for errand in errands):
                self._left.append(f"The {container} is still open because I have only one hand.")
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
                case OpenUp():
                    opened = yield from self.open(errand.words, f"I have to open the {errand.words}, so I go there.")
                    self._note(opened, f"opened the {errand.words}", f"open the {errand.words}")
                case CloseUp():
                    yield from self._close(errand.words)

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
        self._note(bool(taken), f"picked up the {name}", f"get the {what}")

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
        self._note(ok, f"brought the {what} to the {place.words}", f"bring the {what} to the {place.words}")
        if item.count is None and (not item.source or is_room(item.source)):
            where = f"in the {item.source}" if item.source else "elsewhere"
            self._left.append(f"I have searched where I could; if there are more {what} {where}, I have not seen them.")

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
        if source and memory.at != canonical(source):
            yield from self.reach(source, f"The {words} should be at the {source}, so I go there first.")
        if source and is_container(source):
            yield from self.open(source, f"I look into the {source}.")
        for _ in range(TRIES):
            name = yield from self.reach(words, f"I need the {words}, so I go to it.")
            if not name:
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
                words = yield from self._instead(words, name)
                if not words:
                    return ""
            memory.at = ""
        return ""

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
        return "", ""

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
