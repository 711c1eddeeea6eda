"""Goals of skills from the robot's observations: a target with its surfaces, solid obstacles, and the map.

The points of furniture, the boxes of loose objects and the map of the floor come from the memory, without new pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from homie.kernel.actions import POWER, Action
from homie.kernel.types import Array, Box, Goal, OccupancyGrid, Surface
from homie.kernel.world import thresholds
from perception.arm_obstacles import bar_of, solids_of, walls_of
from perception.mapping import HIGHEST, OccupancyMapper
from perception.memory.clouds import inside
from perception.memory.recall import SightRecall
from perception.memory.seen_furniture import Furniture, open_doors
from perception.memory.seen_object import LooseObject
from perception.memory.support_relations import over, standing_on, under
from perception.scan import Points
from perception.walls import find_furniture_points, find_touching_points

ABOVE, BESIDE = 0.035, 0.025
"""Distances (m) by which the box of a small object is moved up and expanded to find points of furniture that belong to
the object: its lower end stays a centimetre above its support."""
OF_DOOR = 0.04
"""Distance (m) from a door or drawer in its current position within which points of its furniture belong to it."""
NEAR = 1.2
"""Distance (m) from a target within which solid obstacles matter to the arm."""
ON_FLOOR = 0.15
"""Height (m) of its underside, the least accurate side, up to which an object is assumed to lie on the floor."""


class SeenGoals:
    """Factory of goals from memory.

    Args:
        recall: Memory of objects and furniture.
        mapper: Map of the floor.
    """

    def __init__(self, recall: SightRecall, mapper: OccupancyMapper) -> None:
        self._recall = recall
        self._mapper = mapper

    def goal(self, entity: str, action: Action) -> Goal:
        """Make the goal for a remembered piece of furniture or loose object."""
        goal = self._goal(entity, action)
        solids = self._solids(goal.position, entity, action)
        return replace(goal, grid=self.grid(entity), solids=solids, loose=self._loose(entity, goal.position))

    def floor(self, entity: str, rect: Sequence[float]) -> Goal:
        """Make the goal for a room or a doorway.

        Args:
            rect: Its floor: x0, y0, x1, y1 (m, world).
        """
        x0, y0, x1, y1 = rect
        middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0])
        return Goal(
            entity, "", middle, room=(x0, y0, x1, y1), grid=self.grid(entity), loose=self._loose(entity, middle)
        )

    def grid(self, entity: str) -> OccupancyGrid:
        """Return the map with the footprints of furniture on the floor, and with the walls around a target."""
        boxes = (piece.box for piece in self._recall.things.furniture.values())
        floor_boxes = [box for box in boxes if box.center[2] - box.half[2] < 0.3]
        return self._mapper.grid(floor_boxes, self._walls_around(entity), floor_stays=self._recall.things.rough)

    def _walls_around(self, entity: str) -> Points:
        """Return points (n, 2) of walls that may be between the robot and its target; none for a room."""
        item = self._recall.things.furniture.get(entity) or self._recall.things.objects.get(entity)
        if item is None:
            return np.zeros((0, 2), dtype=np.float32)
        reach = thresholds.REACH + float(np.linalg.norm(item.box.half[:2]))
        walls = self._mapper.walls(item.box.center, reach)
        other_pieces = [piece for piece in self._recall.things.furniture.values() if piece is not item]
        nearby = [piece for piece in other_pieces if piece.box.distance(item.box.center) < reach]
        walls = walls[~find_furniture_points(walls, nearby)]
        if isinstance(item, Furniture):  # by its points alone: its box may reach into the wall behind it
            walls = walls[~find_touching_points(walls, item)]
        return walls

    def _loose(self, entity: str, center: Array) -> tuple[Box, ...]:
        """Return the objects that could be moved out of the way: near a target, or on the floor."""
        return tuple(
            replace(item.box, name=name)
            for name, item in self._recall.things.objects.items()
            if name not in (entity, self._recall.held)
            and (item.box.distance(center) < NEAR or item.box.center[2] - item.box.half[2] < ON_FLOOR)
        )

    def _solids(self, center: Array, entity: str, action: Action) -> tuple[Box, ...]:
        """Return the obstacles of the arm near a target: see `Goal.solids`."""
        nearby = [piece for piece in self._recall.things.furniture.values() if piece.box.distance(center) < NEAR]
        # Walls are tall points outside furniture, whose own points are more accurate.
        walls = self._mapper.walls(center, NEAR)
        boxes = walls_of(walls[~find_furniture_points(walls, nearby)], HIGHEST)
        for piece in nearby:
            moves = piece.identity.entity == entity and action.target == "opens"
            doors = open_doors(other for other in nearby if other is not piece)
            own = [] if piece.panel is None else [piece.panel.occupied]
            boxes += solids_of(self._remove_foreign(piece.points(panel=False), [*doors, *own]), center, NEAR)
            if not moves:
                yaw = 0.0 if piece.panel is None else piece.panel.yaw
                boxes += solids_of(self._remove_foreign(piece.moving, doors), center, NEAR, yaw)
            if not moves and piece.panel is not None:
                boxes.append(bar_of(piece.panel))
        for name, item in self._recall.things.objects.items():
            if name not in (entity, self._recall.held) and item.box.distance(center) < NEAR:
                boxes.append(item.box)
        return tuple(boxes)

    def _remove_foreign(self, points: Points, doors: Sequence[Box]) -> Points:
        """Remove points of doors and of the objects on it from points (n, 3) of furniture, if outlines are rough."""
        if not self._recall.things.rough:
            return points
        is_foreign = np.zeros(len(points), dtype=bool)
        for door in doors:
            is_foreign |= inside(points, door, OF_DOOR)
        for item in self._recall.things.objects.values():
            center = item.box.center + np.array([0.0, 0.0, ABOVE])
            expanded_box = replace(item.box, center=center, half=item.box.half + BESIDE)
            is_foreign |= inside(points, expanded_box, 0.0)
        return points[~is_foreign]

    def _goal(self, entity: str, action: Action) -> Goal:
        if entity in self._recall.things.objects:
            item = self._recall.things.objects[entity]
            return self._goal_destination(item) if action.target == "place" else self._goal_object(item)
        return self._goal_furniture(self._recall.things.furniture[entity], action)

    def _goal_furniture(self, piece: Furniture, action: Action) -> Goal:
        surfaces = piece.surfaces
        roofed = any(surface.access is not None for surface in surfaces)
        front = piece.outward if piece.opens or roofed else piece.unseen_front
        panel = None if action.result in POWER else piece.panel  # a door is not a switch, and switches are not seen
        return Goal(
            name=piece.identity.entity,
            text="",
            position=piece.box.center,
            box=piece.box,
            surfaces=surfaces,
            obstacles=self._contents_of(piece),
            articulations=() if panel is None else (panel.articulation(),),
            front=None if front is None else float(np.arctan2(front[1], front[0])),
        )

    def _goal_object(self, item: LooseObject) -> Goal:
        """Make the goal for a loose object, with the surface under it and its neighbours."""
        support = under(item.box, tuple(self._recall.things.furniture.values()))
        box, front = item.box, None
        surfaces: tuple[Surface, ...] = ()
        if support is not None:
            furniture, surface = support
            box, surfaces = standing_on(box, surface), (surface,)
            if surface.access is not None:
                front = float(np.arctan2(surface.access[1], surface.access[0]))
            neighbours = self._contents_of(furniture, but=item.identity.entity)
        else:
            neighbours = tuple(
                other.box
                for entity, other in self._recall.things.objects.items()
                if entity not in (item.identity.entity, self._recall.held) and other.box.distance(box.center) < 0.5
            )
        return Goal(item.identity.entity, "", box.center, box=box, surfaces=surfaces, obstacles=neighbours, front=front)

    def _goal_destination(self, item: LooseObject) -> Goal:
        """Make the goal for an object as the destination of a Put: its centre if it is hollow, else its top."""
        top_offset = 0.0 if item.hollow else float(item.box.half[2])
        point = Surface(item.box.center + np.array([0.0, 0.0, top_offset]), 0.005, 0.005, item.box.yaw)
        return Goal(item.identity.entity, "", item.box.center, box=item.box, surfaces=(point,))

    def _contents_of(self, place: Furniture, but: str = "") -> tuple[Box, ...]:
        """Return boxes of objects and furniture on or in a piece of furniture, without the held object."""
        boxes = []
        for item in self._recall.things:
            box, entity = item.box, item.identity.entity
            raised = box.center[2] - box.half[2] > 0.3 or isinstance(item, LooseObject)
            if item is not place and raised and entity not in (but, self._recall.held) and over(place, box):
                boxes.append(box)
        return tuple(boxes)
