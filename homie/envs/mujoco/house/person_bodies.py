"""People in a house: their bodies in the model, and their entries in its index."""

from __future__ import annotations

import math

import mujoco

from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.blueprints.person import HALF_X, HALF_Y, KIND, Mannequin, mannequin
from homie.envs.mujoco.house.index import PersonInfo
from homie.envs.mujoco.house.spec_parts import PersonSpec, SceneParts
from homie.envs.mujoco.house.surfaces import surfaces_of

WALK = ("walk x", "walk y", "walk yaw")
"""Names of the joints of a walking person."""
UNMOVED = 2000.0
"""Armature (kg, kg m2) of these joints, so that collisions do not push people away: their path moves them, not forces.
"""
POINTED = 0.9
"""Height (m) of the point on a person or a piece of furniture that others point at."""


def mannequin_of(scene: SceneParts, person: PersonSpec) -> Mannequin:
    """Return the shape of a person in a scene, which gives the position of the target of pointing."""
    if person.points_at is None:
        return mannequin(person.posture, person.gesture, person.colour)
    x, y, z = _middle(scene, person.points_at)
    dx, dy = x - person.position[0], y - person.position[1]
    c, s = math.cos(person.yaw), math.sin(person.yaw)
    target = (round(c * dx + s * dy, 3), round(c * dy - s * dx, 3), round(z, 3))
    return mannequin(person.posture, person.gesture, person.colour, target)


def _middle(scene: SceneParts, name: str) -> Vec3:
    """Return the approximate start position (3,) of a thing or a person."""
    for other in scene.people:
        if other.id == name:
            return (*other.position, POINTED)
    item = next((item for item in scene.objects if item.name == name), None)
    piece = scene.furniture_by_name.get(item.receptacle if item is not None else name)
    if piece is None:  # an object on the floor
        return (0.0, 0.0, 0.0) if item is None else (item.x, item.y, 0.0)
    base = scene.base(piece)
    if item is None:
        return (piece.x, piece.y, base + min(POINTED, piece.blueprint.height))
    surface = next(plan for plan in surfaces_of(scene, piece) if plan.name == item.surface)
    x, y, z = (surface.center[0] + item.x, surface.center[1] + item.y, surface.center[2])
    c, s = math.cos(piece.yaw), math.sin(piece.yaw)
    return (piece.x + c * x - s * y, piece.y + s * x + c * y, base + z)


def hand_name(person: str) -> str:
    """Return the name of the equality constraint by which a person holds an object."""
    return f"{person}/hand"


def add_joints(body: mujoco.MjsBody, person: PersonSpec) -> None:
    """Add the joints by which a person walks on the floor."""
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    for name, kind, axis in zip(WALK, (slide, slide, hinge), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True):
        body.add_joint(name=f"{person.id}/{name}", type=kind, axis=axis, armature=UNMOVED)
    # A walker is moved by setting its velocity, which does not wake a sleeping body.
    body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER


def person_info(scene: SceneParts, model: mujoco.MjModel, person: PersonSpec) -> PersonInfo:
    """Return the index entry of a person."""
    shape = mannequin_of(scene, person)
    hand = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_EQUALITY, hand_name(person.id))
    joints = tuple(model.joint(f"{person.id}/{name}").id for name in WALK) if person.path else ()
    return PersonInfo(
        name=person.id,
        kind=KIND,
        colour=person.colour,
        aliases=(KIND, person.id.replace("_", " ")),
        body=model.body(person.id).id,
        room=scene.room_at(*person.position),
        front=person.yaw,
        center=(0.0, 0.0, shape.height / 2),
        half=(HALF_X, HALF_Y, shape.height / 2),
        surfaces=(),
        articulations=(),
        appliance=None,
        posture=person.posture,
        gesture=person.gesture,
        points_at=person.points_at,
        eyes=shape.eyes,
        palm=shape.palm,
        hand=hand,
        joints=joints,
        path=tuple(person.path),
    )


def at_start(model: mujoco.MjModel, data: mujoco.MjData, person: PersonInfo) -> None:
    """Set a walking person to the start pose of the scene."""
    for joint, value in zip(person.joints, (0.0, 0.0, person.front), strict=bool(person.joints)):
        data.qpos[model.jnt_qposadr[joint]] = value
