"""Knowledge of the home beyond the current views, as lines of a prompt."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from homie.kernel.knowledge import Doorway, Knowledge, RememberedThing
from homie.kernel.types import PlannerInput, in_sight

LONGEST_NAME = 4
"""Maximum words of a name taken from the task: `tomato soup can` has three, `top left white drawer` four."""
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NOT_AT_ENDS = frozenset(
    _WORD.findall(
        "a afterwards again all also an and any are as at away be both but by could do each every for from get go "
        "have here i if in inside instead into is it its me my need no not now of off on onto or our out over "
        "please so some than that the their them then there these they this those to today together too until "
        "up want we well what when where which while will with would you your"
    )
)
"""Words with which no name begins or ends."""
_NOT_IN_NAMES = frozenset(("a", "an", "into", "on", "onto", "the", "to"))
"""Words that no name in a task contains."""
_UNKNOWN_ROOM = "room not known"
_EXPLORED_TEXT = {True: "explored", False: "not explored"}


def room_lines(knowledge: Knowledge) -> list[str]:
    """Return lines with the robot's room, the known rooms, and the doorways."""
    lines = [f"Room: {knowledge.room}"] if knowledge.room else []
    if knowledge.rooms:
        lines.append(f"Rooms known: {', '.join(knowledge.rooms)}")
    if knowledge.doorways:
        lines.append(f"Doorways: {', '.join(map(_doorway, knowledge.doorways))}")
    return lines


def memory_lines(knowledge: Knowledge, round_number: int) -> list[str]:
    """Return the objects seen so far, a line for each room, the robot's first; then the former places of objects that
    the robot has taken.

    `fridge (closed), lamp (on), apple on the kitchen table (round 3)`: an object out of sight, whose place or state may
    have changed, has the round in which it was last seen.
    """
    by_room: dict[str, list[str]] = {knowledge.room: []}
    for remembered in knowledge.remembered:
        by_room.setdefault(remembered.room, []).append(_object_text(remembered, round_number))
    lines = [f"- {room or _UNKNOWN_ROOM}: {', '.join(things)}" for room, things in by_room.items() if things]
    taken = [f"{item.name}, which was {item.whereabouts}" for item in knowledge.taken]
    return [
        *(["Seen so far:", *lines] if lines else []),
        *([f"Taken by the robot: {'; '.join(taken)}"] if taken else []),
    ]


def brief_lines(knowledge: Knowledge) -> list[str]:
    """Return the same in fewer words: a line for each known room, the robot's first, and unexplored doorways.

    `kitchen (here): fridge open (inside milk, jam), kitchen table (apple, bowl (inside pear)), lamp on`;
    `before: apple on sofa`.
    """
    by_room: dict[str, list[RememberedThing]] = {room: [] for room in (knowledge.room, *knowledge.rooms) if room}
    for remembered in knowledge.remembered:
        by_room.setdefault(remembered.room, []).append(remembered)
    lines = []
    for room, things in by_room.items():
        here = " (here)" if room and room == knowledge.room else ""
        lines.append(f"{room or 'somewhere'}{here}: {_nested(things) or 'nothing seen'}")
    unexplored = [doorway.name for doorway in knowledge.doorways if not doorway.explored]
    taken = [f"{item.name} {(item.place or f'in {item.room}').replace(' the ', ' ')}" for item in knowledge.taken]
    return [
        *lines,
        *([f"not explored: {', '.join(unexplored)}"] if unexplored else []),
        *([f"before: {', '.join(taken)}"] if taken else []),
    ]


