"""Another control period is one number of a body: the classical skills, the grip and the physics follow it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from homes import final_state, one_room, play

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.build import TIMESTEP
from homie.envs.mujoco.robots.bodies import panda
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH
from homie.kernel import registry
from homie.kernel.robot.body import RobotSpec

FURNITURE = [
    {"name": "brown_table", "kind": "table", "colour": "brown", "x": 0.7, "y": 2.6},
    {"name": "drawer", "kind": "drawer", "colour": "white", "x": 3.6, "y": 2.4, "yaw": 3.1416},
]
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "brown_table", "surface": "top", "x": 0.1}
SCENE = one_room(FURNITURE, [{**APPLE, "y": -0.1}], (2.0, 2.4, 3.1), (4.2, 4.0))
SCRIPT = ["[Go to, drawer]", "[Open, drawer]", "[Go to, apple]", "[Pick, apple]", "[Go to, drawer]"]
SCRIPT += ["[Put, apple, drawer]", "[Close, drawer]"]
MODULE = """
from dataclasses import replace

from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH

BODY = replace(FETCH, spec=replace(FETCH.spec, period={period}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("period", [0.02, 0.08])
@pytest.mark.parametrize("grasp", ["weld", "friction"])
def test_skills_work_at_half_and_at_twice_the_period(
    period: float, grasp: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"paced_{round(1000 * period)}"
    (tmp_path / f"{name}.py").write_text(MODULE.format(period=period))
    info = tmp_path / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[homie.bodies]\n{name} = {name}:BODY\n")
    monkeypatch.syspath_prepend(tmp_path)
    records = play(tmp_path, SCENE, SCRIPT, grasp=grasp, robot_settings={"body": name})
    assert [record.execution.feedback.message for record in records if not record.execution.feedback.ok] == []
    state: Any = final_state(tmp_path)
    assert state["objects"]["apple"]["at"] == "drawer" and state["held"] is None
    (attempt,) = records[3].execution.attempts
    assert attempt.robot_seconds / attempt.commands == pytest.approx(period, rel=0.05), "a command every period"


@pytest.mark.parametrize("period", [0.02, 0.04, 0.08])
def test_what_takes_time_takes_the_same_time_at_every_period(period: float) -> None:
    body = replace(FETCH, spec=replace(FETCH.spec, period=period))
    with MujocoHome(SCENE, picture_size=(32, 32), body=body) as home:
        home.reset(seed=0)
        assert home.observe().stamp == pytest.approx(1.0, abs=period / 2), "things come to rest"
        assert home.lead * period == pytest.approx(0.12), "targets run ahead of what is measured"


@pytest.mark.parametrize("spec", [panda.SPEC, *(body.spec for body in registry.usable("bodies").values())])
def test_a_control_period_is_a_number_of_physics_steps(spec: RobotSpec) -> None:
    assert spec.period / TIMESTEP == pytest.approx(round(spec.period / TIMESTEP))
