"""Free spots on a surface for the held object."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from homie.kernel.types import Array, Box, Surface
from skills.motion.held_object import Hand
from skills.motion.standing_places import COST_DIGITS

SMALL = 0.35
"""Half of the longer side (m) up to which a surface, such as a sink, keeps its middle free: there is room for a second
object."""


def places(surface: Surface, others: Sequence[Box], hand: Hand) -> list[tuple[float, Array]]:
    """Return free spots (cost, point (3,) on the surface) for the held object, best first: roomy, and near the
    front."""
    level = surface.center[2]
    others = [other for other in others if -0.05 < other.center[2] - other.half[2] - level < 0.30]
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    need = hand.radius + 0.015
    room_x = max(surface.half_x - min(need, surface.half_x * 0.6), 0.0)
    room_y = max(surface.half_y - min(need, surface.half_y * 0.6), 0.0)
    points: list[tuple[float, Array]] = []
    count_x, count_y = max(1, int(room_x / 0.04)), max(1, int(room_y / 0.04))
    for u in np.linspace(-room_x, room_x, 2 * count_x + 1):
        for v in np.linspace(-room_y, room_y, 2 * count_y + 1):
            point = surface.center + np.array([c * u - s * v, s * u + c * v, 0.0])
            clearance = min((other.distance(point[:2]) for other in others), default=1.0) - hand.radius
            if clearance < 0.015:
                continue
            cost = 0.6 * max(0.0, 0.08 - clearance) / 0.08
            if surface.access is not None:
                depth = float((surface.center[:2] - point[:2]) @ surface.access) + half_depth(surface)
                cost += abs(depth - 0.16)
            else:
                centre_distance = float(np.hypot(u, v))
                if max(surface.half_x, surface.half_y) <= SMALL:
                    long_offset, short_offset = (abs(u), abs(v)) if room_x > room_y else (abs(v), abs(u))
                    centre_distance = max(room_x, room_y) - float(long_offset) + float(short_offset)
                cost += 0.4 * centre_distance
            points.append((round(float(cost), COST_DIGITS), point))
    points.sort(key=lambda pair: pair[0])
    return points


def half_depth(surface: Surface) -> float:
    """Return half the length of a surface along its access direction."""
    assert surface.access is not None
    c, s = np.cos(surface.yaw), np.sin(surface.yaw)
    alignment = abs(float(surface.access @ np.array([c, s])))
    return surface.half_x * alignment + surface.half_y * (1.0 - alignment)
