"""Training data ask in the words of the planner itself, and what they teach to answer is what the planner reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from homie.kernel.actions import ACTIONS, Ability
from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.types import END, VIEWS, PlannerInput, Subtask
from homie.runtime.assembly import load_prompts
from planners.llm.messages import LanguageModel, Reply, Request
from planners.llm.model_planner import ModelPlanner
from planners.llm.prompting.settings import PromptSettings
from planners.llm.rewriting import ModelRewriter
from planners.random_valid import RandomPlanner

TEMPLATES = ("emmoe-json", "emmoe-text", "embodiedbench")


class Recited(LanguageModel):
    """Gives its answers one after the other and keeps what it was asked."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        if not self.answers:
            raise PlannerError("no more answers")
        return Reply(self.answers.pop(0))


def situation(number: int = 1) -> PlannerInput:
    return PlannerInput(
        task="put the apple in the fridge",
        round=number,
        views={view: np.full((40, 40, 3), place, np.uint8) for place, view in enumerate(VIEWS)},
        detections=(),
        inventory=(),
        history=(),
        feedback=None,
        actions=ACTIONS,
        models=("nomad", "octo"),
        abilities={"nomad": Ability(("Go to",)), "octo": Ability(("Pick", "Put"))},
    )


@pytest.mark.parametrize("settings", [{}, {"template": "emmoe-text", "examples": 0}, {"chat_turns": 2}])
def test_it_asks_what_the_planner_asks(settings):
    writer = load_prompts(settings)
    answers = [writer.answer(Subtask("Go to", "apple"), "nomad", f"round {number}") for number in (1, 2, 3)]
    model = Recited(answers)
    planner = ModelPlanner(model, PromptSettings(**settings))
    planner.reset("put the apple in the fridge", seed=0)
    earlier: list[tuple[PlannerInput, str]] = []
    for number, answer in enumerate(answers, 1):
        planner_input = situation(number)
        planner.decide(planner_input)
        messages, written = model.asked[-1].messages, writer.ask(planner_input, earlier)
        assert [message.role for message in messages] == [message.role for message in written]
        assert [part for message in messages for part in message.parts if isinstance(part, str)] == [
            part for message in written for part in message.parts if isinstance(part, str)
        ]
        pictures = [part for message in written for part in message.parts if not isinstance(part, str)]
        assert all(any(picture is view for view in planner_input.views.values()) for picture in pictures), (
            "shown as they were taken"
        )
        earlier.append((planner_input, answer))


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("analysis", [None, "The apple is in reach."])
@pytest.mark.parametrize("subtask", [Subtask("Pick", "apple"), Subtask("Put", "apple", "fridge"), END])
def test_what_it_teaches_is_read_as_it_is_meant(template, analysis, subtask):
    writer = load_prompts({"template": template})
    model = "" if subtask == END else "octo"
    read = writer.read(writer.answer(subtask, model, analysis), situation())
    assert (read.problem, read.subtasks, read.model) == ("", (subtask,), model)
    assert read.analysis == (analysis or "")


@pytest.mark.parametrize(
    "ending", [{"report": "success"}, {"answer": "no"}, {"report": "failure", "answer": "Two; I saw no third."}]
)
def test_what_it_teaches_to_say_with_end_is_read(ending):
    writer = load_prompts()
    text = writer.answer(END, "", "I have looked.", **ending)
    read = writer.read(text, situation())
    assert (read.problem, read.subtasks, read.report, read.answer) == (
        "",
        (END,),
        ending.get("report", ""),
        ending.get("answer", ""),
    )
    assert writer.answer(END, "", "I have looked.", report="", answer="") == writer.answer(END, "", "I have looked.")
    assert writer.answer(Subtask("Pick", "apple"), "octo", **ending) == writer.answer(Subtask("Pick", "apple"), "octo")


def test_what_is_not_in_its_list_is_read_and_reported():
    writer = load_prompts()
    read = writer.read(writer.answer(Subtask("Fetch", "apple"), "octo"), situation())
    assert read.subtasks == (Subtask("Fetch", "apple"),) and "'Fetch' is not in the list of actions" in read.problem
    assert writer.read("I do not know.", situation()).subtasks == ()


def test_settings_that_there_are_not_are_refused():
    with pytest.raises(BadInput, match="The prompt has no setting 'exampels': did you mean 'examples'"):
        load_prompts({"exampels": 3})


def rewriter(answers: Sequence[str]) -> tuple[ModelRewriter, Recited]:
    model = Recited(answers)
    return ModelRewriter(ModelPlanner(model, PromptSettings())), model


def test_a_version_keeps_names_and_is_new():
    text = "put the red_apple into the fridge"
    writer, model = rewriter(
        [
            '"Place the red apple in the fridge"',
            "Place the fruit in the fridge",
            "place the RED APPLE in the fridge",
            "Into the fridge with the red_apple, please",
        ]
    )
    assert writer.rewrite(text, ["red_apple", "fridge", "sofa"], 2) == (
        "Place the red apple in the fridge",
        "Into the fridge with the red_apple, please",
    )
    assert model.asked[0].messages[1].parts == (text,)
    assert "red_apple, fridge" in str(model.asked[-1].messages[-1].parts[0])


def test_a_model_that_loses_names_is_given_up():
    writer, model = rewriter(["take it", "do it", "place it", "bring it"])
    assert writer.rewrite("take the apple", ["apple"], 3) == ()
    assert len(model.asked) == 3


def test_a_planner_without_a_model_is_refused():
    with pytest.raises(BadInput, match="no language model to rewrite"):
        ModelRewriter(RandomPlanner())
