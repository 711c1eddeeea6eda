"""The world of a recording: the scene as boxes, objects at their first and last poses, the robot on its path.

scene.json, final_state.json --read_world--> World --send, with the poses of commands.jsonl--> world/...
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import rerun as rr
import rerun.blueprint as rrb
from numpy.typing import NDArray

from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.scenes import scenes_of
from homie.kernel.support.documents import load_json
from homie.kernel.types import Array
from homie.kernel.world.snapshot import RoomState, ThingState, WorldSnapshot

SECONDS, ROUND = "robot_seconds", "round"
"""Timelines."""
Moment: TypeAlias = tuple[float, int]
"""Robot time (s) and round."""
Placed: TypeAlias = tuple[Sequence[float], Sequence[float]]
"""Position (3,) and quaternion (x, y, z, w)."""
FLOOR, PATH, ROBOT, UNPAINTED = (176, 168, 156), (60, 120, 200), (60, 120, 200), (150, 150, 150)
THICK = 0.02
"""Thickness of the floor (m)."""


@dataclass(frozen=True, slots=True)
class World:
    """World of an episode folder: its initial state (None if the environment cannot give it) and its final state."""

    start: WorldSnapshot | None
    state: Mapping[str, Any]

    @property
    def eye(self) -> rrb.EyeControls3D | None:
        """Camera of the viewer: above and to the south of the house, at a distance in proportion to its size."""
        floors = [room.floor for room in self.start.rooms.values() if room.floor] if self.start is not None else []
        if not floors:
            return None
        low, high = np.min(floors, axis=0)[:2], np.max(floors, axis=0)[2:]
        (x, y), size = (low + high) / 2, float((high - low).max())
        return rrb.EyeControls3D(position=(x, y - 0.7 * size, 0.8 * size), look_target=(x, y, 0.0), eye_up=(0, 0, 1))

    def send(self, stream: rr.RecordingStream, poses: Array, rounds: Array, *, start: Moment, end: Moment) -> None:
        """Send the world to a recording.

        Args:
            stream: The recording.
            poses: Robot poses (n, 4) from `homie.runtime.runstore.command_log.read_poses`.
            rounds: Round of each pose (n,).
            start: Time and round of the first poses of objects.
            end: Time and round of the final state.
        """
        stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        start_poses: dict[str, Placed] = {}
        robot_start = None
        if self.start is not None:
            _send_rooms(stream, self.start.rooms)
            _send_furniture(stream, self.start.fixed)
            start_poses = _send_objects(stream, self.start.objects)
            robot = self.start.robot
            robot_start = None if robot.x is None or robot.y is None else (robot.x, robot.y, robot.yaw or 0.0)
        for name, placed in start_poses.items():
            _send_pose(stream, name, placed, start)
        for name, placed in _objects(self.state).items():
            if name not in start_poses:
                label = rr.Points3D([(0.0, 0.0, 0.0)], radii=0.04, labels=[name], show_labels=False)
                stream.log(["world", "objects", name], label, static=True)
            _send_pose(stream, name, placed, end)
        _send_robot(stream, poses, rounds, [(robot_start, start), (_robot(self.state), end)])


def read_world(folder: Path) -> World:
    """Read the world of an episode folder. In a bench every episode has its own scene, otherwise the run has one."""
    start = _start_of(folder / "scene.json") or _start_of(folder.parent.parent / "scene.json")
    path = folder / "final_state.json"
    state = load_json(path) if path.exists() else {}
    return World(start, state if isinstance(state, dict) else {})


def _start_of(scene: Path) -> WorldSnapshot | None:
    """Return the initial state of a scene, by the first environment that can read it; None without a file or
    environment."""
    for robot in registry.names("scenes") if scene.exists() else ():
        with contextlib.suppress(BadInput):  # the scene of another environment
            if (start := scenes_of(robot).initial_state(scene.read_text(encoding="utf-8"))) is not None:
                return start
    return None


def _objects(state: Mapping[str, Any]) -> dict[str, Placed]:
    """Return the poses of all objects in a final state that have one."""
    objects = state.get("objects", {})
    return {
        name: (entry["position"], (*entry["quaternion"][1:], entry["quaternion"][0]))
        for name, entry in objects.items()
        if isinstance(entry, dict) and {"position", "quaternion"} <= entry.keys()
    }


def _robot(state: Mapping[str, Any]) -> tuple[float, float, float] | None:
    robot = state.get("robot")
    return (robot["x"], robot["y"], robot["yaw"]) if isinstance(robot, dict) else None


def _send_rooms(stream: rr.RecordingStream, rooms: Mapping[str, RoomState]) -> None:
    floors = {name: room.floor for name, room in rooms.items() if room.floor is not None}
    if not floors:
        return
    corners = np.array(list(floors.values()))
    center, size = (corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]
    flat = np.full((len(corners), 1), THICK / 2)
    boxes = rr.Boxes3D(
        centers=np.hstack([center, -flat]),
        half_sizes=np.hstack([size / 2, flat]),
        colors=[FLOOR],
        labels=list(floors),
        fill_mode="solid",
    )
    stream.log("world/rooms", boxes, static=True)


def _send_furniture(stream: rr.RecordingStream, fixed: Mapping[str, ThingState]) -> None:
    for name, piece in fixed.items():
        placed = _pose_of(piece)
        if placed is None:
            continue
        box = rr.Boxes3D(
            centers=[placed[0]],
            half_sizes=[piece.half],
            quaternions=[placed[1]],
            colors=[piece.rgb or UNPAINTED],
            labels=[name],
            show_labels=False,
        )
        stream.log(["world", "furniture", name], box, static=True)


def _send_objects(stream: rr.RecordingStream, objects: Mapping[str, ThingState]) -> dict[str, Placed]:
    """Send the shapes of the objects and return their initial poses."""
    poses: dict[str, Placed] = {}
    for name, item in objects.items():
        placed = _pose_of(item)
        if placed is None:
            continue
        box = rr.Boxes3D(
            half_sizes=[item.half],
            colors=[item.rgb or UNPAINTED],
            labels=[name],
            show_labels=False,
            fill_mode="solid",
        )
        stream.log(["world", "objects", name], box, static=True)
        poses[name] = placed
    return poses


def _pose_of(item: ThingState) -> Placed | None:
    """Return the pose of an object with a known size; None for all others."""
    if item.position is None or item.half is None:
        return None
    w, *xyz = item.quaternion or (1.0, 0.0, 0.0, 0.0)
    return item.position, (*xyz, w)


def _send_pose(stream: rr.RecordingStream, name: str, placed: Placed, moment: Moment) -> None:
    set_time(stream, *moment)
    pose = rr.Transform3D(translation=placed[0], quaternion=rr.Quaternion(xyzw=placed[1]))
    stream.log(["world", "objects", name], pose)


def _send_robot(
    stream: rr.RecordingStream,
    poses: Array,
    rounds: Array,
    endpoints: list[tuple[tuple[float, float, float] | None, Moment]],
) -> None:
    """Send the robot on its path, as an upright cylinder with an arrow to the front; nothing if its pose is unknown."""
    if not len(poses) and all(pose is None for pose, _ in endpoints):
        return
    body = rr.Cylinders3D(centers=[(0.0, 0.0, 0.55)], lengths=[1.1], radii=[0.28], colors=[ROBOT], labels=["robot"])
    arrow = rr.Arrows3D(origins=[(0.0, 0.0, 0.4)], vectors=[(0.6, 0.0, 0.0)], colors=[ROBOT])
    stream.log("world/robot/body", body, static=True)
    stream.log("world/robot/ahead", arrow, static=True)
    for pose, moment in endpoints:
        if pose is not None:
            set_time(stream, *moment)
            rotation = rr.Quaternion(xyzw=_turn(pose[2]))
            stream.log("world/robot", rr.Transform3D(translation=(pose[0], pose[1], 0.0), quaternion=rotation))
    if len(poses):
        places = np.column_stack([poses[:, 1:3], np.zeros(len(poses))])
        rotations = np.array([_turn(yaw) for yaw in poses[:, 3]])
        stream.send_columns(
            "world/robot",
            indexes=[
                rr.TimeColumn(SECONDS, duration=durations(poses[:, 0])),
                rr.TimeColumn(ROUND, sequence=rounds),
            ],
            columns=rr.Transform3D.columns(translation=places, quaternion=rotations),
        )
        path = rr.LineStrips3D([places + np.array([0.0, 0.0, THICK])], colors=[PATH], radii=0.015)
        stream.log("world/path", path, static=True)


def set_time(stream: rr.RecordingStream, stamp: float, number: int) -> None:
    """Set the robot time (s) and round for the next log calls."""
    stream.set_time(SECONDS, duration=durations(np.array([stamp]))[0])
    stream.set_time(ROUND, sequence=number)


def durations(stamps: Array) -> NDArray[np.timedelta64]:
    """Convert robot times (s) to durations, rounded to microseconds so that equal times stay equal."""
    return np.round(stamps * 1e6).astype("timedelta64[us]").astype("timedelta64[ns]")


def _turn(yaw: float) -> tuple[float, float, float, float]:
    """Return a rotation about z as (x, y, z, w)."""
    return 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)
