"""The conformance kit: it passes what is sound and names everything that is not."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.types import END, Answer, Decision, PlannerInput, Subtask
from homie.testing import NotConforming, check_planner, episodes
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner, PromptSettings
from planners.rule import RulePlanner
from planners.scripted import ScriptedPlanner


class Sound(Planner):
    """Ends at once. The broken ones are made of it."""

    name = "sound"

    def reset(self, task: str, *, seed: int) -> None:
        self.rounds = 0

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.rounds += 1
        return self.answer(planner_input)

    def answer(self, planner_input: PlannerInput) -> Any:
        return Decision((END,), f"Round {self.rounds}.")


class Parrot(LanguageModel):
    """Says the same again and again."""

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(self, request: Request) -> Reply:
        return Reply(self.text)


def violations(planner: object, **promises: bool) -> str:
    with pytest.raises(NotConforming) as excinfo:
        check_planner(planner, **promises)  # type: ignore[arg-type]
    assert all(violation in str(excinfo.value) for violation in excinfo.value.violations)
    return str(excinfo.value)


def test_sound_planners_pass(tmp_path: Path) -> None:
    script = tmp_path / "plan.yaml"
    script.write_text('["[Go to, apple]", "[Pick, apple]"]')
    check_planner(Sound(), deterministic=True)
    check_planner(RulePlanner(), deterministic=True)
    check_planner(ScriptedPlanner(str(script)), deterministic=True)


SWITCHES: tuple[Mapping[str, object], ...] = (
    {},
    {"images": False},
    {"boxes": True, "image_size": 32},
    {"chat_turns": 3, "past_images": 2},
    {"template": "emmoe-text", "reasks": 0},
    {"template": "embodiedbench"},
)


class Brain(ModelPlanner):
    name = "brain"


@pytest.mark.parametrize("settings", SWITCHES)
@pytest.mark.parametrize("text", ['{"analysis": "", "subtask": {"action": "End"}}', "nonsense", ""])
def test_model_planners_pass_with_every_switch_whatever_the_model_says(settings: Mapping[str, Any], text: str) -> None:
    check_planner(Brain(Parrot(text), PromptSettings(**settings)), deterministic=True)


def test_a_planner_that_is_none() -> None:
    assert "is not a homie.Planner, but test_testing:Parrot" in violations(Parrot(""))


ANSWERS: list[tuple[Any, str]] = [
    (Decision((Subtask("Pick", " apple"),)), "the parts of a subtask have single blanks and one line"),
    (Decision((Subtask("Pick", "apple"),), report="success"), "only a decision that ends the task can have a report"),
    (Decision((END,), answers=(Answer("", seconds=float("nan")),)), "cannot be recorded"),
]


@pytest.mark.parametrize(("answer", "message"), ANSWERS)
def test_decisions_that_cannot_be_played_well(answer: Any, message: str) -> None:
    class Broken(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            return answer

    assert message in violations(Broken())


def test_exceptions_are_named_with_their_situation_and_the_rest_is_still_looked_at() -> None:
    class Broken(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            if not planner_input.detections:
                raise IndexError("no detections")
            if planner_input.inventory:
                return Decision(())
            return Decision((END,))

    message = violations(Broken())
    first = "decide (round 2: nothing detected) raised IndexError: no detections (tests/test_testing.py, line"
    assert first in message.replace(f"{Path.cwd()}/", "") and "The same in 5 other rounds." in message
    assert "decide (round 2: a held object) returned a homie.Decision without a subtask" in message
    assert "The same in 1 other round." in message and "round 1" not in message and len(message.splitlines()) == 2


def test_a_reset_that_fails() -> None:
    class Broken(Sound):
        def reset(self, task: str, *, seed: int) -> None:
            raise RuntimeError("once only")

    assert "reset raised RuntimeError: once only" in violations(Broken(), deterministic=True)


def test_an_input_that_is_changed() -> None:
    class Eats(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            planner_input.views.clear()  # type: ignore[attr-defined]
            return Decision((END,))

    class Paints(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            for picture in planner_input.views.values():
                picture[0, 0] = 0
            return Decision((END,))

    assert "decide (round 1) changed its input" in violations(Eats())
    assert "read-only" in violations(Paints())


def test_a_promise_of_determinism_is_checked_only_if_it_is_made() -> None:
    class Counts(Sound):
        numbers = itertools.count()

        def answer(self, planner_input: PlannerInput) -> Any:
            return Decision((Subtask("Go to", f"place {next(self.numbers)}"),))

    check_planner(Counts())
    assert "gave other decisions after a reset: [Go to, place" in violations(Counts(), deterministic=True)


def test_a_planner_that_forgets_nothing() -> None:
    class Remembers(Sound):
        def __init__(self) -> None:
            self.rounds = 0

        def reset(self, task: str, *, seed: int) -> None:
            """Forgets nothing."""

    assert "after a reset" in violations(Remembers(), deterministic=True)


def test_prints() -> None:
    class Chatty(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            print("thinking")
            return Decision((END,))

    assert "prints on stdout" in violations(Chatty())


DESCRIPTIONS: list[tuple[Any, str]] = [
    (["x"], "describe returned list"),
    ({"x": object()}, "not JSON-ready"),
    ({"x": float("nan")}, "not JSON-ready"),
    ({"model": {"api_key": "abc"}}, "secret: 'api_key'"),
    ({"headers": {"Authorization": "Basic abc"}}, "secret: 'Authorization'"),
    ({"endpoint": "https://me:pass@example.org/v1"}, "secret, in 'endpoint'"),
    ({"arguments": ["--key", "sk-abcdefghijklmnop1234"]}, "secret, in 'arguments'"),
    ({"said": "it is hunter2hunter2"}, "value of the environment variable MY_API_KEY"),
]


@pytest.mark.parametrize(("description", "message"), DESCRIPTIONS)
def test_descriptions(description: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "hunter2hunter2")

    class Tells(Sound):
        def describe(self) -> Any:
            return description

    assert message in violations(Tells())


def test_descriptions_that_only_look_a_little_like_secrets_pass() -> None:
    class Tells(Sound):
        def describe(self) -> Mapping[str, object]:
            description = {
                "api_key_env": "OPENAI_API_KEY",
                "max_tokens": 300,
                "sha256": "ab" * 32,
                "url": "http://[::1]:80/v1",
            }
            return {**description, "key": None, "tokens": 5}

    check_planner(Tells())


def test_a_raw_answer_with_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hunter2hunter2")

    class Leaks(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            return Decision((END,), raw="401: hunter2hunter2 is wrong")

    assert "its record has the value of the environment variable HF_TOKEN" in violations(Leaks())


def test_names_and_settings() -> None:
    class Nameless(Sound):
        name = ""
        Settings: ClassVar[Any] = {"x": 1}

    message = violations(Nameless())
    assert "`name` must be" in message and "`Settings` must be" in message


def test_an_endpoint_that_fails_is_no_violation() -> None:
    class Unreachable(Sound):
        def answer(self, planner_input: PlannerInput) -> Any:
            raise PlannerError("The endpoint cannot be reached.")

    with pytest.raises(PlannerError, match="cannot be reached"):
        check_planner(Unreachable())


def test_the_made_up_episodes_could_happen() -> None:
    """A first round has no feedback and no history, a later one has; rounds count from 1; no two are the same."""
    made_up = list(episodes("a task"))
    assert len(made_up) > 20
    for episode in made_up:
        assert [planner_input.round for _, planner_input in episode] == list(range(1, len(episode) + 1))
        assert [planner_input.feedback is None for _, planner_input in episode] == [True] + [False] * (len(episode) - 1)
        assert [bool(planner_input.history) for _, planner_input in episode] == [False] + [True] * (len(episode) - 1)
    names = [name for episode in made_up for name, _ in episode[1:]]
    assert len(set(names)) == len(names)
