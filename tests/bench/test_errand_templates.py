"""What each template of errands asks for, in one small home: all that it may draw there, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Collection
from string import Formatter

import pytest

from homie.bench.authoring import House
from homie.bench.authoring.errand_templates import TEMPLATES, Situation, Template
from homie.bench.authoring.task_draft import MOST_PATHS, Step, TaskDraft
from homie.kernel.world.snapshot import FixedState, JointState, ObjectState, RobotState, RoomState, WorldSnapshot

DRAWS = 80
"""Draws of a template: of six outcomes, one is missed less than once in a million times."""
ALL = ("apple", "pear", "lemon", "mug", "bowl")
FURNITURE = {
    "table_1": FixedState(kind="table", room="room_k", receives="on"),
    "sofa_1": FixedState(kind="sofa", room="room_h", receives="on"),
    "stove_1": FixedState(kind="stove", room="room_k", receives="on"),
    "fridge_1": FixedState(kind="fridge", room="room_k", receives="in"),
    "lamp_1": FixedState(kind="lamp", room="room_h"),
}
BED = {"bed_1": FixedState(kind="bed", room="room_h", receives="on")}
TWO_SOFAS = {
    "sofa_1": FixedState(kind="sofa", colour="grey", room="room_h", receives="on"),
    "sofa_2": FixedState(kind="sofa", colour="grey", room="room_h", receives="on"),
    "stove_1": FixedState(kind="stove", room="room_k"),
}


def item(kind: str, at: str, colour: str = "") -> ObjectState:
    """A thing on a piece of furniture or in the fridge."""
    relation = "in" if at == "fridge_1" else "on"
    room = FURNITURE[at].room if at in FURNITURE else "room_h"
    return ObjectState(kind=kind, colour=colour, relation=relation, at=at, room=room)  # type: ignore[arg-type]


APPLE, PEAR, MUG = item("apple", "table_1"), item("pear", "sofa_1"), item("mug", "fridge_1", "red")
BOWL, LEMON = item("bowl", "table_1"), item("lemon", "table_1")


def home(
    *,
    opened: float = 0.0,
    more: dict[str, FixedState] | None = None,
    kinds: tuple[str, ...] = ("kitchen", "hall"),
    **objects: ObjectState,
) -> House:
    """A kitchen and a hall, in which the robot is, and further rooms of these kinds."""
    names = ["room_k", "room_h", *(f"room_{number}" for number in range(2, len(kinds)))]
    return House(
        WorldSnapshot(
            rooms={name: RoomState(kind=kind) for name, kind in zip(names, kinds, strict=True)},
            fixed={**FURNITURE, **(more or {})},
            objects=objects,
            joints={"fridge_1/door": JointState(receptacle="fridge_1", fraction=opened)},
            robot=RobotState(room="room_h"),
        )
    )


def texts_drawn(name: str, house: House, kinds: Collection[str] = ALL) -> set[str]:
    """Everything that a template draws in a house, as its first text says it."""
    (template,) = (template for template in TEMPLATES if template.name == name)
    errands = [template.draw(Situation(house, kinds, random.Random(seed))) for seed in range(DRAWS)]
    assert len({errand is None for errand in errands}) == 1, "the same house has it always or never"
    return {template.wordings.plain[0].format(**errand.words) for errand in errands if errand is not None}


def several(text: str, *filled: str) -> set[str]:
    """A text with its gaps filled in several ways: `apple/sofa` for two gaps."""
    return {text.format(*words.split("/")) for words in filled}


SIMPLE = home(apple_1=APPLE, pear_1=PEAR, mug_1=MUG)
FULL = home(apple_1=APPLE, bowl_1=BOWL, pear_1=PEAR)


@pytest.mark.parametrize(
    ("name", "house", "expected"),
    [
        ("place", SIMPLE, several("put the {} on the {}", "apple/sofa", "apple/stove", "pear/table", "pear/stove")),
        ("place", home(mug_1=MUG), set()),
        ("place", home(apple_1=APPLE, more=TWO_SOFAS), set()),
        ("place", home(apple_1=APPLE, apple_2=item("apple", "sofa_1"), lemon=item("lemon", "room_h")), set()),
        ("store", SIMPLE, several("put the {} into the fridge and close it", "apple", "pear")),
        ("pair", SIMPLE, set()),
        ("pair", home(apple_1=APPLE, bowl_1=BOWL, more=BED), several(
            "put the {} and the {} on the {}", "apple/bowl/sofa", "bowl/apple/sofa", "apple/bowl/bed", "bowl/apple/bed",
        )),
        ("pair", home(apple_1=APPLE, pear_1=PEAR, more=BED), several(
            "put the {} and the {} on the bed", "apple/pear", "pear/apple",
        )),
        ("sort", SIMPLE, set()),
        ("sort", home(apple_1=APPLE), set()),
        ("sort", home(apple_1=APPLE, pear_1=PEAR, more=BED), several(
            "put the {} on the {} and the {} on the {}",
            "apple/bed/pear/stove", "apple/stove/pear/bed", "pear/bed/apple/stove", "pear/stove/apple/bed",
        )),
        ("then", SIMPLE, set()),
        ("then", home(apple_1=APPLE, pear_1=PEAR, more=BED), several(
            "first put the {} on the {}, and only then put the {} on the {}",
            "apple/bed/pear/stove", "apple/stove/pear/bed", "pear/bed/apple/stove", "pear/stove/apple/bed",
        )),
        ("fetch", SIMPLE, several("bring the {} to the {}", "apple/hall", "pear/kitchen")),
        ("fetch", home(apple_1=APPLE, kinds=("kitchen", "hall", "hall")), set()),
        ("take-out", SIMPLE, several(
            "take the mug out of the fridge, put it on the {} and close the fridge", "table", "sofa", "stove",
        )),
        ("take-out", home(apple_1=APPLE), set()),
        ("clear", home(apple_1=APPLE, lemon_1=LEMON), {"clear the table: put everything on it on the sofa"}),
        ("clear", home(apple_1=APPLE, lemon_1=LEMON, fork_1=item("fork", "table_1")), set()),
        ("clear", SIMPLE, set()),
        ("fruit", home(apple_1=APPLE, lemon_1=LEMON, bowl_1=BOWL), {"put all the fruit on the sofa"}),
        ("fruit", home(apple_1=APPLE, lemon_1=LEMON, pear_1=PEAR, more=BED), {"put all the fruit on the bed"}),
        ("fruit", home(apple_1=APPLE, pear_1=item("pear", "fridge_1"), more=BED), set()),
        ("fruit", home(apple_1=APPLE), set()),
        ("nest", FULL, several("put the {} into the bowl", "apple", "pear")),
        ("nest", SIMPLE, set()),
        ("exchange", SIMPLE, several(
            "exchange the {} and the {}: each goes to where the other is now", "apple/pear", "pear/apple",
        )),
        ("exchange", home(apple_1=APPLE, pear_1=item("pear", "stove_1")), set()),
        ("exchange", home(apple_1=APPLE, lemon_1=LEMON), set()),
        ("open", SIMPLE, {"open the fridge"}),
        ("open", home(opened=1.0), set()),
        ("shut", SIMPLE, set()),
        ("shut", home(opened=1.0), {"close the fridge"}),
        ("round", home(kinds=("kitchen", "hall", "bath")), several(
            "go to the {}, then to the {}", "kitchen/bath", "bath/kitchen",
        )),
        ("round", SIMPLE, set()),
        ("all-but", home(apple_1=APPLE, lemon_1=LEMON), several(
            "put everything that is on the table on the sofa, but leave the {}", "apple", "lemon",
        )),
        ("all-but", SIMPLE, set()),
        ("next-to", SIMPLE, several("put the {} next to the {}", "apple/pear", "pear/apple")),
        ("next-to", home(apple_1=APPLE, lemon_1=LEMON), set()),
        ("store-pair", home(apple_1=APPLE, mug_1=MUG), set()),
        ("store-pair", SIMPLE, several(
            "put the {} and the {} into the fridge and close it", "apple/pear", "pear/apple",
        )),
        ("round", home(kinds=("kitchen", "hall", "bath", "bath")), set()),
        ("join", home(apple_1=APPLE, bowl_1=BOWL, pear_1=PEAR), several(
            "put the {} and the {} next to the pear", "apple/bowl", "bowl/apple",
        )),
        ("join", SIMPLE, set()),
        ("replace", SIMPLE, several("put the {} on the stove, and the {} where the {} was", "apple/pear/apple",
                                    "pear/apple/pear")),
        ("replace", home(apple_1=APPLE, lemon_1=LEMON), set()),
        ("chain", home(apple_1=APPLE, pear_1=PEAR, lemon_1=item("lemon", "bed_1"), more=BED), several(
            "put the {} where the {} is, and the {} where the {} is", "apple/pear/pear/lemon", "apple/lemon/lemon/pear",
            "pear/apple/apple/lemon", "pear/lemon/lemon/apple", "lemon/apple/apple/pear", "lemon/pear/pear/apple",
        )),
        ("chain", SIMPLE, set()),
        ("cycle", SIMPLE, set()),
    ],
)  # fmt: skip
def test_what_a_template_asks_for_in_a_home(name: str, house: House, expected: set[str]) -> None:
    assert texts_drawn(name, house) == expected


def test_every_template_is_known_here() -> None:
    assert [template.name for template in TEMPLATES] == [
        "place", "store", "pair", "sort", "then", "fetch", "take-out", "clear", "fruit", "nest", "exchange", "open",
        "shut", "round", "all-but", "next-to", "store-pair", "join", "replace", "chain", "cycle",
    ]  # fmt: skip
    assert [template.name for template in TEMPLATES if template.opened] == ["shut"]
    assert [template.name for template in TEMPLATES if template.essential] == ["fetch", "open"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_wordings_name_what_the_task_is_about_and_free_ones_are_for_tests_only(template: Template) -> None:
    wordings = template.wordings
    texts = [*wordings.plain, *wordings.human, *wordings.free]
    assert len(set(texts)) == len(texts) and len(wordings.free) >= 2
    slots = {name for _, name, _, _ in Formatter().parse(wordings.plain[0]) if name}
    for text in texts:
        assert {name for _, name, _, _ in Formatter().parse(text) if name} == slots, text
    rng = random.Random(1)
    sampled = [wordings.sample(rng) for _ in range(300)]
    assert not [text for text, _ in sampled if any(free in text for free in wordings.free)]
    assert 0.25 < sum(human for _, human in sampled) / 300 < 0.55
    assert all(any(wording in text for wording in (*wordings.plain, *wordings.human)) for text, _ in sampled)
    assert wordings.sample(rng, free=("only this",)) == ("only this", True)


def test_only_the_kinds_that_may_be_asked_for_are() -> None:
    assert texts_drawn("store", SIMPLE, ("apple",)) == {"put the apple into the fridge and close it"}
    assert texts_drawn("nest", FULL, ("apple",)) == texts_drawn("take-out", SIMPLE, ("apple",)) == set()


def test_what_there_is_twice_is_called_by_its_colour_or_not_at_all() -> None:
    mugs = {"mug_1": item("mug", "table_1", "red"), "mug_2": item("mug", "sofa_1", "blue")}
    assert texts_drawn("store", home(**mugs)) == several("put the {} mug into the fridge and close it", "red", "blue")
    alike = {"mug_1": item("mug", "table_1", "red"), "mug_2": item("mug", "sofa_1", "red")}
    assert texts_drawn("store", home(**alike)) == set()


def only(name: str, house: House) -> TaskDraft:
    """What a template draws in a house that leaves it no choice."""
    (template,) = (template for template in TEMPLATES if template.name == name)
    errands = [template.draw(Situation(house, ALL, random.Random(seed))) for seed in range(3)]
    assert errands[0] is not None and errands[0] == errands[1] == errands[2]
    return errands[0]


def test_what_is_put_away_is_put_first_and_shut_then() -> None:
    house = home(apple_1=APPLE)
    errand = only("store", house)
    subtasks = ["[Go to, fridge]", "[Open, fridge]", "[Go to, apple]", "[Pick, apple]", "[Go to, fridge]"]
    assert errand.expert(house) == [*subtasks, "[Put, apple, fridge]", "[Close, fridge]", "[End]"]
    assert errand.goal(house) == {"all": [{"in": ["apple_1", "fridge_1"]}, {"closed": "fridge_1"}]}
    assert errand.keypaths(house) == [["[Pick, apple]", "[Put, apple, fridge]", "[Close, fridge]", "[End]"]]
    assert errand.things() == ["apple_1"]


def test_things_that_change_places_go_where_the_next_one_was() -> None:
    house = home(apple_1=APPLE, pear_1=PEAR, lemon_1=item("lemon", "bed_1"), more=BED)
    (template,) = (template for template in TEMPLATES if template.name == "cycle")
    errand = template.draw(Situation(house, ALL, random.Random(1)))
    assert errand is not None
    places = {"apple": "table_1", "pear": "sofa_1", "lemon": "bed_1"}
    a, b, c = (errand.words[slot] for slot in "abc")
    assert errand.goal(house) == {"all": [{"at": [f"{x}_1", places[y]]} for x, y in ((a, b), (b, c), (c, a))]}
    here = places[a].removesuffix("_1")
    assert errand.expert(house)[:6] == [
        f"[Go to, {a}]", f"[Pick, {a}]", f"[Go to, {b}]", f"[Put, {a}, {places[b].removesuffix('_1')}]",
        f"[Pick, {b}]", f"[Go to, {c}]",
    ]  # fmt: skip
    assert errand.expert(house)[-3:] == [f"[Go to, {here}]", f"[Put, {c}, {here}]", "[End]"]


def test_what_is_fetched_stays_in_the_hand() -> None:
    house = home(apple_1=APPLE)
    errand = only("fetch", house)
    assert errand.expert(house) == ["[Go to, apple]", "[Pick, apple]", "[Go to, hall]", "[End]"]
    assert errand.goal(house) == {"all": [{"held": "apple_1"}, {"robot_in": "room_h"}]}
    assert errand.keypaths(house) == [["[Pick, apple]", "[Go to, hall]", "[End]"]]


@pytest.mark.parametrize(("name", "word", "opened"), [("open", "Open", 0.0), ("shut", "Close", 1.0)])
def test_what_is_opened_or_shut_is_so_afterwards(name: str, word: str, opened: float) -> None:
    house = home(opened=opened)
    errand = only(name, house)
    assert errand.expert(house) == ["[Go to, fridge]", f"[{word}, fridge]", "[End]"]
    assert errand.goal(house) == {"all": [{"open" if name == "open" else "closed": "fridge_1"}]}
    assert errand.keypaths(house) == [[f"[{word}, fridge]", "[End]"]] and errand.things() == []


def test_of_several_rooms_to_visit_only_the_last_is_where_the_robot_is() -> None:
    house = home(kinds=("kitchen", "hall", "bath"))
    errand = TaskDraft((Step("visit", where="room_k"), Step("visit", where="room_2")), {}, ordered=True)
    assert errand.goal(house) == {"all": [{"robot_in": "room_2"}]}
    assert errand.keypaths(house) == [["[Go to, kitchen]", "[Go to, bath]", "[End]"]]
    assert errand.expert(house) == ["[Go to, kitchen]", "[Go to, bath]", "[End]"]


def test_carries_come_in_any_order_where_the_text_says_none() -> None:
    house = home(apple_1=APPLE, bowl_1=BOWL)
    carries = (Step("carry", "apple_1", "sofa_1"), Step("carry", "bowl_1", "sofa_1"))
    apple, bowl = ["[Pick, apple]", "[Put, apple, sofa]"], ["[Pick, bowl]", "[Put, bowl, sofa]"]
    assert TaskDraft(carries, {}).keypaths(house) == [[*apple, *bowl, "[End]"], [*bowl, *apple, "[End]"]]
    assert TaskDraft(carries, {}, ordered=True).keypaths(house) == [[*apple, *bowl, "[End]"]]
    shut = (*carries, Step("close", where="fridge_1"))
    assert [path[-2] for path in TaskDraft(shut, {}).keypaths(house)] == ["[Close, fridge]"] * 2, "the door comes last"
    first = (Step("open", where="fridge_1"), *carries)
    assert [path[0] for path in TaskDraft(first, {}).keypaths(house)] == ["[Open, fridge]"] * 2
    assert TaskDraft(carries, {}).goal(house) == {"all": [{"at": ["apple_1", "sofa_1"]}, {"at": ["bowl_1", "sofa_1"]}]}
    nested = TaskDraft((Step("carry", "apple_1", "bowl_1"),), {})
    assert nested.goal(house) == {"all": [{"in": ["apple_1", "bowl_1"]}]}


def test_there_are_no_more_key_paths_than_a_suite_can_hold() -> None:
    house = home(**{f"cup_{number}": item(f"cup{number}", "table_1") for number in range(6)})
    carries = tuple(Step("carry", f"cup_{number}", "sofa_1") for number in range(6))
    assert MOST_PATHS == 120 and len(TaskDraft(carries, {}).keypaths(house)) == MOST_PATHS
    assert len(TaskDraft(carries[:4], {}).keypaths(house)) == 24