def _nested(things: Sequence[RememberedThing]) -> str:
    """Return the objects of a room, each with those on it and inside it in brackets."""
    names = {remembered.name for remembered in things}
    contents: dict[tuple[str, str], list[RememberedThing]] = {}
    top = []
    for remembered in things:
        relation, _, location = remembered.place.partition(" ")
        location = location.removeprefix("the ")
        if relation in ("on", "in") and location in names - {remembered.name}:
            contents.setdefault((location, relation), []).append(remembered)
        else:
            top.append(remembered)

    def words(remembered: RememberedThing, *, place: bool) -> str:
        parts_of_name = [remembered.name, remembered.state, *remembered.states]
        if place:
            parts_of_name.append(remembered.place.replace(" the ", " "))
        on, inside = (contents.pop((remembered.name, relation), []) for relation in ("on", "in"))
        parts = [words(item, place=False) for item in on]
        if inside:
            parts.append("inside " + ", ".join(words(item, place=False) for item in inside))
        return " ".join(filter(None, parts_of_name)) + (f" ({', '.join(parts)})" if parts else "")

    lines = [words(remembered, place=True) for remembered in top]
    on_each_other = [item for items in contents.values() for item in items]
    contents.clear()
    return ", ".join([*lines, *(words(item, place=True) for item in on_each_other)])


def known_names(planner_input: PlannerInput) -> tuple[str, ...]:
    """Return possible names of a target: objects in sight, remembered or held, rooms, doorways, phrases of the task.

    A phrase is a sequence of up to `LONGEST_NAME` words of the task that does not begin or end within another name; the
    planner has to decide which phrases name an object.
    """
    known = planner_input.knowledge
    names = (
        *(detection.called for detection in in_sight(planner_input.detections)),
        *planner_input.inventory,
        *(remembered.name for remembered in known.remembered),
        *known.rooms,
        *(doorway.name for doorway in known.doorways),
    )
    return tuple(dict.fromkeys((*names, *_phrases(planner_input.task, names))))


def _phrases(task: str, names: Collection[str]) -> Iterator[str]:
    known = {tuple(_WORD.findall(name.lower())) for name in names}
    for part in re.split(r"[.,;:!?()\"\n]", task):
        words = _WORD.findall(part)
        lower = [word.lower() for word in words]
        spans = [
            (first, first + len(name))
            for name in known
            for first in range(len(words))
            if tuple(lower[first : first + len(name)]) == name
        ]
        for first in range(len(words)):
            for end in range(first + 1, min(first + LONGEST_NAME, len(words)) + 1):
                auxiliary = end > first + 1 and lower[first] == "can"  # unlike the last word of `soup can`
                within = any(begin < first < stop or begin < end < stop for begin, stop in spans)
                sentence = not _NOT_IN_NAMES.isdisjoint(lower[first:end])
                if not (auxiliary or within or sentence) and {lower[first], lower[end - 1]}.isdisjoint(_NOT_AT_ENDS):
                    yield " ".join(words[first:end])


def count_names(names: Sequence[str]) -> tuple[str, ...]:
    """Merge equal names: `apple, 2 x chair`, in the order of their first occurrences."""
    counts: Mapping[str, int] = {name: names.count(name) for name in dict.fromkeys(names)}
    return tuple(f"{number} x {name}" if number > 1 else name for name, number in counts.items())


def _doorway(doorway: Doorway) -> str:
    location = [f"from the {doorway.room}"] if doorway.room else []
    if doorway.beyond:
        location.append(f"to the {doorway.beyond}")
    return (
        f"{doorway.name} ({', '.join([*([' '.join(location)] if location else []), _EXPLORED_TEXT[doorway.explored]])})"
    )


def _object_text(remembered: RememberedThing, round_number: int) -> str:
    """Describe an object: `plant`, `fridge (closed, round 3)`, `microwave (open, off) on the table (round 3)`."""
    moves = remembered.state or remembered.states or remembered.place
    round_seen = [f"round {remembered.seen}"] if moves and 0 < remembered.seen < round_number else []
    state = [*([remembered.state] if remembered.state else []), *remembered.states]
    if not remembered.place:
        return f"{remembered.name}{_in_brackets([*state, *round_seen])}"
    return f"{remembered.name}{_in_brackets(state)} {remembered.place}{_in_brackets(round_seen)}"


def _in_brackets(words: Sequence[str]) -> str:
    return f" ({', '.join(words)})" if words else ""
