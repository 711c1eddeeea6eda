"""A second hand judges every task of homie-100: a plan that is wrong must fail, another one that is right must pass.

The plans are data (homie-100-second-hand.yaml). They are played on the state of the task's house without physics, and
judged by the goal and the key paths of the suite, as an episode would be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from homie.bench.authoring import House, rehearse
from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench
from homie.bench.score.metric_profiles import Homie
from homie.bench.score.results import load_run
from homie.bench.suite.shipped import homie_100
from homie.bench.suite.suite import Task
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.options import HouseOptions

SUITE = homie_100()
SECOND_HAND: dict[str, dict[str, list[dict[str, Any]]]] = yaml.safe_load(
    Path(__file__).with_name("homie-100-second-hand.yaml").read_text("utf-8")
)
PROFILE = Homie(SUITE.names)


def judge_plan(task: Task, house: House, plan: list[str]) -> tuple[bool, bool, tuple[str, ...]]:
    """What the goal and what the key paths say of a plan, and the steps of it that cannot be done."""
    assert task.goal is not None
    end = rehearse(house, plan)
    return task.goal.holds(end.state), bool(PROFILE.score(end.trial(task)).success), end.failed


def test_every_task_has_a_second_hand() -> None:
    assert set(SECOND_HAND) == {task.id for task in SUITE.tasks}


@pytest.mark.parametrize("task", SUITE.tasks, ids=[task.id for task in SUITE.tasks])
def test_wrong_plans_fail_and_right_ones_pass(task: Task) -> None:
    scene, plans = task.scene, SECOND_HAND[task.id]
    choice = HouseOptions.model_validate(scene.settings)
    variation = Variation(choice.start, choice.opened, choice.added)
    house = House(initial_state(generate(scene.seed, choice.rooms, choice.objects, variation)))
    assert task.expert is not None
    assert plans["right"] and plans["wrong"], "both are needed"
    assert judge_plan(task, house, list(task.expert)) == (True, True, ()), "the expert's own plan"
    for entry in plans["right"]:
        assert tuple(entry["plan"]) != task.expert, "it is the expert's"
        assert judge_plan(task, house, entry["plan"]) == (True, True, ()), entry["why"]
    for entry in plans["wrong"]:
        goal, keypath, failed = judge_plan(task, house, entry["plan"])
        assert not failed, f"{entry['why']}: it fails for another reason"
        assert (goal, keypath) == (bool(entry.get("unseen")), False), entry["why"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [("bowl-on-sofa", "wrong"), ("pear-tuna-swap", "right")])
def test_some_are_played_for_real(name: str, kind: str, tmp_path: Path) -> None:
    """The simulator, the record of its rounds and the scores of a run agree with the rehearsal.

    The skills are ideal: that the classical ones can do such tasks is what `test_homie_100_experts.py` shows.
    """
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(SECOND_HAND[name][kind][0]["plan"]))
    options = BenchOptions(
        suite="homie-100",
        tasks=name,
        planner=f"scripted:{plan}",
        skills="ideal",
        trials=1,
        retries=0,
        out=tmp_path / "run",
    )
    (line,) = bench(options).lines
    assert line.success is (kind == "right"), line.cause
    assert load_run(tmp_path / "run").results.scores[0].success is (kind == "right")
