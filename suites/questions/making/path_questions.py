"""Path of a handle in the picture as its door or drawer opens: computed from the joint, checked by a second picture."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.registry import NO_OBJECTS
from homie.kernel.types import Array, Articulation
from homie.kernel.world.snapshot import FixedState
from homie.runtime.assembly import choose
from homie.runtime.open_session import Session
from suites.published.robobench.geometry import Point, even_points
from suites.questions.making.picture_contents import Sight
from suites.questions.making.picture_questions import AFFORDANCE, EDGE
from suites.questions.making.question_unit import Candidate, Keep, Unit
from suites.questions.rollout import OBJECTS, PICTURES, open_scene, scene_options

PIECES, TRIES = 2, 4
"""Pieces of furniture to look at per house, and viewpoints to try for each."""
AWAY = (1.3, 2.4)
"""Distance from the middle of the furniture, m: nearer, the door leaves the picture; farther, walls are in between."""
ASIDE, ASKEW = 35.0, 12.0
"""Maximum angles, degrees: of the viewpoint off the front direction, and of the robot's heading off the furniture."""
SEEN = 40
"""Minimum pixels (of 384 x 384) of a visible handle: it is thin, 4 by 10."""
TURN = math.pi / 2
"""Maximum angle in radians by which a question turns a door: all doors with an upright hinge reach it."""
STEPS = 24
"""Number of sections of the path that are projected: a chord of 4 degrees looks like its arc."""
KEPT = 9
"""Number of points of a truth."""
SHORTEST = 0.15
"""Minimum length of a path as a share of the picture: three times the tolerance of an answer."""
AGREE = 0.03
"""Maximum distance between the handle's pixels and its computed position, as a share of the picture: half a handle."""


def opening_paths(seed: int, rooms: int, size: int, source: str, keep: Keep) -> Iterator[Unit]:
    """Paths of handles in a house, each seen from a few steps away: nearer, most of it is outside the picture."""
    lot = random.Random(f"paths {seed}")
    scene: dict[str, Any] = {"seed": seed, "rooms": rooms, "objects": OBJECTS}
    with open_scene(scene, "ideal", PICTURES) as session:
        world = session.world_state()
    joints = Counter(joint.receptacle for joint in world.joints.values())
    names = sorted(name for name, number in joints.items() if number == 1)
    for name in lot.sample(names, min(PIECES, len(names))):
        for _ in range(TRIES):
            start_scene = {**scene, "start": _viewpoint(world.fixed[name], lot)}
            try:
                unit = _question_from(start_scene, name, size, source, keep)
            except BadInput:  # no robot can stand there, or the furniture cannot stand open
                continue
            if unit is not None:
                yield unit
                break


def _viewpoint(piece: FixedState, lot: random.Random) -> str:
    """A viewpoint a few steps before a piece of furniture, roughly facing it: X,Y,DEGREES."""
    assert piece.position is not None and piece.quaternion is not None, "simulated furniture has a pose"
    w, x, y, z = piece.quaternion
    front = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    direction, distance = front + math.radians(lot.uniform(-ASIDE, ASIDE)), lot.uniform(*AWAY)
    yaw = direction + math.pi + math.radians(lot.uniform(-ASKEW, ASKEW))
    east, north = (
        value + distance * f(direction) for value, f in zip(piece.position, (math.cos, math.sin), strict=False)
    )
    return f"{east:.3f},{north:.3f},{math.degrees(math.remainder(yaw, math.tau)):.1f}"


def _question_from(scene: Mapping[str, Any], container: str, size: int, source: str, keep: Keep) -> Unit | None:
    """The question from one viewpoint, None if it gives none. Raises BadInput if the scene cannot be set up."""
    options = scene_options(scene, "ideal", f"{size}x{size}")
    chosen = choose(options, NO_OBJECTS)
    with Session(options, chosen) as session:
        observation = session.observe(session.robot.eye)
        closed = Sight(observation.frames[session.robot.eye], session.world_state())
        (door,) = chosen.make_locator(session.robot).goal(container, ACTION_TABLE["Open"], observation).articulations
    if container not in closed.things:
        return None
    far = min(TURN, door.range) if door.kind == "hinge" else door.range
    way = [closed.project(handle_at(door, far * step / STEPS)) for step in range(STEPS + 1)]
    points = [point for point in way if point is not None and all(EDGE < side < 1 - EDGE for side in point)]
    if len(points) < len(way) or sum(math.dist(a, b) for a, b in pairwise(points)) < SHORTEST:
        return None
    if not _has_handle(closed, container, points[0]) or not _matches_open_picture(
        {**scene, "opened": [container]}, container, door, size
    ):
        return None
    moved = f"turns by {round(math.degrees(far))} degrees" if door.kind == "hinge" else f"slides {far * 100:.0f} cm"
    text = (
        f"The {closed.called(container)} is opened, so that its handle {moved}. Along which points of the picture does "
        "the middle of the handle move? Begin where it is now."
    )
    truth = ", ".join(f"({x:.4f}, {y:.4f})" for x, y in even_points(points, KEPT))
    asked = Candidate(text, "path", (keep(closed.picture),), truth)
    return Unit(AFFORDANCE, "opening_path", source, (asked,))


def _matches_open_picture(scene: Mapping[str, Any], container: str, door: Articulation, size: int) -> bool:
    """Whether a picture of the open furniture, from the same viewpoint, has the handle at its computed position."""
    with open_scene(scene, "ideal", f"{size}x{size}") as session:
        wide = Sight(session.observe(session.robot.eye).frames[session.robot.eye], session.world_state())
    joint = next(joint for joint in wide.world.joints.values() if joint.receptacle == container)
    point = None if joint.opening is None else wide.project(handle_at(door, joint.opening - door.opening))
    return point is not None and _has_handle(wide, container, point)


def handle_at(door: Articulation, further: float) -> Array:
    """Position (3,) of the handle's middle, m, if the door is opened by a further angle or distance (rad or m)."""
    if door.kind == "slide":
        return np.asarray(door.handle + further * door.axis)
    arm = door.handle - door.axis_point
    turned = (  # Rodrigues' formula
        arm * math.cos(further)
        + np.cross(door.axis, arm) * math.sin(further)
        + door.axis * float(door.axis @ arm) * (1 - math.cos(further))
    )
    return np.asarray(door.axis_point + turned)


def _has_handle(sight: Sight, container: str, point: Point) -> bool:
    """Whether the picture has the handle at a point."""
    name = f"{container}/handle"
    mask = sight.mask(name)
    if mask.sum() < SEEN * mask.size / 384**2:
        return False
    x1, y1, x2, y2 = sight.spot(name).box
    return math.dist(point, ((x1 + x2) / 2, (y1 + y2) / 2)) <= AGREE
