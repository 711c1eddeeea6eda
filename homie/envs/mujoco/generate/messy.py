"""Houses as people leave them: things lie, lean, stand on and in each other, at edges, on floors, beds and in sinks.

Every object is dropped into a place that is drawn for it, the house is simulated until all is at rest, and the spec
gets every object as it lies then. So nothing moves when an episode begins, and what is there is what the spec says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.blueprints.lying import rotation_of, span
from homie.envs.mujoco.blueprints.parts import FLOOR_SURFACE, WALL
from homie.envs.mujoco.generate.ajar import obstructions, with_open_doors
from homie.envs.mujoco.generate.place import Sides, Spot, reachable, spots_of
from homie.envs.mujoco.generate.reach import FreeFloor, unreachable
from homie.envs.mujoco.generate.settle import STAYS, settle
from homie.envs.mujoco.house.spec import ObjectSpec, SceneSpec
from homie.envs.mujoco.house.spec_checks import overlap, square
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
"""How often an object is dropped in which way. Where a way does not fit, it is turned over where it is."""

DROP = 0.003
"""Metres above what is below it from which an object is dropped."""
TRIES = 25
ROUNDS = 12
"""How often what lies badly is laid elsewhere, until all lies well."""
OVERHANG = 0.3
"""Share of half its width by which a thing at an edge stands over it at most."""
GAP = 0.012
"""Metres between two things that stand close."""
LEAN = (0.06, 0.3)
"""Angles (rad) at which a thing is leant on another, beyond that from which it does not fall back upright."""
TALL = 0.07
"""Height (m) from which a thing leans, or is leant on."""
FLAT = frozenset(
    {
        *("tuna_fish_can", "master_chef_can", "tomato_soup_can", "potted_meat_can", "sponge"),
        *("cracker_box", "sugar_box", "pudding_box", "gelatin_box"),
    }
)
"""Kinds with a flat top."""
HOLLOW: Mapping[str, tuple[float, float]] = {"bowl": (0.075, 0.012), "mug": (0.034, 0.010)}
"""Kinds that hold others: half the width (m) of the largest that fits in, and the height (m) of the inner bottom."""
SEATS = ("seat", "blanket", "basin")
"""Surfaces of sofas and chairs, of beds, and of sinks and washbasins."""
WAY, START, FRONT = 0.75, 0.6, 0.6
"""Metres that things on the floor keep from doorways, from the robot's start, and from what opens."""
AT_HAND = 0.75
"""Metres from where the robot can stand to the furthest thing on the floor that it reaches."""


def messy(scene: SceneSpec, sides: Sides, rng: np.random.Generator) -> SceneSpec:
    """The house in a mess: the same rooms, furniture, objects. Raises ValueError if its things do not come to rest."""
    scene = with_open_doors(scene, rng)
    strewn = _Strewing(scene, sides, rng).strewn()
    for _ in range(ROUNDS):
        rest = settle(strewn)
        bad = rest.lost | _out_of_reach(rest.scene)
        if not bad and max(rest.moved.values(), default=0.0) < STAYS:
            return strewn
        strewn = _Strewing(rest.scene, sides, rng).relaid(bad) if bad else rest.scene
    raise ValueError("its things do not come to rest")


def _out_of_reach(scene: SceneSpec) -> set[str]:
    """Objects on the floor where the robot does not reach them, or where they shut it in."""
    rooms = {room.name for room in scene.rooms}
    lying = [thing for thing in scene.objects if thing.receptacle in rooms]
    if not lying:
        return set()
    floor = FreeFloor(scene, obstructions(scene))
    zone = floor.zone(scene.robot.x, scene.robot.y)
    start = square(scene.robot.x, scene.robot.y, START / 2)
    bad = {thing.name for thing in lying if not floor.near(zone, thing.x, thing.y, AT_HAND)}
    bad |= {thing.name for thing in lying if overlap(thing.corners(), start)}
    if unreachable(scene, obstructions(scene)):
        bad |= {thing.name for thing in lying}
    return bad


@dataclass(frozen=True, slots=True)
class _Print:
    """What an object takes up on its surface: a rectangle and its top (m)."""

    name: str
    low: Array
    high: Array


