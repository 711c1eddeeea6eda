"""The suite homie-eb-house: 50 errands in six ways, paired; what its texts mean, and what its experts need."""

from __future__ import annotations

from collections import Counter

import pytest

from homie.bench.authoring.house import House
from homie.bench.authoring.numbered_actions import endings, list_actions
from homie.bench.suite.suite import find_suite, read_subtask
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.types import HELD
from homie.kernel.world.household_verbs import VERBS
from homie.kernel.world.snapshot import FixedState, ObjectState, RoomState, WorldSnapshot
from suites.authoring.homie_eb.house_drawing import LONG, NUMBER, STEPS, house
from suites.authoring.homie_eb.house_references import by_look, by_place, by_use, named
from suites.authoring.make_homie_eb_house import RECIPE
from suites.authoring.states_script import UnsuitedHouse
from suites.published.embodiedbench_files import ALFRED_SUBSETS

SUITE = find_suite("homie-eb-house")
SUBSETS = tuple(subset.replace("_", "-") for subset in ALFRED_SUBSETS)
ERRANDS = [f"e{number:02}" for number in range(1, NUMBER + 1)]
SHORT = [subset for subset in SUBSETS if subset != "long-horizon"]


def test_every_errand_is_in_every_subset_with_the_same_scene_goal_and_expert() -> None:
    assert [task.id for task in SUITE.tasks] == [f"{errand}-{subset}" for errand in ERRANDS for subset in SUBSETS]
    assert all(task.attributes == (task.id[4:],) for task in SUITE.tasks)
    for errand in ERRANDS:
        base, *others = (SUITE.by_id[f"{errand}-{subset}"] for subset in SHORT)
        assert all((task.scene, task.goal, task.expert) == (base.scene, base.goal, base.expert) for task in others)
        assert len({task.text for task in (base, *others)}) == 5
        assert SUITE.by_id[f"{errand}-long-horizon"].scene == base.scene


def test_the_protocol_is_that_of_eb_alfred_and_experts_keep_to_it() -> None:
    protocol = SUITE.protocol
    assert (protocol.actions, protocol.steps, protocol.failures) == ("numbered", STEPS, 10) == ("numbered", 30, 10)
    lengths = {subset: [SUITE.by_id[f"{errand}-{subset}"].expert_length for errand in ERRANDS] for subset in SUBSETS}
    assert max(lengths["base"]) <= STEPS
    assert LONG[0] <= min(lengths["long-horizon"]) and max(lengths["long-horizon"]) <= LONG[1]


@pytest.mark.parametrize("errand", ERRANDS[::7])
def test_an_expert_plays_by_the_numbers_of_its_scene_towards_a_goal_that_is_open(errand: str) -> None:
    table = {**ACTION_TABLE, **{name: verb.action for name, verb in VERBS.items()}}
    for subset in ("base", "long-horizon"):
        task = SUITE.by_id[f"{errand}-{subset}"]
        here = house(task.scene.seed)
        assert here is not None and task.goal is not None
        assert not task.goal.holds(here.state) and task.goal.progress(here.state) < 1
        actions = (*list_actions(here.state, table, table, str), *endings(()))
        choices = {choice.subtask for choice in actions}
        assert {read_subtask(step) for step in task.expert or ()} <= choices


@pytest.mark.parametrize("number", [1, 24, 50])
def test_the_file_is_what_its_maker_writes(number: int) -> None:
    for written in RECIPE.tasks(number):
        task = SUITE.by_id[written["id"]]
        assert (task.text, list(task.expert or ())) == (written["text"], written["expert"])


def item(kind: str, colour: str, at: str) -> ObjectState:
    return ObjectState(kind=kind, colour=colour, room="kitchen", relation="on", at=at)


HOUSE = House(
    WorldSnapshot(
        rooms={"kitchen": RoomState(kind="kitchen"), "bedroom": RoomState(kind="bedroom")},
        fixed={
            "table": FixedState(kind="table", colour="wood", room="kitchen", receives="on"),
            "shelf": FixedState(kind="shelf", colour="brown", room="kitchen", receives="in"),
            "desk": FixedState(kind="desk", colour="white", room="bedroom", receives="on"),
            "fridge": FixedState(kind="fridge", colour="silver", room="kitchen", receives="in"),
        },
        objects={
            "apple": item("apple", "red", "table"),
            "tomato": item("tomato", "red", "shelf"),
            "pear": item("pear", "green", "table"),
            "mug_1": item("mug", "blue", "shelf"),
            "mug_2": item("mug", "red", "desk"),
        },
    )
)


def test_how_things_are_referred_to() -> None:
    assert (named(HOUSE, "mug_2"), named(HOUSE, "fridge")) == ("the red mug", "the fridge")
    assert by_use(HOUSE, "apple") == "the fruit that cider is pressed from"
    assert by_place(HOUSE, "tomato") == "the vegetable in the shelf"
    assert by_place(HOUSE, "desk") == "the place where the red mug is"
    assert by_place(HOUSE, "fridge") == "the fridge in the kitchen"
    assert by_look(HOUSE, "mug_1") == "the blue vessel with a handle"
    assert by_look(HOUSE, "desk") == "the white piece of furniture in the bedroom"


@pytest.mark.parametrize(
    ("refer", "name", "why"),
    [
        (by_use, "mug_1", "nothing is known of mug_1 alone"),
        (by_place, "apple", "not the only one of its class where it is"),
        (by_look, "apple", "not the only red ball-shaped thing"),
        (by_look, "table", "not the only wood furniture"),
    ],
)
def test_what_could_mean_two_things_is_not_said(refer, name: str, why: str) -> None:
    with pytest.raises(UnsuitedHouse, match=why):
        refer(HOUSE, name)


def test_the_eight_kinds_of_errands_are_there_and_put_down_what_the_hand_holds() -> None:
    used = Counter(read_subtask(step).action for task in SUITE.tasks for step in task.expert or ())
    assert {"Turn on", "Wash", "Heat", "Cool", "Slice", "Close"} <= set(used)
    puts = [step for task in SUITE.tasks for step in task.expert or () if step.startswith("[Put")]
    assert puts and all(step.startswith(f"[Put, {HELD}, ") for step in puts)
