"""The world of a recording for Rerun: what stands where, how large, turned and painted, and where the robot goes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import bench_runs
import numpy as np
import pytest
from bench_runs import DONE, write_run

from homie.kernel.world.snapshot import FixedState, ObjectState, RobotState, RoomState, WorldSnapshot

pytest.importorskip("rerun", reason="the extra [rerun] is not installed")
import rerun as rr
import rerun.blueprint as rrb
from recordings import Recording, seconds

from homie.bench.report.rerun_export import record
from homie.bench.report.rerun_world import World

TURNED = (0.0, 0.0, math.sin(0.6), math.cos(0.6))
"""A turn by 1.2 rad about z as (x, y, z, w)."""
SCENE = {
    "rooms": [
        {"name": "kitchen", "kind": "kitchen", "x0": 1, "y0": 2, "x1": 5, "y1": 5, "floor": "tiles"},
        {"name": "hall", "kind": "living room", "x0": 5, "y0": 3, "x1": 9, "y1": 6, "floor": "wood"},
    ],
    "furniture": [
        {"name": "drawer", "kind": "drawer", "colour": "white", "room": "kitchen", "x": 1.5, "y": 3.0},
        {"name": "worktop", "kind": "kitchen_counter", "colour": "navy", "room": "kitchen", "x": 1.5, "y": 3.0,
         "width": 0.62, "height": 0.04, "depth": 0.62, "stands_on": "drawer"},
        {"name": "table", "kind": "table", "colour": "wood", "room": "kitchen", "x": 3.5, "y": 3.5, "yaw": 1.2},
    ],
    "objects": [
        {"name": "mug", "kind": "mug", "colour": "blue", "receptacle": "hall", "surface": "floor", "x": 7, "y": 5,
         "z": 0.25, "yaw": 1.2},
    ],
    "doorways": [{"rooms": ["kitchen", "hall"], "x": 5, "y": 4}],
    "robot": {"x": 6.0, "y": 4.0, "yaw": 1.2},
}  # fmt: skip


def pack_colour(red: int, green: int, blue: int) -> int:
    """An opaque colour as Rerun keeps it."""
    return (red << 24) + (green << 16) + (blue << 8) + 255


def near(*numbers: float) -> object:
    return pytest.approx(numbers, abs=1e-5)


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    """The folder of an episode of two rounds, which began at 0 s and ended at 2 s."""
    run = write_run(tmp_path / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1), trials=1)
    return run / "episodes" / "task-0-0"


def record_episode(episode: Path, *, scene: object = None, state: object = None) -> Recording:
    for name, content in (("scene", scene), ("final_state", state)):
        if content is not None:
            (episode / f"{name}.json").write_text(json.dumps(content))
    path = episode / "a.rrd"
    record(episode, path, name="a", task="take the apple")
    return Recording(path)


def shape(recording: Recording, entity: str, kind: str = "Boxes3D") -> dict[str, Any]:
    """What is drawn all the time for an entity, by the last part of each name."""
    (row,) = recording.of(entity, f"{kind}:colors")
    assert "robot_seconds" not in row and "round" not in row, "it is there from the beginning to the end"
    return {name.removeprefix(f"{kind}:"): value for name, value in row.items() if name.startswith(kind)}


def test_the_rooms_are_slabs_with_their_names_and_a_gap_between_them(episode: Path) -> None:
    recording = record_episode(episode, scene=SCENE)
    rooms = shape(recording, "world/rooms")
    assert rooms["centers"] == [near(3.0, 3.5, -0.01), near(7.0, 4.5, -0.01)], "the floor's top is at 0"
    assert rooms["half_sizes"] == [near(1.95, 1.45, 0.01), near(1.95, 1.45, 0.01)]
    assert rooms["labels"] == ["kitchen", "hall"]
    assert rooms["colors"] == [pack_colour(176, 168, 156)]
    assert rooms["fill_mode"] == [3], "solid"
    (world,) = recording.rows["world"]
    assert world["ViewCoordinates:xyz"] == [[3, 5, 1]] and "robot_seconds" not in world, "x right, y ahead, z up"


def test_furniture_stands_on_the_floor_or_on_another_piece(episode: Path) -> None:
    recording = record_episode(episode, scene=SCENE)
    table = shape(recording, "world/furniture/table")
    assert table["centers"] == [near(3.5, 3.5, 0.37)] and table["half_sizes"] == [near(0.35, 0.55, 0.37)]
    assert table["quaternions"] == [near(*TURNED)]
    assert table["colors"] == [pack_colour(204, 156, 97)]
    assert table["labels"] == ["table"] and table["show_labels"] == [False]
    worktop = shape(recording, "world/furniture/worktop")
    assert worktop["centers"] == [near(1.5, 3.0, 0.88)] and worktop["quaternions"] == [near(0, 0, 0, 1)]


def test_an_object_is_where_it_began_and_then_where_it_ended(episode: Path) -> None:
    ended = {"position": [1.0, 2.0, 0.5], "quaternion": [0.5, 0.1, 0.7, 0.5]}
    objects = {"mug": ended, "new": ended, "nowhere": {"kind": "cup"}, "unturned": {"position": [0, 0, 0]}, "odd": 3}
    recording = record_episode(episode, scene=SCENE, state={"objects": objects})
    mug = shape(recording, "world/objects/mug")
    assert mug["half_sizes"] == [near(0.054, 0.04, 0.041)] and mug["colors"] == [pack_colour(36, 84, 191)]
    assert mug["labels"] == ["mug"] and mug["show_labels"] == [False] and mug["fill_mode"] == [3]
    first, last = recording.of("world/objects/mug", "Transform3D:translation")
    assert (seconds(first), first["round"]) == (0.0, 1) and (seconds(last), last["round"]) == (2.0, 2)
    assert first["Transform3D:translation"] == [near(7.0, 5.0, 0.25)]
    assert first["Transform3D:quaternion"] == [near(*TURNED)]
    assert last["Transform3D:translation"] == [near(1.0, 2.0, 0.5)]
    assert last["Transform3D:quaternion"] == [near(0.1, 0.7, 0.5, 0.5)], "w comes last for Rerun"
    (new,) = recording.of("world/objects/new", "Transform3D:translation")
    assert (seconds(new), new["round"]) == (2.0, 2)
    (point,) = recording.of("world/objects/new", "Points3D:labels")
    assert point["Points3D:labels"] == ["new"] and point["Points3D:show_labels"] == [False]
    assert point["Points3D:positions"] == [near(0, 0, 0)] and point["Points3D:radii"] == [pytest.approx(0.04)]
    assert "robot_seconds" not in point
    names = {entity.split("/")[2] for entity in recording.rows if entity.startswith("world/objects/")}
    assert names == {"mug", "new"}, "what does not say where it is is left out"


def test_the_robot_goes_from_its_start_along_its_commands_to_its_end(episode: Path) -> None:
    poses = [(0.5, [6.0, 3.0, 1.2]), (1.2000004, [6.5, 3.25, -0.4]), (1.7, [7.0, 3.5, 0.0])]
    lines = [json.dumps({"stamp": stamp, "pose": pose}) for stamp, pose in poses]
    (episode / "commands.jsonl").write_text("\n".join(lines) + "\n")
    recording = record_episode(episode, scene=SCENE, state={"robot": {"x": 7.5, "y": 4.0, "yaw": 1.2}})
    rows = recording.of("world/robot", "Transform3D:translation")
    assert [seconds(row) for row in rows] == [0.0, 0.5, 1.2, 1.7, 2.0], "to the microsecond"
    assert [row["round"] for row in rows] == [1, 1, 2, 2, 2]
    assert [row["Transform3D:translation"] for row in rows] == [
        [near(6, 4, 0)], [near(6, 3, 0)], [near(6.5, 3.25, 0)], [near(7, 3.5, 0)], [near(7.5, 4, 0)],
    ]  # fmt: skip
    turns = [row["Transform3D:quaternion"] for row in rows]
    facing_left = near(0, 0, math.sin(-0.2), math.cos(-0.2))
    assert turns == [[near(*TURNED)], [near(*TURNED)], [facing_left], [near(0, 0, 0, 1)], [near(*TURNED)]]
    path = shape(recording, "world/path", "LineStrips3D")
    assert path["strips"] == [[near(6, 3, 0.02), near(6.5, 3.25, 0.02), near(7, 3.5, 0.02)]], "above the floor"
    assert path["colors"] == [pack_colour(60, 120, 200)] and path["radii"] == [pytest.approx(0.015)]


def test_the_robot_is_as_high_and_wide_as_it_is_and_points_ahead(episode: Path) -> None:
    recording = record_episode(episode, state={"robot": {"x": 1.0, "y": 2.0, "yaw": 0.0}})
    body = shape(recording, "world/robot/body", "Cylinders3D")
    assert body["lengths"] == [pytest.approx(1.1)] and body["radii"] == [pytest.approx(0.28)]
    assert body["centers"] == [near(0, 0, 0.55)] and body["labels"] == ["robot"]
    ahead = shape(recording, "world/robot/ahead", "Arrows3D")
    assert ahead["origins"] == [near(0, 0, 0.4)] and ahead["vectors"] == [near(0.6, 0, 0)]
    assert body["colors"] == ahead["colors"] == [pack_colour(60, 120, 200)]
    assert "world/path" not in recording.rows and "world/rooms" not in recording.rows


def test_where_nothing_is_known_of_the_robot_it_is_not_drawn(episode: Path) -> None:
    states: list[object] = [{"robot": "here"}, {"objects": {}}, ["no", "state"]]
    for state in states:
        recording = record_episode(episode, state=state)
        assert not [entity for entity in recording.rows if entity.startswith("world/")], state


def test_the_scene_is_the_episodes_own_else_that_of_the_run(episode: Path) -> None:
    (episode.parent.parent / "scene.json").write_text(json.dumps({**SCENE, "furniture": []}))
    assert "world/furniture/table" not in record_episode(episode).rows, "that of the run"
    assert "world/rooms" in Recording(episode / "a.rrd").rows
    assert "world/furniture/table" in record_episode(episode, scene=SCENE).rows
    other = record_episode(episode, scene={"things": {}})
    assert "world/rooms" in other.rows, "the episode's is of another simulator"


def test_the_viewer_looks_from_above_and_from_the_south_at_the_middle(episode: Path) -> None:
    """The home is 7.9 m long and 3.9 m wide between its walls, its middle at (5, 4)."""
    layout = record_episode(episode, scene=SCENE).layout()
    (eye,) = (rows[0] for entity, rows in layout.items() if entity.endswith("EyeControls3D"))
    assert eye["EyeControls3D:look_target"] == [near(5, 4, 0)] and eye["EyeControls3D:eye_up"] == [near(0, 0, 1)]
    assert eye["EyeControls3D:position"] == [near(5.0, 4.0 - 0.7 * 7.9, 0.8 * 7.9)]
    (episode / "scene.json").unlink()
    assert not [entity for entity in record_episode(episode).layout() if entity.endswith("EyeControls3D")]


def record_world(world: World, folder: Path) -> Recording:
    """The recording of a world alone, from 0.5 s in round 1 to 2 s in round 3, without commands."""
    stream = rr.RecordingStream("homie", recording_id="a")
    memory = stream.memory_recording()
    none = np.zeros((0, 4))
    world.send(stream, none, none[:, 0], start=(0.5, 1), end=(2.0, 3))
    stream.send_blueprint(rrb.Blueprint(auto_views=True))
    (folder / "world.rrd").write_bytes(memory.drain_as_bytes())
    stream.disconnect()
    return Recording(folder / "world.rrd")


def test_what_an_environment_cannot_tell_of_a_thing_is_left_out_and_the_rest_is_drawn(tmp_path: Path) -> None:
    half, place = (0.1, 0.2, 0.3), (1.0, 2.0, 0.5)
    start = WorldSnapshot(
        rooms={"maze": RoomState(kind="maze"), "yard": RoomState(kind="yard", floor=(0, 0, 4, 2))},
        fixed={
            "cell": FixedState(kind="cell"),
            "spot": FixedState(kind="spot", position=place),
            "chest": FixedState(kind="chest", position=place, half=half),
        },
        objects={
            "key": ObjectState(kind="key", relation="in", at="cell"),
            "coin": ObjectState(kind="coin", relation="on", at="chest", position=place),
            "gem": ObjectState(kind="gem", relation="on", at="chest", half=half),
            "egg": ObjectState(kind="egg", relation="on", at="chest", position=place, half=half),
        },
        robot=RobotState(x=3.0, y=1.0),
    )
    recording = record_world(World(start, {}), tmp_path)
    drawn = {"/".join(entity.split("/")[1:3]) for entity in recording.rows if entity.startswith("world/")}
    assert drawn == {"rooms", "furniture/chest", "objects/egg", "robot", "robot/body", "robot/ahead"}
    assert shape(recording, "world/rooms")["labels"] == ["yard"]
    for entity in ("world/furniture/chest", "world/objects/egg"):
        box = shape(recording, entity)
        assert box["half_sizes"] == [near(*half)] and box["colors"] == [pack_colour(150, 150, 150)], (
            "nobody says a colour"
        )
    assert shape(recording, "world/furniture/chest")["quaternions"] == [near(0, 0, 0, 1)]
    (egg,) = recording.of("world/objects/egg", "Transform3D:translation")
    assert (seconds(egg), egg["round"], egg["Transform3D:quaternion"]) == (0.5, 1, [near(0, 0, 0, 1)])
    (robot,) = recording.of("world/robot", "Transform3D:translation")
    assert (seconds(robot), robot["round"]) == (0.5, 1) and robot["Transform3D:translation"] == [near(3, 1, 0)]
    assert robot["Transform3D:quaternion"] == [near(0, 0, 0, 1)], "it looks along x where nobody says where"


@pytest.mark.parametrize("robot", [RobotState(), RobotState(x=1.0), RobotState(y=1.0)])
def test_a_robot_of_which_half_the_place_is_known_is_nowhere(robot: RobotState, tmp_path: Path) -> None:
    recording = record_world(World(WorldSnapshot(robot=robot), {}), tmp_path)
    assert not [entity for entity in recording.rows if entity.startswith("world/")]


def test_a_world_of_which_nothing_was_recorded_begins_at_zero(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {("task-0", 0): "killed: at once"}, tasks=bench_runs.suite(1), trials=1)
    recording = record_episode(run / "episodes" / "task-0-0", scene=SCENE)
    (mug,) = recording.of("world/objects/mug", "Transform3D:translation")
    assert (seconds(mug), mug["round"]) == (0.0, 1)


def test_a_scene_that_no_environment_knows_is_left_out(episode: Path) -> None:
    recording = record_episode(episode, scene={"things": {}})
    assert not [entity for entity in recording.rows if entity.startswith("world/")]
