"""One thing alone on a table, and the classical Pick that takes it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import action_of
from homie.kernel.types import Outcome, Subtask
from skills.classical.pick import Pick
from skills.motion.hand import Hand

LOOKS = 10
"""Control periods between two looks at where the thing is."""


def scene(kind: str, **lies: float) -> SceneSpec:
    """A room with a table, the thing on it, standing or as it `lies`, and the robot in front of it."""
    table = {"name": "table", "kind": "table", "colour": "brown", "room": "kitchen", "x": 2.6, "y": 2.0, "yaw": np.pi}
    item = {"name": kind, "kind": kind, "colour": next(iter(OBJECTS[kind].colours)), "receptacle": "table"}
    return SceneSpec.model_validate(
        {
            "rooms": [{"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": 5, "y1": 4}],
            "furniture": [table],
            "objects": [{**item, "surface": "top", "x": 0.1, "y": 0.0, "yaw": 0.4, **lies}],
            "robot": {"x": 1.3, "y": 2.0, "yaw": 0.0},
        }
    )


def picking(home: MujocoHome, kind: str, attempts: int = 1) -> Iterator[Pick]:
    """Play Pick in a home of `scene`: the skill at its start, and after each control period until it has ended, in so
    many attempts at most."""
    locator = home.background()
    locator.reset(seed=0)
    skill = Pick(SPEC, ArmKinematics(), Hand())
    for _ in range(attempts):
        seen = home.observe()
        skill.start(Subtask("Pick", kind), locator.goal(kind, action_of("Pick"), seen), seen)
        yield skill
        periods = 0
        while skill.outcome is Outcome.RUNNING:
            seen, periods = home.observe(), periods + 1
            if periods % LOOKS == 0:
                skill.revise(locator.goal(kind, action_of("Pick"), seen))
            home.act(skill.act(seen))
            yield skill
        if skill.outcome is Outcome.SUCCEEDED:
            return
