"""Variations of a generated house: further objects, open doors and drawers, another start, clutter, states, people. The
rest of the house stays as its seed gives it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from homie.envs.mujoco.generate.free_floor import ROBOT, FreeFloor
from homie.envs.mujoco.generate.initial_states import with_states
from homie.envs.mujoco.generate.place_objects import Sides, add_objects, no_furniture, suggested
from homie.envs.mujoco.generate.placing_people import with_people
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import StartSpec
from homie.envs.mujoco.house.surfaces import overlap, square
from homie.kernel.types import wrap_angle

AJAR = 0.8
"""Opening of an open door or drawer as a fraction of its range: a door at 88 degrees, a drawer 0.29 m out, about as the
Open skill leaves them."""
CLEARANCE = 0.5
"""Distance (m) between the robot's start and the nearest obstacle: its radius is 0.28 m."""
BESIDE_DOORS = 0.45
"""Half side (m) of the square around the robot's start without open doors and drawers: the robot turns on the spot
before it drives."""
TIDY = "tidy"
"""Clutter option: objects stand upright and apart, and doors and drawers are closed."""
TRIES = 400
"""Maximum number of start poses sampled in the requested room."""
_POSE = re.compile(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)")
_ADDED = re.compile(r"(?:(?P<colour>[a-z]+) )?(?P<kind>[a-z_]+)@(?P<where>[a-z][a-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Variation:
    """Changes to the house of a seed.

    Attributes:
        start: Name of the room in which the robot starts, or its pose as `X,Y,DEGREES` (None: as generated).
        opened: Names of furniture whose door or drawer is open.
        added: Further objects, each as `KIND@FURNITURE` or `COLOUR KIND@FURNITURE`.
        clutter: `tidy` (objects upright and apart) or `messy`.
        states: Whether things have states; objects that the verbs need are added.
        people: Number of people.
    """

    start: str | None = None
    opened: Sequence[str] = ()
    added: Sequence[str] = ()
    clutter: str = TIDY
    states: bool = False
    people: int = 0

    def __bool__(self) -> bool:
        return bool(self.start or self.opened or self.added or self.clutter != TIDY or self.states or self.people)


def apply_variation(scene: SceneSpec, sides: Sides, variation: Variation) -> SceneSpec:
    """Apply a variation to a house. Raises ValueError with one sentence if the variation does not fit."""
    rng = np.random.default_rng([scene.seed, len(scene.objects)])  # a separate stream: the seed's house stays the same
    added = [_parse_addition(text) for text in variation.added]
    objects = add_objects(scene, sides, added, rng)
    names = {piece.name: piece for piece in scene.furniture}
    for name in variation.opened:
        if name not in names:
            opening = [piece.name for piece in scene.furniture if piece.blueprint.articulations]
            raise ValueError(no_furniture(f"--opened {name or repr(name)}", name, opening, "nothing in it that opens"))
    furniture = tuple(
        piece.model_copy(update={"open": AJAR}) if piece.name in variation.opened else piece
        for piece in scene.furniture
    )
    variant = scene.model_copy(update={"objects": objects, "furniture": furniture})
    if variation.states:
        variant = with_states(variant, sides, {kind for _, kind, _ in added})
    if variation.start:
        variant = variant.model_copy(update={"robot": _start(variant, variation.start, rng)})
    if variation.clutter == "messy":
        from homie.envs.mujoco.generate.messy import messy  # it simulates the house, which takes a second or two

        variant = messy(variant, sides, np.random.default_rng([scene.seed, len(scene.objects), 1]))
    if variation.people:
        variant = with_people(variant, variation.people)
    return SceneSpec.model_validate(variant.model_dump())


def _parse_addition(text: str) -> tuple[str, str, str]:
    match = _ADDED.fullmatch(text)
    if match is None:
        raise ValueError(f"--added needs KIND@FURNITURE, for example apple@table_1 or 'red mug@sofa' (got '{text}')")
    return match["colour"] or "", match["kind"], match["where"]


def _start(scene: SceneSpec, name: str, rng: np.random.Generator) -> StartSpec:
    """Return a start pose on free floor connected to the generated start: the given pose, or one sampled in a room."""
    if match := _POSE.fullmatch(name.replace(" ", "")):
        return _start_at(scene, *(float(number) for number in match.groups()))
    room = next((room for room in scene.rooms if room.name == name), None)
    if room is None:
        if "," in name:
            raise ValueError(f"--start needs a room or X,Y,DEGREES, for example 1.5,-2,90 (got '{name}')")
        raise ValueError(
            f"--start {name or repr(name)} names none of its rooms; {suggested(name, [r.name for r in scene.rooms])}"
        )
    floor = FreeFloor(scene)
    start_zone = floor.zone(scene.robot.x, scene.robot.y)
    panels = [panel for piece in scene.furniture for panel in piece.panels()]
    for _ in range(TRIES):
        x, y = float(rng.uniform(room.x0 + 0.5, room.x1 - 0.5)), float(rng.uniform(room.y0 + 0.5, room.y1 - 0.5))
        blocked = any(overlap(panel, square(x, y, BESIDE_DOORS)) for panel in panels)
        if floor.clear(x, y) > CLEARANCE and floor.zone(x, y) == start_zone and not blocked:
            yaw = float(rng.integers(4)) * np.pi / 2 - np.pi / 2
            return StartSpec(x=round(x, 2), y=round(y, 2), yaw=round(yaw, 6))
    raise ValueError(f"there is no free spot for the robot to start in '{name}'")


def _start_at(scene: SceneSpec, x: float, y: float, degrees: float) -> StartSpec:
    floor = FreeFloor(scene)
    if floor.clear(x, y) < ROBOT or floor.zone(x, y) != floor.zone(scene.robot.x, scene.robot.y):
        raise ValueError(f"the robot cannot start at {x:g},{y:g}: there is no free floor that leads to the rest")
    return StartSpec(x=x, y=y, yaw=round(wrap_angle(float(np.radians(degrees))), 6))
