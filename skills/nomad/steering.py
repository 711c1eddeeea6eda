"""From a waypoint to velocities, as NoMaD's deployment code steers (`deployment/src/pd_controller.py`, MIT).

It does not follow the waypoint: until the next one comes, the same velocities go on.
"""

from __future__ import annotations

import math

MAX_V, MAX_W = 0.2, 0.4
"""m/s, rad/s"""
RATE = 4.0
"""Pictures, decisions and waypoints per second."""
SPACING = MAX_V / RATE
"""Metres from one waypoint to the next at full speed: the unit of the network's paths."""
STEERING_RATE = 9.0
"""Velocities per second."""
TIMEOUT = 1.0
"""Seconds after which a waypoint is too old to be followed."""
EPSILON = 1e-8


def velocities(waypoint: tuple[float, float]) -> tuple[float, float]:
    """A waypoint in metres, (forward, left), as (v, w) in m/s and rad/s. NoMaD does not drive backwards."""
    forward, left = waypoint
    if abs(forward) < EPSILON:
        v, w = 0.0, math.copysign(math.pi / 2, left) * RATE if left else 0.0
    else:
        v, w = forward * RATE, math.atan(left / forward) * RATE
    return min(max(v, 0.0), MAX_V), min(max(w, -MAX_W), MAX_W)
