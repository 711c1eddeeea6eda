"""What a planner can tell the robot `thor`, by its setting `actions`, as data: names, and what is known of them."""

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
"""AI2-THOR's actions on an object, by its names, so that none is taken for one of Homie's: AI2-THOR itself judges
whether they can be done (a full hand opens a fridge)."""
OWN: Mapping[Vocabulary, tuple[Action, ...]] = {
    "household": tuple(VERBS[name].action for name in SWITCHES),
    "eb-navigation": tuple(Action(name=name, arguments=()) for name in STEPS),
    "eb-alfred": (
        *(Action(name=name) for name in (FIND, PICK_UP, *ON_OBJECTS)),
        *(Action(name=name, arguments=()) for name in (PUT_DOWN, DROP)),
    ),
}
"""What is known of the actions that EMMOE has not."""
NAMES: Mapping[Vocabulary, tuple[str, ...]] = {
    "household": (*ACTIONS[:-1], *SWITCHES, "End"),
    "eb-navigation": (*STEPS, "End"),
    "eb-alfred": (*(action.name for action in OWN["eb-alfred"]), "End"),
}
"""The actions of each vocabulary, in the order in which planners see them."""
