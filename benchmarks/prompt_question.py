"""Parse a rendered prompt: the information in its text, located by labels, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

VIEWS = ("Front", "Left", "Back", "Right")
_ITEM = re.compile(r"\((\d+)\) \[([^\]]*)\]\((success|fail)(?:: ([^)]*))?\)")
_MODEL = re.compile(r"^- (\S+) \(((?:Go to|Pick|Put|Open|Close)[^)]*)\)", re.MULTILINE)
_DOORWAY = re.compile(r"(doorway(?: \d+)?) \(([^)]*)\)")
_COUNTED = re.compile(r"^(?:\d+ x )")
_COMMA = re.compile(r", (?![^(]*\))")
_REMEMBERED = re.compile(
    r"^(?P<name>[^(]+?)(?: \((?!round)(?:(?P<state>open|ajar|closed)\b)?[^)]*\))?"
    r"(?: (?P<place>(?:on|in) [^(]+?))?(?: \(round \d+\))?$"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """An object or piece of furniture as the prompt describes it.

    Attributes:
        seen: Whether it is in sight now.
        state: Open, ajar, closed or "".
    """

    name: str
    room: str = ""
    place: str = ""
    state: str = ""
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An item of the history.

    Attributes:
        parts: Action, target, destination.
        why: Text after its result.
    """

    parts: tuple[str, ...]
    ok: bool
    why: str = ""

    @property
    def action(self) -> str:
        return self.parts[0]

    @property
    def place(self) -> str:
        """Place of the subtask: the destination of a Put, else the target."""
        return self.parts[-1] if len(self.parts) > 1 else ""


@dataclass(frozen=True, slots=True)
class Question:
    """Content of a prompt.

    Attributes:
        things: Objects and furniture in sight, remembered, or named in earlier turns, in that order.
        rooms: Known rooms.
        doorways: Doorways that lead to unexplored space.
        anywhere: Whether Go to accepts targets that have not been seen.
        names, memory: Whether the prompt contains them.
        models: Actions of each model.
    """

    task: str
    inventory: str
    history: tuple[Step, ...]
    feedback: str
    things: tuple[Entity, ...]
    room: str
    rooms: tuple[str, ...]
    doorways: tuple[str, ...]
    anywhere: bool
    names: bool
    memory: bool
    models: Mapping[str, tuple[str, ...]]

    def model(self, action: str) -> str:
        """Return the first model that supports an action; the first of all for End, which needs none."""
        return next((name for name, able in self.models.items() if action in able), next(iter(self.models), ""))


def read_question(system: str, earlier: Sequence[str], text: str) -> Question:
    """Parse the prompt of a round.

    Args:
        system: Text of the system message.
        earlier: Texts of the previous user turns, oldest first.
        text: Text of the current user turn.
    """
    lines = text.splitlines()
    labelled = {label: rest for label, _, rest in (line.partition(": ") for line in lines)}
    memory = _memory(lines)
    sight = _in_sight(lines)
    earlier_entities = [entity for turn in earlier for entity in _in_sight(turn.splitlines())]
    seen = {entity.name for entity in sight}
    things = [*sight, *memory, *(Entity(entity.name) for entity in earlier_entities if entity.name not in seen)]
    states = {entity.name: entity for entity in memory}
    things = [
        Entity(entity.name, states[entity.name].room, states[entity.name].place, states[entity.name].state, entity.seen)
        if entity.name in states
        else entity
        for entity in things
    ]
    rooms = tuple(name for name in labelled.get("Rooms known", "").split(", ") if name)
    feedback = labelled.get("Feedback", "None")
    return Question(
        labelled.get("Task", ""),
        labelled.get("Inventory", "None"),
        _history(labelled.get("History", ""), feedback),
        feedback,
        tuple(things),
        labelled.get("Room", ""),
        rooms,
        _unexplored(labelled.get("Doorways", ""), rooms),
        "Go to finds everything in this home" in system,
        "\n- Names: " in system,
        "\n- Seen so far: " in system,
        {name: tuple(actions.split(", ")) for name, actions in _MODEL.findall(system)},
    )


def _history(text: str, feedback: str) -> tuple[Step, ...]:
    steps = [Step(tuple(parts.split(", ")), result == "success", why) for _, parts, result, why in _ITEM.findall(text)]
    if steps and feedback != "None":
        steps[-1] = Step(steps[-1].parts, steps[-1].ok, feedback)
    return tuple(steps)


def _unexplored(text: str, rooms: Sequence[str]) -> tuple[str, ...]:
    """Return the unexplored doorways, except those that connect two known rooms."""
    ways = [(name, rest) for name, rest in _DOORWAY.findall(text) if "not explored" in rest]
    return tuple(name for name, rest in ways if not any(f"to the {room}," in rest for room in rooms))


def _in_sight(lines: Sequence[str]) -> list[Entity]:
    things: list[Entity] = []
    for line in lines:
        label, colon, rest = line.partition(": ")
        if colon and label in VIEWS and rest != "nothing":
            things += [Entity(_COUNTED.sub("", name), seen=True) for name in rest.split(", ")]
    return things


def _memory(lines: Sequence[str]) -> list[Entity]:
    if "Seen so far:" not in lines:
        return []
    things: list[Entity] = []
    for line in lines[lines.index("Seen so far:") + 1 :]:
        if not line.startswith("- "):
            break
        room, _, rest = line.removeprefix("- ").partition(": ")
        for words in _COMMA.split(rest):
            match = _REMEMBERED.match(words)
            assert match is not None
            things.append(Entity(match["name"], room, match["place"] or "", match["state"] or ""))
    return things
