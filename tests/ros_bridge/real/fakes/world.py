"""What a robot can see and grasp: a room with a table and a ball, drawn by following rays. It imports nothing of Homie.

All lengths are in m, in the frame in which the robot starts (x ahead, y left, z up).
"""

from __future__ import annotations

import numpy as np

ROOM = (np.array([-1.5, -2.0]), np.array([3.5, 2.0]))
"""Two corners of its walls, which are seen from inside."""
HEIGHT = 2.5
WALLS, FLOOR = (200, 200, 190), (120, 120, 120)
RADIUS = 0.033
REACH = 0.03
"""m from the grip point, along and across the fingers, at which they close on the ball."""


class World:
    """A table and a ball that can be held.

    Args:
        table: Two corners of the solid table, which stands on the floor.
        ball: Where the ball's centre is.
    """

    def __init__(self, table, ball) -> None:
        self.table, self.ball = tuple(map(np.array, table)), np.array(ball)
        floor = self.table[0][2]
        self.room = (np.array([*ROOM[0], floor]), np.array([*ROOM[1], floor + HEIGHT]))
        self.held = False

    def picture(self, camera, width: int, height: int, focal: float):
        """What a camera sees.

        Args:
            camera: Its optical frame (4, 4) in the world.

        Returns:
            Colours (H, W, 3) uint8, and depths (H, W) in m along the optical axis.
        """
        columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        directions = np.stack([(columns - width / 2) / focal, (rows - height / 2) / focal, np.ones_like(rows)], -1)
        rays, eye = directions @ camera[:3, :3].T, camera[:3, 3]
        near, far, axis = _crossings(eye, rays, *self.room)
        depth, colours = far, np.where((axis == 2)[..., None] & (rays[..., 2:] < 0), FLOOR, WALLS)
        near, far, axis = _crossings(eye, rays, *self.table)
        table = (near < far) & (near > 0.0) & (near < depth)
        shades = np.array([(120, 70, 20), (135, 80, 25), (150, 90, 30)])[axis]
        colours, depth = np.where(table[..., None], shades, colours), np.where(table, near, depth)
        length, offset = (rays**2).sum(-1), eye - self.ball
        along, rest = rays @ offset, offset @ offset - RADIUS**2
        root = along**2 - length * rest
        hit = (-along - np.sqrt(np.maximum(root, 0.0))) / length
        ball = (root > 0.0) & (hit > 0.0) & (hit < depth)
        colours = np.where(ball[..., None], (200, 20, 20), colours)
        return colours.astype(np.uint8), np.where(ball, hit, depth)

    def grip(self, hand, opening: float) -> float:
        """Let fingers that open along y of their frame have an opening; what it can be with what is between them.

        Args:
            hand: The frame (4, 4) between the finger tips.
            opening: m.
        """
        if self.held and opening > 2 * RADIUS + 0.002:
            self.held = False
            below = RADIUS + self.table[1 if _over(self.ball, self.table) else 0][2]
            self.ball = np.array([*self.ball[:2], below])
        x, y, z = hand[:3, :3].T @ (self.ball - hand[:3, 3])
        if not self.held and max(abs(x), abs(z)) < REACH and abs(y) + RADIUS < 0.055 and opening <= 2 * RADIUS:
            self.held = True
        if self.held:
            self.ball = hand[:3, 3].copy()
        return max(opening, 2 * RADIUS) if self.held else opening


def _over(place, box) -> bool:
    return bool((box[0][:2] <= place[:2]).all() and (place[:2] <= box[1][:2]).all())


def _crossings(eye, rays, low, high):
    """Where rays go into a box and out of it, and the axis of the face that matters: of the exit for who is inside."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - eye) / rays, (high - eye) / rays
    into, out = np.minimum(first, second), np.maximum(first, second)
    inside = bool((low < eye).all() and (eye < high).all())
    return into.max(-1), out.min(-1), out.argmin(-1) if inside else into.argmax(-1)
