"""The house of the first frozen episode, and what is played in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from homie.envs.mujoco.home.home import MujocoHome
from suites.published.vigil_episode import Family
from suites.vigil.frozen import FrozenEpisode, all_episodes
from suites.vigil.stage import Stage, open_house

HOUSE = all_episodes()[0].house


@pytest.fixture(scope="session")
def home() -> Iterator[MujocoHome]:
    home = open_house(HOUSE)
    yield home
    home.close()


@pytest.fixture
def stage(home: MujocoHome) -> Callable[[str], Stage]:
    """The stage of the first episode of a family in that house."""

    def first(family: str) -> Stage:
        return Stage(home, episode_of(family))

    return first


def episode_of(family: str) -> FrozenEpisode:
    return next(each for each in all_episodes() if each.family is Family[family] and each.house == HOUSE)
