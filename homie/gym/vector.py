"""Vector environments of homes, one process each: Gymnasium's `AsyncVectorEnv` with safe process start.

    homes = gymnasium.make_vec("homie.gym:homie/HomeControl-v0", 4)
    seen, infos = homes.reset(seed=7)
    seen, rewards, terminations, truncations, infos = homes.step(homes.action_space.sample())

Half of the time of a step is Python code, which threads cannot run in parallel. Observations are returned in shared
memory. Requires the extra `gym`. docs/gymnasium.md has benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import wait
from typing import Any

import gymnasium
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from gymnasium.vector.async_vector_env import AsyncState
from gymnasium.vector.utils import iterate
from numpy.typing import NDArray

import homie.gym
from homie.kernel.errors import BadInput, HomieError, InfrastructureError, suggestion
from homie.kernel.support.text import join_words

__all__ = ["HomesVectorEnv", "make"]

START = "spawn"
"""Start method of the processes: OpenGL contexts and threads of the parent do not survive a fork."""


def make(
    name: str = "homie/HomeControl-v0",
    homes: int = 2,
    *,
    autoreset: str = "NextStep",
    **options: Any,
) -> HomesVectorEnv:
    """Create a vector environment.

    Args:
        name: `homie/HomeControl-v0`, `homie/Home-v0` or `homie/Table-v0`.
        homes: Number of environments, one process each.
        autoreset: Gymnasium's autoreset mode: `NextStep`, `SameStep` or `Disabled`.
        options: Options of each environment (docs/gymnasium.md).

    Raises:
        BadInput: An argument is invalid.
        MissingPart: Gymnasium is not installed.
    """
    if name not in homie.gym.ENVIRONMENTS:
        known = ", ".join(homie.gym.ENVIRONMENTS)
        close = suggestion(name, homie.gym.ENVIRONMENTS, f"choose one of {known}.")
        raise BadInput(f"There is no environment '{name}': {close}")
    maker = partial(gymnasium.make, f"homie.gym:{name}", disable_env_checker=True, **options)
    return HomesVectorEnv([maker] * homes, autoreset)


def several_homes(num_envs: int = 1, **options: Any) -> HomesVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/Home-v0")`."""
    return make("homie/Home-v0", num_envs, **options)


def several_controlled_homes(num_envs: int = 1, **options: Any) -> HomesVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/HomeControl-v0")`."""
    return make("homie/HomeControl-v0", num_envs, **options)


def several_tables(num_envs: int = 1, **options: Any) -> HomesVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/Table-v0")`."""
    return make("homie/Table-v0", num_envs, **options)


class HomesVectorEnv(AsyncVectorEnv):
    """Gymnasium's `AsyncVectorEnv` whose failures are raised as errors of Homie.

    Results are bitwise identical to those of each home stepped alone with the same seeds and actions. A failure closes
    all homes.
    """

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]], autoreset: str = "NextStep") -> None:
        """
        Args:
            makers: Factories of the homes, called in their processes; all homes have the same spaces.
            autoreset: `NextStep`, `SameStep` or `Disabled`.

        Raises:
            BadInput: There are no homes, or the autoreset mode is unknown.
            HomieError: A home cannot be created.
        """
        if not makers:
            raise BadInput("homes is 1 or more (got 0).")
        modes = [mode.value for mode in AutoresetMode]
        if autoreset not in modes:
            raise BadInput(f"autoreset is one of {', '.join(modes)} (got '{autoreset}').")
        with self._failures("made"):
            super().__init__(makers, context=START, autoreset_mode=autoreset)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every home.

        Args:
            seed: Seed of the first home, incremented for the others; or one per home. Without one, each home samples
                its next seed.
            options: `reset_mask` (homes,) bool selects the homes to reset; the others keep their state.

        Raises:
            BadInput: The number of seeds or rows differs from that of homes.
            HomieError: A home failed.
        """
        if isinstance(seed, Sequence) and len(seed) != self.num_envs:
            raise BadInput(f"There are {self.num_envs} homes: give as many seeds (got {len(seed)}).")
        with self._failures("reset"):
            return super().reset(seed=list(seed) if isinstance(seed, Sequence) else seed, options=options)

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Execute one action in every home. Returns observations, rewards, terminations, truncations and infos.

        Raises:
            BadInput: The number of actions differs from that of homes, or a home has not been reset.
            HomieError: A home failed.
        """
        if not self.closed and (rows := sum(1 for _ in iterate(self.action_space, actions))) != self.num_envs:
            raise BadInput(f"There are {self.num_envs} homes: give as many actions (got {rows}).")
        with self._failures("stepped"):
            return super().step(actions)

    @contextmanager
    def _failures(self, verb: str) -> Iterator[None]:
        """Close all homes if one fails, with an error message that names it."""
        try:
            yield
        except ClosedEnvironmentError as error:
            raise BadInput("The homes are closed: make new ones.") from error
        except (EOFError, ConnectionError) as error:
            sentinels = wait([process.sentinel for process in self.processes], timeout=1.0)
            numbers = [n for n, process in enumerate(self.processes) if process.sentinel in sentinels]
            ended = join_words([str(number) for number in numbers])
            self._terminate()
            raise InfrastructureError(
                f"The process of home {ended} (counted from 0) has ended, and the others are closed: make new homes. "
                "A script that makes homes does so below `if __name__ == '__main__':`."
            ) from error
        except Exception as error:
            failed_numbers = [number for number, pipe in enumerate(getattr(self, "parent_pipes", ())) if pipe is None]
            if not failed_numbers:  # the failure occurred before anything was sent to a home
                if isinstance(error, ValueError | TypeError | RuntimeError):
                    raise BadInput(str(error)) from error
                raise
            self._terminate()
            kind = type(error) if isinstance(error, HomieError) else InfrastructureError
            raise kind(f"Home {failed_numbers[-1]} (counted from 0) could not be {verb}: {error}") from error

    def _terminate(self) -> None:
        self._state = AsyncState.DEFAULT  # discard pending replies
        self.close(terminate=True)
