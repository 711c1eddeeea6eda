"""What is known of the home besides what is in sight, as lines of a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from homie.kernel.vocabulary.knowledge import Doorway, Knowledge, Remembered

_NOWHERE = "room not known"
_EXPLORED = {True: "explored", False: "not explored"}


def room_lines(knowledge: Knowledge) -> list[str]:
    """Where the robot is, which rooms are known, and which doorways there are, each on a line of its own."""
    lines = [f"Room: {knowledge.room}"] if knowledge.room else []
    if knowledge.rooms:
        lines.append(f"Rooms known: {', '.join(knowledge.rooms)}")
    if knowledge.doorways:
        lines.append(f"Doorways: {', '.join(map(_doorway, knowledge.doorways))}")
    return lines


def memory_lines(knowledge: Knowledge, round_number: int) -> list[str]:
    """What has been seen so far, a line for each room, that of the robot first.

    `fridge (closed), lamp (on), apple on the kitchen table (round 3)`: what is not in sight, and could be somewhere
    else or in another state by now, has the round in which it was last seen.
    """
    by_room: dict[str, list[str]] = {knowledge.room: []}
    for remembered in knowledge.remembered:
        by_room.setdefault(remembered.room, []).append(_remembered(remembered, round_number))
    lines = [f"- {room or _NOWHERE}: {', '.join(things)}" for room, things in by_room.items() if things]
    return ["Seen so far:", *lines] if lines else []


def counted(names: Sequence[str]) -> tuple[str, ...]:
    """Names with the number of those that are equal: `apple, 2 x chair`, in the order in which they come first."""
    counts: Mapping[str, int] = {name: names.count(name) for name in dict.fromkeys(names)}
    return tuple(f"{number} x {name}" if number > 1 else name for name, number in counts.items())


def _doorway(doorway: Doorway) -> str:
    where = [f"from the {doorway.room}"] if doorway.room else []
    if doorway.beyond:
        where.append(f"to the {doorway.beyond}")
    return f"{doorway.name} ({', '.join([*([' '.join(where)] if where else []), _EXPLORED[doorway.explored]])})"


def _remembered(remembered: Remembered, round_number: int) -> str:
    """`plant`, `fridge (closed, round 3)`, `microwave (open, off) on the table (round 3)`: the states of the thing."""
    moves = remembered.state or remembered.states or remembered.place
    round_seen = [f"round {remembered.seen}"] if moves and 0 < remembered.seen < round_number else []
    state = [*([remembered.state] if remembered.state else []), *remembered.states]
    if not remembered.place:
        return f"{remembered.name}{_aside([*state, *round_seen])}"
    return f"{remembered.name}{_aside(state)} {remembered.place}{_aside(round_seen)}"


def _aside(words: Sequence[str]) -> str:
    return f" ({', '.join(words)})" if words else ""
