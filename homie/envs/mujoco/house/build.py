"""Build a MuJoCo model and its index from a scene spec.

Names: furniture body `fridge`, its door or drawer body `fridge/door` or `drawer_1/drawer`, joint `fridge/joint`
(`wardrobe/left_door/joint` if there are several), handle bar geom `fridge/handle`; a button's body, joint, geom and
site `stove/button`; objects have a free joint. The body of a person has the person's name, the equality constraint of
the hand is `anna/hand`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import mujoco

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.blueprints.extents import quat_of, rotation_of, span
from homie.envs.mujoco.blueprints.parts import UPRIGHT, Link, Part, Quat, Vec3, turned
from homie.envs.mujoco.blueprints.person import KIND
from homie.envs.mujoco.blueprints.state_parts import Group, looks_of, stains
from homie.envs.mujoco.house.build_index import index_of
from homie.envs.mujoco.house.contacts import WELD_SOLIMP, WELD_SOLREF, stiffen
from homie.envs.mujoco.house.doors import add_door, joint_name
from homie.envs.mujoco.house.index import GeomInfo, ReceptacleInfo, SceneIndex
from homie.envs.mujoco.house.lights import add_lights
from homie.envs.mujoco.house.object_looks import Looks, add_surface
from homie.envs.mujoco.house.person_bodies import add_joints, at_start, hand_name, mannequin_of
from homie.envs.mujoco.house.shell import SOLID, add_shell
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import FurnitureSpec, ObjectSpec, PersonSpec
from homie.envs.mujoco.house.surfaces import surfaces_of
from homie.envs.mujoco.render.textures import add_materials

TIMESTEP = 0.004
"""Time step (s) of the physics; `Pace` divides it while objects are fast."""
FLOAT = 0.0004
"""Height (m) of objects above their surface at the start, so that the first step has no deep contact."""

OWN = 1
"""Geom priority of objects with the friction of their material. MuJoCo uses the larger friction of two geoms, and
furniture has 0.8, unless one has a higher priority: then only its friction counts. Finger pads have 2."""

STIFF = [0.985, 0.995, 0.001, 0.5, 2.0]
"""Impedance of dry joint friction: with MuJoCo's softer default doors creep under forces too weak to open them."""

RobotBuilder = Callable[[mujoco.MjSpec, tuple[float, float, float], float], object]
"""Adds a robot to a spec at a position (3,) and yaw, like `homie.envs.mujoco.robots.mjcf.RobotFile.add`."""

_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


@dataclass(frozen=True, slots=True)
class Home:
    """A built home.

    Attributes:
        model: The MuJoCo model.
        index: Its entities.
        looks: Shows the states of objects.
        joints: Nonzero positions of joints at the start, by joint id.
        states: Initial states of things: sliced, clean, filled, heated, cooled.
    """

    model: mujoco.MjModel
    index: SceneIndex
    looks: Looks
    joints: Mapping[int, float] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def new_data(self) -> mujoco.MjData:
        """Make a new state with doors, drawers, appliances and objects as at the start, with kinematics computed."""
        data = mujoco.MjData(self.model)
        self.reset(data)
        return data

    def reset(self, data: mujoco.MjData) -> None:
        """Reset a state to the start of an episode, with the robot at the model's reference configuration."""
        mujoco.mj_resetData(self.model, data)
        for joint, position in self.joints.items():
            data.qpos[self.model.jnt_qposadr[joint]] = position
        for receptacle in self.index.receptacles:
            if receptacle.appliance is not None:
                self.show_power(receptacle, receptacle.appliance.initially_on)
        for person in self.index.people:
            at_start(self.model, data, person)
        mujoco.mj_forward(self.model, data)

    def show_power(self, receptacle: ReceptacleInfo, is_on: bool) -> None:
        """Turn the lamps of an appliance on or off. Raises ValueError if the furniture is not an appliance."""
        if receptacle.appliance is None:
            raise ValueError(f"{receptacle.name} cannot be on or off")
        lamps = receptacle.appliance
        finish = self.model.material("glow" if is_on else "matte").id
        for geom, rgb in zip(lamps.lamps, lamps.glow if is_on else lamps.off, strict=True):
            self.model.geom_rgba[geom, :3] = rgb
            self.model.geom_matid[geom] = finish
        self.model.geom_rgba[list(lamps.streams), 3] = float(is_on)


