"""The strict reading of an answer: what is an action, and what takes a step for nothing."""

from __future__ import annotations

import json

import pytest

from suites.vigil.actions import Interact, Invalid, Navigate, Report, format_action, read_act


def test_an_action_is_read() -> None:
    text = '{"thought": "I go.", "skill_name": "navigate", "arguments": {"mode": "forward", "magnitude": 2}}'
    assert read_act(text) == Navigate(mode="forward", magnitude=2.0)
    assert read_act(format_action("report", status="maybe", summary="")) == Report(status="maybe", summary="")


@pytest.mark.parametrize(
    ("word", "intent"), [("open", "open_access"), ("toggle_on", "activate"), ("put", "place"), ("pick", "pick")]
)
def test_other_words_for_intents_are_known(word: str, intent: str) -> None:
    act = read_act(format_action("interact_pixel", intent=word, x=10, y=20.9))
    assert act == Interact(intent=intent, x=10, y=20)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON object"),
        ("[]", "no JSON object"),
        ('```json\n{"skill_name": "look", "arguments": {"direction": "up", "magnitude": 5}}\n```', "no JSON object"),
        ('{"skill_name": "look", "arguments": {}} {}', "no JSON object"),
        ('{"skill_name": "look"}', "the keys are"),
        ('{"skill_name": "look", "arguments": {}, "plan": 1}', "the keys are"),
        ('{"skill_name": "fly", "arguments": {}}', "the skills are"),
        ('{"skill_name": "look", "arguments": [1]}', "the skills are"),
        ('{"skill_name": ["look"], "arguments": {}}', "the skills are"),
        (format_action("look", direction="up", magnitude=True), "magnitude"),
        (format_action("look", direction="up", magnitude="5"), "magnitude"),
        (format_action("navigate", mode="forward", magnitude=float("nan")), "magnitude"),
        (format_action("navigate", mode="forward", magnitude=0), "magnitude"),
        (format_action("navigate", mode="forward", magnitude=21), "at most 20"),
        (format_action("navigate", mode="turn_left", magnitude=181), "at most 180"),
        (format_action("interact_pixel", intent="pick"), "pick needs x and y"),
        (format_action("interact_pixel", intent="pick", x=640, y=0), "outside"),
        (format_action("interact_pixel", intent="cut", x=1, y=1), "intent"),
        (format_action("report", status="success"), "summary"),
    ],
)
def test_what_is_no_action_says_why(text: str, reason: str) -> None:
    act = read_act(text)
    assert isinstance(act, Invalid) and reason in act.reason


def test_coordinates_up_to_a_thousand_reach_the_whole_frame() -> None:
    def at(x: float, y: float) -> object:
        return read_act(format_action("interact_pixel", intent="ground", x=x, y=y), thousandths=True)

    assert at(500, 500) == Interact(intent="ground", x=320, y=240)
    assert at(1000, 1000) == Interact(intent="ground", x=639, y=479)
    assert isinstance(at(1001, 0), Invalid)


def test_to_drop_needs_no_pixel() -> None:
    assert read_act(json.dumps({"skill_name": "interact_pixel", "arguments": {"intent": "drop"}})) == Interact(
        intent="drop"
    )
