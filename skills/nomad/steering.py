"""Velocities from a waypoint, as in NoMaD's deployment code (`deployment/src/pd_controller.py`, MIT).

The waypoint is not tracked: the same velocities are kept until the next waypoint arrives.
"""

from __future__ import annotations

import math

MAX_V, MAX_W = 0.2, 0.4
"""Largest velocities, m/s and rad/s."""
RATE = 4.0
"""Images, decisions and waypoints per second."""
SPACING = MAX_V / RATE
"""Distance (m) from one waypoint to the next at full speed: the unit of the network's paths."""
STEERING_RATE = 9.0
"""Velocities per second."""
TIMEOUT = 1.0
"""Age in seconds after which a waypoint is no longer used."""
EPSILON = 1e-8
"""Forward distance (m) below which a waypoint is only a direction to turn in."""


def velocities(waypoint: tuple[float, float]) -> tuple[float, float]:
    """Convert a waypoint in metres, (forward, left), to (v, w) in m/s and rad/s. NoMaD does not drive backwards."""
    forward, left = waypoint
    if abs(forward) < EPSILON:
        v, w = 0.0, math.copysign(math.pi / 2, left) * RATE if left else 0.0
    else:
        v, w = forward * RATE, math.atan(left / forward) * RATE
    return min(max(v, 0.0), MAX_V), min(max(w, -MAX_W), MAX_W)
