"""Numbered actions: the list of a scene, and benches that are played from it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.authoring.numbered_actions import endings, list_actions
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import read_suite
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.types import END, HELD, Subtask
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, PersonState, RoomState, WorldSnapshot
from homie.runtime.planner_inputs import read_inputs
from homie.runtime.runstore import read_steps

WORLD = WorldSnapshot(
    objects={
        "mug_10": ObjectState(kind="mug", relation="on", at="table", receives="in", states={"clean": True}),
        "mug_2": ObjectState(kind="mug", relation="on", at="table", receives="in", states={"clean": False}),
        "bread": ObjectState(kind="bread", relation="on", at="table", receives="on", states={"sliced": False}),
    },
    fixed={
        "table": FixedState(kind="table", receives="on", states={"clean": False}),
        "fridge": FixedState(kind="fridge", receives="in"),
        "lamp": FixedState(kind="lamp", states={"on": False}),
    },
    rooms={"kitchen_1": RoomState(kind="kitchen")},
    joints={"fridge/door": JointState(receptacle="fridge", fraction=0.0)},
)
TABLE = {**ACTION_TABLE, **{name: verb.action for name, verb in VERBS.items()}}


def names(*actions: str) -> list[str]:
    return [choice.name for choice in list_actions(WORLD, actions, TABLE, lambda name: name.replace("_", " "))]


def test_a_list_ends_with_the_end_or_with_answers() -> None:
    assert [choice.subtask for choice in endings(())] == [END]
    assert [(choice.name, str(choice.subtask)) for choice in endings(("red", "not there"))] == [
        ("answer: red", "[End, red]"),
        ("answer: not there", "[End, not there]"),
    ]


def test_every_action_is_listed_with_what_it_can_be_tried_on_by_kind() -> None:
    assert names("Go to", "End") == [
        *("find the kitchen", "find the bread", "find the fridge", "find the lamp", "find the mug 2"),
        *("find the mug 10", "find the table"),
    ]
    assert names("Pick") == ["pick up the bread", "pick up the mug 2", "pick up the mug 10"]
    put_text = "put down the object in hand"
    assert names("Put") == [
        *(
            f"{put_text} in the fridge",
            f"{put_text} in the mug 2",
            f"{put_text} in the mug 10",
            f"{put_text} on the table",
        ),
    ]
    assert names("Open", "Close") == ["open the fridge", "close the fridge"]
    assert names("Turn on", "Turn off") == ["turn on the lamp", "turn off the lamp"]
    assert names("Slice") == ["slice the bread"]
    assert names("Wipe") == ["wipe the mug 2", "wipe the mug 10", "wipe the table"]
    assert names("Wash") == ["wash the mug 2", "wash the mug 10"], "a table is not washed"


def test_where_the_robot_is_sent_to_furniture_alone_things_are_not_destinations() -> None:
    actions = list_actions(WORLD, ["Go to", "Pick"], TABLE, str, "furniture")
    assert [choice.name for choice in actions] == [
        *("navigate to the fridge", "navigate to the table"),
        *("pick up the bread", "pick up the mug_2", "pick up the mug_10"),
    ]


def test_furniture_that_goes_by_its_colour_is_listed_with_it() -> None:
    fixed = {
        "table_1": FixedState(kind="table", colour="white", room="kitchen_1", receives="on"),
        "table_2": FixedState(kind="table", colour="wood", receives="on"),
        "cabinet": FixedState(kind="cabinet", colour="gray", room="kitchen_1"),
    }
    world = WorldSnapshot(fixed=fixed, rooms=WORLD.rooms)
    assert [choice.name for choice in list_actions(world, ["Go to"], TABLE, str)] == [
        *("find the kitchen", "find the cabinet", "find the table_1 (white, in the kitchen)"),
        "find the table_2 (wood)",
    ]


def test_what_is_done_with_people_is_listed_with_people_alone() -> None:
    people = {"person_1": PersonState(kind="person"), "person_2": PersonState(kind="person")}
    world = WORLD.model_copy(update={"people": people})
    table = {**TABLE, **{name: verb.action for name, verb in PERSON_VERBS.items()}}

    def listing(*actions: str) -> list[tuple[str, Subtask]]:
        return [(choice.name, choice.subtask) for choice in list_actions(world, actions, table, str)]

    assert listing("Hand over", "Show", "Follow") == [
        ("hand over the object in hand to the person_1", Subtask("Hand over", HELD, "person_1")),
        ("hand over the object in hand to the person_2", Subtask("Hand over", HELD, "person_2")),
        ("show the object in hand to the person_1", Subtask("Show", HELD, "person_1")),
        ("show the object in hand to the person_2", Subtask("Show", HELD, "person_2")),
        ("follow the person_1", Subtask("Follow", "person_1")),
        ("follow the person_2", Subtask("Follow", "person_2")),
    ]
    assert not any("person" in name for name, _ in listing("Pick", "Put", "Open", "Turn on"))
    assert list_actions(WORLD, ["Follow"], table, str) == ()


def test_what_the_hand_holds_is_named_when_it_is_done() -> None:
    (choice, *_) = list_actions(WORLD, ["Put"], TABLE, str)
    assert choice.subtask == Subtask("Put", HELD, "fridge")


def suite(folder: Path, *experts: list[str], goal: object = None, **protocol: object) -> Path:
    task = {"text": "put the key on the table", "goal": goal or {"on": ["key", "table"]}}
    tasks = [{"id": f"t{number}", **task, "expert": steps} for number, steps in enumerate(experts)]
    path = folder / "numbered.json"
    limits = {"rounds": 40, "trials": 1, "actions": "numbered", "steps": 30, "failures": 10, **protocol}
    path.write_text(json.dumps({"format": 1, "name": "numbered", "protocol": limits, "tasks": tasks}))
    return path


def bench(path: Path, out: Path, **options: object) -> runner.BenchSummary:
    arguments = {
        "suite": str(path),
        "out": out,
        "robot": "homie_grid:open_grid",
        "skills": "own",
        "retries": 0,
        **options,
    }
    return runner.bench(BenchOptions.build(**arguments), Progress(Console(file=io.StringIO(), width=200)))


RIGHT = [
    *("[Go to, chest]", "[Open, chest]", "[Pick, key]", "[Go to, table]"),
    *(f"[Put, {HELD}, table]", "[End]"),
]


def test_an_option_that_is_none_says_which_may_be_meant(tmp_path: Path) -> None:
    path = suite(tmp_path, RIGHT)
    content = json.loads(path.read_text())
    own = ["[Pick, key]", f"[Put, {HELD}, table]"]
    for options, says in (
        ([*own, "[Open, chest]", "[Open, chst]"], r"have not: \[Open, chst\] \(did you mean '\[Open, chest\]'\?\)\. "),
        (
            [*own, "[Open, chst]"],
            r"needs \[Open, chest\], .* none of its options \(did you mean '\[Open, chst\]'\?\)\.",
        ),
    ):
        content["tasks"][0]["options"] = options
        path.write_text(json.dumps(content))
        with pytest.raises(BadInput, match=says):
            bench(path, tmp_path / "run", planner="expert")


def test_an_expert_and_a_random_planner_play_by_numbers(tmp_path: Path) -> None:
    named, wrong = ([step.replace(HELD, name) for step in RIGHT] for name in ("key", "chest"))
    path = suite(tmp_path, RIGHT, named, wrong)
    lines = bench(path, tmp_path / "expert", planner="expert").lines
    assert [line.success for line in lines] == [True, True, False], "[Put, chest, table] has no number"
    (first, *_) = read_inputs(tmp_path / "expert" / "episodes" / "t0-0")
    assert "put down the object in hand on the table" in [choice.name for choice in first.choices]
    bench(path, tmp_path / "random", planner="random", tasks="t0")
    chosen = [record.execution.subtask for record in read_steps(tmp_path / "random" / "episodes" / "t0-0")]
    allowed = {choice.subtask for choice in first.choices} | {
        Subtask("Put", "key", place) for place in ("chest", "table")
    }
    assert chosen and set(chosen) <= allowed


def test_goal_progress_is_counted_by_condition(tmp_path: Path) -> None:
    goal = {"all": [{"on": ["key", "table"]}, {"open": "chest"}, {"held": "key"}]}
    summary = bench(suite(tmp_path, RIGHT, RIGHT[:2], goal=goal), tmp_path / "run", planner="expert")
    assert not any(line.success for line in summary.lines)
    assert summary.metrics["GP"].value == pytest.approx((2 / 3 + 1 / 3) / 2), "two of three, then one of three"


def test_from_sensors_there_are_no_numbers(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="task 't0': numbered actions name the things of a scene, and --targets sensors"):
        bench(
            suite(tmp_path, ["[End]"], goal={"held": "nothing"}),
            tmp_path / "run",
            planner="expert",
            robot="mujoco",
            skills="ideal",
            targets="sensors",
        )


def question(folder: Path, *experts: list[str], **more: object) -> Path:
    """The question where the key is, for experts with their own ways to answer it."""
    task = {"text": "where is the key?", "answers": ["chest", "table"], "keypaths": [["[End, chest]"]], **more}
    tasks = [{"id": f"q{number}", **task, "expert": steps} for number, steps in enumerate(experts)]
    path = folder / "question.json"
    protocol = {"rounds": 3, "trials": 1, "actions": "numbered"}
    path.write_text(json.dumps({"format": 1, "name": "question", "protocol": protocol, "tasks": tasks}))
    return path


def test_a_question_is_answered_by_the_way_it_is_ended(tmp_path: Path) -> None:
    path = question(tmp_path, ["[Open, chest]", "[End, chest]"], ["[End, table]"], ["[End]"], ["[End, floor]"])
    summary = bench(path, tmp_path / "run", planner="expert")
    assert [line.success for line in summary.lines] == [True, False, False, False]
    last = {name: read_steps(tmp_path / "run" / "episodes" / f"{name}-0")[-1] for name in ("q0", "q1")}
    assert [str(record.execution.subtask) for record in last.values()] == ["[End, chest]", "[End, table]"]
    refused = read_steps(tmp_path / "run" / "episodes" / "q3-0")
    assert "none of the" in refused[0].execution.feedback.message and len(refused) == 3, "it goes on to the last round"
    (first, *_) = read_inputs(tmp_path / "run" / "episodes" / "q0-0")
    assert [choice.name for choice in first.choices[-2:]] == ["answer: chest", "answer: table"]
    assert all(choice.subtask != END for choice in first.choices)


def test_the_random_planner_answers_in_the_last_round(tmp_path: Path) -> None:
    bench(question(tmp_path, ["[End, chest]"]), tmp_path / "run", planner="random", trials=8)
    ends = [read_steps(tmp_path / "run" / "episodes" / f"q0-{trial}")[-1].execution.subtask for trial in range(8)]
    assert {str(end) for end in ends} == {"[End, chest]", "[End, table]"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keypaths": [["[End, floor]"]]}, "a question needs key paths that end with one of its answers"),
        ({"keypaths": [], "goal": {"held": "key"}}, "a question needs key paths that end with one of its answers"),
        ({"answers": ["chest", "chest"]}, "an answer is given twice"),
        ({"answers": ["chest", "a, b"]}, "answers"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(tmp_path: Path, more: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_suite(question(tmp_path, ["[End, chest]"], **more))


def test_answers_need_numbers(tmp_path: Path) -> None:
    path = question(tmp_path, ["[End, chest]"])
    path.write_text(path.read_text().replace('"numbered"', '"named"'))
    with pytest.raises(BadInput, match="'q0' has answers: they need `actions: numbered`"):
        read_suite(path)
