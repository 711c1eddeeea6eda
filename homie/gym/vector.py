"""Many homes at once, in threads: a Gymnasium vector environment whose physics runs beside each other.

    homes = gymnasium.make_vec("homie.gym:homie/HomeControl-v0", 4)
    seen, infos = homes.reset(seed=7)
    seen, rewards, terminations, truncations, infos = homes.step(homes.action_space.sample())

MuJoCo releases Python's lock while it steps, so threads use several cores; nothing is copied between processes. Needs
the extra `gym`. docs/simulators.md has figures.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Self, TypeVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

import homie.gym
from homie.kernel.errors import BadInput, HomieError, InfrastructureError, suggestion

__all__ = ["ThreadVectorEnv", "make"]

Outcome = TypeVar("Outcome")
_Step = tuple[Any, float, bool, bool, dict[str, Any]]
_Env = gymnasium.Env[Any, Any]


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
    if name not in homie.gym.ENVIRONMENTS:
        known = ", ".join(homie.gym.ENVIRONMENTS)
        close = suggestion(name, homie.gym.ENVIRONMENTS, f"choose one of {known}.")
        raise BadInput(f"There is no environment '{name}': {close}")
    maker = partial(gymnasium.make, name, disable_env_checker=True, **options)
    return ThreadVectorEnv([maker] * homes, threads=threads, autoreset=autoreset)


def several_homes(num_envs: int = 1, **options: Any) -> ThreadVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/Home-v0")`."""
    return make("homie/Home-v0", num_envs, **options)


def several_controlled_homes(num_envs: int = 1, **options: Any) -> ThreadVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/HomeControl-v0")`."""
    return make("homie/HomeControl-v0", num_envs, **options)


def several_tables(num_envs: int = 1, **options: Any) -> ThreadVectorEnv:
    """`make` for `gymnasium.make_vec("homie.gym:homie/Table-v0")`."""
    return make("homie/Table-v0", num_envs, **options)


class ThreadVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """A Gymnasium vector environment: `reset` and `step` take and give arrays with one row per home.

    Each home is stepped by one thread at a time and knows nothing of the others: what comes out is, bit for bit, what
    it gives when it is stepped alone with the same seeds and actions. Where pictures are asked for, OpenGL draws them
    one after the other.

    Attributes:
        envs: The homes.
    """

    def __init__(
        self, makers: Sequence[Callable[[], _Env]], *, threads: int | None = None, autoreset: str = "NextStep"
    ) -> None:
        """
        Args:
            makers: Make the homes; all have the same spaces.
            threads: That step them; None for one per core, at most one per home.
            autoreset: When an episode that is over begins anew: with the next step, whose action is ignored
                (`NextStep`); at once, the last observation and info being `final_obs` and `final_info` of the infos
                (`SameStep`); or never by itself (`Disabled`): then give `reset_mask` as an option of `reset`.

        Raises:
            BadInput: There is no home, no thread or no such way of resetting, or the spaces differ.
            HomieError: A home cannot be made; those that were made are closed.
        """
        if not makers or (threads is not None and threads < 1):
            raise BadInput(f"homes and threads are 1 or more (got {len(makers)} and {threads}).")
        ways = [way.value for way in AutoresetMode]
        if autoreset not in ways:
            raise BadInput(f"autoreset is one of {', '.join(ways)} (got '{autoreset}').")
        self.num_envs = len(makers)
        self.envs: list[_Env] = []
        self.autoreset_mode = AutoresetMode(autoreset)
        self._over = np.zeros(self.num_envs, dtype=bool)
        self._seen: list[Any] = [None] * self.num_envs
        self._begun = False
        self._pool = ThreadPoolExecutor(
            min(self.num_envs, threads or os.cpu_count() or 1), thread_name_prefix="homie-vector"
        )
        try:
            for number, maker in enumerate(makers):
                try:
                    self.envs.append(maker())
                except Exception as error:
                    raise _failure(number, "made", error) from error
            first = self.envs[0]
            if any(env.observation_space != first.observation_space for env in self.envs) or any(
                env.action_space != first.action_space for env in self.envs
            ):
                raise BadInput("The homes of one vector have the same spaces: give all of them the same options.")
        except BaseException:
            self.close()
            raise
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(first.observation_space, self.num_envs)
        self.action_space = batch_space(first.action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every home.

        Args:
            seed: Of the first home, the others count on from it; or one for each. Without one each home draws its next.
            options: `reset_mask` (homes,) bool says which homes begin anew; the others stay as they are.

        Raises:
            BadInput: There are not as many seeds or rows as homes.
            HomieError: A home failed; the sentence says which.
        """
        seeds = [seed + number for number in range(self.num_envs)] if isinstance(seed, int) else seed
        seeds = [None] * self.num_envs if seeds is None else list(seeds)
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool)))
        if len(seeds) != self.num_envs or mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise BadInput(f"There are {self.num_envs} homes: give as many seeds, and as many rows in reset_mask.")
        if not self._begun and not mask.all():
            raise BadInput("Every home has to be reset once before some of them are.")
        chosen = np.flatnonzero(mask).tolist()
        outcomes = self._each(chosen, "reset", lambda number: self.envs[number].reset(seed=seeds[number]))
        infos: dict[str, Any] = {}
        for number, (seen, info) in zip(chosen, outcomes, strict=True):
            self._seen[number] = seen
            infos = self._add_info(infos, info, number)
        self._over[mask] = False
        self._begun = True
        return self._stacked(), infos

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Take one action in every home. Returns observations, rewards, terminations, truncations and infos.

        Raises:
            BadInput: Nothing has been reset yet, an episode is over and `autoreset` is `Disabled`, or there are not as
                many actions as homes.
            HomieError: A home failed; the sentence says which. All others have taken their step: begin anew by `reset`.
        """
        if not self._begun:
            raise BadInput("The homes have not been reset yet: call reset() first.")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise BadInput(f"Homes {np.flatnonzero(self._over).tolist()} are over: reset them, with `reset_mask`.")
        rows = list(iterate(self.action_space, actions))
        if len(rows) != self.num_envs:
            raise BadInput(f"There are {self.num_envs} homes: give as many actions (got {len(rows)}).")
        outcomes = self._each(range(self.num_envs), "stepped", lambda number: self._step(number, rows[number]))
        infos: dict[str, Any] = {}
        for number, (seen, _, _, _, info) in enumerate(outcomes):
            self._seen[number] = seen
            infos = self._add_info(infos, info, number)
        rewards = np.array([outcome[1] for outcome in outcomes], dtype=np.float64)
        terminations, truncations = (np.array([outcome[k] for outcome in outcomes], dtype=bool) for k in (2, 3))
        self._over = terminations | truncations
        return self._stacked(), rewards, terminations, truncations, infos

    def _step(self, number: int, action: Any) -> _Step:
        """What one home gives, an episode that is over begun anew as `autoreset` says."""
        env = self.envs[number]
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and self._over[number]:
            seen, info = env.reset()
            return seen, 0.0, False, False, info
        seen, reward, terminated, truncated, info = env.step(action)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and (terminated or truncated):
            final = {"final_obs": seen, "final_info": info}
            seen, info = env.reset()
            info = {**info, **final}
        return seen, float(reward), terminated, truncated, info

    def render(self) -> tuple[Any, ...]:
        """A picture (H, W, 3) of every home from outside, or None, as `render_mode` of the homes says."""
        return tuple(self._each(range(self.num_envs), "drawn", lambda number: self.envs[number].render()))

    def close_extras(self, **kwargs: Any) -> None:
        """Close every home; `close` calls it once."""
        self._pool.shutdown(wait=True)
        for env in self.envs:
            env.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _each(self, numbers: Sequence[int], done: str, call: Callable[[int], Outcome]) -> list[Outcome]:
        """What a call gives for some homes, in their order, once all of them have come to an end."""
        if self.closed:
            raise BadInput("The homes are closed: make new ones.")
        futures = [self._pool.submit(call, number) for number in numbers]
        wait(futures)
        outcomes = []
        for number, future in zip(numbers, futures, strict=True):
            if (error := future.exception()) is not None:
                self._begun = False  # it is in no state to go on from
                raise _failure(number, done, error) from error
            outcomes.append(future.result())
        return outcomes

    def _stacked(self) -> Any:
        space = self.single_observation_space
        empty: Any = create_empty_array(space, self.num_envs)
        return concatenate(space, self._seen, empty)


def _failure(number: int, done: str, error: BaseException) -> HomieError:
    """One sentence about a home that failed, as an error of the same kind where it is one of Homie."""
    kind = type(error) if isinstance(error, HomieError) else InfrastructureError
    return kind(f"Home {number} (counted from 0) could not be {done}: {str(error) or type(error).__name__}")
