"""A deterministic reader in place of a model: it knows the jobs of a task, and of the home what the prompt says.

It has no memory of its own: every answer is made from one request, as a model's. What it was doing it reads from the
history; what it has not seen it looks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.prompt_jobs import Job
from benchmarks.prompt_question import Known, Question, Step

ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "dining room", "hallway", "study")
"""What one guesses that a home has, if no room is given."""
CONTAINERS = ("fridge", "cabinet", "drawer", "microwave")
"""What small things may be in, if nothing is said about doors."""
_UNKNOWN = re.compile(r"does not exist|has been seen yet|is known;")
"""What F2 says of a name that means nothing."""
TRIES = 3
"""Times that the same subtask may fail before something else is tried."""
PATIENCE = 3
"""Moves of a search after which a name is tried again that was not listed, in case that it was seen and forgotten."""


def next_subtask(question: Question, jobs: Sequence[Job]) -> Job:
    """The subtask of this round."""
    left = _undone(question, jobs)
    if not left:
        return ("End",)
    held = question.inventory != "None"
    if (closed := _said_closed(question)) and not held:
        return _act(question, ("Open", closed))
    job = left[0]
    if job[0] == "Pick" and held:
        return _act(question, next((later for later in left if later[0] == "Put"), ("End",)))
    return _act(question, job)


def _undone(question: Question, jobs: Sequence[Job]) -> list[Job]:
    """The jobs from the first that no success of the history has done, in their order."""
    left = list(jobs)
    for step in question.history:
        if left and step.ok and step.action == left[0][0] and _all_mean(left[0][1:], step.parts[1:]):
            left.pop(0)
    return left


def _said_closed(question: Question) -> str:
    """What a failure has named as closed, as long as nothing says that it was opened since."""
    name = ""
    for step in question.history:
        if match := re.search(r"the (.+) is closed, you should open it first", step.why):
            name = match[1]
        elif step.ok and step.action == "Open" and name and _means(name, step.place):
            name = ""
    return name


def _act(question: Question, job: Job) -> Job:
    """Do a job, go to where it is done, or look for that."""
    place = job[-1]
    name = _called(question, place)
    if job[0] == "Go to":
        return ("Go to", name) if _can_go(question, place) else _search(question, place)
    last = question.history[-1] if question.history else None
    there = last is not None and last.ok and _at(question, last, place)
    if there and _failures(question, (*job[:-1], name)) < TRIES:
        return (*job[:-1], name)
    if not _can_go(question, place):
        return _search(question, place)
    known = _known(question, place)
    if known is not None and known.place and _failures(question, ("Go to", name)) >= TRIES:
        return ("Go to", re.sub(r"^(on|in) the ", "", known.place))
    return ("Go to", name)


def _at(question: Question, last: Step, place: str) -> bool:
    """Whether what was done last was done where this is."""
    if last.action == "Go to" or not last.place:
        return _means(place, last.place)
    known = _known(question, place)
    inside = last.action == "Open" and known is not None and known.seen
    return _means(place, last.place) or inside


def _can_go(question: Question, place: str) -> bool:
    """Whether it is worth a try: Go to finds everything, or the thing is listed, or nothing is listed and it is
    time."""
    missing = [
        number
        for number, step in enumerate(question.history)
        if step.action == "Go to" and not step.ok and _means(place, step.place) and _UNKNOWN.search(step.why)
    ]
    if question.anywhere:
        return len(missing) < TRIES
    reached = any(step.ok and _means(place, step.place) for step in question.history)
    named = bool(_said_closed(question)) and _means(place, _said_closed(question))
    if reached or named or place in question.rooms or _known(question, place) is not None:
        return True
    if question.memory or _stands_before_closed(question):
        return False
    moves = sum(step.ok for step in question.history[missing[-1] + 1 :]) if missing else PATIENCE
    return moves >= (PATIENCE if question.names else 1)


def _search(question: Question, place: str) -> Job:
    """Somewhere to look: a doorway, a room, a closed container, other furniture."""
    for name in question.doorways:
        if _attempts(question, ("Go to", name)) < 2:
            return ("Go to", name)
    for room in question.rooms or ROOMS:
        if room != question.room and not _attempts(question, ("Go to", room)):
            return ("Go to", room)
    if question.inventory == "None":
        for name in _closed(question):
            if _attempts(question, ("Open", name)) < 2 and not _done(question, ("Open", name)):
                last = question.history[-1] if question.history else None
                if last is not None and last.ok and last.parts == ("Go to", name):
                    return ("Open", name)
                if _attempts(question, ("Go to", name)) < 2:
                    return ("Go to", name)
    for known in question.things:
        if not _attempts(question, ("Go to", known.name)):
            return ("Go to", known.name)
    return ("Go to", place) if _attempts(question, ("Go to", place)) < TRIES else ("End",)


def _closed(question: Question) -> list[str]:
    """Names of what may hide something: listed as closed, or of a kind that has doors if nothing is said about them."""
    closed = [known.name for known in question.things if known.state in ("closed", "ajar")]
    if question.memory:
        return list(dict.fromkeys(closed))
    kinds = [known.name for known in question.things if any(_means(kind, known.name) for kind in CONTAINERS)]
    return list(dict.fromkeys([*kinds, *([] if question.names else CONTAINERS)]))


def _stands_before_closed(question: Question) -> bool:
    """Whether the search has just come to something that it has still to open."""
    last = question.history[-1] if question.history else None
    if last is None or not last.ok or last.action != "Go to" or question.inventory != "None":
        return False
    return last.place in _closed(question) and not _attempts(question, ("Open", last.place))


def _known(question: Question, words: str) -> Known | None:
    """The thing that words mean: the one in sight first."""
    meant = [known for known in question.things if _means(words, known.name)]
    return next((known for known in meant if known.seen), meant[0] if meant else None)


def _called(question: Question, words: str) -> str:
    """The name that the prompt has for it, the words themselves where it has none."""
    known = _known(question, words)
    return known.name if known is not None else words


def _all_mean(words: Sequence[str], names: Sequence[str]) -> bool:
    return all(_means(word, other) for word, other in zip(words, names, strict=False))


def _means(words: str, name: str) -> bool:
    """Whether words mean a name: `sofa` the `navy sofa`, `cabinet` the `cabinet 2`, `tv` no `tv stand`."""
    bare = name if words[-1:].isdigit() else re.sub(r" \d+$", "", name)
    return bare.lower() == words.lower() or bare.lower().endswith(f" {words.lower()}")


def _attempts(question: Question, parts: Job) -> int:
    return sum(step.parts == parts for step in question.history)


def _done(question: Question, parts: Job) -> bool:
    return any(step.ok and step.parts == parts for step in question.history)


def _failures(question: Question, parts: Job) -> int:
    """How often this was tried in vain since it last was done."""
    number = 0
    for step in question.history:
        if step.parts == parts:
            number = 0 if step.ok else number + 1
    return number
