"""Build a home from an MJCF house: add the frames and the ground that Homie needs, compile, and index the model.

The added bodies are frames: `cabinet_1` is at the middle of a cabinet's base with x towards its front,
`cabinet_1/door` moves with its door with x out of it. A plane under the visual floors supports everything.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import quat_of, rotation_of
from homie.envs.mujoco.blueprints.parts import Vec3
from homie.envs.mujoco.house.build import Home, RobotBuilder
from homie.envs.mujoco.house.build_index import names_of
from homie.envs.mujoco.house.index import (
    ArticulationInfo,
    GeomInfo,
    ObjectInfo,
    ReceptacleInfo,
    RoomInfo,
    SceneIndex,
    SupportSurface,
)
from homie.envs.mujoco.house.object_looks import Looks
from homie.envs.mujoco.house.shell import UPPER, add_ground
from homie.envs.mujoco.mjcf_house.contents import HouseContents, HouseJoint, HousePiece, HouseSurface, LooseObject
from homie.envs.mujoco.mjcf_house.doors_and_drawers import ends
from homie.envs.mujoco.mjcf_house.file import HouseFile
from homie.envs.mujoco.mjcf_house.reading import HouseReader
from homie.kernel.types import Array


def built(
    file: HouseFile, reader: HouseReader, contents: HouseContents, robot: RobotBuilder | None, start: Vec3
) -> Home:
    """Compile the world of a house.

    Args:
        file: As `read_file` returns it; its world is modified.
        reader: The reader of that file.
        contents: The contents that it recognised.
        robot: Function that adds a robot, if any.
        start: Base pose of the robot: x, y (m) and yaw (rad).
    """
    world = file.world
    _Builder(world, reader, contents).prepare()
    if robot is not None:
        robot(world, (start[0], start[1], 0.0), start[2])
    model = world.compile()
    index = _Indexer(model, reader, contents).index()
    return Home(model, index, Looks(model, index), _joints_at_start(file, reader.model, model))


def _joints_at_start(file: HouseFile, house_model: mujoco.MjModel, model: mujoco.MjModel) -> dict[int, float]:
    """Return the nonzero initial joint positions of a house by joint id: those of its keyframe, else shut.

    Args:
        house_model: The house as in its file.
        model: The compiled model with robot and added bodies.
    """
    start = {
        name: file.joints.get(name, ends(house_model, joint)[0])
        for joint in range(house_model.njnt)
        if house_model.jnt_limited[joint] and (name := house_model.joint(joint).name)
    }
    return {int(model.joint(name).id): position for name, position in start.items() if position}


class _Builder:
    """Adds ground and frames to the world of a house."""

    def __init__(self, world: mujoco.MjSpec, reader: HouseReader, contents: HouseContents) -> None:
        self.world, self.reader, self.contents = world, reader, contents

    def prepare(self) -> None:
        """Add the ground and the frames of furniture, and move walls to the geom group that videos can hide."""
        add_ground(self.world)
        model = self.reader.model
        for geom in self.contents.floors:
            floor = self.world.geom(model.geom(geom).name)
            floor.contype = floor.conaffinity = 0
        for geom in self.contents.walls:
            wall = self.world.geom(model.geom(geom).name)
            wall.group = UPPER if wall.group == 0 else wall.group
        for piece in self.contents.pieces:
            base = piece.box.center - np.array([0.0, 0.0, piece.box.half[2]])
            self._add(self.world.worldbody, piece.name, base, rotation_of(piece.box.yaw, 0.0, 0.0))
            for joint in piece.joints:
                self._add_part_frame(f"{piece.name}/{joint.part}", joint)

    def _add_part_frame(self, name: str, joint: HouseJoint) -> None:
        data, body = self.reader.data, joint.body
        at, turn = np.array(data.xpos[body]), data.xmat[body].reshape(3, 3)
        if joint.level:
            self._add(self.world.worldbody, name, at, joint.frame)
        else:
            self._add(self.world.body(self.reader.model.body(body).name), name, np.zeros(3), turn.T @ joint.frame)

    def _add(self, parent: mujoco.MjsBody, name: str, position: Array, rotation: Array) -> None:
        parent.add_body(name=name, pos=position.tolist(), quat=list(quat_of(rotation)))


class _Indexer:
    """Builds the index of a compiled house."""

    def __init__(self, model: mujoco.MjModel, reader: HouseReader, contents: HouseContents) -> None:
        self.model, self.reader, self.contents = model, reader, contents

    def index(self) -> SceneIndex:
        """Index the recognised contents by ids of the compiled model."""
        rooms = tuple(
            RoomInfo(name=room.name, kind=room.kind, rect=room.rect, aliases=(room.kind,))
            for room in self.contents.rooms
        )
        pieces = tuple(self._piece(piece) for piece in self.contents.pieces)
        objects = tuple(self._object(item) for item in self.contents.objects)
        geoms = {self._geom(geom): info for geom, info in self._geom_infos()}
        geoms[self.model.geom("ground").id] = GeomInfo("floor", "")
        return SceneIndex(rooms, pieces, objects, geoms)

    def _geom(self, geom: int) -> int:
        """Map a geom id of the house's own model to the compiled model."""
        return int(self.model.geom(self.reader.model.geom(geom).name).id)

    def _body(self, body: int) -> int:
        return int(self.model.body(self.reader.model.body(body).name).id)

    def _geom_infos(self) -> Iterator[tuple[int, GeomInfo]]:
        contents, tree = self.contents, self.reader.tree
        for geom in contents.walls:
            yield geom, GeomInfo("wall", "")
        for room in contents.rooms:
            yield room.geom, GeomInfo(room.name, "")
        for piece in contents.pieces:
            for geom in piece.geoms:
                yield geom, GeomInfo(piece.name, "")
            for joint in piece.joints:
                for geom in tree.moved(joint.body):
                    part = "handle" if geom == joint.handle else joint.part.rpartition("_")[2]
                    yield geom, GeomInfo(piece.name, part)
        for item in contents.objects:
            for body in tree.below(item.body):
                for geom in tree.geoms(body):
                    yield geom, GeomInfo(item.name, "")

    def _piece(self, piece: HousePiece) -> ReceptacleInfo:
        x, y, z = (float(value) for value in piece.box.half)
        return ReceptacleInfo(
            name=piece.name,
            kind=piece.kind,
            colour=piece.colour,
            aliases=names_of(piece.kind, piece.colour),
            body=int(self.model.body(piece.name).id),
            room=piece.room,
            front=piece.box.yaw,
            center=(0.0, 0.0, z),
            half=(x, y, z),
            surfaces=tuple(self._surface(piece, surface) for surface in piece.surfaces),
            articulations=tuple(self._joint(piece, joint) for joint in piece.joints),
            appliance=None,
        )

    def _surface(self, piece: HousePiece, surface: HouseSurface) -> SupportSurface:
        joint = next((joint for joint in piece.joints if joint.body == surface.moves), None)
        if joint is None:
            name, frame = piece.name, rotation_of(piece.box.yaw, 0.0, 0.0)
            origin = piece.box.center - np.array([0.0, 0.0, piece.box.half[2]])
        else:
            name, frame = f"{piece.name}/{joint.part}", joint.frame
            origin = np.array(self.reader.data.xpos[joint.body])
        x, y, z = (float(value) for value in frame.T @ (surface.center - origin))
        return SupportSurface(
            name=surface.name,
            body=int(self.model.body(name).id),
            center=(x, y, z),
            half_x=surface.half_x,
            half_y=surface.half_y,
            clearance=surface.clearance,
            inside=surface.inside,
            access=surface.access,
        )

    def _joint(self, piece: HousePiece, joint: HouseJoint) -> ArticulationInfo:
        name = f"{piece.name}/{joint.part}"
        return ArticulationInfo(
            name=name,
            kind=joint.kind,
            joint=int(self.model.joint(self.reader.model.joint(joint.joint).name).id),
            body=self._body(joint.body),
            handle=-1 if joint.handle < 0 else self._geom(joint.handle),
            panel=self._geom(joint.panel),
            closed=joint.closed,
            open=joint.open,
            frame=int(self.model.body(name).id),
        )

    def _object(self, item: LooseObject) -> ObjectInfo:
        x, y, z = (float(value) for value in item.half)
        return ObjectInfo(
            name=item.name,
            kind=item.kind,
            colour=item.colour,
            aliases=names_of(item.kind, item.colour),
            body=self._body(item.body),
            half=(x, y, z),
            hollow=item.hollow,
        )
