"""Cluttered houses: objects lie, lean, stand on and in each other, at edges, on floors and beds and in sinks.

Every object is dropped at a sampled pose, the house is simulated until all objects are at rest, and the resting poses
are written into the spec. So nothing moves when an episode begins, and every object is at its pose in the spec.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.blueprints.extents import rotation_of, span
from homie.envs.mujoco.blueprints.parts import FLOOR_SURFACE, WALL
from homie.envs.mujoco.generate.ajar import obstructions, with_open_doors
from homie.envs.mujoco.generate.free_floor import FreeFloor, unreachable
from homie.envs.mujoco.generate.place_objects import Sides, Spot, reachable, spots_of
from homie.envs.mujoco.generate.settle import STAYS, settle
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import ObjectSpec
from homie.envs.mujoco.house.surfaces import overlap, square
from homie.kernel.types import Array

SHARES: Mapping[str, float] = {
    "as in a tidy house": 0.28,
    "on its side": 0.10,
    "at an edge": 0.11,
    "close to another": 0.10,
    "on or in another": 0.22,
    "leaning": 0.08,
    "on the floor": 0.05,
    "on a seat, on a bed, in a basin": 0.06,
}
"""Share of the objects per kind of pose. An object for which no such pose fits is laid on its side."""

DROP = 0.003
"""Height (m) above the support from which an object is dropped."""
TRIES = 25
"""Maximum number of poses of one kind sampled for one object."""
ROUNDS = 12
"""Maximum number of attempts to move badly placed objects elsewhere."""
OVERHANG = 0.3
"""Largest overhang of an object at an edge, as a share of half its width: its centre stays well on the surface."""
GAP = 0.012
"""Largest distance (m) between two objects that stand close together."""
LEAN = (0.06, 0.3)
"""Angles (rad) added to an object's tipping angle when it leans on another, so that it does not fall back upright."""
TALL = 0.07
"""Minimum height (m) of a leaning object and of the object that it leans on."""
FLAT = frozenset(
    {
        *("tuna_fish_can", "master_chef_can", "tomato_soup_can", "potted_meat_can", "sponge"),
        *("cracker_box", "sugar_box", "pudding_box", "gelatin_box"),
    }
)
"""Kinds with a flat top."""
HOLLOW: Mapping[str, tuple[float, float]] = {"bowl": (0.075, 0.012), "mug": (0.034, 0.010)}
"""Kinds that hold other objects: half the width (m) of the largest that fits, and the height (m) of the inner floor."""
SEATS = ("seat", "blanket", "basin")
"""Surfaces of sofas and chairs, of beds, and of sinks and washbasins."""
WAY, START, FRONT = 0.75, 0.6, 0.6
"""Minimum distances (m) of objects on the floor from doorways, from the robot's start, and from doors and drawers."""
AT_HAND = 0.75
"""Maximum distance (m) between the robot's base and an object on the floor within reach of its arm."""


def messy(scene: SceneSpec, sides: Sides, rng: np.random.Generator) -> SceneSpec:
    """Return the cluttered house, with the same rooms, furniture and objects. Raises ValueError if the objects do not
    come to rest."""
    scene = with_open_doors(scene, rng)
    scattered = _Scatterer(scene, sides, rng).scattered()
    for _ in range(ROUNDS):
        result = settle(scattered)
        bad = result.lost | _out_of_reach(result.scene)
        if not bad and max(result.moved.values(), default=0.0) < STAYS:
            return scattered
        scattered = _Scatterer(result.scene, sides, rng).with_moved_objects(bad) if bad else result.scene
    raise ValueError("its things do not come to rest")


