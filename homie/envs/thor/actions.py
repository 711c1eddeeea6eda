"""Action vocabularies of the robot `thor`, selected by its setting `actions`, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from homie.envs.thor.settings import Vocabulary
from homie.kernel.actions import ACTIONS, Action
from homie.kernel.robot import small_steps
from homie.kernel.world.household_verbs import VERBS

STEPS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    small_steps.FORWARD: ("MoveAhead", {"moveMagnitude": small_steps.STRIDE}),
    small_steps.BACKWARD: ("MoveBack", {"moveMagnitude": small_steps.STRIDE}),
    small_steps.RIGHTWARD: ("MoveRight", {"moveMagnitude": small_steps.STRIDE}),
    small_steps.LEFTWARD: ("MoveLeft", {"moveMagnitude": small_steps.STRIDE}),
    small_steps.TURN_RIGHT: ("RotateRight", {"degrees": 90.0}),
    small_steps.TURN_LEFT: ("RotateLeft", {"degrees": 90.0}),
    small_steps.TILT_UP: ("LookUp", {"degrees": 30.0}),
    small_steps.TILT_DOWN: ("LookDown", {"degrees": 30.0}),
}
"""The actions of EB-Navigation, and the AI2-THOR action for each."""
SWITCHES = ("Turn on", "Turn off")
FIND, PICK_UP, PUT_DOWN, DROP = "Find", "PickupObject", "PutObject", "DropHandObject"
ON_OBJECTS = ("OpenObject", "CloseObject", "ToggleObjectOn", "ToggleObjectOff", "SliceObject")
"""AI2-THOR's actions on an object, under AI2-THOR's names to distinguish them from Homie's: AI2-THOR itself judges
whether they are feasible (a robot that holds an object can open a fridge)."""
OWN: Mapping[Vocabulary, tuple[Action, ...]] = {
    "household": tuple(VERBS[name].action for name in SWITCHES),
    "eb-navigation": tuple(Action(name=name, arguments=()) for name in STEPS),
    "eb-alfred": (
        *(Action(name=name) for name in (FIND, PICK_UP, *ON_OBJECTS)),
        *(Action(name=name, arguments=()) for name in (PUT_DOWN, DROP)),
    ),
}
"""Definitions of the actions that EMMOE lacks."""
NAMES: Mapping[Vocabulary, tuple[str, ...]] = {
    "household": (*ACTIONS[:-1], *SWITCHES, "End"),
    "eb-navigation": (*STEPS, "End"),
    "eb-alfred": (*(action.name for action in OWN["eb-alfred"]), "End"),
}
"""The actions of each vocabulary, in the order in which planners see them."""
