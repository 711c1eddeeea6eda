"""Every error code is really caused in the home of words, and answered with its exact sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from text_world import Stage, home, stage

from error_detection import code_order, paper_order
from homie.kernel.interfaces import ErrorCheck, Listeners
from homie.kernel.types import VIEWS, Check, Decision, ErrorCode, Execution, Subtask

ORDERS = [pytest.param(paper_order, id="paper"), pytest.param(code_order, id="code")]


def ask(
    scene: Stage, action: str, target: str = "", destination: str = "", *, model: str = "", held: str = ""
) -> Execution:
    """One subtask through the real executor; `held` is moved into the hand and the inventory first."""
    if held:
        scene.world.things[held].place = "hand"
    observation = scene.executor.robot.observe(VIEWS)
    scene.locator.update(observation, scene.executor.senses.detector.detect(observation))
    subtask = Subtask(action, target, destination)
    inventory = (held.rstrip("_12"),) if held else ()
    return scene.executor.execute(Decision((subtask,), model=model), subtask, inventory, observation, Listeners())


def stage_at(place: str, checks: Sequence[ErrorCheck] = paper_order) -> Stage:
    """The home with the robot standing somewhere."""
    world = home()
    world.at = place
    return stage(world=world, checks=checks)


def verdict(execution: Execution) -> tuple[str | None, str]:
    feedback = execution.feedback
    return (feedback.code.value if feedback.code else None, feedback.message)


@pytest.mark.parametrize("checks", ORDERS)
class TestBothOrders:
    def test_fine_subtasks_pass_every_layer(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("kitchen_counter_1", checks)
        for subtask in (("Go to", "apple"), ("Pick", "Apple"), ("Go to", "the blue table")):
            assert verdict(ask(scene, *subtask)) == (None, "None")
        assert verdict(ask(scene, "Put", "apple", "blue table", held="apple_1")) == (None, "None")
        assert scene.world.things["apple_1"].place == "table_2"

    def test_f1_action(self, checks: Sequence[ErrorCheck]) -> None:
        sentence = "fly to is not in the action list! You should only choose actions in the list."
        assert verdict(ask(stage_at("kitchen", checks), "Fly to", "apple")) == ("F1", sentence)

    def test_f1_names_what_is_meant(self, checks: Sequence[ErrorCheck]) -> None:
        sentence = "pik is not in the action list! You should only choose actions in the list; did you mean 'Pick'?"
        assert verdict(ask(stage_at("kitchen", checks), "Pik", "apple")) == ("F1", sentence)
        assert verdict(ask(stage_at("kitchen", checks), "Go to", "apple", model="txt")) == (
            "F1",
            "txt is not in the model list! You should only choose models in the list; did you mean 'text'?",
        )

    def test_f1_model(self, checks: Sequence[ErrorCheck]) -> None:
        sentence = "RT-2 is not in the model list! You should only choose models in the list."
        assert verdict(ask(stage_at("kitchen", checks), "Go to", "apple", model="RT-2")) == ("F1", sentence)

    def test_f1_model_without_skill(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("kitchen_counter_1", checks)
        del scene.executor.skills.by_model["text"]["Pick"]  # type: ignore[attr-defined]
        assert verdict(ask(scene, "Pick", "apple", model="TEXT")) == (
            "F1",
            "TEXT can not pick! You should choose another model in the list.",
        )
        assert verdict(ask(scene, "Pick", "apple"))[0] == "F1"

    def test_a_model_is_known_in_any_case_of_letters(self, checks: Sequence[ErrorCheck]) -> None:
        assert verdict(ask(stage_at("kitchen", checks), "Go to", "apple", model="Text")) == (None, "None")

    def test_f2_unknown(self, checks: Sequence[ErrorCheck]) -> None:
        sentence = "spaceship does not exist! Please choose another object"
        assert verdict(ask(stage_at("kitchen", checks), "Go to", "Spaceship")) == ("F2", sentence)

    def test_f2_no_target(self, checks: Sequence[ErrorCheck]) -> None:
        assert verdict(ask(stage_at("kitchen", checks), "Go to")) == (
            "F2",
            "go to needs a target! Please choose an object",
        )

    @pytest.mark.parametrize("action", ["Pick", "Open", "Close"])
    def test_l1(self, checks: Sequence[ErrorCheck], action: str) -> None:
        execution = ask(stage_at("fridge_1", checks), action, "fridge", held="apple_1")
        assert verdict(execution) == ("L1", f"Unable to {action.lower()}, the hand is full")

    def test_l2(self, checks: Sequence[ErrorCheck]) -> None:
        execution = ask(stage_at("table_1", checks), "Put", "apple", "brown table")
        assert verdict(execution) == ("L2", "Unable to put, the hand is empty")

    def test_l3_put(self, checks: Sequence[ErrorCheck]) -> None:
        execution = ask(stage_at("fridge_1", checks), "Put", "apple", "refrigerator", held="apple_1")
        assert verdict(execution) == ("L3", "Unable to put, the refrigerator is closed, you should open it first")

    def test_l4_open_and_close(self, checks: Sequence[ErrorCheck]) -> None:
        for action in ("Open", "Close"):
            execution = ask(stage_at("table_1", checks), action, "Table")
            assert verdict(execution) == ("L4", f"Can not {action.lower()} table! Please choose another object")

    @pytest.mark.parametrize(
        ("distance", "code", "sentence"),
        [
            (2.01, "D1", "Unable to {}, the target is far away"),
            (0.09, "D2", "Unable to {}, the target is too close"),
            (2.0, None, "None"),
            (0.1, None, "None"),
        ],
    )
    def test_d(self, checks: Sequence[ErrorCheck], distance: float, code: str | None, sentence: str) -> None:
        for subtask, held in ((("Pick", "apple"), ""), (("Open", "fridge"), ""), (("Put", "lemon", "sink"), "lemon_1")):
            scene = stage_at("kitchen", checks)
            scene.world.distances = {"apple_1": distance, "fridge_1": distance, "sink_1": distance}
            assert verdict(ask(scene, *subtask, held=held)) == (code, sentence.format(subtask[0].lower()))

    def test_going_is_never_too_far(self, checks: Sequence[ErrorCheck]) -> None:
        assert verdict(ask(stage_at("kitchen", checks), "Go to", "bed")) == (None, "None")

    def test_e1_after_three_attempts(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("kitchen_counter_1", checks)
        scene.skill.clumsy = {1, 2, 3}
        execution = ask(scene, "Pick", "apple")
        assert verdict(execution) == ("E1", "Unable to pick, the subtask is too difficult to perform")
        assert len(execution.attempts) == 3

    def test_e2_object_gone_after_a_put(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("table_1", checks)
        scene.skill.drops = {1}
        execution = ask(scene, "Put", "apple", "brown table", held="apple_1")
        assert verdict(execution) == ("E2", "Unable to put, and the object is missing")
        assert execution.checks[-1].layer == "execution"

    def test_a_put_that_still_holds_the_object_is_e1_after_all_attempts(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("table_1", checks)
        scene.skill.clumsy = {1, 2, 3}
        result = ask(scene, "Put", "apple", "brown table", held="apple_1")
        assert verdict(result) == ("E1", "Unable to put, the subtask is too difficult to perform")
        assert [attempt.number for attempt in result.attempts] == [1, 2, 3], "the held object can be put again"
        assert scene.world.held() == "apple_1"

    def test_a_put_may_succeed_in_a_later_attempt(self, checks: Sequence[ErrorCheck]) -> None:
        scene = stage_at("table_1", checks)
        scene.skill.clumsy = {1, 2}
        result = ask(scene, "Put", "apple", "brown table", held="apple_1")
        assert verdict(result) == (None, "None")
        assert [attempt.outcome.value for attempt in result.attempts] == ["failed", "failed", "succeeded"]
        assert result.checks[-1] == Check("execution")

    def test_a_name_too_many_is_refused_and_nothing_is_done(self, checks: Sequence[ErrorCheck]) -> None:
        for subtask in (("Pick", "apple", "bowl"), ("Open", "drawer", "fridge"), ("Go to", "apple", "kitchen")):
            scene = stage_at("kitchen_counter_1", checks)
            code, sentence = verdict(ask(scene, *subtask))
            assert code == "F1" and f"takes a target, so {subtask[2]} is one name too many" in sentence
            assert scene.world.held() is None and scene.world.at == "kitchen_counter_1"
            assert scene.world.furniture["fridge_1"].closed

    @pytest.mark.parametrize("words", ["apple", "red apple", "the apple", "apple_1", "apple_2", "apples"])
    def test_any_name_of_what_is_in_the_hand_will_do(self, checks: Sequence[ErrorCheck], words: str) -> None:
        assert verdict(ask(stage_at("table_1", checks), "Put", words, "brown table", held="apple_1")) == (None, "None")


def test_l3_pick_names_the_container_as_a_planner_would() -> None:
    execution = ask(stage_at("fridge_1"), "Pick", "banana")
    assert verdict(execution) == ("L3", "Unable to pick, the fridge is closed, you should open it first")


def test_l3_pick_is_exact_where_a_kind_would_be_ambiguous() -> None:
    scene = stage_at("drawer_1")
    second = type(scene.world.furniture["drawer_1"])("drawer_2", "kitchen", closed=True)
    scene.world.furniture["drawer_2"] = second
    scene.world.things["lemon_1"].place = "drawer_2"
    scene.world.distances = {"drawer_1": 0.5, "drawer_2": 0.9, "lemon_1": 0.9}
    execution = ask(scene, "Pick", "lemon")
    assert verdict(execution) == ("L3", "Unable to pick, the drawer_2 is closed, you should open it first")


@pytest.mark.parametrize(
    ("name", "spoken"), [("kitchen_drawer_1", "kitchen drawer"), ("kitchen_drawer", "kitchen drawer")]
)
def test_l3_speaks_of_a_container_in_words(name: str, spoken: str) -> None:
    scene = stage_at("kitchen_counter_1")
    scene.world.furniture[name] = type(scene.world.furniture["drawer_1"])(name, "kitchen", closed=True)
    scene.world.things["lemon_1"].place = name
    scene.world.distances = {name: 0.5, "lemon_1": 0.5}
    assert verdict(ask(scene, "Pick", "lemon")) == (
        "L3",
        f"Unable to pick, the {spoken} is closed, you should open it first",
    )


def test_l3_names_the_second_of_two_exactly_whichever_it_is() -> None:
    for closed, other in (("drawer_1", "drawer_2"), ("drawer_2", "drawer_1")):
        scene = stage_at("kitchen_counter_1")
        furniture = type(scene.world.furniture["drawer_1"])
        scene.world.furniture = {
            **scene.world.furniture,
            closed: furniture(closed, "kitchen", closed=True),
            other: furniture(other, "kitchen", closed=False),
        }
        scene.world.things["lemon_1"].place = closed
        scene.world.distances = {"drawer_1": 0.5, "drawer_2": 0.5, "lemon_1": 0.5}
        sentence = f"Unable to pick, the {closed} is closed, you should open it first"
        assert verdict(ask(scene, "Pick", "lemon")) == ("L3", sentence)


@pytest.mark.parametrize("words", ["lemon", "unicorn", "pineapple", "potted meat can"])
def test_l2_put_of_something_else_than_what_is_in_the_hand(words: str) -> None:
    scene = stage_at("table_1")
    sentence = f"Unable to put {words}, what is in the hand is the apple"
    assert verdict(ask(scene, "Put", words, "brown table", held="apple_1")) == ("L2", sentence)
    assert scene.world.held() == "apple_1"


def test_what_is_held_is_a_matter_of_the_locator_not_of_the_words_of_the_planner() -> None:
    """It was picked as `fruit`; the thing in the hand is an apple, whatever it was called."""
    scene = stage_at("table_1")
    scene.world.things["apple_1"].place = "hand"
    observation = scene.executor.robot.observe(VIEWS)
    for words, code in (("apple", None), ("lemon", "L2")):
        subtask = Subtask("Put", words, "brown table")
        execution = scene.executor.execute(Decision((subtask,)), subtask, ("snack",), observation, Listeners())
        assert verdict(execution)[0] == code
        scene.world.things["apple_1"].place = "hand"


def test_f2_put_with_one_name() -> None:
    sentence = "put needs a target and a destination, and sink is one name only! Please name both"
    assert verdict(ask(stage_at("sink_1"), "Put", "sink", held="apple_1")) == ("F2", sentence)


def test_l4_pick_of_furniture() -> None:
    assert verdict(ask(stage_at("table_1"), "Pick", "table")) == (
        "L4",
        "Can not pick table! Please choose another object",
    )


@pytest.mark.parametrize("place", ["kitchen", "lamp", "lemon"])
def test_l4_put_where_there_is_no_place(place: str) -> None:
    world = home()
    world.at = "table_1" if place == "lemon" else "lamp_1"
    scene = stage(world=world)
    execution = ask(scene, "Put", "apple", place, held="apple_1")
    assert verdict(execution) == ("L4", f"Can not put {place}! Please choose another object")


@pytest.mark.parametrize(("place", "code"), [("lamp", "D1"), ("lemon", "L4")])
def test_of_far_furniture_it_is_not_known_whether_there_is_a_place(place: str, code: str) -> None:
    assert verdict(ask(stage_at("kitchen"), "Put", "apple", place, held="apple_1"))[0] == code


def test_l4_put_into_itself() -> None:
    execution = ask(stage_at("sink_1"), "Put", "bowl", "bowl", held="bowl_1")
    assert verdict(execution) == ("L4", "Can not put bowl! Please choose another object")


class TestOrdersDiffer:
    """Where paper and official code disagree (docs/error-codes.md)."""

    def both(self, place: str, *subtask: str, model: str = "", held: str = "") -> tuple[str | None, str | None]:
        paper = ask(stage_at(place, paper_order), *subtask, model=model, held=held)
        code = ask(stage_at(place, code_order), *subtask, model=model, held=held)
        return verdict(paper)[0], verdict(code)[0]

    def test_unknown_target_with_a_full_hand(self) -> None:
        assert self.both("kitchen", "Pick", "spaceship", held="apple_1") == ("F2", "L1")

    def test_opening_something_unknown(self) -> None:
        assert self.both("kitchen", "Open", "spaceship") == ("F2", "L4")
        assert self.both("kitchen", "Open", "blue drawer") == ("F2", "F2")
        assert self.both("kitchen", "Open", "Blue Drawer") == ("F2", "F2")
        assert self.both("kitchen", "Close", "FRIDGE 7") == ("F2", "F2")

    def test_put_of_something_else_and_put_with_one_name(self) -> None:
        """The official code takes the last name for the place and puts the held object."""
        assert self.both("table_1", "Put", "unicorn", "brown table", held="apple_1") == ("L2", None)
        assert self.both("sink_1", "Put", "sink", held="apple_1") == ("F2", None)

    def test_unknown_model_and_full_hand(self) -> None:
        assert self.both("kitchen", "Open", "fridge", model="x", held="apple_1") == ("F1", "L1")

    def test_pick_from_a_closed_container(self) -> None:
        assert self.both("fridge_1", "Pick", "banana") == ("L3", None)

    def test_pick_of_furniture(self) -> None:
        assert self.both("table_1", "Pick", "table") == ("L4", "F2")

    @pytest.mark.parametrize(
        ("place", "subtask", "held", "codes"),
        [
            # two things wrong at once: the one that is looked at first is answered
            ("fridge_1", ("Put", "apple", "fridge"), "", ("L2", "L2")),  # L2 before L3
            ("lamp_1", ("Put", "apple", "lamp"), "", ("L2", "L2")),  # L2 before L4, and before F2
            ("fridge_1", ("Put", "apple", "banana"), "apple_1", ("L3", "L3")),  # L3 before L4, and before F2
            ("fridge_1", ("Pick", "banana"), "apple_1", ("L1", "L1")),  # L1 before L3
            ("table_1", ("Open", "table"), "apple_1", ("L1", "L1")),  # L1 before L4
            ("table_1", ("Pick", "table"), "apple_1", ("L1", "L1")),  # L1 before L4, and before F2
            ("kitchen", ("Put", "apple", "spaceship"), "", ("F2", "L2")),
            ("bed_1", ("Put", "apple", "fridge"), "apple_1", ("L3", "L3")),  # L3 before D1
            ("bed_1", ("Put", "apple", "table"), "", ("L2", "L2")),  # L2 before D1
            ("bed_1", ("Open", "table"), "", ("L4", "L4")),  # L4 before D1
            ("bed_1", ("Pick", "table"), "", ("L4", "F2")),  # L4 and F2 before D1
        ],
    )
    def test_of_two_errors_the_first_in_order_is_answered(
        self, place: str, subtask: tuple[str, ...], held: str, codes: tuple[str, str]
    ) -> None:
        assert self.both(place, *subtask, held=held) == codes

    def test_the_model_is_looked_at_first_by_the_paper_and_last_by_the_code(self) -> None:
        for place, subtask in (
            ("kitchen", ("Pick", "spaceship")),
            ("bed_1", ("Pick", "apple")),
            ("fridge_1", ("Put", "apple", "fridge")),
        ):
            paper, code = self.both(place, *subtask, model="x")
            assert paper == "F1" and code in ("F2", "D1", "L2")


def test_layers_are_reported_in_order() -> None:
    scene = stage_at("kitchen")
    assert [check.layer for check in ask(scene, "Pick", "apple").checks] == ["format", "logical", "distance"]
    code = ask(stage_at("kitchen", code_order), "Pick", "apple").checks
    assert [check.layer for check in code] == ["format", "logical", "format", "distance"]
    full = ["format", "logical", "format", "distance", "format", "execution"]
    assert [check.layer for check in ask(stage_at("kitchen_counter_1", code_order), "Pick", "apple").checks] == full
    assert code[-1] == Check("distance", code[-1].code, "Unable to pick, the target is far away")


def test_the_page_has_each_code_with_its_layer_and_its_official_sentence() -> None:
    page = (Path(__file__).parents[2] / "docs" / "error-codes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\d) \| (\w+) \|.*?\| `(.*?)`", page, re.MULTILINE)
    layers = {"F": "format", "L": "logical", "D": "distance", "E": "execution"}
    assert {code: layer for code, layer, _ in rows} == {str(code): layers[code[0]] for code in ErrorCode}
    sentences = {sentence for _, _, sentence in rows}
    for code in ErrorCode:
        assert {code.sentence, code.sentence.replace("{action}", "put")} & sentences
