"""Gymnasium environments: `homie/Home-v0` (actions are subtasks), `homie/HomeControl-v0` (actions are joint targets)
and `homie/Table-v0` (actions are seven numbers).

    import gymnasium
    env = gymnasium.make("homie.gym:homie/Home-v0", rooms=2)
    homes = gymnasium.make_vec("homie.gym:homie/HomeControl-v0", 4)  # one process each: `homie.gym.vector`

`homie.gym:` imports this module, which registers the environments. Requires the extra `gym`. docs/gymnasium.md lists
the spaces.
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
"""Entry points of the vector environments."""


def register() -> None:
    """Register the environments with Gymnasium. Importing this module calls it. Raises MissingPart."""
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ModuleNotFoundError as error:
        raise missing_part("homie.gym", "gymnasium", "gym") from error
    for name, entry_point in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=entry_point, vector_entry_point=SEVERAL[name])


register()
