"""Deterministic policy in place of a model: it knows the jobs of a task, and of the home only what the prompt says.

It is stateless: every answer is computed from one request, like a model's. Progress is read from the history in the
prompt; objects that have not been seen are searched for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.prompt_jobs import Job
from benchmarks.prompt_question import Entity, Question, Step

ROOMS = ("kitchen", "living room", "bedroom", "bathroom", "dining room", "hallway", "study")
"""Rooms assumed to exist if the prompt names none."""
CONTAINERS = ("fridge", "cabinet", "drawer", "microwave")
"""Kinds of furniture assumed to contain small objects if the prompt does not mention doors."""
_UNKNOWN = re.compile(r"does not exist|has been seen yet|is known;")
"""Message of the error F2 for a name that cannot be resolved."""
TRIES = 3
"""Maximum failures of the same subtask before an alternative is tried."""
PATIENCE = 3
"""Moves of a search after which an unlisted name is retried, in case it has been seen but dropped from the prompt."""


def next_subtask(question: Question, jobs: Sequence[Job]) -> Job:
    """Choose the subtask of this round."""
    remaining = _remaining_jobs(question, jobs)
    if not remaining:
        return ("End",)
    hand_full = question.inventory != "None"
    if (closed := _reported_closed(question)) and not hand_full:
        return _subtask_for(question, ("Open", closed))
    job = remaining[0]
    if job[0] == "Pick" and hand_full:
        return _subtask_for(question, next((later for later in remaining if later[0] == "Put"), ("End",)))
    return _subtask_for(question, job)


def _remaining_jobs(question: Question, jobs: Sequence[Job]) -> list[Job]:
    """Return the remaining jobs: those after the ones completed, in order, by successful steps of the history."""
    remaining = list(jobs)
    for step in question.history:
        if remaining and step.ok and step.action == remaining[0][0] and _all_match(remaining[0][1:], step.parts[1:]):
            remaining.pop(0)
    return remaining


def _reported_closed(question: Question) -> str:
    """Return the name that the last such failure reported as closed, "" if it has been opened since."""
    name = ""
    for step in question.history:
        if match := re.search(r"the (.+) is closed, you should open it first", step.why):
            name = match[1]
        elif step.ok and step.action == "Open" and name and _matches(name, step.place):
            name = ""
    return name


def _subtask_for(question: Question, job: Job) -> Job:
    """Choose the next subtask for a job: do it, go to its place, or search for the place."""
    place = job[-1]
    name = _prompt_name(question, place)
    if job[0] == "Go to":
        return ("Go to", name) if _can_go(question, place) else _search(question, place)
    last = question.history[-1] if question.history else None
    at_place = last is not None and last.ok and _is_at(question, last, place)
    if at_place and _failures(question, (*job[:-1], name)) < TRIES:
        return (*job[:-1], name)
    if not _can_go(question, place):
        return _search(question, place)
    entity = _resolve(question, place)
    if entity is not None and entity.place and _failures(question, ("Go to", name)) >= TRIES:
        return ("Go to", re.sub(r"^(on|in) the ", "", entity.place))
    return ("Go to", name)


def _is_at(question: Question, last: Step, place: str) -> bool:
    """Whether the last subtask was at a place, or opened the furniture in which it is now visible."""
    if last.action == "Go to" or not last.place:
        return _matches(place, last.place)
    entity = _resolve(question, place)
    inside = last.action == "Open" and entity is not None and entity.seen
    return _matches(place, last.place) or inside


def _can_go(question: Question, place: str) -> bool:
    """Whether to try a Go to: unseen targets are accepted, or the place is listed, or nothing is listed and it is time
    for a retry."""
    failed_moves = [
        number
        for number, step in enumerate(question.history)
        if step.action == "Go to" and not step.ok and _matches(place, step.place) and _UNKNOWN.search(step.why)
    ]
    if question.anywhere:
        return len(failed_moves) < TRIES
    reached = any(step.ok and _matches(place, step.place) for step in question.history)
    reported = bool(_reported_closed(question)) and _matches(place, _reported_closed(question))
    if reached or reported or place in question.rooms or _resolve(question, place) is not None:
        return True
    if question.memory or _is_before_closed(question):
        return False
    moves = sum(step.ok for step in question.history[failed_moves[-1] + 1 :]) if failed_moves else PATIENCE
    return moves >= (PATIENCE if question.names else 1)


def _search(question: Question, place: str) -> Job:
    """Choose the next place to search: a doorway, a room, a closed container, other furniture."""
    for name in question.doorways:
        if _attempts(question, ("Go to", name)) < 2:
            return ("Go to", name)
    for room in question.rooms or ROOMS:
        if room != question.room and not _attempts(question, ("Go to", room)):
            return ("Go to", room)
    if question.inventory == "None":
        for name in _closed(question):
            if _attempts(question, ("Open", name)) < 2 and not _succeeded(question, ("Open", name)):
                last = question.history[-1] if question.history else None
                if last is not None and last.ok and last.parts == ("Go to", name):
                    return ("Open", name)
                if _attempts(question, ("Go to", name)) < 2:
                    return ("Go to", name)
    for entity in question.things:
        if not _attempts(question, ("Go to", entity.name)):
            return ("Go to", entity.name)
    return ("Go to", place) if _attempts(question, ("Go to", place)) < TRIES else ("End",)


def _closed(question: Question) -> list[str]:
    """Return names of possible hiding places: listed as closed, or of a kind with doors if doors are not mentioned."""
    closed = [entity.name for entity in question.things if entity.state in ("closed", "ajar")]
    if question.memory:
        return list(dict.fromkeys(closed))
    kinds = [entity.name for entity in question.things if any(_matches(kind, entity.name) for kind in CONTAINERS)]
    return list(dict.fromkeys([*kinds, *([] if question.names else CONTAINERS)]))


def _is_before_closed(question: Question) -> bool:
    """Whether the search has just reached closed furniture that it has not yet tried to open."""
    last = question.history[-1] if question.history else None
    if last is None or not last.ok or last.action != "Go to" or question.inventory != "None":
        return False
    return last.place in _closed(question) and not _attempts(question, ("Open", last.place))


def _resolve(question: Question, words: str) -> Entity | None:
    """Resolve words to an entity of the prompt, preferring one in sight."""
    matching = [entity for entity in question.things if _matches(words, entity.name)]
    return next((entity for entity in matching if entity.seen), matching[0] if matching else None)


def _prompt_name(question: Question, words: str) -> str:
    """Return the name in the prompt for words, or the words themselves if there is none."""
    entity = _resolve(question, words)
    return entity.name if entity is not None else words


def _all_match(words: Sequence[str], names: Sequence[str]) -> bool:
    return all(_matches(word, other) for word, other in zip(words, names, strict=False))


def _matches(words: str, name: str) -> bool:
    """Whether words match a name: `sofa` matches `navy sofa`, `cabinet` `cabinet 2`, but `tv` not `tv stand`."""
    unnumbered = name if words[-1:].isdigit() else re.sub(r" \d+$", "", name)
    return unnumbered.lower() == words.lower() or unnumbered.lower().endswith(f" {words.lower()}")


def _attempts(question: Question, parts: Job) -> int:
    return sum(step.parts == parts for step in question.history)


def _succeeded(question: Question, parts: Job) -> bool:
    return any(step.ok and step.parts == parts for step in question.history)


def _failures(question: Question, parts: Job) -> int:
    """Count the failures of a subtask since its last success."""
    number = 0
    for step in question.history:
        if step.parts == parts:
            number = 0 if step.ok else number + 1
    return number
