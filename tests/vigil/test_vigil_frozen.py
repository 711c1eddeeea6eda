"""The frozen episodes as data."""

from __future__ import annotations

from collections import Counter

import pytest

from homie.bench.protocols.vigil.episode import LABELS, Family
from homie.kernel.errors import BadInput
from homie.vigil.frozen import FILE, all_episodes, choose


def test_every_family_has_its_episodes_evenly_by_stratum() -> None:
    episodes = all_episodes()
    assert len({episode.id for episode in episodes}) == len(episodes)
    numbers = Counter(episode.family for episode in episodes)
    assert set(numbers) == set(Family)
    labels = Counter(episode.label for episode in episodes if episode.family is Family.SV)
    assert set(labels) == set(LABELS) and max(labels.values()) - min(labels.values()) <= 1
    assert FILE.stat().st_size < 1_000_000


def test_a_label_is_hidden_and_no_word_of_the_instruction_alone_tells_it() -> None:
    for episode in choose(["SV"], None):
        pair = "open or closed" if episode.label in LABELS[2:] else "on or off"
        assert pair in episode.instruction


def test_families_are_chosen_by_name() -> None:
    chosen = choose(["SV", "PG"], 2)
    assert [episode.id for episode in chosen] == ["PG-000", "PG-001", "SV-000", "SV-001"]
    with pytest.raises(BadInput, match="There is no family 'XX'"):
        choose(["XX"], None)
