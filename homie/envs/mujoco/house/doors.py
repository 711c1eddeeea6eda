"""Doors in doorways. They are open at the start and keep their angle until pushed. A joint limit prevents closing,
because no skill can open a door as wide as the doorway that the robot has to pass."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.materials import CHROME, RGB
from homie.envs.mujoco.blueprints.parts import WALL, turned
from homie.envs.mujoco.house.index import GeomInfo
from homie.envs.mujoco.house.spec_parts import LARGEST_ANGLE, LEAST_ANGLE, DoorwaySpec, SceneParts
from homie.kernel.types import Array

THICK, GAP, HIGH = 0.04, 0.02, 2.03
"""Thickness of a door, its distance from wall and frame, and its height (m)."""
MASS, FRICTION, DAMPING = 12.0, 4.0, 3.0
"""Mass (kg) of a light inner door, dry friction (N m) and damping (N m s) of its hinge: 4 N at its edge move it."""
KNOB = 1.0
"""Height of the knobs (m)."""
PAINT: RGB = (0.93, 0.91, 0.86)


def leaf_corners(scene: SceneParts, doorway: DoorwaySpec) -> tuple[tuple[float, float], ...] | None:
    """Return the corners (x, y) in the world frame, in order, of a door at its start angle; None without a door."""
    if doorway.leaf is None:
        return None
    pivot, closed, inward = _frame(scene, doorway)
    angle = doorway.leaf.angle
    direction = math.cos(angle) * closed + math.sin(angle) * inward
    half_thickness = np.array([-direction[1], direction[0]]) * THICK / 2
    hinge_end, free_end = pivot + GAP / 2 * direction, pivot + (doorway.width - GAP) * direction
    return tuple(
        (float(x), float(y))
        for x, y in (
            hinge_end - half_thickness,
            free_end - half_thickness,
            free_end + half_thickness,
            hinge_end + half_thickness,
        )
    )


def _frame(scene: SceneParts, doorway: DoorwaySpec) -> tuple[Array, Array, Array]:
    """Return the hinge (2,), the direction (2,) from it along the closed door, and the direction (2,) into the room."""
    leaf = doorway.leaf
    assert leaf is not None
    room = next(room for room in scene.rooms if room.name == leaf.into)
    is_on_x_wall = min(abs(doorway.x - room.x0), abs(doorway.x - room.x1)) < 1e-6  # the wall runs along y
    middle = np.array([(room.x0 + room.x1) / 2 - doorway.x, (room.y0 + room.y1) / 2 - doorway.y])
    inward = np.array([np.sign(middle[0]), 0.0]) if is_on_x_wall else np.array([0.0, np.sign(middle[1])])
    left_direction = np.array([inward[1], -inward[0]])  # as seen from the room, facing the doorway
    side = left_direction if leaf.hinge == "left" else -left_direction
    pivot = np.array([doorway.x, doorway.y]) + side * doorway.width / 2 + inward * (WALL / 2 + GAP)
    return pivot, -side, inward


def joint_name(number: int) -> str:
    """Return the name of the hinge joint of the door in doorway number `number` of the spec."""
    return f"doorway/{number}/joint"


def add_door(
    spec: mujoco.MjSpec, scene: SceneParts, number: int, geoms: dict[str, GeomInfo], solid: tuple[int, int]
) -> None:
    """Add the door of a doorway. Joint position 0 is closed; `Home.reset` sets its start angle."""
    doorway = scene.doorways[number]
    pivot, closed, inward = _frame(scene, doorway)
    turn = math.atan2(closed[1], closed[0])
    opens = float(closed[0] * inward[1] - closed[1] * inward[0])  # the sign of the rotation from closed to open
    name = f"doorway/{number}"
    body = spec.worldbody.add_body(name=name, pos=[*pivot, 0.0], quat=turned(turn))
    body.add_joint(
        name=joint_name(number),
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 0.0, opens],
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        range=[LEAST_ANGLE, LARGEST_ANGLE],
        frictionloss=FRICTION,
        damping=DAMPING,
        armature=0.02,
    )
    length = doorway.width - 1.5 * GAP
    middle = GAP / 2 + length / 2
    for part, (low, high), group in (("lower", (0.01, 1.1), 0), ("upper", (1.1, HIGH), 1)):
        panel = body.add_geom(
            name=f"{name}/{part}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[length / 2, THICK / 2, (high - low) / 2],
            pos=[middle, 0.0, (low + high) / 2],
            rgba=[*PAINT, 1.0],
            material="matte",
            mass=MASS * (high - low) / HIGH,
            group=group,
        )
        panel.contype, panel.conaffinity = solid
        geoms[f"{name}/{part}"] = GeomInfo("wall", "door")
    for side, sign in (("front", 1.0), ("back", -1.0)):
        knob = body.add_geom(
            name=f"{name}/{side}",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[0.028, 0.0, 0.0],
            pos=[middle + length / 2 - 0.07, sign * (THICK / 2 + 0.03), KNOB],
            rgba=[*CHROME, 1.0],
            material="metal",
            mass=0.0,
        )
        knob.contype = knob.conaffinity = 0
        geoms[f"{name}/{side}"] = GeomInfo("wall", "door")
    for room in doorway.rooms:  # the edge at the hinge passes close to the wall: no contacts between the two
        spec.add_exclude(name=f"{name}/{room}", bodyname1=name, bodyname2=f"walls/{room}")
