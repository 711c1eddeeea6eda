"""Answers of the rule planner about states of objects: on, off, dirty, clean, filled or empty."""

from __future__ import annotations

from homie.kernel.knowledge import CONTRARY, RememberedThing
from homie.kernel.support.text import join_words
from planners.rule.error_reactions import Course, Moves
from planners.rule.memory import Memory
from planners.rule.reading.orders import Ask


class StateAnswers(Moves):
    """Answers questions about states that the planner sees, without guessing.

    `answer` is "" if unknown; `doubts` are sentences about what is unknown.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.answer = ""
        self.doubts: list[str] = []

    def _check_state(self, question: Ask) -> Course[None]:
        """Answer whether an object is in a state; of several objects each is reported if they differ."""
        words, state = question.item.words, question.state
        yield from self._look_for(words, question.place.words, f"I go and look whether the {words} is {state}.")
        known = self.memory.find_named(words, question.place.words)
        if not known:
            location = f" in the {question.place.words}" if question.place.words else ""
            self.doubts.append(self.why_missed(words, location))
            return
        answers = {thing.name: self._state_answer(thing, state) for thing in known}
        self.doubts += [
            f"I cannot see whether the {name} is {state}." for name, answer in answers.items() if not answer
        ]
        if self.doubts:
            return
        is_mixed = len(set(answers.values())) > 1
        descriptions = (f"{name}: {answer}" for name, answer in answers.items())
        self.answer = "; ".join(descriptions) if is_mixed else next(iter(answers.values()))

    def _state_answer(self, thing: RememberedThing, state: str) -> str:
        """Return the answer for one object, "" if unknown. A vessel with objects in it is not empty."""
        contents = [other.name for other in self.memory.things_at(thing.name)] if state in ("filled", "empty") else []
        if state == "empty" and contents:
            return f"no, {join_names(contents)} {_is_or_are(contents)} in it"
        if state in thing.states:
            return "yes"
        if CONTRARY[state] not in thing.states:
            return ""
        return (
            f"no, but {join_names(contents)} {_is_or_are(contents)} in it"
            if contents
            else f"no, it is {CONTRARY[state]}"
        )

    def _holds(self, words: str) -> Course[None]:
        """Answer whether anything is in a vessel."""
        yield from self._look_for(words, "", f"I go and look into the {words}.")
        known = self.memory.find_named(words)
        contents = [other.name for thing in known for other in self.memory.things_at(thing.name)]
        if contents:
            self.answer = f"yes, {join_names(contents)}"
        elif any("filled" in thing.states for thing in known):
            self.answer = "yes, it is filled"
        elif known and all("empty" in thing.states for thing in known):
            self.answer = "no, it is empty"
        else:
            cannot_see = f"I cannot see whether anything is in the {words}."
            self.doubts.append(cannot_see if known else self.why_missed(words))

    def _count_in_state(self, question: Ask) -> Course[None]:
        """Answer how many objects are in a state, if the states of all that were seen are known."""
        words, room, state = question.item.words, question.place.words, question.state
        yield from self._look_into_rooms(room, f"I count the {words} that are {state} and look into the ")
        known = self.memory.find_named(words, room)
        matching = [thing for thing in known if state in thing.states]
        open_ones = [thing.name for thing in known if not {state, CONTRARY[state]} & set(thing.states)]
        self.doubts += [f"I cannot see whether the {name} is {state}." for name in open_ones]
        if not known:
            self.doubts.append(self.why_missed(words))
        elif self.doubts:
            self.answer = f"at least {len(matching)}"
        else:
            self.answer = str(len(matching))

    def _look_into_rooms(self, room: str, reason: str) -> Course[None]:
        """Look into a room, or into all rooms, including those discovered on the way."""
        memory, tried_rooms = self.memory, set[str]()
        while name := next((name for name in ([room] if room else memory.rooms()) if name not in tried_rooms), ""):
            tried_rooms.add(name)
            is_reached = memory.left > 1 and (yield from self.go_to(name, f"{reason}{name}."))
            # In the background setting the robot tries every kind of room; a room that does not exist is no doubt.
            if not is_reached and (room or memory.known is not None or any(t.room == name for t in memory.remembered)):
                self.doubts.append(f"I have not looked into the {name}.")

    def _look_for(self, words: str, room: str, reason: str) -> Course[None]:
        """Go to an object, by its own name if known."""
        known = self.memory.find_named(words, room)
        if known:
            yield from self.go_to(known[0].name, reason)
        else:
            yield from self.reach(f"{room} {words}".strip(), reason)


def join_names(names: list[str]) -> str:
    """Join names for a sentence: `apple, pear and mug`."""
    descriptions = [f"{names.count(name)} x {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
    return join_words(descriptions)


def _is_or_are(names: list[str]) -> str:
    return "are" if len(names) > 1 else "is"
