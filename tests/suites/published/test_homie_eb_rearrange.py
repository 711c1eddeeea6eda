"""The suite homie-eb-rearrange: 50 errands that move things, in six ways, paired, by way of furniture."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.authoring.house import House
from homie.bench.authoring.numbered_actions import endings, list_actions
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import find_suite, read_subtask
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, RoomState, WorldSnapshot
from suites.authoring.homie_eb.house_drawing import LONG, NUMBER, STEPS, house
from suites.authoring.homie_eb.rearranging import Rearranging
from suites.authoring.make_homie_eb_rearrange import RECIPE
from suites.authoring.states_script import UnsuitedHouse
from suites.published.embodiedbench_files import ALFRED_SUBSETS

SUITE = find_suite("homie-eb-rearrange")
SUBSETS = tuple(subset.replace("_", "-") for subset in ALFRED_SUBSETS)
ERRANDS = [f"r{number:02}" for number in range(1, NUMBER + 1)]
MOVES = {"Go to", "Pick", "Put", "Open", "Close", "End"}


def test_every_errand_is_in_every_subset_with_the_same_scene_goal_and_expert() -> None:
    assert [task.id for task in SUITE.tasks] == [f"{errand}-{subset}" for errand in ERRANDS for subset in SUBSETS]
    for errand in ERRANDS:
        base, *others = (SUITE.by_id[f"{errand}-{subset}"] for subset in SUBSETS[:-1])
        assert all((task.scene, task.goal, task.expert) == (base.scene, base.goal, base.expert) for task in others)
        assert len({task.text for task in (base, *others)}) == 5


def test_the_protocol_is_that_of_eb_habitat_and_experts_keep_to_it() -> None:
    protocol = SUITE.protocol
    assert (protocol.actions, protocol.sent_to, protocol.steps, protocol.failures) == ("numbered", "furniture", 30, 10)
    assert {read_subtask(step).action for task in SUITE.tasks for step in task.expert or ()} == MOVES
    assert max(task.expert_length for task in SUITE.tasks) <= STEPS
    long = [task.expert_length for task in SUITE.tasks if task.attributes == ("long-horizon",)]
    assert LONG[0] <= min(long) and max(long) <= LONG[1]


@pytest.mark.parametrize("errand", ERRANDS[::7])
def test_an_expert_plays_by_the_numbers_of_furniture_towards_a_goal_that_is_open(errand: str) -> None:
    for subset in ("base", "long-horizon"):
        task = SUITE.by_id[f"{errand}-{subset}"]
        here = house(task.scene.seed)
        assert here is not None and task.goal is not None and not task.goal.holds(here.state)
        actions = (*list_actions(here.state, ACTION_TABLE, ACTION_TABLE, str, "furniture"), *endings(()))
        assert {read_subtask(step) for step in task.expert or ()} <= {choice.subtask for choice in actions}
        destinations = {choice.subtask.target for choice in actions if choice.subtask.action == "Go to"}
        assert destinations and destinations <= set(here.furniture)


@pytest.mark.parametrize("number", [1, 24, 50])
def test_the_file_is_what_its_maker_writes(number: int) -> None:
    for written in RECIPE.tasks(number):
        task = SUITE.by_id[written["id"]]
        assert (task.text, list(task.expert or ())) == (written["text"], written["expert"])


def test_the_five_kinds_of_errands_are_there() -> None:
    texts = [SUITE.by_id[f"{errand}-base"].text for errand in ERRANDS]
    for words in (" what it was in", " change places", " too.", "it. ", "and leave it there"):
        assert any(words in text + " " for text in texts), words


HOUSE = House(
    WorldSnapshot(
        rooms={"kitchen": RoomState(kind="kitchen")},
        fixed={
            "table": FixedState(kind="table", colour="wood", room="kitchen", receives="on"),
            "fridge": FixedState(kind="fridge", colour="silver", room="kitchen", receives="in"),
        },
        objects={
            "apple": ObjectState(kind="apple", colour="red", room="kitchen", relation="in", at="fridge"),
            "ball": ObjectState(kind="ball", colour="red", room="kitchen", relation="on", at="kitchen"),
        },
        joints={"fridge/door": JointState(receptacle="fridge", fraction=0.0)},
    )
)


def test_steps_go_by_furniture_and_open_once() -> None:
    script = Rearranging(HOUSE)
    script.fetch("apple")
    script.open("fridge")
    script.bring("table")
    assert script.steps == [
        *("[Go to, fridge]", "[Open, fridge]", "[Pick, apple]"),
        *("[Go to, table]", "[Put, object in hand, table]"),
    ]


def test_what_an_errand_cannot_have_is_refused() -> None:
    with pytest.raises(UnsuitedHouse, match="ball is on no furniture"):
        Rearranging(HOUSE).fetch("ball")
    script = Rearranging(HOUSE)
    script.fetch("apple")
    script.bring("table")
    script.do("Close", "fridge")
    with pytest.raises(UnsuitedHouse, match="the fridge has to stay shut"):
        script.open("fridge")


def test_the_bench_plays_an_expert_by_way_of_furniture(tmp_path: Path) -> None:
    options = BenchOptions.build(
        suite="homie-eb-rearrange",
        planner="expert",
        skills="ideal",
        tasks="r01-spatial",
        picture_size="16",
        out=tmp_path / "run",
        video=False,
    )
    summary = runner.bench(options, Progress(Console(file=io.StringIO(), width=200)))
    assert (summary.judged, summary.successes) == (1, 1)
