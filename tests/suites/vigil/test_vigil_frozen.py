"""The frozen episodes as data."""

from __future__ import annotations

from collections import Counter

import pytest

from homie.kernel.errors import BadInput
from suites.authoring.make_homie_vigil import FIRST, next_house, quotas
from suites.published.vigil_episode import LABELS, Family
from suites.vigil.frozen import FILE, all_episodes, choose


def test_every_family_has_125_episodes_evenly_by_stratum() -> None:
    episodes = all_episodes()
    assert len({episode.id for episode in episodes}) == len(episodes)
    numbers = Counter(episode.family for episode in episodes)
    assert numbers == dict.fromkeys(Family, 125)
    assert Counter((episode.family, episode.stratum) for episode in episodes) == quotas()
    labels = Counter(episode.label for episode in episodes if episode.family is Family.SV)
    assert set(labels) == set(LABELS) and max(labels.values()) - min(labels.values()) <= 1
    assert FILE.stat().st_size < 1_000_000


def test_the_maker_goes_on_with_the_batch_of_houses_after_those_it_has() -> None:
    episodes = all_episodes()
    assert next_house([]) == FIRST
    assert next_house([each for each in episodes if each.house < FIRST + 14]) == FIRST + 16
    assert next_house([each for each in episodes if each.house < FIRST + 17]) == FIRST + 24


def test_a_label_is_hidden_and_no_word_of_the_instruction_alone_tells_it() -> None:
    for episode in choose(["SV"], None):
        pair = "open or closed" if episode.label in LABELS[2:] else "on or off"
        assert pair in episode.instruction


def test_families_are_chosen_by_name() -> None:
    chosen = choose(["SV", "PG"], 2)
    assert [episode.id for episode in chosen] == ["PG-000", "PG-001", "SV-000", "SV-001"]
    with pytest.raises(BadInput, match="There is no family 'XX'"):
        choose(["XX"], None)
