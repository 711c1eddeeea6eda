"""The suite homie-menu-graph: the tasks of homie-menu by moves, options that tell nothing, experts that do them."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import Suite, Task, find_suite, read_subtask
from homie.kernel.errors import BadInput
from homie.kernel.robot.graph_moves import MOVES
from homie.kernel.types import is_interaction
from homie.runtime.planner_inputs import read_inputs
from suites.authoring.make_homie_menu_graph import on_graph
from suites.tables.endpoint import PROVIDER, Script, SuiteEndpoint

SUITE, MENU = find_suite("homie-menu-graph"), find_suite("homie-menu")
SKILLS = "ideal-graph,ideal,ideal-people"


def right(task: Task) -> set[str]:
    """The interactions of its expert."""
    return {step for step in task.expert or () if is_interaction(read_subtask(step))}


def test_tasks_are_those_of_homie_menu() -> None:
    """But for what is done to get there: all that is left out is what takes more than 24 steps."""
    same = set(Task.model_fields) - {"expert", "options"}
    for task in SUITE.tasks:
        assert task.model_dump(include=same) == MENU.by_id[task.id].model_dump(include=same)
    lost = Counter(task.attributes[0] for task in MENU.tasks if task.id not in SUITE.by_id)
    assert set(lost) <= {"object-interaction", "social"} and lost.total() <= 10


def test_experts_move_and_need_no_more_than_24_steps() -> None:
    assert (SUITE.protocol.sent_to, SUITE.protocol.steps) == ("points", 24)
    for task in SUITE.tasks:
        assert task.expert_length <= 24
        actions = {read_subtask(step).action for step in task.expert or ()}
        assert "Go to" not in actions
        assert actions <= {*MOVES, "End", *(read_subtask(option).action for option in task.options)}


def test_right_options_are_neither_alone_nor_distinguished_by_their_place() -> None:
    places: list[float] = []
    for task in SUITE.tasks:
        assert right(task) <= set(task.options) and len(task.options) - len(right(task)) >= 4, task.id
        assert len(task.options) >= 8
        places += [task.options.index(step) / (len(task.options) - 1) for step in right(task)]
    firsts, lasts = (sum(place == end for place in places) / len(places) for end in (0.0, 1.0))
    assert 0.3 < sum(places) / len(places) < 0.7
    assert max(firsts, lasts) < 0.3


@pytest.mark.parametrize("name", ["colour-04", "show-01"])
def test_the_file_is_what_its_maker_writes(name: str) -> None:
    written = SUITE.model_validate({**SUITE.model_dump(by_alias=True), "tasks": [on_graph(MENU.by_id[name])]})
    assert written.tasks == (SUITE.by_id[name],)


def bench(**options: object) -> runner.BenchSummary:
    usual = {"suite": "homie-menu-graph", "skills": SKILLS, "picture_size": 16, "shade": False, "retries": 0}
    return runner.bench(BenchOptions.build(**{**usual, **options}), Progress(Console(file=io.StringIO(), width=200)))


@pytest.mark.slow
def test_experts_answer_go_carry_hand_over_and_follow_by_moves(tmp_path: Path) -> None:
    tasks = "inside-01,use-01,errand-01,bring-01,follow-01,point-01"
    summary = bench(planner="expert", tasks=tasks, out=tmp_path / "run")
    assert [line.success for line in summary.lines] == [True] * 6


@pytest.mark.slow
def test_the_list_has_the_moves_the_options_and_the_ends(tmp_path: Path) -> None:
    bench(planner="expert", tasks="show-01,colour-04", out=tmp_path / "run")
    for name in ("show-01", "colour-04"):
        planner_input = next(iter(read_inputs(tmp_path / "run" / "episodes" / f"{name}-0")))
        task = SUITE.by_id[name]
        subtasks = [str(choice.subtask) for choice in planner_input.choices]
        ends = [f"[End, {answer}]" for answer in task.answers] or ["[End]"]
        assert subtasks == [*(f"[{move}]" for move in MOVES), *task.options, *ends]
        assert planner_input.pictures == ("front",)


@pytest.mark.slow
def test_the_scripted_model_finds_the_moves_by_their_numbers(tmp_path: Path) -> None:
    with SuiteEndpoint(Script()) as served:
        settings = {"base_url": served.url("homie-menu-graph"), "provider": PROVIDER, "template": "embodiedbench-ids"}
        chat = {"planner": "chat:scripted", "planner_settings": settings, "workers": 1}
        summary = bench(**chat, tasks="show-01,colour-04", out=tmp_path / "run")
    assert [line.success for line in summary.lines] == [True, True]


def test_without_moves_or_what_an_option_needs_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no skill has Move forward, .*--skills a set that moves on a graph"):
        bench(planner="expert", tasks="colour-04", out=tmp_path / "moves", skills="ideal")
    with pytest.raises(BadInput, match=r"options have what its scene or the skills have not: \[Hand over, .*person_"):
        bench(planner="expert", tasks="give-03", out=tmp_path / "people", skills="ideal-graph,ideal")


# ---------------------------------------------------------------- fields


def read(task: dict[str, object], protocol: dict[str, object]) -> Suite:
    usual = {"id": "a", "text": "take the mug", "goal": {"held": "mug"}}
    return Suite.model_validate({"format": 1, "name": "own", "protocol": protocol, "tasks": [{**usual, **task}]})


NUMBERED = {"actions": "numbered", "sent_to": "points"}


@pytest.mark.parametrize(
    ("task", "protocol", "words"),
    [
        ({"options": ["[Pick, mug]", "[Pick,mug]"]}, NUMBERED, "an option is given twice"),
        ({"options": ["Pick the mug"]}, NUMBERED, "a subtask is written"),
        ({"options": ["[Move forward]"]}, NUMBERED, "is not an option: options are what is done to a thing"),
        ({"options": ["[Go to, mug]"]}, NUMBERED, "is not an option"),
        ({"options": ["[End, red]"]}, NUMBERED, "is not an option"),
        (
            {"options": ["[Open, fridge]"], "expert": ["[Move forward]", "[Pick, mug]"]},
            NUMBERED,
            r"its expert needs \[Pick, mug\], which is none of its options",
        ),
        ({"options": ["[Pick, mug]"]}, {}, "has options: they need `actions: numbered`"),
        ({"expert": ["[Go to, mug]", "[Pick, mug]"]}, NUMBERED, "has Go to, and its protocol `sent_to: points`"),
    ],
)
def test_options_that_cannot_be_are_refused(task: dict[str, object], protocol: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(task, protocol)


def test_a_suite_without_these_fields_is_written_as_before() -> None:
    """Half-played runs are recognised by the record of their suite."""
    written = MENU.model_dump(mode="json", by_alias=True)
    assert "sent_to" not in written["protocol"] and not any("options" in task for task in written["tasks"])
    own = read({"options": ["[Pick, mug]"]}, NUMBERED)
    assert Suite.model_validate(own.model_dump(mode="json", by_alias=True)) == own