def build(scene: SceneSpec, robot: RobotBuilder | None = None) -> Home:
    """Compile a scene into a MuJoCo model.

    Args:
        scene: a valid scene.
        robot: adds a robot at the scene's start pose; None builds the house alone.

    Returns:
        The built home. The same spec gives the same model.

    Example:
        >>> from homie.envs.mujoco.generate.generate import generate
        >>> home = build(generate(7, rooms=2, objects=3))
        >>> len(home.index.rooms), len(home.index.objects)
        (2, 3)
    """
    spec, geoms = _spec(scene)
    if robot is not None:
        robot(spec, (scene.robot.x, scene.robot.y, 0.0), scene.robot.yaw)
    model = spec.compile()
    index = index_of(scene, model, geoms)
    return Home(model, index, Looks(model, index), _joints_at_start(scene, model, index), scene.states_at_start)


def mjcf_of(scene: SceneSpec) -> str:
    """Return a house without a robot as MJCF: doors closed, and plain colours instead of patterns, because MJCF would
    need image files for these."""
    spec, _ = _spec(scene)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for texture in list(spec.textures):
        spec.delete(texture)
    spec.compile()
    return str(spec.to_xml())


def _spec(scene: SceneSpec) -> tuple[mujoco.MjSpec, dict[str, GeomInfo]]:
    """Return the spec of the house without a robot, and the entity and part of each geom by name."""
    spec = empty_spec("home")
    stiffen(spec)
    geoms: dict[str, GeomInfo] = {}
    add_shell(spec, scene, geoms)
    for piece in scene.furniture:
        _add_furniture(spec, scene, piece, geoms)
    for number, doorway in enumerate(scene.doorways):
        if doorway.leaf is not None:
            add_door(spec, scene, number, geoms, SOLID)
    for item in scene.objects:
        _add_object(spec, scene, item, geoms)
    for person in scene.people:
        _add_person(spec, scene, person, geoms)
    return spec, geoms


def _joints_at_start(scene: SceneSpec, model: mujoco.MjModel, index: SceneIndex) -> dict[int, float]:
    """Return the start positions of the joints of furniture and doors, by joint id."""
    pieces = scene.furniture_by_name
    furniture = {
        item.joint: item.open * pieces[piece.name].open for piece in index.receptacles for item in piece.articulations
    }
    leaves = {
        model.joint(joint_name(number)).id: doorway.leaf.angle
        for number, doorway in enumerate(scene.doorways)
        if doorway.leaf is not None
    }
    return {**furniture, **leaves}


