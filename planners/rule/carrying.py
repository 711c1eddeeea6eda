"""Carrying of the rule planner: it picks one object up at its source and puts it at its destination."""

from __future__ import annotations

from homie.kernel.interfaces import kind_of
from homie.kernel.types import ErrorCode, Feedback, Subtask
from perception.names import canonical
from planners.common_sense import is_container, means
from planners.rule.answers import whereabouts
from planners.rule.error_reactions import Course, Moves, closed_container, failure_sentence
from planners.rule.giving_up import TRIES
from planners.rule.memory import Memory
from planners.rule.reading.orders import Place
from planners.rule.states import join_names

ROUNDS_TO_MAKE_ROOM = 10
"""Rounds to make room: Go to and Put of the held object, Go to, Pick, Go to and Put of an obstructing one, and Go to,
Pick, Go to and Put of the first."""

ROUNDS_TO_OPEN_WAY = 8
"""Rounds to unblock the way after the first Go to: Put of the held object, Go to and Close of the open container, then
Go to, Pick, Go to, Put and End. Each further open container needs one more."""


class Carrying(Moves):
    """Picks up, carries and puts down one object."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._reasons: list[str] = []
        """Sentences about failures and assumptions."""

    def _carry(self, words: str, source: str, place: Place) -> Course[str]:
        """Bring one object to the place. Return its name, or "" on failure."""
        for _ in range(TRIES):
            taken_name = yield from self._take(words, source, place.words)
            if not taken_name:
                return ""
            was_put = yield from self._leave(taken_name, place)
            if was_put is not None:
                return taken_name if was_put else ""
            if source:  # the object is no longer at its source
                words, source = taken_name, ""
        return ""

    def _take(self, words: str, source: str, destination: str = "") -> Course[str]:
        """Pick an object up, except one at its destination. Return its name, or "" on failure."""
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
                if source and not self.is_unreached(words):
                    self._reasons.append(f"I have not found the {asked_for} at the {source}.")
                else:
                    self._misses.append(self.why_missed(words))
                return ""
            if source and not self._is_from(asked_for, source, room):
                return ""
            feedback = yield from self.act(Subtask("Pick", name), name, f"I am at the {name}, so I pick it up.")
            if feedback.ok:
                return memory.held or name
            if feedback.code is ErrorCode.L3:
                container = closed_container(feedback)
                self.memory.record_closed(container)
                if not container or not (yield from self.open(container, f"The {name} is in the closed {container}.")):
                    return ""
            elif feedback.code is ErrorCode.L1:
                yield from self.free_hand("My hand is full.")
            elif feedback.code is ErrorCode.F2:
                memory.refuse(name)
                memory.forget(name)
            elif memory.visited[canonical(name)]:  # otherwise a closer look may help
                other = "" if source else (yield from self._alternative_name(words, name))
                if not other and not source and feedback.lasting:
                    other = yield from self._further_name(words, name, destination)
                if not other:
                    self._misses.append(failure_sentence(f"Picking up the {name}", feedback.words))
                    return ""
                words = other
            memory.at = ""
        return ""

    def _go_to_source(self, source: str, words: str) -> Course[str]:
        """Go to the source of an object, and open it if it opens. Return the name of the source, "" if it was not
        found. A different place of the same kind is used if it is the only one."""
        memory = self.memory
        reached_name = source if memory.at == canonical(source) else ""
        reason = f"The {words} should be at the {source}, so I go there first."
        room = memory.room_in(source)
        if not reached_name and room and memory.by_sight is not True:
            # Do not search for it elsewhere if it is unknown in its room: the room identifies the intended one.
            reached_name = source if (yield from self.go_to(source, reason)) else ""
            if not reached_name:
                yield from self.go_to(room, f"There is no {source}, so I look what the {room} has.")
        elif not reached_name:
            reached_name = yield from self.reach(source, reason)
        if not reached_name:
            similar_names = memory.alike(source)
            if len(similar_names) != 1:
                known = f"; what I know of that kind is the {join_names(similar_names)}" if similar_names else ""
                reason = (
                    self.why_missed(source) if self.is_unreached(source) else f"I have not found the {source}{known}."
                )
                self._reasons.append(reason)
                return ""
            reason = f"There is no {source}, and the {similar_names[0]} is the only one of that kind there."
            if not (yield from self.reach(similar_names[0], reason)):
                return ""
            self._reasons.append(f"I took the {similar_names[0]} for the {source}, which I have not found.")
            source = similar_names[0]
        if is_container(source):
            yield from self.open(source, f"I look into the {source}.")
        return source

    def _is_from(self, words: str, source: str, room: str) -> bool:
        """Return whether the object that the robot has reached is at its source, which is in that room."""
        memory = self.memory
        visible_things = memory.find_in_sight(words)
        if any(memory.is_at(thing, source) for thing in visible_things) or means(source, memory.place_of(words)):
            return True
        misplaced = next((thing for thing in visible_things if thing.place), None)
        if misplaced is None and (not room or memory.room == room):
            return True
        container = memory.container_ahead() if misplaced is None and is_container(source) else ""
        if container and means(source, kind_of(container)):  # another drawer, if any drawer is meant
            return True
        sighting = f"; I have seen one {whereabouts(misplaced)}" if misplaced is not None else ""
        self._reasons.append(f"I have not found the {words} at the {source}{sighting}.")
        return False

    def _alternative_name(self, words: str, failed: str) -> Course[str]:
        """Return the name of another object that matches the words and has not failed yet; "" if there is none."""
        memory = self.memory
        memory.refused[canonical(failed)] += TRIES
        names = memory.seen(words)
        # A description was most likely resolved to the first match.
        alternatives = names if canonical(failed) in names else names[1:]
        for name in alternatives:
            if memory.refused[name] < TRIES:
                return name
        for place in memory.places_with(words):
            is_visible = any(means(words, name) for name in memory.things_on(place))
            if not is_visible and not memory.visited[place]:
                reached_name = yield from self.reach(
                    place, f"There was another {failed} at the {place}, so I try that one."
                )
                return failed if reached_name else ""
        return ""

    def _further_name(self, words: str, failed: str, destination: str) -> Course[str]:
        """Return the name of another numbered object of the kind, known or found by visiting further rooms; "" if there
        is none."""
        memory = self.memory
        tried_names = (canonical(failed), memory.before_robot(failed))

        def known() -> str:
            things = memory.things_like(words)
            names = (thing.name for thing in things if not destination or not memory.is_at(thing, destination))
            return next((name for name in names if name not in tried_names and memory.refused[name] < TRIES), "")

        for room in self.memory.rooms():
            if name := known():
                return name
            if room != memory.room and self._worth_a_look(room) and self._affordable(room, words):
                yield from self.go_to(room, f"I cannot take this {failed}, so I look for another one in the {room}.")
        return known()

    def _leave(self, held: str, place: Place) -> Course[bool | None]:
        """Put the held object at its place; return whether that succeeded, None if it must be picked up again."""
        memory, words = self.memory, place.words
        tried_places: list[str] = []
        for _ in range(TRIES):
            reason = f"I hold the {held} and bring it to the {words}."
            arrived = not self._doors_open(words) or (yield from self.go_to(memory.piece(words), reason))
            if not arrived and (yield from self._open_way(held, words)):
                return None
            reached_name = yield from self.reach(words, reason)
            if not reached_name:
                self._misses.append(self.why_missed(words))
                return False
            side = "in" if place.inside else "on"
            reason = f"I am at the {reached_name} with the {held} in my hand, so I put it {side} the {reached_name}."
            feedback = yield from self.act(Subtask("Put", held, reached_name), reached_name, reason)
            if feedback.ok:
                memory.at = canonical(reached_name)
                return True
            if feedback.code is ErrorCode.E2 or (feedback.code is ErrorCode.L2 and not memory.held):
                memory.at = ""
                return None
            if feedback.code is ErrorCode.L3:
                container = closed_container(feedback) or reached_name
                memory.record_closed(container)
                if not (yield from self.open(container, f"The {container} is closed, so I open it.")):
                    return False
                if words != place.words:  # this piece of furniture is the one with free space
                    memory.replace(place.words, container)
                return None
            memory.refused[canonical(reached_name)] += 1
            tried_places += [canonical(reached_name), memory.before_robot(reached_name)]
            other = next((piece for piece in memory.pieces(place.words) if piece not in tried_places), "")
            if not other and (yield from self._make_room(feedback, reached_name)):
                return None
            self._misses.append(failure_sentence(f"Putting the {held} {side} the {reached_name}", feedback.words))
            if not memory.held:  # put down elsewhere, but the obstructing object cannot be moved
                return False
            words = other or words
            memory.at = ""
        return False

    def _doors_open(self, place: str) -> list[str]:
        """Return containers that the robot has opened, whose doors may block the way to a known place."""
        memory = self.memory
        known = memory.by_sight is not True or memory.seen(memory.piece(place)) or memory.has_similar(place)
        return [name for name in memory.open if memory.piece(name) != memory.piece(place)] if known else []

    def _open_way(self, held: str, place: str) -> Course[bool]:
        """Put the held object down and close the container that the robot opened last, if its door may block the path
        to a place. Return False if the last failure has another reason, or too few rounds are left."""
        memory = self.memory
        no_way = self._last is not None and self._last[1].code is ErrorCode.E1
        if not no_way or memory.left < ROUNDS_TO_OPEN_WAY + len(memory.open) - 1:
            return False
        door = self._doors_open(place)[-1]
        reason = f"The open {door} may be what keeps me from the {place}, so I put the {held} down and close it."
        return (yield from self.free_hand(reason)) and (yield from self.close(door, reason))

    def _make_room(self, feedback: Feedback, place: str) -> Course[bool]:
        """Put the held object down elsewhere and move the objects aside that obstruct a place by the feedback. Return
        False if it names none, too few rounds are left or a move fails."""
        memory = self.memory
        if not feedback.about or memory.left < ROUNDS_TO_MAKE_ROOM + len(memory.open):
            return False
        reason = f"I need a free hand to make room at the {place}."
        return (yield from self.free_hand(reason, (place,))) and (yield from self._clear_away(feedback, place))
