"""Habitat: its real environment, PDDL domain and actions, over a simulator of the tests; its own has no wheels.

habitat-lab asks for an older numpy than Homie, so it is behind a robot server with packages of its own.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import homie
from homie.kernel.errors import HomieError
from homie.kernel.options import RunOptions
from homie.kernel.types import Command, Subtask
from homie.runtime.assembly import open_robot
from skills.checkpoints.generate import write_generated
from tests import other_packages

HERE = Path(__file__).parent
ROBOT = f"remote:{HERE / 'simulated_habitat.py'}:HabitatFetch:{HERE / 'habitat_kitchen.yaml'}"


@pytest.fixture
def habitat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started have habitat-lab."""
    variables = other_packages.environment("habitat", "habitat-lab==0.3.320260507", "msgpack==1.1.2")
    monkeypatch.setenv("PYTHONPATH", variables["PYTHONPATH"])


@pytest.mark.slow
@pytest.mark.usefixtures("habitat")
def test_an_instruction_becomes_success_and_refusals_are_those_of_habitat() -> None:
    with homie.open(robot=ROBOT, skills="own") as session:
        before = session.world_state()
        assert before is not None and before.success is False
        assert before.objects["master_chef_can"].position == (-2.0, -1.0, 0.9), "Habitat's y is up, and its z is to us"
        robot = session.robot
        refused = robot.perform(Subtask("Pick", "can"), "master_chef_can")  # type: ignore[attr-defined]
        assert refused == "Habitat refuses pick(goal0|0,robot_0): robot_at(goal0|0,robot_0) is not so."
        for action, target in (("Go to", "fridge"), ("Open", "fridge")):
            assert session.call(action, target).feedback.ok
        unclosed = session.call("Close", "fridge").feedback
        assert unclosed.code == "E1", "habitat-lab says that it is done, and its domain has no way to shut a fridge"
        for action, target in (("Go to", "can"), ("Pick", "can"), ("Go to", "fridge")):
            record = session.call(action, target)
            assert record.feedback.ok, record.feedback.message
        impossible = session.call("Put", "can", "goal").feedback
        assert not impossible.ok, "it stands before the fridge"
        state = session.world_state()
        assert state is not None and state.held == "master_chef_can"
        session.run("put the master chef can on the goal", planner="rule")
        state = session.world_state()
    assert state is not None and state.success is True
    assert (state.objects["master_chef_can"].relation, state.objects["master_chef_can"].at) == ("on", "goal")


@pytest.mark.slow
@pytest.mark.usefixtures("habitat")
def test_the_arm_goes_to_joints_and_the_hand_takes_and_lets_go() -> None:
    with homie.open(robot=ROBOT, skills="own") as session:
        robot = session.robot
        assert [group.kind for group in robot.spec.groups] == ["base", "torso", "arm", "gripper"]
        start = robot.spec.chain.measured(robot.measured())
        assert start == pytest.approx([0.15, -0.45, -1.08, 0.1, 0.935, -0.001, 1.573, 0.005])
        target = start[1:] + np.array([0.1, -0.05, 0.3, 0.0, 0.2, -0.1, 0.05])
        robot.act(Command(arm=target))
        step = np.abs(robot.spec.chain.measured(robot.measured())[1:] - start[1:]).max()
        assert step == pytest.approx(0.0125, abs=1e-6), "Habitat's largest change of a joint in a step"
        for _ in range(30):
            robot.act(Command(arm=target))
        assert robot.spec.chain.measured(robot.measured())[1:] == pytest.approx(target, abs=1e-3)
        robot.stop()
        wrist = robot.observe(("wrist",)).frames["wrist"]
        assert wrist.depth is not None and wrist.pose.position == pytest.approx([0.7, 0.0, 0.9])
        turned = wrist.pose.rotation @ wrist.pose.rotation.T
        assert turned == pytest.approx(np.eye(3)) and np.linalg.det(wrist.pose.rotation) == pytest.approx(1.0)

        assert session.call("Go to", "can").feedback.ok
        for opening, held in ((0.1, False), (0.0, True), (None, True), (0.1, False), (None, False)):
            for _ in range(20):
                robot.act(Command(gripper=opening))
            assert robot.measured().holding is held
            assert session.world_state().held == ("master_chef_can" if held else None)


