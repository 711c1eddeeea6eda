"""Gymnasium environments: `homie/Home-v0` (a subtask is an action), `homie/HomeControl-v0` (a command of the robot is)
and `homie/Table-v0` (seven numbers are).

    import gymnasium
    env = gymnasium.make("homie.gym:homie/Home-v0", rooms=2)
    homes = gymnasium.make_vec("homie.gym:homie/HomeControl-v0", 4)  # one process each: `homie.gym.vector`

`homie.gym:` imports this module, which makes the environments known. Needs the extra `gym`. docs/gymnasium.md has the
spaces.
"""

from __future__ import annotations

import importlib

from homie.kernel.support.packages import missing_part

ENVIRONMENTS = {
    "homie/Home-v0": "homie.gym.home:HomeEnv",
    "homie/HomeControl-v0": "homie.gym.control:HomeControlEnv",
    "homie/Table-v0": "homie.gym.table:TableEnv",
}

SEVERAL = {
    "homie/Home-v0": "homie.gym.vector:several_homes",
    "homie/HomeControl-v0": "homie.gym.vector:several_controlled_homes",
    "homie/Table-v0": "homie.gym.vector:several_tables",
}
"""What makes several of them at once."""


def register() -> None:
    """Make the environments known to `gymnasium.make`. Importing this module does it. Raises MissingPart."""
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ModuleNotFoundError as error:
        raise missing_part("homie.gym", "gymnasium", "gym") from error
    for name, entry_point in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=entry_point, vector_entry_point=SEVERAL[name])


register()