def _out_of_reach(scene: SceneSpec) -> set[str]:
    """Names of objects on the floor that the robot cannot reach, or that block its way."""
    rooms = {room.name for room in scene.rooms}
    floor_objects = [item for item in scene.objects if item.receptacle in rooms]
    if not floor_objects:
        return set()
    floor = FreeFloor(scene, obstructions(scene))
    zone = floor.zone(scene.robot.x, scene.robot.y)
    start = square(scene.robot.x, scene.robot.y, START / 2)
    bad = {item.name for item in floor_objects if not floor.near(zone, item.x, item.y, AT_HAND)}
    bad |= {item.name for item in floor_objects if overlap(item.corners(), start)}
    if unreachable(scene, obstructions(scene)):
        bad |= {item.name for item in floor_objects}
    return bad


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The axis-aligned bounding box of an object in the frame of its surface (m)."""

    name: str
    low: Array
    high: Array


class _Scatterer:
    """Places the objects of a scene at cluttered poses."""

    def __init__(self, scene: SceneSpec, sides: Sides, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng
        self.spots = {
            (location.piece.name, location.plan.name): location
            for piece in scene.furniture
            for location in spots_of(scene, piece, sides)
        }
        self.placed_objects: dict[str, ObjectSpec] = {}
        self.floor = FreeFloor(scene, obstructions(scene))

    def scattered(self) -> SceneSpec:
        """Return the scene with every object dropped at a sampled pose."""
        pose_samplers: list[Callable[[ObjectSpec], ObjectSpec | None]] = [
            lambda item: item,
            self._on_its_side,
            self._place_at_edge,
            self._beside_another,
            self._on_or_in,
            self._leaning,
            self._on_the_floor,
            self._on_a_seat,
        ]
        choices = self.rng.choice(len(pose_samplers), size=len(self.scene.objects), p=list(SHARES.values()))
        order = sorted(range(len(choices)), key=lambda number: (choices[number] != 0, self.rng.random()))
        for number in order:  # objects that keep their pose come first, so that others can be placed on and beside them
            item = self.scene.objects[number]
            self.placed_objects[item.name] = (
                pose_samplers[choices[number]](item) or self._on_its_side(item) or self._on_top_of_pile(item)
            )
        return self._resulting_scene()

    def with_moved_objects(self, bad: set[str] | frozenset[str]) -> SceneSpec:
        """Return the scene with the objects named in `bad` placed elsewhere."""
        self.placed_objects = {item.name: item for item in self.scene.objects if item.name not in bad}
        for item in self.scene.objects:
            if item.name in bad:
                self.placed_objects[item.name] = self._place_anywhere(item)
        return self._resulting_scene()

    def _resulting_scene(self) -> SceneSpec:
        objects = tuple(self.placed_objects[item.name] for item in self.scene.objects)
        return self.scene.model_copy(update={"objects": objects})

    # ------------------------------------------------------------ poses by kind

    def _on_its_side(self, item: ObjectSpec) -> ObjectSpec | None:
        """Turn the object over at its position: a bowl upside down, a round object to any orientation."""
        if item.plan.rolls:
            yaw, pitch, roll = (float(angle) for angle in self.rng.uniform(-math.pi, math.pi, size=3))
        elif item.kind == "bowl":
            yaw, pitch, roll = item.yaw, 0.0, math.pi
        else:
            yaw = float(self.rng.uniform(-math.pi, math.pi))
            pitch, roll = (math.pi / 2, 0.0) if self.rng.random() < 0.5 else (0.0, math.pi / 2)
        return self._dropped_if_free(self._with_rotation(item, yaw, pitch, roll))

    def _place_at_edge(self, item: ObjectSpec) -> ObjectSpec | None:
        location = self.spots[item.receptacle, item.surface]
        plan = location.plan
        if plan.access != "top" or plan.link or plan.name in SEATS:
            return None
        for _ in range(TRIES):
            a, b = item.footprint
            side = location.sides[int(self.rng.integers(len(location.sides)))] if location.sides else "front"
            overhang = float(self.rng.uniform(-0.01, OVERHANG * min(a, b)))
            x = float(self.rng.uniform(-plan.half_x + a, plan.half_x - a)) if a < plan.half_x else 0.0
            y = float(self.rng.uniform(-plan.half_y + b, plan.half_y - b)) if b < plan.half_y else 0.0
            x = {"front": plan.half_x - a + overhang, "back": a - plan.half_x - overhang}.get(side, x)
            y = {"left": plan.half_y - b + overhang, "right": b - plan.half_y - overhang}.get(side, y)
            candidate = self._dropped_if_free(
                item.model_copy(update={"x": x, "y": y}), overhang=OVERHANG * min(a, b) + 0.001
            )
            if candidate is not None:
                return candidate
        return None

    def _beside_another(self, item: ObjectSpec) -> ObjectSpec | None:
        """Place the object beside another on the same surface, with a gap of 1 to 12 mm."""
        standing = [other for other in self._neighbours(item) if other.stands]
        for _ in range(TRIES if standing else 0):
            other = standing[int(self.rng.integers(len(standing)))]
            (a, b), (c, d) = item.footprint, other.footprint
            gap, slide = float(self.rng.uniform(0.001, GAP)), float(self.rng.uniform(-0.5, 0.5))
            sign = 1.0 if self.rng.random() < 0.5 else -1.0
            x, y = (sign * (a + c + gap), slide * d) if self.rng.random() < 0.5 else (slide * c, sign * (b + d + gap))
            candidate = self._dropped_if_free(item.model_copy(update={"x": other.x + x, "y": other.y + y}))
            if candidate is not None:
                return candidate
        return None

    def _on_or_in(self, item: ObjectSpec) -> ObjectSpec | None:
        """Place the object on another with a flat top, or in a bowl or a mug, on any surface."""
        half = max(item.footprint)
        hosts = [
            other
            for other in self.placed_objects.values()
            if other.stands and other.name != item.name and (other.receptacle, other.surface) in self.spots
            and (half <= HOLLOW[other.kind][0] if other.kind in HOLLOW else self._carries(other, item))
        ]  # fmt: skip
        for _ in range(TRIES if hosts else 0):
            host = hosts[int(self.rng.integers(len(hosts)))]
            x, y = host.x, host.y
            if host.kind == "mug":  # its bounding box includes the handle, so the hollow is 14 mm off its centre
                x, y = x - 0.014 * math.cos(host.yaw), y - 0.014 * math.sin(host.yaw)
            else:
                x, y = x + float(self.rng.uniform(-0.01, 0.01)), y + float(self.rng.uniform(-0.01, 0.01))
            at = {"receptacle": host.receptacle, "surface": host.surface, "x": x, "y": y}
            top = 2 * host.plan.half[2]
            bottom = HOLLOW[host.kind][1] if host.kind in HOLLOW and item.kind not in HOLLOW else top
            candidate = item.model_copy(update=at)
            raised = candidate.model_copy(update={"z": bottom - candidate.heights[0] + DROP})
            if self._on_surface(raised) and not self._overlapping(raised, but=host.name):
                return raised
        return None

    def _carries(self, other: ObjectSpec, item: ObjectSpec) -> bool:
        """Whether an object can stand on another: it does not roll, and it is at most 1.5 times as wide."""
        if other.kind not in FLAT or item.plan.rolls:
            return False
        return max(item.footprint) <= 1.5 * min(other.footprint)

    def _leaning(self, item: ObjectSpec) -> ObjectSpec | None:
        """Lean the object, a box or a bottle, on an upright object."""
        tall = item.plan.half[2] * 2 > TALL and item.kind not in HOLLOW and not item.plan.rolls
        supports = [other for other in self._neighbours(item) if other.stands and 2 * other.plan.half[2] > TALL]
        for _ in range(TRIES if tall and supports else 0):
            other = supports[int(self.rng.integers(len(supports)))]
            direction = other.yaw + float(self.rng.integers(4)) * math.pi / 2
            tipping_angle = math.atan2(item.plan.half[0], item.plan.half[2])
            pitch = tipping_angle + float(self.rng.uniform(*LEAN))
            tilted = item.model_copy(update={"yaw": math.remainder(direction, math.tau), "pitch": pitch})
            low, high = span(tilted.plan, rotation_of(0.0, tilted.pitch, 0.0))
            a, b, _ = other.plan.half
            reach = a if round((direction - other.yaw) / (math.pi / 2)) % 2 == 0 else b
            distance = reach + float(high[0]) + 0.001
            place = {"x": other.x - distance * math.cos(direction), "y": other.y - distance * math.sin(direction)}
            candidate = tilted.model_copy(update={**place, "z": DROP - float(low[2])})
            if self._on_surface(candidate) and not self._overlapping(candidate, but=other.name):
                return candidate
        return None

    def _on_the_floor(self, item: ObjectSpec) -> ObjectSpec | None:
        """Place the object on the floor of a room, within 0.5 m of a wall or piece of furniture; also under tables."""
        zone = self.floor.zone(self.scene.robot.x, self.scene.robot.y)
        tables = [piece for piece in self.scene.furniture if piece.kind in ("table", "desk")]
        for _ in range(TRIES):
            room = self.scene.rooms[int(self.rng.integers(len(self.scene.rooms)))]
            inner = 0.12  # m from the centre line of the walls: half a wall and the smallest objects
            x = float(self.rng.uniform(room.x0 + inner, room.x1 - inner))
            y = float(self.rng.uniform(room.y0 + inner, room.y1 - inner))
            upright = self.rng.random() < 0.5
            yaw = float(self.rng.uniform(-math.pi, math.pi))
            at = {"receptacle": room.name, "surface": FLOOR_SURFACE, "x": x, "y": y, "yaw": yaw}
            candidate = item.model_copy(update={**at, "roll": 0.0 if upright or item.kind == "bowl" else math.pi / 2})
            candidate = candidate.model_copy(update={"z": DROP - candidate.heights[0]})
            is_near = self.floor.clear(x, y) < 0.5 and self.floor.near(zone, x, y, AT_HAND - 0.1)
            blocked = [piece for piece in self.scene.furniture if piece not in tables and piece.stands_on is None]
            if (
                is_near
                and all(room.contains(*corner, WALL / 2 + 0.01) for corner in candidate.corners())
                and not any(overlap(piece.corners(0.01), candidate.corners()) for piece in blocked)
                and not any(math.dist((x, y), (door.x, door.y)) < WAY for door in self.scene.doorways)
                and math.dist((x, y), (self.scene.robot.x, self.scene.robot.y)) > START
                and not any(self._openings_near(x, y))
                and not self._overlapping(candidate)
            ):
                return candidate
        return None

    def _openings_near(self, x: float, y: float) -> list[str]:
        """Return the pieces with a door or drawer that a point on the floor is too close to."""
        return [
            piece.name
            for piece in self.scene.furniture
            if piece.blueprint.articulations
            and math.dist((x, y), (piece.x, piece.y))
            < FRONT + math.hypot(piece.blueprint.half_x, piece.blueprint.half_y)
        ]

    def _on_a_seat(self, item: ObjectSpec) -> ObjectSpec | None:
        seats = [location for (_, surface), location in self.spots.items() if surface in SEATS]
        return self._on_one_of(item, seats, turned=self.rng.random() < 0.5)

    def _place_anywhere(self, item: ObjectSpec) -> ObjectSpec:
        """Place the object upright on any free surface that is not inside a container."""
        locations = [location for location in self.spots.values() if not location.plan.inside]
        return self._on_one_of(item, locations, turned=False) or self._on_top_of_pile(item)

    def _on_one_of(self, item: ObjectSpec, locations: list[Spot], *, turned: bool) -> ObjectSpec | None:
        for _ in range(2 * TRIES if locations else 0):
            location = locations[int(self.rng.integers(len(locations)))]
            x = float(self.rng.uniform(-location.plan.half_x, location.plan.half_x))
            y = float(self.rng.uniform(-location.plan.half_y, location.plan.half_y))
            location_fields = {"receptacle": location.piece.name, "surface": location.plan.name}
            at = {**location_fields, "x": x, "y": y, "z": None, "pitch": 0.0}
            candidate = item.model_copy(update={**at, "roll": math.pi / 2 if turned and item.kind != "bowl" else 0.0})
            if reachable(location, x, y) and (placed := self._dropped_if_free(candidate)) is not None:
                return placed
        return None

    # ------------------------------------------------------------ fitting

    def _with_rotation(self, item: ObjectSpec, yaw: float, pitch: float, roll: float) -> ObjectSpec:
        return item.model_copy(update={"yaw": yaw, "pitch": pitch, "roll": roll})

    def _dropped_if_free(self, item: ObjectSpec, overhang: float = 0.0) -> ObjectSpec | None:
        """Return the object just above its surface; None if it does not fit there or collides with another object."""
        dropped = item.model_copy(update={"z": DROP - item.heights[0]})
        return dropped if self._on_surface(dropped, overhang) and not self._overlapping(dropped) else None

    def _on_top_of_pile(self, item: ObjectSpec) -> ObjectSpec:
        """Return the object at its original position, on top of the objects that are there now."""
        supports = self._overlapping(item)
        if not supports:
            return item
        top = max(float(bounds.high[2]) for bounds in supports)
        return item.model_copy(update={"z": top - item.heights[0] + DROP})

    def _on_surface(self, item: ObjectSpec, overhang: float = 0.0) -> bool:
        location = self.spots[item.receptacle, item.surface]
        (a, b), plan = item.footprint, location.plan
        z = item.z if item.z is not None else -item.heights[0]
        inside = abs(item.x) + a <= plan.half_x + overhang and abs(item.y) + b <= plan.half_y + overhang
        return inside and z + item.heights[1] + 0.01 < plan.clearance

    def _neighbours(self, item: ObjectSpec) -> list[ObjectSpec]:
        """Return the objects placed on the same surface so far."""
        surface_key = (item.receptacle, item.surface)
        return [other for other in self.placed_objects.values() if (other.receptacle, other.surface) == surface_key]

    def _overlapping(self, item: ObjectSpec, but: str = "") -> list[_Bounds]:
        """Return the bounding boxes of placed objects that overlap an object in top view, except that named `but`."""
        footprint = _bounds(item)
        all_bounds = [_bounds(other) for other in self._neighbours(item) if other.name not in (but, item.name)]
        return [
            bounds
            for bounds in all_bounds
            if (bounds.low[:2] < footprint.high[:2]).all() and (footprint.low[:2] < bounds.high[:2]).all()
        ]


def _bounds(item: ObjectSpec) -> _Bounds:
    low, high = span(item.plan, rotation_of(item.yaw, item.pitch, item.roll))
    at = np.array([item.x, item.y, item.z if item.z is not None else -item.heights[0]])
    return _Bounds(item.name, at + low, at + high)
