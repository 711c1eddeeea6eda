"""How answers by number are read with the quirks of EmbodiedBench's evaluators."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_choices import GIVEN, MOVES, Listed, answer

from homie.kernel.types import END, Subtask
from planners.llm.messages import Reply
from planners.llm.model_planner import ModelPlanner
from planners.llm.numbered_choices import read_ids
from planners.llm.prompting.settings import PromptSettings
from planners.llm.reading import UnreadableAnswer
from suites.published.quirks import EB_ALFRED, EB_NAVIGATION


@pytest.mark.parametrize(
    ("quirks", "numbers", "steps"),
    [
        (EB_ALFRED, (0, 1, 9, 2), MOVES[:2]),
        (EB_ALFRED, (), ()),
        (EB_NAVIGATION, (0, 9, 2), MOVES[:1]),
        (EB_NAVIGATION, (9,), ()),
    ],
)
def test_official_readings_cut_a_plan_where_a_number_is_not_in_the_list(quirks, numbers, steps) -> None:
    """EB-Navigation ends there, and an empty plan of EB-ALFRED does."""
    ended = (END,) if quirks is EB_NAVIGATION or not numbers else ()
    reading = read_ids(answer(*numbers), MOVES, quirks=quirks)
    assert reading.subtasks == (*(choice.subtask for choice in steps), *ended)


@pytest.mark.parametrize(("quirks", "numbers"), [(EB_ALFRED, (9, 0)), (EB_NAVIGATION, ())])
def test_what_no_reading_takes(quirks, numbers) -> None:
    with pytest.raises(UnreadableAnswer, match=r"There is no action 9|The plan is empty"):
        read_ids(answer(*numbers), MOVES, quirks=quirks)


PLAIN = answer(0, 2)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{PLAIN}\n```",
        f"Here it is: {PLAIN}",
        f"{PLAIN} That is all.",
        PLAIN[:-1],
        PLAIN.replace('"', "'"),
        PLAIN.replace('"action_id": 0', '"action_id": "0"'),
        PLAIN.replace('"action_id": 2', '"action_id": "2"'),
        PLAIN.replace('"action_id": 2', '"action_id": null'),
        PLAIN.replace('"action_id": 2', '"id": 2'),
        PLAIN.replace('"action_id": 0', '"action_id": -1'),
        PLAIN.replace('"action_id": 0', '"action_id": 1e9'),
        PLAIN.replace("executable_plan", "plan"),
        f"[{PLAIN}]",
        '{"executable_plan": [0, 2]}',
        '{"executable_plan": null}',
        '{"executable_plan": 3}',
        f"<think>Hm.</think>{PLAIN}",
        "\ufeff" + PLAIN,
        "",
    ],
)
def test_the_released_eb_alfred_reads_no_more_than_plain_json(text) -> None:
    """What `json_to_action` of the release gives -1 for: an invalid action."""
    with pytest.raises(UnreadableAnswer):
        read_ids(text, MOVES, quirks=EB_ALFRED)


@pytest.mark.parametrize(
    ("text", "subtasks"),
    [
        (PLAIN, (MOVES[0].subtask, MOVES[2].subtask)),
        (f"\n {PLAIN} \n", (MOVES[0].subtask, MOVES[2].subtask)),
        (PLAIN.replace('"action_id": 2', '"action_id": 1.5'), (MOVES[0].subtask, Subtask("1.5"))),
        (PLAIN.replace('"action_id": 0', '"action_id": true'), (Subtask("true"), MOVES[2].subtask)),
        (PLAIN.replace('"action_id": 2', '"action_id": 2.0'), (MOVES[0].subtask, Subtask("2.0"))),
        (PLAIN.replace('"action_id": 2', '"action_id": NaN'), (MOVES[0].subtask, Subtask("NaN"))),
        (PLAIN.replace('"action_id": 2', '"action_id": Infinity'), (MOVES[0].subtask,)),
        (PLAIN.replace('"action_id": 2', '"action_id": -0.5'), (MOVES[0].subtask,)),
        ('{"executable_plan": [{"action_id": 1}, {"action_id": 9}, {"action_id": "x"}]}', (MOVES[1].subtask,)),
        ('{"executable_plan": []}', (END,)),
        ('{"executable_plan": {}}', (END,)),
        ('{"executable_plan": ""}', (END,)),
        ('{"executable_plan": [], "executable_plan": [{"action_id": 1}]}', (MOVES[1].subtask,)),
    ],
)
def test_the_released_eb_alfred_reads_no_less(text, subtasks) -> None:
    reading = read_ids(text, MOVES, leniencies=(), quirks=EB_ALFRED)
    assert (reading.subtasks, reading.leniencies) == (subtasks, ())


def test_the_released_eb_alfred_does_not_look_at_how_an_answer_ended() -> None:
    for finish, reasoning in (("length", ""), ("unknown", ""), ("stop", answer(1))):
        planner = ModelPlanner(Listed(Reply(PLAIN, reasoning, finish)), PromptSettings(template="embodiedbench-nav"))
        planner.reset(GIVEN.task, seed=0)
        decision = planner.decide(replace(GIVEN, quirks=EB_ALFRED))
        assert not decision.problem and len(decision.subtasks) == 2
    planner = ModelPlanner(Listed(Reply("", PLAIN)), PromptSettings(template="embodiedbench-nav"))
    planner.reset(GIVEN.task, seed=0)
    assert planner.decide(replace(GIVEN, quirks=EB_ALFRED)).problem, "it reads no reasoning"


@pytest.mark.parametrize("quirks", [EB_ALFRED, EB_NAVIGATION])
def test_with_official_faults_nothing_is_asked_again(quirks) -> None:
    model = Listed("no plan", answer(0))
    planner = ModelPlanner(model, PromptSettings(template="embodiedbench-nav"))
    planner.reset(GIVEN.task, seed=0)
    decision = planner.decide(replace(GIVEN, quirks=quirks))
    assert decision.problem and len(model.asked) == 1
