"""Moves of the rule planner: single subtasks with reactions to each error code.

Every method is a generator: it yields a decision, receives the planner input of the next round, and returns its result.
The error codes are those of EMMOE, section 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from homie.kernel.types import Decision, ErrorCode, Feedback, PlannerInput, Subtask
from perception.names import canonical
from planners.common_sense import SURFACES, is_container, is_furniture, is_room, means, usual_places
from planners.rule.giving_up import MAX_FAILURES, RESERVE, TRIES, TooManyFailures
from planners.rule.memory import Memory
from planners.rule.search_order import OPENING_ROUNDS

T = TypeVar("T")
Course: TypeAlias = Generator[Decision, PlannerInput, T]

USUAL = 1.5
"""Factor for the usual places of an object in a search."""
NEAR_BY = OPENING_ROUNDS / (OPENING_ROUNDS - 1)
"""Factor for a container that can be opened without going there first, which saves a round."""
NOT_FOUND = "I have not found"


class Moves:
    """Subtasks with reactions to their feedback, sharing one memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._failures = 0
        self._repeat_count = 0
        self._last: tuple[Subtask, Feedback] | None = None
        self._clearing = False
        self._unreached: dict[str, str] = {}
        """Feedback by the known names that the robot could not reach."""
        self._misses: list[str] = []
        """Sentences that explain why targets were not reached."""

    # ------------------------------------------------------------ one subtask

    def do(self, subtask: Subtask, analysis: str) -> Course[Feedback]:
        """Execute one subtask and record its feedback.

        A subtask that has just failed three times, or for a lasting reason, is not repeated: its last feedback is
        returned. Raises TooManyFailures after too many failures.
        """
        if self._last is not None and self._last[0] == subtask and self._would_repeat(self._last[1]):
            return self._last[1]
        inputs = yield Decision((subtask,), analysis)
        feedback = inputs.feedback
        assert feedback is not None  # a subtask has been executed
        if feedback.ok and subtask.action == "Go to":
            self.memory.at = canonical(subtask.target)
            self.memory.visited[self.memory.at] += 1
        self.memory.take_in(inputs)
        if feedback.ok:
            self._last, self._repeat_count = None, 0
        else:
            is_repeated = self._last is not None and self._last[0] == subtask
            self._last, self._repeat_count = (subtask, feedback), self._repeat_count + 1 if is_repeated else 1
            self._failures += 1
            if self._failures >= MAX_FAILURES:
                raise TooManyFailures(f"{self._failures} subtasks have failed, the last one with '{feedback.message}'.")
        return feedback

    def _would_repeat(self, answer: Feedback) -> bool:
        """Return whether repeating the subtask would give the same feedback."""
        return self._repeat_count >= TRIES or answer.lasting

    def go_to(self, words: str, reason: str) -> Course[bool]:
        """Go to a name, with up to three attempts if the skill fails (E1). Return False if it is unknown (F2) or not
        reached. A robot without Go to counts as being at every object that was not refused."""
        if "Go to" not in self.memory.actions:
            return self._is_manipulable(words)
        for attempt in range(TRIES):
            analysis = reason if attempt == 0 else f"I did not get to the {words}, so I try again."
            seen = bool(self.memory.seen(words)) or self.memory.has_similar(words)
            has_moved = bool(self.memory.visited)
            feedback = yield from self.do(Subtask("Go to", words), analysis)
            if feedback.ok:
                if not seen and not has_moved:
                    self.memory.by_sight = False
                self._unreached.pop(canonical(words), None)
                return True
            if feedback.code is ErrorCode.F2 and not (attempt == 0 and self.memory.visited[canonical(words)]):
                self.memory.refuse(words)
                self.memory.miss(words)
                if not seen and self.memory.by_sight is None:
                    self.memory.by_sight = True
                return False
            self._unreached[canonical(words)] = feedback.words
            if feedback.lasting and not (yield from self._clear_away(feedback, words)):
                self.memory.refuse(words)
                return False
        return False

    def is_unreached(self, words: str) -> bool:
        """Return whether these words mean a known object that the robot could not reach."""
        return self._failed_approach(words) is not None

    def _failed_approach(self, words: str) -> str | None:
        """Return the feedback of a failed Go to for these words, None if there was none."""
        return next((feedback_text for name, feedback_text in self._unreached.items() if means(words, name)), None)

    def why_missed(self, words: str, search_area: str = "") -> str:
        """Return a sentence about why the robot did not reach its target.

        Args:
            words: The target.
            search_area: The searched area, as ` in the kitchen`.
        """
        if canonical(words) in self.memory.absent:
            return f"There is no {words} here."
        barrier = self._failed_approach(words)
        if barrier is None:
            return f"{NOT_FOUND} the {words}{search_area}."
        return failure_sentence(f"Going to the {words}", barrier)

    def _is_manipulable(self, words: str) -> bool:
        """Return whether a robot without Go to may manipulate an object: not if it was refused."""
        name = canonical(words)
        if self.memory.refused[name]:
            return False
        self.memory.at = name
        self.memory.visited[name] += 1
        return True

    def act(self, subtask: Subtask, target_name: str, analysis: str) -> Course[Feedback]:
        """Manipulate an object that the robot has reached.

        After distance errors (D1, D2) and failed skills (E1) the robot moves obstructing objects that the feedback
        names, and approaches again. Returns the last feedback.
        """
        feedback = yield from self.do(subtask, analysis)
        for attempt in range(1, TRIES):
            if feedback.code is ErrorCode.D1:
                reason = f"The {target_name} is too far away to {subtask.action.lower()}, so I go closer first."
            elif feedback.code is ErrorCode.D2:
                reason = f"I am too close to the {target_name}, so I approach it again."
            elif feedback.lasting:
                if not (yield from self._clear_away(feedback, target_name)):
                    break
                reason = f"The way is free now, so I go back to the {target_name}."
            elif feedback.code is ErrorCode.E1:
                reason = f"That did not work, so I approach the {target_name} again and try once more."
                if attempt == TRIES - 1:
                    yield from self._step_away(target_name)
            elif self._contradicted(subtask, feedback):
                feedback = yield from self.do(subtask, f"'{feedback.message}' cannot be right, so I try again.")
                continue
            else:
                break
            if not (yield from self.go_to(target_name, reason)):
                break
            feedback = yield from self.do(subtask, f"I am at the {target_name} again. {analysis}")
        return feedback

    def _clear_away(self, feedback: Feedback, target_name: str) -> Course[bool]:
        """Move obstructing objects that the feedback names aside. Return False if it names none, the hand is full or a
        move fails."""
        names = [canonical(name) for name in feedback.about]
        if not names or self.memory.held or self._clearing:
            return False
        self._clearing = True
        try:
            for name in names:
                reason = f"The {name} is in the way, so I move it aside."
                crowded = (target_name, self.memory.place_of(target_name), self.memory.place_of(name))
                if not (yield from self.go_to(name, reason)):
                    return False
                if not (yield from self.do(Subtask("Pick", name), reason)).ok:
                    return False
                if not (yield from self.free_hand(reason, crowded)):
                    return False
        finally:
            self._clearing = False
        return True

    def _step_away(self, target_name: str) -> Course[None]:
        """Go to other furniture in sight, so that the next approach starts from another side."""
        for name in self.memory.surfaces_in_sight():
            if not means(target_name, name) and not self.memory.refused[name]:
                yield from self.go_to(
                    name, f"It does not work from here, so I approach the {target_name} from another side."
                )
                return

    def _contradicted(self, subtask: Subtask, feedback: Feedback) -> bool:
        """Return whether the feedback contradicts the state: the hand is reported full or empty (L1, L2) against the
        inventory or the subtask, or a listed action is reported unknown (F1)."""
        held, puts = bool(self.memory.held), subtask.action == "Put"
        reports_full, reports_empty = feedback.code is ErrorCode.L1, feedback.code is ErrorCode.L2
        reports_unknown = feedback.code is ErrorCode.F1
        return reports_unknown or (reports_full and (puts or not held)) or (reports_empty and (held or not puts))

    # ------------------------------------------------------------ navigation and search

    def reach(self, words: str, reason: str) -> Course[str]:
        """Go to an object or a place: directly if it may be known, otherwise after a search. Return the name by which
        it was reached, "" if it was not found."""
        words = self.memory.piece(words)
        if canonical(words) == self.memory.at:
            return words
        if self.memory.by_sight is not True or self.memory.seen(words) or self.memory.has_similar(words):
            if (yield from self.go_to(words, reason)):
                return words
            similar_names = [name for name in self.memory.seen(words) if name != canonical(words)]
            for name in similar_names:
                reason = f"The {name} could be what is meant by {words}, so I go there."
                if not self.memory.refused[name] and (yield from self.go_to(name, reason)):
                    return name
        if self.memory.by_sight is False or canonical(words) in self.memory.absent:
            return ""
        searched: set[str] = set()
        rooms_first = (self._rooms, self._other_rooms, self._furniture)
        furniture_first = (self._rooms, self._furniture, self._other_rooms, self._furniture)
        for places in rooms_first if is_furniture(words) else furniture_first:
            searched_before = len(searched)
            for _ in range(TRIES):
                sighted_name = yield from self._search(words, places, searched)
                if not sighted_name:
                    break
                if self._is_in_opened_container(sighted_name):
                    self.memory.at = sighted_name
                    return sighted_name
                if (yield from self.go_to(sighted_name, f"I can see the {sighted_name} now, so I go to it.")):
                    return sighted_name
            reason = f"I may have passed the {words} without noticing, so I try to go to it."
            is_unknown = self.memory.known is not None and not self.memory.has_similar(words)
            if (
                len(searched) > searched_before
                and not is_unknown
                and self.memory.left >= RESERVE
                and (yield from self.go_to(words, reason))
            ):
                return words
        return ""

    def _is_in_opened_container(self, name: str) -> bool:
        """Return whether an object is in the container that the robot has just opened, in reach of the arm."""
        memory = self.memory
        return memory.is_open(memory.at) and (memory.is_in(name, memory.at) or memory.has_appeared(name))

    def _search(self, words: str, places: Callable[[str], list[str]], searched: set[str]) -> Course[str]:
        """Search for an object in the places that a function lists, in its order.

        Returns the name to go to as soon as it is in sight, "" if it is not found. `searched` collects visited places.
        """
        sighted_name = self.memory.worth_going(words)
        while not sighted_name:
            candidates = (place for place in places(words) if place not in searched and self._worth_a_look(place))
            place = next((candidate for candidate in candidates if self._affordable(candidate, words)), "")
            if not place:
                break
            reason = f"I have not found the {words} yet. It could be in or near the {place}, so I look there."
            looks_inside = self._looks_inside(words, place)
            is_reached = (looks_inside and self.memory.is_near(place)) or (yield from self.go_to(place, reason))
            if is_reached or not self.memory.refused_here(place):  # a name unknown here may be known elsewhere
                searched.add(place)
            if is_reached:
                sighted_name = self.memory.worth_going(words)
                if not sighted_name and looks_inside:
                    sighted_name = yield from self._look_inside(words, place)
        return sighted_name

    def _look_inside(self, words: str, place: str) -> Course[str]:
        """Open the container at the robot; close it again if the object is not inside, which saves coming back."""
        memory = self.memory
        if not (yield from self.open(place, f"I look into the {place}.")):
            return ""
        sighted_name = memory.worth_going(words)
        if not sighted_name:
            yield from self.close_again(place, f"The {words} is not in the {place}, so I close it.")
        return sighted_name

    def _looks_inside(self, words: str, place: str) -> bool:
        """Return whether a place would be opened in the search for an object."""
        return is_container(place) and not is_furniture(words) and not self.memory.held

    def _affordable(self, place: str, words: str) -> bool:
        """Return whether enough rounds are left to visit a place and bring an object from there."""
        opening = OPENING_ROUNDS - 1 - self.memory.is_near(place) if self._looks_inside(words, place) else 0
        return self.memory.left >= RESERVE + len(self.memory.open) + opening

    def _worth_a_look(self, place: str) -> bool:
        """Return whether the robot can go to a place and has not been there. A container may be visited again to look
        inside, unless the robot has opened it."""
        memory = self.memory
        is_examined = memory.is_open(place) if is_container(place) else bool(memory.visited[place])
        return not (is_examined or memory.refused_here(place))

    def _rooms(self, words: str) -> list[str]:
        """Return usual rooms of an object; only those already seen if names must be seen to be accepted."""
        memory = self.memory
        return [p for p in usual_places(words) if is_room(p) and (memory.by_sight is not True or memory.seen(p))]

    def _other_rooms(self, words: str) -> list[str]:
        """Return all rooms that the robot may be able to reach."""
        return self.memory.rooms()

    def _furniture(self, words: str) -> list[str]:
        """Return the furniture seen so far, most promising first, containers last if no hand is free to open them."""
        memory = self.memory
        may_open = is_furniture(words) or not memory.held
        usual_names = {name for place in usual_places(words) if not is_room(place) for name in memory.seen(place)}
        pieces = {
            piece: memory.promise(words, piece)
            * (USUAL if name in usual_names else 1.0)
            * (NEAR_BY if is_container(piece) and memory.is_near(piece) else 1.0)
            * (may_open or not is_container(piece))
            for name in memory.receptacles()
            if not means(words, name)
            for piece in memory.each(name)
        }
        return sorted(pieces, key=lambda piece: -pieces[piece])

    # ------------------------------------------------------------ hands

    def free_hand(self, reason: str, crowded: Sequence[str] = ()) -> Course[bool]:
        """Put the held object on a surface nearby, but not on one in `crowded`. Return whether the hand is free."""
        memory = self.memory
        excluded = [name for name in crowded if name]
        remembered = [name for surface in SURFACES for name in memory.seen(surface)]
        surfaces = memory.surfaces_in_sight() or remembered or ["table"]
        candidates = [name for name in surfaces if not any(means(place, name) for place in excluded)]
        for surface in candidates[:TRIES]:
            held = memory.held
            if not held:
                return True
            if not (yield from self.go_to(surface, f"{reason} I go to the {surface} to put the {held} down.")):
                continue
            feedback = yield from self.act(
                Subtask("Put", held, surface), surface, f"I put the {held} on the {surface} to have my hand free."
            )
            if feedback.ok or feedback.code is ErrorCode.E2:
                return True
        return not memory.held

    def open(self, words: str, reason: str) -> Course[bool]:
        """Open a container, after going there unless it is near. Return False on failure; True also for furniture that
        does not open (L4)."""
        if self.memory.is_open(self.memory.piece(words)):
            return True
        if "Open" not in self.memory.actions:
            self._misses.append(f"No skill here can open the {words}.")
            return False
        if self.memory.held and not (yield from self.free_hand(f"I need a free hand to open the {words}.")):
            return False
        is_near = self.memory.is_near(words)
        reached_name = words if is_near else (yield from self.reach(words, reason))
        if not reached_name:
            self._misses.append(self.why_missed(words))
            return False
        ajar = self.memory.ajar(words)
        feedback = yield from self.act(
            Subtask("Open", reached_name), reached_name, f"I am at the {reached_name}, so I open it."
        )
        if feedback.ok:
            self.memory.at = canonical(reached_name)
            self.memory.record_opened(words)
        elif feedback.code is ErrorCode.E1:
            self.memory.stuck[words] = ajar
        return feedback.ok or feedback.code is ErrorCode.L4

    def close_again(self, words: str, reason: str) -> Course[None]:
        """Close a container that the robot has opened; do nothing for one that does not open (L4)."""
        if self.memory.is_open(self.memory.piece(words)):
            yield from self.close(words, reason)

    def close(self, words: str, reason: str) -> Course[bool]:
        """Go to a container and close it. Return False on failure, and for a robot without Close."""
        if "Close" not in self.memory.actions:
            return False
        if self.memory.held and not (yield from self.free_hand(f"I need a free hand to close the {words}.")):
            return False
        reached_name = yield from self.reach(words, reason)
        if not reached_name:
            self._misses.append(self.why_missed(words))
            return False
        feedback = yield from self.act(Subtask("Close", reached_name), reached_name, reason)
        if feedback.ok:
            self.memory.record_closed(words)
        return feedback.ok


def failure_sentence(attempt: str, message: str) -> str:
    """Return the sentence that an attempt failed, with the message of the feedback, if any."""
    return f"{attempt} failed{f' ({message})' if message else ''}."


def closed_container(feedback: Feedback) -> str:
    """Return the container that the feedback reports closed (L3), "" if it names none."""
    return canonical(feedback.about[0]) if feedback.about else ""
