"""AI2-THOR's object types: their affordances (its documentation, "Object Types"), and Homie's names for them."""

from __future__ import annotations

import re
from importlib.resources import files

from homie.kernel.support.documents import parse_yaml

_TYPES: dict[str, list[str]] = parse_yaml(files(__package__).joinpath("kinds.yaml").read_text("utf-8"))
OPENABLE = frozenset(_TYPES["openable"])
CONTAINERS = frozenset(_TYPES["containers"])
"""Openable types whose contents are hidden while they are closed."""
TOGGLEABLE = frozenset(_TYPES["toggleable"])
SLICEABLE = frozenset(_TYPES["sliceable"])
RECEPTACLES = frozenset(_TYPES["receptacles"])
INSIDE = frozenset(_TYPES["inside"])
"""Receptacles that contain objects instead of supporting them."""
PICKUPABLE = frozenset(_TYPES["pickupable"])
KITCHEN = tuple(_TYPES["kitchen"])
"""Default content of a fake room."""
ROOMS = {0: "kitchen", 2: "living_room", 3: "bedroom", 4: "bathroom"}
"""Kinds of rooms by the hundreds digit of a floor plan's number."""
_SLICED = "Sliced"


def kind_of(object_type: str) -> str:
    """Return Homie's name for an object type. A slice has the kind of the sliced object: being a slice is a state.

    >>> kind_of("ButterKnife"), kind_of("TVStand"), kind_of("AppleSliced")
    ('butter_knife', 'tv_stand', 'apple')
    """
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", object_type.removesuffix(_SLICED))
    return "_".join(word.lower() for word in words)


def is_slice(object_type: str) -> bool:
    """Whether an object type is a slice."""
    return object_type.endswith(_SLICED)


def room_of(floor_plan: str) -> str:
    """Return the kind of room of a scene: `FloorPlan301_physics` is a bedroom; without a number, it is a room.

    >>> room_of("FloorPlan7"), room_of("FloorPlan301_physics")
    ('kitchen', 'bedroom')
    """
    number = re.search(r"FloorPlan(\d+)", floor_plan)
    return ROOMS.get(int(number[1]) // 100, "room") if number else "room"
