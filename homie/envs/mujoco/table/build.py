"""Build a MuJoCo model from a table scene: the room's floor, a wooden table, the Panda, the objects.

Bodies have the names of the objects; loose ones have a free joint. The axes of the workspace are drawn at its corner on
the table: x red, y green, z blue, with letters of thin strokes.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.materials import RGB
from homie.envs.mujoco.blueprints.parts import Vec3, block, rod, turned
from homie.envs.mujoco.house.build import FLOAT, add_geom, empty_spec
from homie.envs.mujoco.house.index import GeomInfo, ObjectInfo, SceneIndex
from homie.envs.mujoco.house.shell import SOLID
from homie.envs.mujoco.render.camera_geometry import FreeCamera
from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.robots.grasping import add_grasp_constraints
from homie.envs.mujoco.robots.joint_servos import PREFIX
from homie.envs.mujoco.table.table_scene import FOOT, TABLE_TOP, TableScene, Thing
from homie.envs.mujoco.table.things import Prism, ThingPlan, plan_of

TABLE_X, TABLE_Y = (-0.46, 0.66), (-0.58, 0.58)
"""Extents of the table top (m)."""
CORNER: Vec3 = (-0.3, -0.5, TABLE_TOP)
"""Position at which the axes of the workspace are drawn (m)."""
FRONT = FreeCamera(lookat=(0.10, 0.0, 0.78), distance=1.32, azimuth=np.pi, elevation=-0.62, fovy=np.radians(48.0))
"""The front camera: opposite the robot, so that y increases to the right in its image."""

_WOOD: RGB = (0.78, 0.60, 0.40)
_LEG: RGB = (0.45, 0.33, 0.22)
_TILES: RGB = (0.72, 0.72, 0.70)
_AXIS, _THICK, _LETTER = 0.13, 0.004, 0.014
_RED: RGB = (0.85, 0.10, 0.10)
_GREEN: RGB = (0.10, 0.62, 0.18)
_BLUE: RGB = (0.12, 0.25, 0.85)
_LETTERS: dict[str, tuple[tuple[tuple[float, float], tuple[float, float]], ...]] = {
    "X": (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
    "Y": (((-1, 1), (0, 0)), ((1, 1), (0, 0)), ((0, 0), (0, -1))),
    "Z": (((-1, 1), (1, 1)), ((1, 1), (-1, -1)), ((-1, -1), (1, -1))),
}
"""Strokes of letters, (right, up) in units of half their size."""


@dataclass(frozen=True, slots=True)
class BuiltThing:
    """An object in a model: its body, and its geoms in the order of its parts."""

    item: Thing
    plan: ThingPlan
    body: int
    geoms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BuiltTable:
    """A table scene with its compiled model."""

    scene: TableScene
    model: mujoco.MjModel
    things: dict[str, BuiltThing]
    index: SceneIndex


def build(scene: TableScene) -> BuiltTable:
    """Compile a scene with its robot. Deterministic."""
    spec = empty_spec("table")
    spec.stat.extent, spec.stat.center = 2.0, [0.1, 0.0, TABLE_TOP]
    spec.visual.map.znear, spec.visual.map.zfar = 0.005, 8.0
    spec.option.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    names: dict[str, str] = {}
    _add_room(spec, names)
    _add_axes(spec)
    plans = {item.name: plan_of(item.kind, item.colour, item.holes) for item in scene.things}
    for item in scene.things:
        _add_thing(spec, item, plans[item.name], names)
    panda.FILE.add(spec, FOOT)
    add_grasp_constraints(spec, panda.HAND)
    _add_front_camera(spec)
    model = spec.compile()
    things = {
        item.name: BuiltThing(
            item,
            plans[item.name],
            model.body(item.name).id,
            tuple(model.geom(f"{item.name}/#{k}").id for k in range(len(plans[item.name].parts))),
        )
        for item in scene.things
    }
    objects = tuple(_object(thing) for thing in things.values() if thing.plan.loose)
    geoms = {model.geom(name).id: GeomInfo(entity, "") for name, entity in names.items()}
    return BuiltTable(scene, model, things, SceneIndex((), (), objects, geoms))


def _object(thing: BuiltThing) -> ObjectInfo:
    item = thing.item
    return ObjectInfo(
        name=item.name,
        kind=item.kind,
        colour=item.colour,
        aliases=(item.words, item.kind),
        body=thing.body,
        half=thing.plan.half,
        hollow=None,
    )


def _add_room(spec: mujoco.MjSpec, names: dict[str, str]) -> None:
    floor = spec.worldbody.add_geom(
        name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[3, 3, 1], material="tiles", rgba=[*_TILES, 1.0]
    )
    floor.contype, floor.conaffinity = SOLID
    body = spec.worldbody.add_body(name="table")
    parts = [block(TABLE_X, TABLE_Y, (TABLE_TOP - 0.04, TABLE_TOP), _WOOD, finish="grain")]
    parts += [
        block((x - 0.03, x + 0.03), (y - 0.03, y + 0.03), (0.0, TABLE_TOP - 0.04), _LEG)
        for x in (TABLE_X[0] + 0.06, TABLE_X[1] - 0.06)
        for y in (TABLE_Y[0] + 0.06, TABLE_Y[1] - 0.06)
    ]
    for number, part in enumerate(parts):
        name = f"table/#{number}"
        geom = add_geom(body, name, part, 0.0)
        geom.friction = [0.9, 0.006, 0.0001]
        names[name] = "table"


def _add_axes(spec: mujoco.MjSpec) -> None:
    """Add three thin arrows and their letters, without collisions."""
    at = np.array(CORNER) + np.array([0.0, 0.0, _THICK])
    for letter, rgb, direction in (("X", _RED, (1, 0, 0)), ("Y", _GREEN, (0, 1, 0)), ("Z", _BLUE, (0, 0, 1))):
        end = at + _AXIS * np.array(direction)
        parts = [rod(_tuple(at), _tuple(end), _THICK, rgb)]
        # Letters stand upright, facing the front camera, beyond the end of their axis.
        middle = end + 0.03 * np.array(direction) + np.array([0.0, 0.0, _LETTER + 0.002 if letter != "Z" else 0.0])
        for start, stop in _LETTERS[letter]:
            stroke_ends = [middle + _LETTER * np.array([0.0, 0.8 * point[0], point[1]]) for point in (start, stop)]
            parts.append(rod(_tuple(stroke_ends[0]), _tuple(stroke_ends[1]), 0.0028, rgb))
        for number, part in enumerate(parts):
            geom = add_geom(spec.worldbody, f"axis_{letter}/#{number}", part, 0.0)
            geom.contype, geom.conaffinity = 0, 0


def _tuple(point: np.ndarray) -> Vec3:
    return float(point[0]), float(point[1]), float(point[2])


def _add_thing(spec: mujoco.MjSpec, item: Thing, plan: ThingPlan, names: dict[str, str]) -> None:
    height = TABLE_TOP + (FLOAT if plan.loose else 0.0)
    body = spec.worldbody.add_body(name=item.name, pos=[item.x, item.y, height], quat=turned(item.yaw))
    if plan.loose:
        body.add_freejoint(name=item.name)
    for number, part in enumerate(plan.parts):
        name = f"{item.name}/#{number}"
        geom = _add_prism(spec, body, name, part) if isinstance(part, Prism) else add_geom(body, name, part, part.mass)
        geom.condim, geom.friction = 4, [0.9, 0.006, 0.0001]
        names[name] = item.name


def _add_prism(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, part: Prism) -> mujoco.MjsGeom:
    corners = [[*point, z] for z in part.z for point in part.outline]
    mesh = spec.add_mesh(name=name, uservert=np.array(corners).ravel())
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    geom = body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=[*part.rgb, 1.0], material="matte", mass=0.0
    )
    geom.contype, geom.conaffinity = SOLID
    return geom


def _add_front_camera(spec: mujoco.MjSpec) -> None:
    """Add the camera in front of the table: it belongs to the robot's equipment, so its name has the robot's prefix."""
    ce, se = np.cos(FRONT.elevation), np.sin(FRONT.elevation)
    ca, sa = np.cos(FRONT.azimuth), np.sin(FRONT.azimuth)
    forward = np.array([ce * ca, ce * sa, se])
    right = np.array([sa, -ca, 0.0])
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.stack([right, np.cross(right, forward), -forward], axis=1).ravel())
    spec.worldbody.add_camera(
        name=f"{PREFIX}front",
        pos=list(np.array(FRONT.lookat) - FRONT.distance * forward),
        quat=list(quat),
        fovy=float(np.degrees(FRONT.fovy)),
        resolution=[500, 500],
    )
