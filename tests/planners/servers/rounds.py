"""Rounds of an episode with the chat planner, whose model answers the same in each."""

from __future__ import annotations

import json

from text_world import stage

from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import Answer, Subtask
from homie.kernel.types.events import Event, PlannerAnswered
from homie.runtime.assembly import load_planner

GO = Subtask("Go to", "lemon")
ANSWER = json.dumps(
    {"analysis": "The lemon is needed.", "subtask": {"action": GO.action, "target": GO.target}, "model": "text"}
)
ROUNDS = 2


class Answers(EpisodeListener):
    """Keeps what the model answered."""

    def __init__(self) -> None:
        self.all: list[Answer] = []

    def on(self, event: Event) -> None:
        if isinstance(event, PlannerAnswered):
            self.all.extend(event.decision.answers)


def answers_of_rounds(planner: str, url: str, **settings: object) -> list[Answer]:
    """Play rounds with a planner whose model says `ANSWER`: each is done, and read at once. Everything that is not in
    `settings` is as by default, so that the four views are shown."""
    answers = Answers()
    chosen = load_planner(planner, {"base_url": url, **settings})
    result = stage().play("go to the lemon", chosen, rounds=ROUNDS, listener=answers)
    assert [item.subtask for item in result.history] == [GO] * ROUNDS
    assert all(item.feedback.ok for item in result.history)
    assert [answer.text for answer in answers.all] == [ANSWER] * ROUNDS
    assert not any(answer.problem for answer in answers.all)
    return answers.all
