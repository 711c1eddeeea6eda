"""Many homes at once, each in a process of its own: Gymnasium's `AsyncVectorEnv`, started safely.

    homes = gymnasium.make_vec("homie.gym:homie/HomeControl-v0", 4)
    seen, infos = homes.reset(seed=7)
    seen, rewards, terminations, truncations, infos = homes.step(homes.action_space.sample())

Half of a step is Python, which threads of one process cannot share. Observations come back in shared memory. Needs the
extra `gym`. docs/gymnasium.md has figures.
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
from homie.kernel.support.text import listed

__all__ = ["HomesVectorEnv", "make"]

START = "spawn"
"""How the processes begin: OpenGL contexts and threads of the parent do not survive a fork."""


def make(
    name: str = "homie/HomeControl-v0",
    homes: int = 2,
    *,
    autoreset: str = "NextStep",
    **options: Any,
) -> HomesVectorEnv:
    """Several environments of Homie side by side.

    Args:
        name: `homie/HomeControl-v0`, `homie/Home-v0` or `homie/Table-v0`.
        homes: How many, one process each.
        autoreset: `NextStep`, `SameStep` or `Disabled`, as Gymnasium has them: when an episode that is over begins
            anew.
        options: Of each environment (docs/gymnasium.md).

    Raises:
        BadInput: Something given is wrong.
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
    """Gymnasium's vector environment of processes, whose failures are errors of Homie.

    What comes out is, bit for bit, what each home gives when it is stepped alone with the same seeds and actions. A
    failure closes all homes.
    """

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]], autoreset: str = "NextStep") -> None:
        """
        Args:
            makers: Make the homes, in their processes; all have the same spaces.
            autoreset: `NextStep`, `SameStep` or `Disabled`.

        Raises:
            BadInput: There is no home or no such way of resetting.
            HomieError: A home cannot be made.
        """
        if not makers:
            raise BadInput("homes is 1 or more (got 0).")
        ways = [way.value for way in AutoresetMode]
        if autoreset not in ways:
            raise BadInput(f"autoreset is one of {', '.join(ways)} (got '{autoreset}').")
        with self._failures("made"):
            super().__init__(makers, context=START, autoreset_mode=autoreset)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every home.

        Args:
            seed: Of the first home, the others count on from it; or one for each. Without one each home draws its next.
            options: `reset_mask` (homes,) bool says which homes begin anew; the others stay as they are.

        Raises:
            BadInput: There are not as many seeds or rows as homes.
            HomieError: A home failed.
        """
        if isinstance(seed, Sequence) and len(seed) != self.num_envs:
            raise BadInput(f"There are {self.num_envs} homes: give as many seeds (got {len(seed)}).")
        with self._failures("reset"):
            return super().reset(seed=list(seed) if isinstance(seed, Sequence) else seed, options=options)

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take one action in every home. Returns observations, rewards, terminations, truncations and infos.

        Raises:
            BadInput: There are not as many actions as homes, or a home has not been reset.
            HomieError: A home failed.
        """
        if not self.closed and (rows := sum(1 for _ in iterate(self.action_space, actions))) != self.num_envs:
            raise BadInput(f"There are {self.num_envs} homes: give as many actions (got {rows}).")
        with self._failures("stepped"):
            return super().step(actions)

    @contextmanager
    def _failures(self, verb: str) -> Iterator[None]:
        """Close all homes where one fails, with one sentence that says which."""
        try:
            yield
        except ClosedEnvironmentError as error:
            raise BadInput("The homes are closed: make new ones.") from error
        except (EOFError, ConnectionError) as error:
            sentinels = wait([process.sentinel for process in self.processes], timeout=1.0)
            numbers = [n for n, process in enumerate(self.processes) if process.sentinel in sentinels]
            ended = listed([str(number) for number in numbers])
            self._end()
            raise InfrastructureError(
                f"The process of home {ended} (counted from 0) has ended, and the others are closed: make new homes. "
                "A script that makes homes does so below `if __name__ == '__main__':`."
            ) from error
        except Exception as error:
            failed_numbers = [number for number, pipe in enumerate(getattr(self, "parent_pipes", ())) if pipe is None]
            if not failed_numbers:  # before anything was sent to a home
                if isinstance(error, ValueError | TypeError | RuntimeError):
                    raise BadInput(str(error)) from error
                raise
            self._end()
            kind = type(error) if isinstance(error, HomieError) else InfrastructureError
            raise kind(f"Home {failed_numbers[-1]} (counted from 0) could not be {verb}: {error}") from error

    def _end(self) -> None:
        self._state = AsyncState.DEFAULT  # nothing more is awaited of them
        self.close(terminate=True)