@pytest.mark.slow
@pytest.mark.usefixtures("habitat")
def test_policies_of_m3_see_and_move_the_robot(tmp_path: Path) -> None:
    """Random weights in the official layout: what they do is nothing, but all they need is there."""
    write_generated("m3", tmp_path / "m3", 1)
    with homie.open(robot=ROBOT, skills=f"m3:{tmp_path / 'm3'},own") as session:
        start = session.robot.measured()
        went = session.call("Go to", "can", model="m3").attempts[0]
        assert went.skill == "m3/navigate" and went.commands > 1
        session.reset()
        assert session.call("Go to", "can", model="own").feedback.ok
        picked = session.call("Pick", "can", model="m3").attempts[0]
        assert picked.skill == "m3/pick" and picked.commands > 100, picked.reason
        moved = session.robot.measured()
    assert max(abs(moved.joints[name] - start.joints[name]) for name in moved.joints) > 0.2


EMMOE = {
    "episode_id": "6386",
    "scene_id": "data/replica_cad/configs/scenes/v3_sc0_staging_07.scene_instance.json",
    "scene_dataset_config": "data/replica_cad/replicaCAD.scene_dataset_config.json",
    "additional_obj_config_paths": ["data/objects/ycb/"],
    "start_position": [0, 0, 0],
    "start_rotation": [0, 0, 0, 1],
    "info": {"object_labels": {"002_master_chef_can_:0000": "any_targets|0"}},
    "ao_states": {},
    "rigid_objs": [["002_master_chef_can.object_config.json", np.eye(4).tolist()]],
    "targets": {"002_master_chef_can_:0000": np.eye(4).tolist()},
    "markers": [
        {
            "name": "fridge_push_point",
            "type": "articulated_object",
            "params": {"offset": [0.1, -0.62, 0.2], "link": "top_door", "object": "fridge_:0000"},
        }
    ],
    "target_receptacles": [["kitchen_counter_:0000", 0]],
    "goal_receptacles": [["frl_apartment_table_01_:0000", None]],
    "name_to_receptacle": {},
}
"""In the form of EMMOE's `test_scene.json`, which has one such episode with 30 objects."""


@pytest.mark.slow
@pytest.mark.usefixtures("habitat")
def test_episodes_as_emmoe_has_them_are_read_by_habitats_own_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "scene_datasets").mkdir(parents=True)  # habitat-lab asks for it, and writes a file beside it
    with gzip.open(tmp_path / "test_scene.json.gz", "wt") as file:
        json.dump({"config": None, "episodes": [EMMOE, EMMOE]}, file)
    text, simulated = (HERE / "habitat_kitchen.yaml").read_text(), "dataset: {type: HomieSimulated-v0}"
    assert simulated in text
    read = "dataset: {type: RearrangeDataset-v0, data_path: test_scene.json.gz}"
    (tmp_path / "emmoe.yaml").write_text(text.replace(simulated, read))
    with homie.open(robot=ROBOT.rpartition(":")[0] + f":{tmp_path / 'emmoe.yaml'}", skills="own", seed=1) as session:
        session.run("put the master chef can on the goal", planner="rule")
        state = session.world_state()
    assert state is not None and state.success is True


def test_a_python_without_habitat_is_reported_in_a_sentence() -> None:
    with pytest.raises(HomieError, match="habitat-sim, by --robot-option python=PATH"):
        open_robot(RunOptions(task="x", robot="habitat:benchmark/rearrange/multi_task/rearrange_easy.yaml"))
    with pytest.raises(HomieError, match="Which task of Habitat"):
        open_robot(RunOptions(task="x", robot="habitat"))
