"""A labelled map of a scene spec, seen from above: north (+y) is up."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from homie.envs.mujoco.blueprints.materials import COLOURS, RGB, shade
from homie.envs.mujoco.blueprints.person import HAIR, SKIN
from homie.envs.mujoco.house.build import start_pose
from homie.envs.mujoco.house.doors import PAINT as LEAF_PAINT
from homie.envs.mujoco.house.doors import leaf_corners
from homie.envs.mujoco.house.shell import FLOOR, PAINT
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, PersonSpec, RoomSpec

Box: TypeAlias = tuple[float, float, float, float]
INK = (40, 40, 45)
MARGIN = 0.5
"""White border around the house (m)."""


def draw_map(scene: SceneSpec, scale: int = 110) -> Image.Image:
    """The map of a house: rooms, doorways, furniture with names, objects as dots, people, the robot as an arrow.

    Args:
        scene: the house.
        scale: pixels per metre.

    Returns:
        An RGB picture with north (+y) up.
    """
    return _Map(scene, scale).draw()


class _Map:
    """One drawing. Labels are moved until they do not cover another label."""

    def __init__(self, scene: SceneSpec, scale: int) -> None:
        self.scene, self.scale = scene, scale
        rooms = np.array([(room.x0, room.y0, room.x1, room.y1) for room in scene.rooms])
        self.left, self.top = rooms[:, 0].min() - MARGIN, rooms[:, 3].max() + MARGIN
        width, height = rooms[:, 2].max() + MARGIN - self.left, self.top - rooms[:, 1].min() + MARGIN
        self.image = Image.new("RGB", (int(width * scale), int(height * scale)), "white")
        self.pen = ImageDraw.Draw(self.image)
        self.labels: list[Box] = []

    def draw(self) -> Image.Image:
        for room in self.scene.rooms:
            self._room(room)
        self._doorways()
        for piece in sorted(self.scene.furniture, key=self.scene.base):
            self._piece(piece)
        places = [(item, self._pixel(*start_pose(self.scene, item)[0][:2])) for item in self.scene.objects]
        radius = self.scale * 0.035
        for item, (x, y) in places:
            box = (x - radius, y - radius, x + radius, y + radius)
            self.pen.ellipse(box, fill=_paint(COLOURS[item.colour]), outline=INK)
            self.labels.append(box)
        for person in self.scene.people:
            self._person(person)
        self._robot()
        for piece in self.scene.furniture:
            if piece.stands_on is None or piece.height is None:
                self._label(piece.name, *self._pixel(piece.x, piece.y), 14, fill=(25, 25, 120), halo=True)
        for item, (x, y) in places:
            self._label(item.name, x, y + self.scale * 0.09, 11, fill=INK, halo=True)
        for person in self.scene.people:
            x, y = self._pixel(*person.position)
            self._label(person.id, x, y + 0.36 * self.scale, 14, fill=(120, 30, 30), halo=True)
        for room in self.scene.rooms:
            middle = self._pixel((room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2)
            self._label(room.name, *middle, 20, fill=(110, 60, 60))
        return self.image

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (self.top - y) * self.scale

    def _room(self, room: RoomSpec) -> None:
        a, b = self._pixel(room.x0, room.y1), self._pixel(room.x1, room.y0)
        tint = shade(FLOOR[room.floor], 1.45)
        mixed = tuple(0.5 * t + 0.5 * p for t, p in zip(tint, PAINT[room.kind], strict=True))
        self.pen.rectangle((*a, *b), fill=_paint((mixed[0], mixed[1], mixed[2])), outline=INK, width=self.scale // 20)

    def _doorways(self) -> None:
        rooms = {room.name: room for room in self.scene.rooms}
        for door in self.scene.doorways:
            room = rooms[door.rooms[0]]
            is_on_x_wall = min(abs(door.x - room.x0), abs(door.x - room.x1)) < 1e-6
            u, v = (0.11, door.width / 2) if is_on_x_wall else (door.width / 2, 0.11)
            a, b = self._pixel(door.x - u, door.y + v), self._pixel(door.x + u, door.y - v)
            self.pen.rectangle((*a, *b), fill=(250, 246, 232))
            if leaf := leaf_corners(self.scene, door):
                self.pen.polygon([self._pixel(x, y) for x, y in leaf], fill=_paint(shade(LEAF_PAINT, 0.8)), outline=INK)

    def _piece(self, piece: FurnitureSpec) -> None:
        rgb = COLOURS[piece.colour]
        corners = [self._pixel(x, y) for x, y in piece.corners()]
        self.pen.polygon(corners, fill=_paint(rgb), outline=INK)
        front_left, _, _, front_right = corners
        self.pen.line((front_left, front_right), fill=(215, 90, 40), width=3)
        for panel in piece.panels():
            self.pen.polygon([self._pixel(x, y) for x, y in panel], fill=_paint(shade(rgb, 0.85)), outline=INK)

    def _person(self, person: PersonSpec) -> None:
        """Draw shoulders, head and nose of a person, and the path of a walking person."""
        points = [self._pixel(*point) for point in (person.position, *person.path)]
        if person.path:
            self.pen.line(points, fill=INK, width=2)
            x, y = points[-1]
            self.pen.ellipse((x - 4, y - 4, x + 4, y + 4), fill=INK)
        (x, y), yaw = person.position, person.yaw
        c, s = math.cos(yaw), math.sin(yaw)
        trunk = ((0.12, 0.26), (-0.12, 0.26), (-0.12, -0.26), (0.12, -0.26))
        corners = [self._pixel(x + c * u - s * v, y + s * u + c * v) for u, v in trunk]
        self.pen.polygon(corners, fill=_paint(COLOURS[person.colour]), outline=INK)
        nose = [
            self._pixel(x + c * u - s * v, y + s * u + c * v) for u, v in ((0.24, 0.0), (0.05, 0.09), (0.05, -0.09))
        ]
        self.pen.polygon(nose, fill=_paint(SKIN), outline=INK)
        (px, py), radius = self._pixel(x, y), 0.12 * self.scale
        self.pen.ellipse((px - radius, py - radius, px + radius, py + radius), fill=_paint(HAIR), outline=INK)

    def _robot(self) -> None:
        start, r = self.scene.robot, 0.28
        x, y = self._pixel(start.x, start.y)
        s = r * self.scale
        self.pen.ellipse((x - s, y - s, x + s, y + s), fill=(60, 120, 200), outline=INK, width=2)
        tip, left, right = (
            self._pixel(start.x + d * math.cos(start.yaw + a), start.y + d * math.sin(start.yaw + a))
            for d, a in ((0.42, 0.0), (0.2, 1.9), (0.2, -1.9))
        )
        self.pen.polygon([tip, left, right], fill="white", outline=INK)
        self.labels.append((x - s, y - s, x + s, y + s))
        self._label("robot", x, y + s + 10, 14, fill=(30, 70, 140), halo=True)

    def _label(
        self, text: str, x: float, y: float, size: int, *, fill: tuple[int, int, int], halo: bool = False
    ) -> None:
        """Draw text centred at the position nearest to (x, y) where it covers no other label."""
        font = _font(size)
        left, top, right, bottom = self.pen.textbbox((0, 0), text, font=font)
        w, h = (right - left) / 2 + 1, (bottom - top) / 2 + 1
        x = min(max(x, w), self.image.width - w)
        steps = [(0.0, 0.0)]
        steps += [(dx * w * 0.5, dy * h) for ring in range(1, 7) for dx, dy in _ring(ring)]
        for dx, dy in steps:
            box = (x + dx - w, y + dy - h, x + dx + w, y + dy + h)
            if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in self.labels):
                break
        else:
            dx, dy, box = 0.0, 0.0, (x - w, y - h, x + w, y + h)
        self.labels.append(box)
        edge = 2 if halo else 0
        self.pen.text((x + dx, y + dy), text, fill, font, "mm", stroke_width=edge, stroke_fill="white")


def _ring(ring: int) -> list[tuple[int, int]]:
    """Return the cells of a square ring around the centre, vertical offsets first."""
    cells = [(i, j) for i in range(-ring, ring + 1) for j in range(-ring, ring + 1) if max(abs(i), abs(j)) == ring]
    return sorted(cells, key=lambda step: (abs(step[0]), -step[1]))


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _paint(rgb: RGB) -> tuple[int, int, int]:
    return round(255 * rgb[0]), round(255 * rgb[1]), round(255 * rgb[2])
