"""Episodes of MolmoSpaces: files made up by its released schema, in a small house with an added bowl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import homie
from homie.envs.mujoco.mjcf_house.episode import find_episode, read_episodes
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.scenes import own_instruction, scene_options
from homie.runtime.assembly import open_robot
from suites.published.molmospaces import molmospaces

KITCHEN = Path(__file__).parents[2] / "envs" / "mujoco" / "kitchen.xml"
FLOOR = 0.3
"""Height of the floor in its file, m."""
TABLE = FLOOR + 0.74
WALLS = "".join(
    f'<geom type="box" size="0.004 0.032 0.025" pos="{x} {y} 0.03" euler="0 0 {turn}" mass="0.02"/>'
    for x, y, turn in ((0.06, 0, 0), (-0.06, 0, 0), (0, 0.06, 90), (0, -0.06, 90))
)
CORNERS = "".join(
    f'<geom type="box" size="0.004 0.032 0.025" pos="{x} {y} 0.03" euler="0 0 {turn}" mass="0.02"/>'
    for x, y, turn in ((0.044, 0.044, 45), (-0.044, -0.044, 45), (0.044, -0.044, -45), (-0.044, 0.044, -45))
)
BOWL = (
    '<mujoco><compiler angle="degree"/><worldbody><body name="bowl">'
    f'<geom type="cylinder" size="0.06 0.005" pos="0 0 0.005" mass="0.1"/>{WALLS}{CORNERS}'
    "</body></worldbody></mujoco>"
)
AWAY = [-0.2, 0.2, FLOOR, 1.0, 0.0, 0.0, 0.0]


def episode(name: str, **task: Any) -> dict[str, Any]:
    """In the form of the released file, with what Homie does not read."""
    changes: dict[str, Any] = task.pop("changes", {})
    return {
        "house_index": 13,
        "scene_dataset": "ithor",
        "data_split": "val",
        "robot": {"robot_name": "franka_droid", "init_qpos": {"base": [], "arm": [0.0] * 7, "gripper": [0.003, 0.003]}},
        "img_resolution": [624, 352],
        "cameras": [],
        "scene_modifications": {"added_objects": {}, "object_poses": {}, "removed_objects": [], **changes},
        "task": {"task_cls": f"molmo_spaces.tasks.some_task.{name}", "robot_base_pose": AWAY, **task},
        "language": {"task_description": f"Do the {name}.", "referral_expressions": {}},
    }


def bowl_at(name: str, x: float) -> tuple[dict[str, Any], list[float]]:
    pose = [x, 1.3, TABLE, 1.0, 0.0, 0.0, 0.0]
    return {"added_objects": {name: "objects/thor/Bowl_27.xml"}, "object_poses": {name: pose}}, pose


def release_episodes() -> list[dict[str, Any]]:
    single, at = bowl_at("Bowl_27", 1.3)
    inside, there = bowl_at("place_receptacle/0/Bowl_27", 1.8)
    drawer = {"pickup_obj_name": "wallcabinet", "joint_name": "out", "joint_index": 0}
    removing = {**single, "removed_objects": ["obj/red_apple_7", "teapot"]}
    return [
        episode("PickTask", pickup_obj_name="Bowl_27", pickup_obj_start_pose=at, changes=removing),
        episode(
            "PickAndPlaceTask",
            pickup_obj_name="red_apple_7",
            pickup_obj_start_pose=[1.4, 1.3, 1.08, 1.0, 0.0, 0.0, 0.0],
            place_receptacle_name="place_receptacle/0/Bowl_27",
            place_receptacle_start_pose=there,
            changes=inside,
        ),
        episode("OpeningTask", task_type="open", joint_start_position=[0.0], **drawer),
        episode("OpeningTask", task_type="close", joint_start_position=-0.3, task_success_threshold=0.85, **drawer),
        episode("NavToObjTask", pickup_obj_name="red_apple_7", succ_pos_threshold=1.5),
        episode(
            "DoorOpeningTask",
            door_body_name="slider",
            articulated_joint_range=[0.0, -0.35],
            door_openness_threshold=0.67,
        ),
    ]


@pytest.fixture
def assets(tmp_path: Path) -> Path:
    folder = tmp_path / "assets"
    for name, text in (
        ("scenes/ithor/FloorPlan13_physics.xml", KITCHEN.read_text()),
        ("objects/thor/Bowl_27.xml", BOWL),
    ):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps(release_episodes()))
    return path


def judge_episode(file: Path, assets: Path, number: int, *steps: tuple[str, ...]) -> list[bool | None]:
    """Whether an episode is done before the steps and after each of them, by the ideal skills."""
    settings = {"assets": str(assets)}
    with homie.open(
        robot=f"mjcf:{file}#{number}", robot_settings=settings, skills="ideal", picture_size="64x64"
    ) as session:
        verdicts = [session.world_state().success]
        for action, *words in steps:
            record = session.call(action, *words)
            assert record.feedback.ok, record.feedback.message
            verdicts.append(session.world_state().success)
            json.dumps(session.world_state().to_json())  # as the record of an episode has it
    return verdicts


def test_a_suite_has_every_episode_with_its_words_and_house(file: Path) -> None:
    suite = molmospaces(file.parent)
    assert [task.id for task in suite.tasks][:3] == ["pick-013-0000", "pick-and-place-013-0001", "open-013-0002"]
    task = suite.by_id["nav-to-obj-013-0004"]
    assert (suite.robot, task.text) == ("mjcf", "Do the NavToObjTask.")
    options = scene_options("mjcf", task.scene.settings)
    assert options == {"robot": f"mjcf:{file.resolve()}#4"}
    assert own_instruction(options["robot"], 0, None) == task.text


@pytest.mark.parametrize(
    ("number", "steps", "verdicts"),
    [
        (0, [("Go to", "bowl"), ("Pick", "bowl")], [False, False, True]),
        (
            1,
            [("Go to", "apple"), ("Pick", "apple"), ("Go to", "bowl"), ("Put", "apple", "bowl")],
            [False, False, False, False, True],
        ),
        (2, [("Go to", "cabinet"), ("Open", "cabinet")], [False, False, True]),
        (3, [("Go to", "cabinet"), ("Close", "cabinet")], [False, False, True]),
        (4, [("Go to", "apple")], [False, True]),
        (5, [("Go to", "cabinet"), ("Open", "cabinet")], [False, False, True]),
    ],
)
def test_episodes_are_judged_by_the_conditions_of_their_tasks(
    file: Path, assets: Path, number: int, steps: list[tuple[str, ...]], verdicts: list[bool]
) -> None:
    assert judge_episode(file, assets, number, *steps) == verdicts


def test_the_house_is_changed_and_the_robot_begins_where_the_episode_says(
    file: Path, assets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLSPACES_ASSETS_DIR", str(assets))
    with open_robot(RunOptions(task="x", robot=f"mjcf:{file}")) as robot:
        world = robot.snapshot()
        assert set(world.objects) == {"bowl"}, "the apple is taken out"
        assert world.objects["bowl"].position == pytest.approx((1.3, 1.3, 0.74), abs=0.01)
        assert (world.robot.x, world.robot.y, world.robot.yaw) == pytest.approx((-0.2, 0.2, 0.0), abs=0.01)
        assert ("teapot", "the episode takes it out, but the house has none") in [
            (item.name, item.why) for item in robot.house.unclear
        ]
    content = release_episodes()
    content[0]["task"]["robot_base_pose"] = [1.6, 1.5, FLOOR, 1.0, 0.0, 0.0, 0.0]
    file.with_name("in_the_desk.json").write_text(json.dumps(content))
    with open_robot(RunOptions(task="x", robot=f"mjcf:{file.with_name('in_the_desk.json')}")) as robot:
        state = robot.snapshot().robot
        assert 0.3 < ((state.x - 1.6) ** 2 + (state.y - 1.5) ** 2) ** 0.5 < 1.0, "as near as it finds room"


def test_what_cannot_be_read_or_judged_is_a_sentence(file: Path, assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLSPACES_ASSETS_DIR", raising=False)
    with pytest.raises(BadInput, match=r"^There is no episode '9' in .*: it has 0 to 5\.$"):
        find_episode(f"{file}#9")
    file.with_name("none.json").write_text("[]")
    with pytest.raises(BadInput, match=r"^There are no episodes in .*none\.json: its list is empty\.$"):
        find_episode(f"{file.with_name('none.json')}#0")
    with pytest.raises(BadInput, match=r"Give --robot-option assets=FOLDER, or set MLSPACES_ASSETS_DIR\.$"):
        open_robot(RunOptions(task="x", robot=f"mjcf:{file}"))
    with pytest.raises(BadInput, match=r"^There is no house .*FloorPlan13_physics\.xml: install it"):
        open_robot(RunOptions(task="x", robot=f"mjcf:{file}", robot_settings={"assets": str(file.parent)}))
    for change, why in (
        ({"task_cls": "molmo_spaces.tasks.packing_task.PackingTask"}, "is a PackingTask, which Homie cannot judge"),
        ({"articulated_joint_range": [0.5, 0.5]}, "is empty, so that no share of it can be open"),
        ({"pickup_obj_name": ""}, r"task\.pickup_obj_name is missing, which a PickTask has"),
    ):
        wrong = release_episodes()
        wrong[0]["task"] |= change
        path = file.with_name(f"{len(str(change))}.json")
        path.write_text(json.dumps(wrong))
        with pytest.raises(BadInput, match=why):
            read_episodes(path)
    wrong = release_episodes()
    wrong[4]["task"]["pickup_obj_name"] = "lamp"
    path = file.with_name("lamp.json")
    path.write_text(json.dumps(wrong))
    with pytest.raises(BadInput, match=r"^The house has no body 'lamp', which the episode names\.$"):
        open_robot(RunOptions(task="x", robot=f"mjcf:{path}#4", robot_settings={"assets": str(assets)}))
