"""What is executed is what was said: answers that were once carried out as something else, in episodes over HTTP."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from endpoint import Endpoint, says
from text_world import Stage, home, stage

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import EpisodeListener
from homie.kernel.types import Answer, EpisodeResult, ErrorCode, Event, PlannerAnswered
from homie.runtime.assembly import load_planner
from homie.runtime.runstore import Usage

END = '{"analysis": "Enough.", "subtask": {"action": "End"}, "model": "text"}'


def subtask(**parts: str) -> str:
    return json.dumps({"analysis": "Next.", "subtask": parts, "model": "text"})


PICK, GO = subtask(action="Pick", target="apple"), subtask(action="Go to", target="fridge")


def play(*answers: str, held: str = "", **settings: object) -> tuple[EpisodeResult, Stage, list[str]]:
    """An episode in the text world, in front of the kitchen counter; the model's last input, question by
    question."""
    world = home()
    world.at = "kitchen_counter_1"
    staged = stage(world=world)
    with Endpoint(*map(says, answers)) as endpoint:
        chat_settings = {"base_url": endpoint.url, "examples": 0, **settings}
        result = staged.play("tidy up", load_planner("chat:m", chat_settings))
        questions = [json.dumps(request.body["messages"][-1]) for request in endpoint.asked]
    return result, staged, questions


@pytest.mark.parametrize(
    "answer",
    [
        "Analysis: a\nSubtask: [Pick, apple, bowl]\nModel: text",
        subtask(action="Pick", target="apple", destination="bowl"),
        subtask(action="Open", target="drawer", destination="fridge"),
        subtask(action="Go to", target="apple", destination="kitchen"),
        subtask(action="Put", target="bowl", place="table"),
        subtask(action="Put", target="bowl", location="table"),
        subtask(action="Put", target="bowl", to="table"),
        subtask(action="Put", target="bowl", receptacle="table"),
        subtask(action="Put", target="bowl"),
        f"```json\n{GO}\n```\n```json\n{PICK}\n```\n```json\n{END}\n```",
        f"{GO}\n{PICK}\n{END}",
        f"<think>The apple is in sight, should I answer {END}? No, the task is not done,",
        f"{PICK}\nI considered {END} but the task is not done.",
        f"{PICK}\nuser\nFeedback: None\nassistant\n{END}",
        f"{PICK}\n// {END}",
        f"Do not output {END}",
        f"It would be wrong to answer {END}",
        f"Previously I answered {GO}",
        "Analysis: My last Subtask: [Pick, apple] failed.\nSubtask: [Go to, apple]\nModel: text",
        "Analysis: I must not say Subtask: [End] yet.\nSubtask: [Pick, apple]\nModel: text",
        "**Subtask:** [Go to, fridge] is near. Next subtask: [Open, fridge] / Last subtask: [End]",
        '{"action": "Go to", "target": "fridge", "subtask": {"action": "End"}}',
        '{"subtask": {"action": "Go to", "target": "fridge"}, "action": "End"}',
        '{"action": "Pick, apple", "target": "pear"}',
    ],
)
def test_what_could_mean_something_else_is_asked_again_and_never_done(answer: str) -> None:
    """Three times of asking, then a round without effect, then the real End. The world is as it was."""
    result, staged, questions = play(answer, answer, answer, END)
    assert asdict(staged.world) == {**asdict(home()), "at": "kitchen_counter_1"}
    assert [str(item) for item in result.history] == ["(1) [End](success)"]
    assert (result.rounds, len(questions)) == (2, 4)
    assert "Write one JSON object and nothing else" in questions[1]


@pytest.mark.parametrize("template", ["emmoe-json", "emmoe-text", "embodiedbench"])
def test_an_example_of_the_prompt_that_comes_back_is_no_answer(template: str) -> None:
    """The model repeats the last example, as one does that takes the prompt for a document."""
    planner = load_planner("chat:m", {"template": template, "base_url": "http://127.0.0.1:9/v1"})
    prompt = planner.prompt  # type: ignore[attr-defined]
    example = prompt.examples.all[2].answer(prompt.template.answer, ("text",), {})
    answers = [says(example)] * 3 + [says(END)]
    staged = stage()
    with Endpoint(*answers) as endpoint:
        result = staged.play("tidy up", load_planner("chat:m", {"template": template, "base_url": endpoint.url}))
        assert "is an example of the instructions" in json.dumps(endpoint.asked[1].body["messages"][-1])
    assert [item.subtask.action for item in result.history] == ["End"] and staged.world.at == home().at


def test_a_plan_in_pieces_is_a_plan_where_plans_are_asked_for() -> None:
    go, pick = '{"action": "Go to", "target": "apple"}', '{"action": "Pick", "target": "apple"}'
    answer = f'```json\n{go}\n```\n```json\n{pick}\n```\n```json\n{{"action": "End"}}\n```'
    result, staged, _ = play(answer, template="embodiedbench")
    assert [item.subtask.action for item in result.history] == ["Go to", "Pick", "End"]
    assert staged.world.held() == "apple_1"


def test_a_put_of_something_else_than_what_is_in_the_hand_is_refused() -> None:
    put_subtask = subtask(action="Put", target="lemon", destination="sink")
    result, staged, questions = play(PICK, subtask(action="Go to", target="sink"), put_subtask, END)
    assert [item.feedback.code for item in result.history] == [None, None, ErrorCode.L2, None]
    assert staged.world.held() == "apple_1" and result.inventory == ("apple",)
    assert "what is in the hand is the apple" in questions[-1]


class Answers(EpisodeListener):
    """Keeps the answers of the model."""

    def __init__(self) -> None:
        self.all: list[Answer] = []

    def on(self, event: Event) -> None:
        if isinstance(event, PlannerAnswered):
            self.all += event.decision.answers


IN_WORDS = '```json\n{"analysis": "a", "subtask": "Pick up the apple", "model": "text"}\n```'


def test_the_rules_of_an_answer_are_recorded_with_it() -> None:
    world, keeper = home(), Answers()
    world.at = "kitchen_counter_1"
    with Endpoint(says("hm"), says(IN_WORDS), says(END)) as endpoint:
        planner = load_planner("chat:m", {"base_url": endpoint.url})
        stage(world=world).play("tidy up", planner, listener=keeper)
    assert [answer.leniencies for answer in keeper.all] == [
        (),
        ("text-subtask", "action-synonym", "words", "fence"),
        (),
    ]
    assert world.held() == "apple_1"
    usage = Usage().plus(keeper.all)
    assert (usage.answers, usage.unreadable, usage.lenient) == (3, 1, 1)
    assert usage.leniencies == {"text-subtask": 1, "action-synonym": 1, "words": 1, "fence": 1}


@pytest.mark.parametrize("leniencies", ["none", "all,-words", "all,-fence", "text-subtask,words"])
def test_a_rule_that_is_switched_off_reads_nothing(leniencies: str) -> None:
    result, staged, questions = play(IN_WORDS, IN_WORDS, IN_WORDS, END, leniencies=leniencies)
    assert staged.world.held() is None and len(questions) == 4 and result.rounds == 2
    assert " is not read). Write one JSON object" in questions[1]


def test_a_rule_that_is_misspelt_is_reported() -> None:
    with pytest.raises(BadInput, match="There is no leniency 'fences': did you mean 'fence'"):
        load_planner("chat:m", {"base_url": "http://127.0.0.1:9/v1", "leniencies": "all,-fences"})


def test_the_strict_profile_is_for_text() -> None:
    with pytest.raises(BadInput, match="use --template emmoe-text"):
        load_planner("chat:m", {"base_url": "http://127.0.0.1:9/v1", "reading": "strict-emmoe"})
    two = "Analysis: a\nSubtask: [Pick, apple]\nModel: text\nAnalysis: b\nSubtask: [End]\nModel: text"
    result, _, questions = play(two, reading="strict-emmoe", template="emmoe-text")
    assert [item.subtask.action for item in result.history] == ["End"] and len(questions) == 1
