"""The numbered actions of EB-ALFRED: those of its `global_actions.json`, then those for more objects of a scene."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from homie.envs.thor.actions import DROP, FIND, PICK_UP, PUT_DOWN
from homie.envs.thor.kinds import kind_of
from homie.envs.thor.snapshot import Names
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.types import Choice, Subtask

VERBS: Mapping[str, str] = {
    "find a": FIND,
    "pick up the": PICK_UP,
    "open the": "OpenObject",
    "close the": "CloseObject",
    "turn on the": "ToggleObjectOn",
    "turn off the": "ToggleObjectOff",
    "slice the": "SliceObject",
}
"""AI2-THOR's actions by the prefix of lines with an object type."""
WHOLE: Mapping[str, str] = {"put down the object in hand": PUT_DOWN, "drop the object in hand": DROP}
"""AI2-THOR's actions for the lines without an object type."""
_LINES = TypeAdapter(tuple[str, ...])


def scene_actions(path: Path, objects: Sequence[Mapping[str, Any]], names: Names) -> tuple[Choice, ...]:
    """Return the action list of a scene; an action's index is its number.

    Args:
        path: Path of `global_actions.json`.
        objects: The objects in AI2-THOR's metadata.
        names: Names of these objects.

    Raises:
        BadInput: The file cannot be read, or has an unknown line.
    """
    with reading(path, "the actions of EB-ALFRED"):
        lines = _LINES.validate_python(load_json(path))
    return (*(_choice(line, path) for line in lines), *_choices_for_objects(lines, objects, names))


def _choice(line: str, path: Path) -> Choice:
    if line in WHOLE:
        return Choice(line, Subtask(WHOLE[line]))
    parts = re.fullmatch(rf"({'|'.join(VERBS)}) (\w+)", line)
    if parts is None:
        raise BadInput(f"{path}: '{line}' is not an action of EB-ALFRED: take the file as it was released.")
    return Choice(line, Subtask(VERBS[parts[1]], words_of(parts[2])))


def _choices_for_objects(lines: Sequence[str], objects: Sequence[Mapping[str, Any]], names: Names) -> Iterator[Choice]:
    """Yield `find a Cabinet_2`, ...: receptacles first, with open and close where their type has them, then other
    objects, in the order of the released code."""
    receptacles, portable = (
        sorted(
            (item["objectType"] + number[0], name)
            for item in objects
            if bool(item["receptacle"]) == state and (state or item["pickupable"])
            for name in [names.of(item["objectId"])]
            if (number := re.findall(r"_\d+$", name))
        )
        for state in (True, False)
    )
    yield from (Choice(f"find a {spoken_name}", Subtask(FIND, name)) for spoken_name, name in receptacles)
    for spoken_name, name in receptacles:
        if f"open the {spoken_name.split('_')[0]}" in lines:
            yield Choice(f"open the {spoken_name}", Subtask("OpenObject", name))
            yield Choice(f"close the {spoken_name}", Subtask("CloseObject", name))
    for spoken_name, name in portable:
        if f"pick up the {spoken_name.split('_')[0]}" in lines:
            yield Choice(f"find a {spoken_name}", Subtask(FIND, name))


def words_of(object_type: str) -> str:
    """Return the words for an object type in subtasks.

    >>> words_of("ButterKnife")
    'butter knife'
    """
    return kind_of(object_type).replace("_", " ")