class _Strewing:
    """Objects of a scene while they are strewn over it."""

    def __init__(self, scene: SceneSpec, sides: Sides, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng
        self.spots = {
            (spot.piece.name, spot.plan.name): spot
            for piece in scene.furniture
            for spot in spots_of(scene, piece, sides)
        }
        self.laid: dict[str, ObjectSpec] = {}
        self.floor = FreeFloor(scene, obstructions(scene))

    def strewn(self) -> SceneSpec:
        """The scene with every object dropped in a way that is drawn for it."""
        ways: list[Callable[[ObjectSpec], ObjectSpec | None]] = [
            lambda thing: thing,
            self._on_its_side,
            self._at_an_edge,
            self._close,
            self._on_or_in,
            self._leaning,
            self._on_the_floor,
            self._on_a_seat,
        ]
        drawn = self.rng.choice(len(ways), size=len(self.scene.objects), p=list(SHARES.values()))
        order = sorted(range(len(drawn)), key=lambda number: (drawn[number] != 0, self.rng.random()))
        for number in order:  # first what stays, so that the others can be laid on it and beside it
            thing = self.scene.objects[number]
            self.laid[thing.name] = ways[drawn[number]](thing) or self._on_its_side(thing) or self._dropped(thing)
        return self._done()

    def relaid(self, bad: set[str] | frozenset[str]) -> SceneSpec:
        """The scene with what lies badly laid somewhere else."""
        self.laid = {thing.name: thing for thing in self.scene.objects if thing.name not in bad}
        for thing in self.scene.objects:
            if thing.name in bad:
                self.laid[thing.name] = self._anywhere(thing)
        return self._done()

    def _done(self) -> SceneSpec:
        objects = tuple(self.laid[thing.name] for thing in self.scene.objects)
        return self.scene.model_copy(update={"objects": objects})

    # ------------------------------------------------------------ ways to lie

    def _on_its_side(self, thing: ObjectSpec) -> ObjectSpec | None:
        """Turned over, about where it stood: a bowl upside down, what is round any way round."""
        if thing.plan.rolls:
            yaw, pitch, roll = (float(angle) for angle in self.rng.uniform(-math.pi, math.pi, size=3))
        elif thing.kind == "bowl":
            yaw, pitch, roll = thing.yaw, 0.0, math.pi
        else:
            yaw = float(self.rng.uniform(-math.pi, math.pi))
            pitch, roll = (math.pi / 2, 0.0) if self.rng.random() < 0.5 else (0.0, math.pi / 2)
        return self._free(self._turned(thing, yaw, pitch, roll))

    def _at_an_edge(self, thing: ObjectSpec) -> ObjectSpec | None:
        spot = self.spots[thing.receptacle, thing.surface]
        plan = spot.plan
        if plan.access != "top" or plan.link or plan.name in SEATS:
            return None
        for _ in range(TRIES):
            a, b = thing.footprint
            side = spot.sides[int(self.rng.integers(len(spot.sides)))] if spot.sides else "front"
            over = float(self.rng.uniform(-0.01, OVERHANG * min(a, b)))
            x = float(self.rng.uniform(-plan.half_x + a, plan.half_x - a)) if a < plan.half_x else 0.0
            y = float(self.rng.uniform(-plan.half_y + b, plan.half_y - b)) if b < plan.half_y else 0.0
            x = {"front": plan.half_x - a + over, "back": a - plan.half_x - over}.get(side, x)
            y = {"left": plan.half_y - b + over, "right": b - plan.half_y - over}.get(side, y)
            moved = self._free(thing.model_copy(update={"x": x, "y": y}), over=OVERHANG * min(a, b) + 0.001)
            if moved is not None:
                return moved
        return None

    def _close(self, thing: ObjectSpec) -> ObjectSpec | None:
        """Beside another thing on the same surface, almost or quite touching it."""
        others = [other for other in self._at(thing) if other.stands]
        for _ in range(TRIES if others else 0):
            other = others[int(self.rng.integers(len(others)))]
            (a, b), (c, d) = thing.footprint, other.footprint
            gap, slide = float(self.rng.uniform(0.001, GAP)), float(self.rng.uniform(-0.5, 0.5))
            sign = 1.0 if self.rng.random() < 0.5 else -1.0
            x, y = (sign * (a + c + gap), slide * d) if self.rng.random() < 0.5 else (slide * c, sign * (b + d + gap))
            moved = self._free(thing.model_copy(update={"x": other.x + x, "y": other.y + y}))
            if moved is not None:
                return moved
        return None

    def _on_or_in(self, thing: ObjectSpec) -> ObjectSpec | None:
        """On something with a flat top, or in a bowl or a mug, wherever that stands."""
        half = max(thing.footprint)
        hosts = [
            other
            for other in self.laid.values()
            if other.stands and other.name != thing.name and (other.receptacle, other.surface) in self.spots
            and (half <= HOLLOW[other.kind][0] if other.kind in HOLLOW else self._carries(other, thing))
        ]  # fmt: skip
        for _ in range(TRIES if hosts else 0):
            host = hosts[int(self.rng.integers(len(hosts)))]
            x, y = host.x, host.y
            if host.kind == "mug":  # its hollow is not in the middle of its box, which has the ear in it
                x, y = x - 0.014 * math.cos(host.yaw), y - 0.014 * math.sin(host.yaw)
            else:
                x, y = x + float(self.rng.uniform(-0.01, 0.01)), y + float(self.rng.uniform(-0.01, 0.01))
            at = {"receptacle": host.receptacle, "surface": host.surface, "x": x, "y": y}
            top = 2 * host.plan.half[2]
            bottom = HOLLOW[host.kind][1] if host.kind in HOLLOW and thing.kind not in HOLLOW else top
            moved = thing.model_copy(update=at)
            raised = moved.model_copy(update={"z": bottom - moved.heights[0] + DROP})
            if self._on_surface(raised) and not self._under(raised, but=host.name):
                return raised
        return None

    def _carries(self, other: ObjectSpec, thing: ObjectSpec) -> bool:
        """Whether a thing stands on another: it does not roll off, and is not much wider."""
        if other.kind not in FLAT or thing.plan.rolls:
            return False
        return max(thing.footprint) <= 1.5 * min(other.footprint)

    def _leaning(self, thing: ObjectSpec) -> ObjectSpec | None:
        """A box or a bottle that leans on something that stands."""
        tall = thing.plan.half[2] * 2 > TALL and thing.kind not in HOLLOW and not thing.plan.rolls
        others = [other for other in self._at(thing) if other.stands and 2 * other.plan.half[2] > TALL]
        for _ in range(TRIES if tall and others else 0):
            other = others[int(self.rng.integers(len(others)))]
            towards = other.yaw + float(self.rng.integers(4)) * math.pi / 2
            falls = math.atan2(thing.plan.half[0], thing.plan.half[2])
            pitch = falls + float(self.rng.uniform(*LEAN))
            leant = thing.model_copy(update={"yaw": math.remainder(towards, math.tau), "pitch": pitch})
            low, high = span(leant.plan, rotation_of(0.0, leant.pitch, 0.0))
            a, b, _ = other.plan.half
            reach = a if round((towards - other.yaw) / (math.pi / 2)) % 2 == 0 else b
            away = reach + float(high[0]) + 0.001
            place = {"x": other.x - away * math.cos(towards), "y": other.y - away * math.sin(towards)}
            placed = leant.model_copy(update={**place, "z": DROP - float(low[2])})
            if self._on_surface(placed) and not self._under(placed, but=other.name):
                return placed
        return None

    def _on_the_floor(self, thing: ObjectSpec) -> ObjectSpec | None:
        """On the floor of a room, near walls and furniture and under tables rather than in the middle."""
        zone = self.floor.zone(self.scene.robot.x, self.scene.robot.y)
        tables = [piece for piece in self.scene.furniture if piece.kind in ("table", "desk")]
        for _ in range(TRIES):
            room = self.scene.rooms[int(self.rng.integers(len(self.scene.rooms)))]
            inner = 0.12
            x = float(self.rng.uniform(room.x0 + inner, room.x1 - inner))
            y = float(self.rng.uniform(room.y0 + inner, room.y1 - inner))
            upright = self.rng.random() < 0.5
            yaw = float(self.rng.uniform(-math.pi, math.pi))
            at = {"receptacle": room.name, "surface": FLOOR_SURFACE, "x": x, "y": y, "yaw": yaw}
            laid = thing.model_copy(update={**at, "roll": 0.0 if upright or thing.kind == "bowl" else math.pi / 2})
            laid = laid.model_copy(update={"z": DROP - laid.heights[0]})
            near = self.floor.clear(x, y) < 0.5 and self.floor.near(zone, x, y, AT_HAND - 0.1)
            blocked = [piece for piece in self.scene.furniture if piece not in tables and piece.stands_on is None]
            if (
                near
                and all(room.contains(*corner, WALL / 2 + 0.01) for corner in laid.corners())
                and not any(overlap(piece.corners(0.01), laid.corners()) for piece in blocked)
                and not any(math.dist((x, y), (door.x, door.y)) < WAY for door in self.scene.doorways)
                and math.dist((x, y), (self.scene.robot.x, self.scene.robot.y)) > START
                and not any(self._before(x, y))
                and not self._under(laid)
            ):
                return laid
        return None

    def _before(self, x: float, y: float) -> list[str]:
        """What opens and is too near."""
        return [
            piece.name
            for piece in self.scene.furniture
            if piece.blueprint.articulation is not None
            and math.dist((x, y), (piece.x, piece.y))
            < FRONT + math.hypot(piece.blueprint.half_x, piece.blueprint.half_y)
        ]

    def _on_a_seat(self, thing: ObjectSpec) -> ObjectSpec | None:
        seats = [spot for (_, surface), spot in self.spots.items() if surface in SEATS]
        return self._on_one_of(thing, seats, turned=self.rng.random() < 0.5)

    def _anywhere(self, thing: ObjectSpec) -> ObjectSpec:
        """Upright on any surface that has room and is open."""
        spots = [spot for spot in self.spots.values() if not spot.plan.inside]
        return self._on_one_of(thing, spots, turned=False) or self._dropped(thing)

    def _on_one_of(self, thing: ObjectSpec, spots: list[Spot], *, turned: bool) -> ObjectSpec | None:
        for _ in range(2 * TRIES if spots else 0):
            spot = spots[int(self.rng.integers(len(spots)))]
            x = float(self.rng.uniform(-spot.plan.half_x, spot.plan.half_x))
            y = float(self.rng.uniform(-spot.plan.half_y, spot.plan.half_y))
            at = {"receptacle": spot.piece.name, "surface": spot.plan.name, "x": x, "y": y, "z": None, "pitch": 0.0}
            laid = thing.model_copy(update={**at, "roll": math.pi / 2 if turned and thing.kind != "bowl" else 0.0})
            if reachable(spot, x, y) and (free := self._free(laid)) is not None:
                return free
        return None

    # ------------------------------------------------------------ what fits

    def _turned(self, thing: ObjectSpec, yaw: float, pitch: float, roll: float) -> ObjectSpec:
        return thing.model_copy(update={"yaw": yaw, "pitch": pitch, "roll": roll})

    def _free(self, thing: ObjectSpec, over: float = 0.0) -> ObjectSpec | None:
        """A thing just above its surface, if nothing else is there; None if it does not fit."""
        dropped = thing.model_copy(update={"z": DROP - thing.heights[0]})
        return dropped if self._on_surface(dropped, over) and not self._under(dropped) else None

    def _dropped(self, thing: ObjectSpec) -> ObjectSpec:
        """A thing where it is at home, or on top of what lies there now."""
        below = self._under(thing)
        if not below:
            return thing
        top = max(float(mark.high[2]) for mark in below)
        return thing.model_copy(update={"z": top - thing.heights[0] + DROP})

    def _on_surface(self, thing: ObjectSpec, over: float = 0.0) -> bool:
        spot = self.spots[thing.receptacle, thing.surface]
        (a, b), plan = thing.footprint, spot.plan
        z = thing.z if thing.z is not None else -thing.heights[0]
        inside = abs(thing.x) + a <= plan.half_x + over and abs(thing.y) + b <= plan.half_y + over
        return inside and z + thing.heights[1] + 0.01 < plan.clearance

    def _at(self, thing: ObjectSpec) -> list[ObjectSpec]:
        """What has been laid on the same surface."""
        there = (thing.receptacle, thing.surface)
        return [other for other in self.laid.values() if (other.receptacle, other.surface) == there]

    def _under(self, thing: ObjectSpec, but: str = "") -> list[_Print]:
        """What has been laid where a thing would be, seen from above."""
        mine = _print(thing)
        marks = [_print(other) for other in self._at(thing) if other.name not in (but, thing.name)]
        return [mark for mark in marks if (mark.low[:2] < mine.high[:2]).all() and (mine.low[:2] < mark.high[:2]).all()]


def _print(thing: ObjectSpec) -> _Print:
    low, high = span(thing.plan, rotation_of(thing.yaw, thing.pitch, thing.roll))
    at = np.array([thing.x, thing.y, thing.z if thing.z is not None else -thing.heights[0]])
    return _Print(thing.name, at + low, at + high)
