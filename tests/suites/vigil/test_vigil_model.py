"""A model behind an endpoint plays an episode of homie-vigil: what it is sent, and what becomes of its answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from endpoint import Endpoint, says

from suites.vigil.agents import Turn
from suites.vigil.model import prompt
from suites.vigil.options import VigilOptions
from suites.vigil.play_episodes import run

LOOK = json.dumps({"skill_name": "look", "arguments": {"direction": "down", "magnitude": 5}, "thought": "Hm."})
REPORT = json.dumps({"skill_name": "report", "arguments": {"status": "open", "summary": "so it is"}})


def test_each_turn_is_one_message_with_one_picture_and_its_own_words(tmp_path: Path) -> None:
    with Endpoint(says(LOOK), says(REPORT)) as endpoint:
        options = VigilOptions(
            planner="chat:m",
            planner_settings={"base_url": endpoint.url, "image_size": 640},
            families=["SV"],
            episodes=1,
            feedback="told",
            out=tmp_path / "run",
        )
        row = run(options).rows[-1]
        first, second = (request.body["messages"] for request in endpoint.asked)
    assert (row.benchmark.value, row.steps, row.invalid) == (100, 2, 0)
    assert len(first) == len(second) == 1
    pictures = [part for part in second[0]["content"] if part["type"] == "image_url"]
    (text,) = [part["text"] for part in second[0]["content"] if part["type"] == "text"]
    assert len(pictures) == 1 and f"Turn 1: {LOOK}" in text and "path_blocked: false" in text
    assert "Turn 1:" not in str(first) and "This is turn 1 of 5." in str(first)


@pytest.mark.parametrize("reported", [None, False])
def test_the_prompt_has_twenty_turns_and_only_the_feedback_that_was_asked_for(reported: bool | None) -> None:
    history = tuple(f"answer {number}" for number in range(5, 25))
    turn = Turn(25, "Open the fridge.", lambda: None, history, reported, reported)  # type: ignore[arg-type,return-value]
    text = prompt(turn, 35, thousandths=reported is not None)
    assert "Turn 5: answer 5\n" in text and "Turn 24: answer 24\n" in text and "Turn 4:" not in text
    assert ("too_far" in text) is (reported is not None)
    assert ("to 1000 (right)" in text) is (reported is not None)
    assert '{"skill_name": "...", "arguments": {...}}' in text and "Open the fridge." in text
