"""The eight small actions of a robot that drives and tilts its camera; the index in `STEPS` is the action's number."""

from __future__ import annotations

FORWARD = "Move forward by 0.25"
BACKWARD = "Move backward by 0.25"
RIGHTWARD = "Move rightward by 0.25"
LEFTWARD = "Move leftward by 0.25"
TURN_RIGHT = "Rotate to the right by 90 degrees"
TURN_LEFT = "Rotate to the left by 90 degrees"
TILT_UP = "Tilt the camera upward by 30 degrees"
TILT_DOWN = "Tilt the camera downward by 30 degrees"

STEPS = (FORWARD, BACKWARD, RIGHTWARD, LEFTWARD, TURN_RIGHT, TURN_LEFT, TILT_UP, TILT_DOWN)
STRIDE = 0.25
"""Length of a move, m; the names do not give the unit."""