def empty_spec(name: str) -> mujoco.MjSpec:
    """Make a spec with lights, materials and the simulation options that all worlds share, without bodies."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    option = spec.option
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    # A truncated line search also ends Newton's method, far from its solution. 20 iterations were too few for a heavy
    # base at a wall holding a banana (it left the hand at 800 rad/s); 22 were needed; unused ones cost nothing.
    option.iterations, option.ls_iterations = 20, 200
    # By default MuJoCo resets a diverging simulation to the initial state and continues.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    option.impratio = 5.0  # friction stiffer than the normal force, so that held objects do not slip slowly
    option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    visual = spec.visual
    # On a CPU vertices take half of the rendering time: one quad per side of a wall, 16 slices per sphere, not 28.
    visual.quality.numquads, visual.quality.numslices, visual.quality.numstacks = 1, 16, 10
    visual.map.znear, visual.map.zfar = 0.004, 20.0
    spec.stat.extent, spec.stat.center = 5.0, [0.0, 0.0, 1.0]
    visual.global_.offwidth, visual.global_.offheight = 1920, 1080
    add_lights(spec)
    add_materials(spec)
    return spec


def add_geom(body: mujoco.MjsBody, name: str, part: Part, mass: float) -> mujoco.MjsGeom:
    """Add a part to a body."""
    geom = body.add_geom(
        name=name,
        type=_SHAPES[part.shape],
        size=part.size,
        pos=part.pos,
        quat=part.quat,
        rgba=[*part.rgb, 1.0],
        material=part.finish,
        mass=mass,
        friction=[0.8, 0.005, 0.0001],
        condim=3,
        group=3 if part.hidden else 0,
    )
    geom.contype, geom.conaffinity = SOLID if part.solid else (0, 0)
    return geom


def _add_parts(
    body: mujoco.MjsBody,
    entity: str,
    source: str,
    parts: tuple[Part, ...],
    geoms: dict[str, GeomInfo],
    mass: float = 0.0,
) -> None:
    """Add the parts of a piece of furniture to a body.

    The first part labelled handle or button gets the plain name `<entity>/<label>`. The first part has the mass of the
    body.
    """
    for k, part in enumerate(parts):
        label = part.label or source
        part_name = f"{entity}/{label}"
        name = part_name if part.label in ("handle", "button") and part_name not in geoms else f"{entity}/{source}#{k}"
        add_geom(body, name, part, mass if k == 0 else 0.0)
        geoms[name] = GeomInfo(entity, label)


def _add_furniture(spec: mujoco.MjSpec, scene: SceneSpec, piece: FurnitureSpec, geoms: dict[str, GeomInfo]) -> None:
    plan = scene.blueprint(piece)
    body = spec.worldbody.add_body(name=piece.name, pos=[piece.x, piece.y, scene.base(piece)], quat=turned(piece.yaw))
    # A static body needs no mass, but without an inertial frame `mj_multiRay` looks for it in the wrong place.
    body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
    body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    _add_parts(body, piece.name, "", plan.parts, geoms)
    if "clean" in scene.states_at_start.get(piece.name, ()):
        _add_looks(body, piece.name, {"dirt": stains(plan.half_x, plan.half_y, plan.height)}, geoms)
    for link in plan.links:
        has_several = link.name != "button" and len(plan.articulations) > 1
        _add_link(spec, body, piece.name, link, geoms, has_several=has_several)


def _add_link(
    spec: mujoco.MjSpec,
    parent: mujoco.MjsBody,
    entity: str,
    link: Link,
    geoms: dict[str, GeomInfo],
    *,
    has_several: bool,
) -> None:
    """Add a moving part.

    Args:
        has_several: Whether its piece has several doors or drawers, so that their joints need distinct names.
    """
    body = parent.add_body(name=f"{entity}/{link.name}", pos=link.pos)
    if link.balanced:
        body.gravcomp = 1.0
    kinds = {"hinge": mujoco.mjtJoint.mjJNT_HINGE, "slide": mujoco.mjtJoint.mjJNT_SLIDE}
    body.add_joint(
        name=joint_of(entity, link, several=has_several),
        type=kinds[link.kind],
        axis=link.axis,
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        range=[0.0, link.upper],
        frictionloss=link.frictionloss,
        damping=link.damping,
        stiffness=link.stiffness,
        armature=0.02,
        solimp_friction=STIFF,
    )
    _add_parts(body, entity, link.name, link.parts, geoms, link.mass)
    if link.name == "button":
        body.add_site(name=f"{entity}/button", pos=link.parts[0].pos, size=[0.005] * 3, group=3)
    spec.add_exclude(name=f"{entity}/{link.name}", bodyname1=entity, bodyname2=body.name)


def joint_of(entity: str, link: Link, *, several: bool) -> str:
    """Return the name of the joint of a moving part."""
    if link.name == "button":
        return f"{entity}/button"
    return f"{entity}/{link.name}/joint" if several else f"{entity}/joint"


def _add_object(spec: mujoco.MjSpec, scene: SceneSpec, item: ObjectSpec, geoms: dict[str, GeomInfo]) -> None:
    plan = item.plan
    pos, quat = start_pose(scene, item)
    body = spec.worldbody.add_body(name=item.name, pos=pos, quat=quat)
    body.add_freejoint(name=item.name)
    for k, part in enumerate(plan.parts):
        name = f"{item.name}/#{k}"
        if part.surface is None:
            geom = add_geom(body, name, part, part.mass)
        else:
            geom = add_surface(spec, body, name, part, part.surface)
        geom.condim = 6 if plan.rolls else 4
        geom.friction = [OBJECTS[item.kind].friction, 0.006, 0.0012 if plan.rolls else 0.0001]
        geom.priority = OWN if OBJECTS[item.kind].material else 0
        geoms[name] = GeomInfo(item.name, "")
    _add_looks(body, item.name, looks_of(item.kind, plan, scene.states_at_start.get(item.name, {})), geoms)


def _add_looks(
    body: mujoco.MjsBody, entity: str, looks: Mapping[Group, tuple[Part, ...]], geoms: dict[str, GeomInfo]
) -> None:
    """Add the visual parts that show the states of a thing, by group."""
    for group, parts in looks.items():
        for k, part in enumerate(parts):
            name = f"{entity}/{group}#{k}"
            add_geom(body, name, part, 0.0)
            geoms[name] = GeomInfo(entity, "" if group == "slice" else group)


def _add_person(spec: mujoco.MjSpec, scene: SceneSpec, person: PersonSpec, geoms: dict[str, GeomInfo]) -> None:
    """Add a mannequin, which only moves along its own path, and the inactive weld by which its hand holds objects."""
    turn = UPRIGHT if person.path else turned(person.yaw)
    body = spec.worldbody.add_body(name=person.id, pos=[*person.position, 0.0], quat=turn)
    body.mass, body.inertia, body.explicitinertial = 70.0, [10.0, 10.0, 2.0], True
    body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    if person.path:
        add_joints(body, person)
    for k, part in enumerate(mannequin_of(scene, person).parts):
        name = f"{person.id}/#{k}"
        add_geom(body, name, part, 0.0)
        geoms[name] = GeomInfo(person.id, KIND)
    if scene.objects:
        grip = spec.add_equality(
            name=hand_name(person.id),
            type=mujoco.mjtEq.mjEQ_WELD,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=person.id,
            name2=scene.objects[0].name,
            active=False,
        )
        grip.solref, grip.solimp = WELD_SOLREF, WELD_SOLIMP


def start_pose(scene: SceneSpec, item: ObjectSpec) -> tuple[Vec3, Quat]:
    """Return the start pose of an object in the world frame: its centre (3,) and its quaternion (wxyz)."""
    piece = scene.furniture_by_name.get(item.receptacle)
    if piece is None:  # on the floor of a room
        return (item.x, item.y, _height(item)), _turn(item, 0.0)
    surface = next(plan for plan in surfaces_of(scene, piece) if plan.name == item.surface)
    shift = sum(piece.open * link.upper for link in piece.blueprint.articulations if link.name == surface.link)
    x, y = surface.center[0] + item.x + shift, surface.center[1] + item.y
    c, s = math.cos(piece.yaw), math.sin(piece.yaw)
    z = scene.base(piece) + surface.center[2] + _height(item)
    return (piece.x + c * x - s * y, piece.y + s * x + c * y, z), _turn(item, piece.yaw)


def _height(item: ObjectSpec) -> float:
    """Return the height (m) of an object's centre above its surface; by default its lowest point is just above it."""
    if item.z is not None:
        return item.z
    if item.stands:
        return item.plan.half[2] + FLOAT
    return FLOAT - float(span(item.plan, rotation_of(item.yaw, item.pitch, item.roll))[0][2])


def _turn(item: ObjectSpec, yaw: float) -> Quat:
    """Return the orientation (wxyz) of an object in the world frame, on a surface with the given yaw."""
    if item.pitch == item.roll == 0.0:
        return turned(yaw + item.yaw)
    return quat_of(rotation_of(yaw + item.yaw, item.pitch, item.roll))
