"""The model planner: re-asks, what is kept of every answer, whole episodes with a model that answers from a list."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from text_world import stage

from homie.kernel.errors import PlannerError
from homie.kernel.support.files import to_json
from homie.kernel.types import END, VIEWS, ErrorCode, Feedback, HistoryItem, PlannerInput, Subtask
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import MAX_ECHO, ModelPlanner, PromptSettings

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "End")
GIVEN = PlannerInput(
    "put the apple in the bowl",
    1,
    {view: np.zeros((64, 64, 3), np.uint8) for view in VIEWS},
    (),
    (),
    (),
    None,
    ACTIONS,
    ("text",),
)


def step(action: str, target: str = "", destination: str = "") -> str:
    parts = {"action": action, "target": target, "destination": destination}
    answer = {"analysis": "Because.", "subtask": {key: value for key, value in parts.items() if value}, "model": "text"}
    return json.dumps(answer)


class Listed(LanguageModel):
    """Answers from a list, one a call, and keeps the questions."""

    def __init__(self, *replies: Reply | str) -> None:
        self.replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
        self.asked: list[Request] = []
        self.seeds: list[int] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        if len(self.asked) > len(self.replies):
            raise PlannerError("The list is over.")
        return self.replies[len(self.asked) - 1]

    def reset(self, *, seed: int) -> None:
        self.seeds.append(seed)

    def describe(self) -> Mapping[str, object]:
        return {"name": "listed"}


def planner(*replies: Reply | str, **settings: object) -> tuple[ModelPlanner, Listed]:
    model = Listed(*replies)
    brain = ModelPlanner(model, PromptSettings(**settings))
    brain.reset("a task", seed=7)
    return brain, model


def texts(request: Request) -> list[tuple[str, str]]:
    return [(message.role, str(message.parts[-1])) for message in request.messages]


def test_a_readable_answer_is_a_decision_with_its_answer() -> None:
    reply = Reply(step("Pick", "apple"), "I thought.", input_tokens=900, output_tokens=40, cost=0.01, cached=True)
    brain, model = planner(reply)
    decision = brain.decide(GIVEN)
    assert decision.subtasks == (Subtask("Pick", "apple"),)
    assert (decision.analysis, decision.model, decision.raw, decision.problem) == ("Because.", "text", reply.text, "")
    (answer,) = decision.answers
    assert (answer.text, answer.reasoning, answer.problem) == (reply.text, "I thought.", "")
    assert (answer.input_tokens, answer.output_tokens, answer.cost, answer.cached) == (900, 40, 0.01, True)
    assert answer.seconds >= 0
    assert model.seeds == [7]
    assert model.asked[0].schema is not None


def test_an_unreadable_answer_is_asked_for_again_with_the_problem() -> None:
    brain, model = planner("I will pick the apple.", step("Pick", "apple"))
    decision = brain.decide(GIVEN)
    assert decision.subtasks == (Subtask("Pick", "apple"),)
    assert [bool(answer.problem) for answer in decision.answers] == [True, False]
    first, second = model.asked
    assert second.messages[: len(first.messages)] == first.messages
    assert texts(second)[-2] == ("assistant", "I will pick the apple.")
    role, text = texts(second)[-1]
    assert role == "user" and text == decision.answers[0].problem and "Write one JSON object" in text


@pytest.mark.parametrize("reasks", [0, 1, 2, 5])
def test_re_asks_are_bounded_and_no_action_is_made_up(reasks: int) -> None:
    brain, model = planner(*["no idea"] * 9, reasks=reasks)
    decision = brain.decide(GIVEN)
    assert decision.subtasks == ()
    assert "no subtask" in decision.problem
    assert len(model.asked) == len(decision.answers) == reasks + 1
    assert decision.raw == "no idea"
    assert [len(request.messages) for request in model.asked] == [2 + 2 * at for at in range(reasks + 1)]


@pytest.mark.parametrize(
    ("finish", "message"), [("length", "cut off"), ("refusal", "declined"), ("unknown", "may not be whole")]
)
def test_cut_off_and_declined_answers_count_as_unreadable(finish: str, message: str) -> None:
    text = step("Pick", "apple")
    cut = text if finish != "unknown" else text[:-1]
    brain, _ = planner(Reply(cut, finish=finish), step("Open", "fridge"))  # type: ignore[arg-type]
    decision = brain.decide(GIVEN)
    assert message in decision.answers[0].problem
    assert decision.subtasks == (Subtask("Open", "fridge"),)


@pytest.mark.parametrize("text", ["", " \n", "\ud83d", "x" * 50_000])
def test_what_the_model_is_shown_of_its_own_answer_can_be_sent(text: str) -> None:
    brain, model = planner(text, step("End"))
    decision = brain.decide(GIVEN)
    echo = texts(model.asked[1])[-2][1]
    assert echo.strip() and len(echo) <= MAX_ECHO + 4
    echo.encode()
    assert decision.answers[0].text == text  # the record keeps it as it came
    to_json(decision.answers[0].text)


def test_a_model_that_gives_no_answer_ends_the_episode_as_infrastructure() -> None:
    brain, _ = planner()
    with pytest.raises(PlannerError, match="The list is over"):
        brain.decide(GIVEN)


def test_a_new_episode_forgets_the_chat() -> None:
    brain, model = planner(*[step("Pick", "apple")] * 4, chat_turns=5)
    for _ in range(3):
        brain.decide(GIVEN)
    brain.reset("another", seed=8)
    brain.decide(GIVEN)
    assert [len(request.messages) for request in model.asked] == [2, 4, 6, 2]


def test_an_unreadable_round_is_not_reported_in_the_chat() -> None:
    brain, model = planner(step("Pick", "apple"), "what?", step("End"), chat_turns=5, reasks=0)
    for _ in range(3):
        brain.decide(GIVEN)
    assert [text for role, text in texts(model.asked[-1]) if role == "assistant"] == [step("Pick", "apple")]


def test_what_is_recorded_of_it() -> None:
    brain, _ = planner(template="embodiedbench", examples=1)
    description = json.loads(json.dumps(brain.describe()))
    assert description["model"] == {"name": "listed"}
    assert description["prompt"]["template"] == "embodiedbench" and len(description["prompt"]["sha256"]) == 64
    assert description["settings"]["examples"] == 1 and set(description["settings"]) == set(PromptSettings.model_fields)


def test_settings_of_an_endpoint_are_for_the_model_to_describe() -> None:
    class EndpointSettings(PromptSettings):
        base_url: str = "https://user:secret@example.org"

    brain = ModelPlanner(Listed(), EndpointSettings())
    assert "secret" not in json.dumps(brain.describe())


def episode(answers: Sequence[str], **settings: object) -> tuple[object, Listed]:
    brain, model = planner(*answers, **settings)
    return stage().play("put the apple on the table", brain), model


def test_a_whole_episode() -> None:
    answers = [step("Go to", "apple"), step("Pick", "apple"), step("Go to", "table"), step("Put", "apple", "table")]
    result, model = episode([*answers, step("End")])
    assert result.ended_by == "ended"
    assert [item.feedback.status for item in result.history] == ["success"] * 5
    assert "Inventory: apple" in texts(model.asked[2])[-1][1]


def test_the_model_learns_which_steps_would_change_nothing() -> None:
    refused, ended = Feedback("fail", ErrorCode.D1, "too far"), Feedback("fail", ErrorCode.E1, "it slipped")
    apple, bowl, drop = Subtask("Pick", "apple"), Subtask("Go to", "bowl"), Subtask("Put", "apple", "bowl")
    succeeded = HistoryItem(2, bowl, Feedback("success"))
    for history, useless in (
        ((), ()),
        ((HistoryItem(1, apple, refused), succeeded), (bowl,)),
        ((succeeded, HistoryItem(3, drop, refused), HistoryItem(4, apple, ended)), (bowl, drop)),
        ((HistoryItem(1, Subtask("Move", "forward"), Feedback("success")), HistoryItem(2, drop, refused)), (drop,)),
    ):
        asking, model = planner("What?", step("Pick", "apple"))
        asking.decide(replace(GIVEN, history=history))
        assert [request.useless for request in model.asked] == [useless] * 2, "asked again, too"


def test_an_episode_goes_on_after_an_unreadable_answer_which_is_reported_as_feedback() -> None:
    result, model = episode(["hm", "hm", step("Go to", "apple"), step("End")], reasks=1)
    assert result.ended_by == "ended" and result.rounds == 3
    assert [str(item.subtask) for item in result.history] == ["[Go to, apple]", "[End]"]
    assert "Feedback: The answer has no subtask that can be read." in texts(model.asked[2])[-1][1]


def test_an_action_that_is_not_listed_becomes_f1() -> None:
    """It is asked again first, which costs no round; then the executor refuses it in the words that planners know."""
    squeeze = "Analysis: x\nSubtask: [Squeeze, apple]\nModel: text"
    result, model = episode([squeeze, squeeze, step("End")], reasks=1)
    assert result.history[0].feedback.code is ErrorCode.F1
    assert str(result.history[0].subtask) == "[Squeeze, apple]"
    assert result.history[0].feedback.message.startswith("squeeze is not in the action list!")
    assert (result.rounds, len(model.asked)) == (2, 3)
    assert "is not in the list of actions: Go to, Pick" in str(model.asked[1].messages[-1].parts[0])


def test_an_action_that_is_corrected_costs_no_round() -> None:
    result, model = episode([step("Fly to", "apple"), step("Go to", "apple"), step("End")])
    assert [item.subtask.action for item in result.history] == ["Go to", "End"]
    assert (result.rounds, len(model.asked)) == (2, 3)


def test_a_plan_is_carried_out_in_one_round() -> None:
    plan = [{"action": "Go to", "target": "apple"}, {"action": "Pick", "target": "apple"}, {"action": "End"}]
    result, model = episode([json.dumps({"executable_plan": plan, "model": "text"})], template="embodiedbench")
    assert (result.ended_by, result.rounds, len(model.asked)) == ("ended", 1, 1)
    assert [item.subtask for item in result.history] == [Subtask("Go to", "apple"), Subtask("Pick", "apple"), END]
