"""The five moves on a navigation graph, with their names in EmbodiedEval (section 3.2.1)."""

from __future__ import annotations

from homie.kernel.actions import Action, ActionTable

FORWARD = "Move forward"
TURN_LEFT = "Turn left"
TURN_RIGHT = "Turn right"
LOOK_UP = "Look up"
LOOK_DOWN = "Look down"

MOVES = (FORWARD, TURN_LEFT, TURN_RIGHT, LOOK_UP, LOOK_DOWN)
ROWS: ActionTable = {name: Action(name=name, arguments=()) for name in MOVES}
"""Their rows of the action table."""
