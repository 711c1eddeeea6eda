"""How often ideal skills succeed: files, and what is sampled."""

from __future__ import annotations

from pathlib import Path

import pytest

from homie.kernel.errors import BadInput
from skills.ideal_reliability import Reliability, SuccessSampler, read_reliability


def write_file(folder: Path, text: str) -> str:
    path = folder / "skills.yaml"
    path.write_text(text)
    return str(path)


def test_the_rates_of_the_paper():
    paper, sha256 = read_reliability("emmoe")
    assert {action: chance.success for action, chance in paper.actions.items()} == {
        "Go to": 0.4532,
        "Pick": 0.2245,
        "Put": 0.4097,
        "Open": 0.4313,
        "Close": 0.3645,
    }  # table 4
    assert "EMMOE" in paper.source and len(sha256) == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("actions: {Grab: {success: 1}}", "there is no skill 'Grab'"),
        ("actions: {Pick: {success: 1.5}}", "actions.Pick.success"),
        ("actions: {Pick: {success: 0.5, failure: E2}}", "only what is put can be lost"),
        ("actions: {Pick: {success: 0.5}, Pick: {success: 0.6}}", "'Pick' stands twice"),
        ("actions: [", "skills.yaml"),
        ("chances: {}", "chances"),
        ("- Pick", "skills.yaml"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path, text, message):
    with pytest.raises(BadInput, match="Cannot read the reliabilities ") as refusal:
        read_reliability(write_file(tmp_path, text))
    assert message in str(refusal.value)


def test_a_file_that_is_not_there_is_refused_with_what_there_is():
    with pytest.raises(BadInput, match="or emmoe"):
        read_reliability("emoe")


def test_random_numbers_are_those_of_the_seed_and_of_the_action():
    reliability = Reliability.model_validate({"actions": {"Pick": {"success": 0.5}, "Go to": {"success": 0.5}}})

    def thrown(seed: int, action: str, between: str = "") -> list[bool]:
        rng = SuccessSampler(reliability, seed)
        return [rng.succeeds(action) for _ in range(200) if not between or rng.succeeds(between) is not None]

    picks = thrown(3, "Pick")
    assert thrown(3, "Pick", between="Go to") == picks  # whatever else a planner does, it has this luck
    assert thrown(4, "Pick") != picks != thrown(3, "Go to")
    assert 70 < sum(picks) < 130


def test_what_is_not_listed_always_succeeds():
    rng = SuccessSampler(Reliability.model_validate({"actions": {"Pick": {"success": 0.0}}}), seed=0)
    assert all(rng.succeeds("Open") for _ in range(50)) and not any(rng.succeeds("Pick") for _ in range(50))
