"""Question answering of the rule planner: it goes and looks, opens closed containers and closes them again."""

from __future__ import annotations

from homie.kernel.interfaces import kind_of
from homie.kernel.knowledge import RememberedThing
from perception.names import canonical
from planners.common_sense import is_container, is_furniture, is_room, is_surface
from planners.rule.error_reactions import Course
from planners.rule.reading.orders import Ask
from planners.rule.states import StateAnswers, join_names

ROUNDS_TO_LOOK = 4
"""Rounds to look into one container: Go to, Open, Close and End."""


class Answers(StateAnswers):
    """Answers one question. `answer` is "" if unknown; `doubts` are sentences about what was not examined."""

    def ask(self, question: Ask) -> Course[None]:
        """Find the answer, and restore the state of containers."""
        words, place = question.item.words, question.place.words
        match question.about:
            case "open" | "closed":
                yield from self._is_open(place, question.about)
            case "where":
                yield from self._where_is(words)
            case "contents":
                if (yield from self._look_at(place)):
                    things = self.memory.things_at(place)
                    self.answer = join_names([thing.name for thing in things]) or "nothing"
            case "there":
                yield from (self._is_at(words, place) if place else self._exists(words))
            case "count":
                yield from (self._count_in_state(question) if question.state else self._how_many(words, place))
            case "state":
                yield from self._check_state(question)
            case "holds":
                yield from self._holds(words)

    def _is_open(self, place: str, queried_state: str) -> Course[None]:
        if not (yield from self.reach(place, f"I go and look whether the {place} is {queried_state}.")):
            self.doubts.append(self.why_missed(place))
            return
        state = self.memory.state_of(place)
        if not state:
            self.doubts.append(f"I cannot see whether the {place} is {queried_state}.")
        elif state == "ajar":
            self.answer = "it is ajar"
        else:
            self.answer = "yes" if state == queried_state else f"no, it is {state}"

    def _where_is(self, words: str) -> Course[None]:
        name = yield from self.reach(words, f"I look for the {words}.")
        known = self.memory.find_named(words)
        if len(known) > 1:
            self.answer = "; ".join(f"{thing.name}: {whereabouts(thing)}" for thing in known)
        elif known:
            self.answer = whereabouts(known[0])
        elif not name:
            self.doubts.append(self.why_missed(words))
        elif self.memory.room:
            # Reached without being seen: it is inside a closed container.
            self.answer = f"in the {self.memory.room}"
            if place := self.memory.container_ahead():
                self.answer += f", in or near the {place}"

    def _is_at(self, words: str, place: str) -> Course[None]:
        if (yield from self._look_at(place)):
            number = len(self.memory.things_at(place, words))
            self.answer = "no" if not number else "yes" if number == 1 else f"yes, {number}"

    def _exists(self, words: str) -> Course[None]:
        name = yield from self.reach(words, f"I look for the {words}.")
        if name:
            known = self.memory.things_like(words)
            self.answer = f"yes, {whereabouts(known[0])}" if known else "yes"
        elif self.memory.by_sight is False or canonical(words) in self.memory.absent:
            self.answer = "no"
        else:
            self.answer = "no, I have not found any"
            self.doubts += self._unexamined_doubts()

    def _how_many(self, words: str, place: str) -> Course[None]:
        if place and not is_room(place):
            if (yield from self._look_at(place)):
                self.answer = str(len(self.memory.things_at(place, words)))
            return
        yield from self._look_around(words, place)
        number = len(self.memory.things_at(place, words)) if place else len(self.memory.things_like(words))
        self.doubts += self._unexamined_doubts(place)
        self.answer = str(number) if not self.doubts else f"at least {number}"

    # ------------------------------------------------------------ looking

    def _look_at(self, place: str) -> Course[bool]:
        """Go to a place, and look into it if it opens; close it again. Return whether that succeeded."""
        memory = self.memory
        reason = f"I go and look at the {place}."
        known = any(thing.name == place for thing in memory.remembered)
        if not (yield from (self.go_to(place, reason) if known else self.reach(place, reason))):
            self.doubts.append(self.why_missed(place))
            return False
        if not is_container(place) or memory.state_of(place) == "open":
            return True
        if not (yield from self.open(place, f"I look into the {place}.")):
            self.doubts.append(f"I could not open the {place}.")
            return False
        yield from self.close_again(place, f"I have looked into the {place}, so I close it again.")
        return True

    def _look_around(self, words: str, room: str) -> Course[None]:
        """Look at all furniture of a room, or of the home, as far as the rounds allow."""
        memory = self.memory
        if not room:
            for name in memory.rooms():
                if memory.left > ROUNDS_TO_LOOK and not memory.visited[canonical(name)]:
                    yield from self.go_to(name, f"I count the {words} and look into the {name}.")
        elif not (yield from self.reach(room, f"I count the {words} in the {room}.")):
            self.doubts.append(self.why_missed(room))
            return
        for piece in self.unseen(room):
            if memory.left <= ROUNDS_TO_LOOK:
                return
            if is_container(kind_of(piece)):
                yield from self._look_at(piece)
            else:
                yield from self.go_to(piece, f"I count the {words} and look at the {piece}.")

    def unseen(self, room: str) -> list[str]:
        """Return furniture of a room that was not seen from nearby, containers last."""
        memory = self.memory
        pieces = [thing for thing in memory.remembered if is_furniture(kind_of(thing.name)) and can_hold(thing.name)]
        names = [thing.name for thing in pieces if not room or canonical(thing.room) == canonical(room)]
        unvisited = [name for name in names if not memory.visited[canonical(name)]]
        return sorted(unvisited, key=lambda name: is_container(kind_of(name)))

    def _unexamined_doubts(self, room: str = "") -> list[str]:
        unexamined = [name for name in self.unseen(room) if canonical(name) not in self.memory.looked_into]
        summary = f"{', '.join(unexamined[:4])} and more" if len(unexamined) > 4 else join_names(unexamined)
        return [f"I have not looked at the {summary}."] if unexamined else []


def can_hold(name: str) -> bool:
    """Return whether objects are found in or on furniture of this name."""
    return is_container(kind_of(name)) or is_surface(kind_of(name))


def whereabouts(thing: RememberedThing) -> str:
    """Describe the location of an object: `in the kitchen, on kitchen counter 4`."""
    room = f"in the {thing.room}" if thing.room else ""
    return ", ".join(part for part in (room, thing.place) if part) or "I have seen it, and cannot say where"
