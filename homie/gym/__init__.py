"""Gymnasium environments: `homie/Home-v0` (a subtask is an action), `homie/HomeControl-v0` (a command of the robot is)
and `homie/Table-v0` (seven numbers are).

    import gymnasium, homie.gym
    env = gymnasium.make("homie/Home-v0", rooms=2)

`gymnasium.make("homie.gym:homie/Home-v0")` does without the second import; Gymnasium 1 looks for no plug-ins by itself.
Needs the extra `gym`. docs/simulators.md has the spaces.
"""

from __future__ import annotations

import importlib

from homie.kernel.errors import MissingPart

ENVIRONMENTS = {
    "homie/Home-v0": "homie.gym.home:HomeEnv",
    "homie/HomeControl-v0": "homie.gym.control:HomeControlEnv",
    "homie/Table-v0": "homie.gym.table:TableEnv",
}


def register() -> None:
    """Make the environments known to `gymnasium.make`. Importing this module does it. Raises MissingPart."""
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ModuleNotFoundError as error:
        raise MissingPart("homie.gym needs Gymnasium: install it with `pip install 'gymnasium>=1.1'`.") from error
    for name, entry_point in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=entry_point)


register()
