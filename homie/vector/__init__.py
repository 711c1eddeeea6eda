"""Many homes at once, in threads: a Gymnasium vector environment whose physics runs beside each other.

    import homie.vector
    with homie.vector.make("homie/HomeControl-v0", 4) as homes:
        seen, infos = homes.reset(seed=7)
        seen, rewards, terminations, truncations, infos = homes.step(homes.action_space.sample())

MuJoCo releases Python's lock while it steps, so threads use several cores; nothing is copied between processes. Needs
the extra `gym`. docs/simulators.md has figures.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import homie.gym
from homie.kernel.errors import BadInput, suggestion
from homie.vector.threads import ThreadVectorEnv

__all__ = ["ThreadVectorEnv", "make"]


def make(
    name: str = "homie/HomeControl-v0",
    homes: int = 2,
    *,
    threads: int | None = None,
    autoreset: str = "NextStep",
    **options: Any,
) -> ThreadVectorEnv:
    """Several environments of Homie side by side.

    Args:
        name: `homie/HomeControl-v0`, `homie/Home-v0` or `homie/Table-v0`.
        homes: How many.
        threads: That step them; None for one per core, at most one per home.
        autoreset: `NextStep`, `SameStep` or `Disabled`, as Gymnasium has them: when an episode that is over begins
            anew.
        options: Of each environment (docs/simulators.md).

    Raises:
        BadInput: Something given is wrong.
        MissingPart: Gymnasium is not installed.
    """
    import gymnasium  # not above: importing homie.gym says in a sentence that it is missing

    if name not in homie.gym.ENVIRONMENTS:
        known = ", ".join(homie.gym.ENVIRONMENTS)
        close = suggestion(name, homie.gym.ENVIRONMENTS, f"choose one of {known}.")
        raise BadInput(f"There is no environment '{name}': {close}")
    maker = partial(gymnasium.make, name, disable_env_checker=True, **options)
    return ThreadVectorEnv([maker] * homes, threads=threads, autoreset=autoreset)
