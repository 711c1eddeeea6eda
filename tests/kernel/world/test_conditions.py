"""Conditions: what they say about a world, and how they are read and refused."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.errors import BadInput
from homie.kernel.world.conditions import PREDICATES, parse_condition, serialize_condition, unknown_words
from homie.kernel.world.snapshot import FixedState, RobotState, WorldSnapshot, read_snapshot

SNAPSHOT = {
    "objects": {
        "apple_1": {"kind": "apple", "relation": "in", "at": "bowl", "room": "kitchen", "position": [0, 0, 0]},
        "apple_2": {"kind": "apple", "relation": "on", "at": "kitchen", "room": "kitchen"},
        "bowl": {"kind": "bowl", "relation": "on", "at": "table_2", "room": "kitchen"},
        "can": {"kind": "tuna_fish_can", "relation": "in", "at": "fridge", "room": "kitchen"},
        "mug": {"kind": "mug", "relation": "held", "at": "robot", "room": "study"},
        "cube": {"kind": "cube", "relation": "in", "at": "red_container"},
        "star": {"kind": "star", "relation": "in", "at": "sorter", "surface": "star"},
        "prism": {"kind": "prism", "relation": "in", "at": "sorter", "surface": "star"},
        "low": {"kind": "block", "relation": "on", "at": "table_2"},
        "mid": {"kind": "block", "relation": "on", "at": "low"},
        "top": {"kind": "block", "relation": "on", "at": "mid"},
        "shoe": {"kind": "shoe", "relation": "under", "at": "bed"},
        "spoon": {"kind": "spoon", "relation": "held", "at": "anna"},
        "tomato_1": {"kind": "tomato", "relation": "on", "at": "worktop", "states": {"sliced": True}},
        "tomato_2": {"kind": "tomato", "relation": "on", "at": "worktop", "states": {"sliced": False}},
    },
    "fixed": {
        "red_container": {"kind": "container"},
        "sorter": {"kind": "shape sorter"},
        "bed": {"kind": "bed", "position": [1.0, 3.0, 0.3]},
        "worktop": {"kind": "counter"},
        "stove": {"kind": "stove", "states": {"on": True}},
        "lamp_1": {"kind": "lamp", "position": [5.0, 2.0, 1.0], "states": {"on": False}},
        "lamp_2": {"kind": "lamp", "states": {"on": True}},
        "left_area": {"kind": "area", "states": {"wiped": 0.95}},
        "mid_area": {"kind": "area", "states": {"wiped": 0.5}},
        "right_area": {"kind": "area", "states": {"wiped": 0.2}},
    },
    "people": {
        "anna": {"kind": "person", "position": [2.0, 3.0, 0.8], "shown": ["mug"]},
        "bob": {"kind": "person", "position": [5.0, 3.0, 0.8], "shown": ["apple_1"], "followed": True},
    },
    "joints": {
        "fridge/door": {"receptacle": "fridge", "fraction": 0.4},
        "cabinet_1/door": {"receptacle": "cabinet_1", "fraction": 0.9},
        "cabinet_2/door": {"receptacle": "cabinet_2", "fraction": 0.01},
    },
    "format": 2,
    "held": "mug",
    "robot": {"x": 1.0, "y": 2.0, "yaw": 0.0, "room": "study"},
    "success": True,
}
TRUE = [
    {"within": ["bed", 1.0]},
    {"within": [["lamp_1", "bob"], 4.2]},
    {"in": ["apple", "bowl"]},
    {"on": ["apple_1", "table_2"]},
    {"on": ["apple_1", "table"]},
    {"on": ["apple_2", "kitchen"]},
    {"on": [["pear", "apple"], "table"]},
    {"on": ["anything", "table"]},
    {"at": ["apple_1", "kitchen"]},
    {"at": ["can", "fridge"]},
    {"in": ["tuna_fish_can", "fridge"]},
    {"on": ["tomato", "counter"]},  # furniture by its kind, whatever it is called
    {"under": ["shoe", "bed"]},
    {"sorted": ["star", "shape sorter"]},
    {"stacked": ["low", "mid", "top"]},
    {"stacked": ["table", "low"]},
    {"stacked": ["block", "block", "block"]},
    {"is": ["tomato", "sliced"]},
    {"is": ["left_area", "wiped"]},
    {"is_not": ["right_area", "wiped"]},
    {"is_not": ["tomato_2", "sliced"]},
    {"is": ["lamp", "on"]},
    {"count": {"of": "tomato", "is": "sliced", "exactly": 1}},
    {"count": {"of": "tomato", "on": "counter", "is": "sliced", "at_most": 1}},
    {"open": "cabinet"},
    {"closed": "cabinet_2"},
    {"not": {"closed": "everything"}},
    {"turned_on": "stove"},
    {"turned_off": "lamp_1"},
    {"held": "mug"},
    {"held": ["apple", "mug"]},
    {"given": ["spoon", "anna"]},
    {"given": [["fork", "spoon"], "person"]},
    {"shown": ["apple", "bob"]},
    {"followed": "bob"},
    {"near": "anna"},
    {"near": ["bob", "person"]},
    {"robot_in": "study"},
    {"near": "bed"},
    {"count": {"of": "apple", "exactly": 2}},
    {"count": {"of": "apple", "on": "table", "exactly": 1}},
    {"count": {"of": "anything", "at": "kitchen", "at_least": 4, "at_most": 4}},
    {"count": {"of": ["apple", "bowl"], "at": "kitchen", "every": True}},
    {"count": {"of": "bowl", "at": "kitchen", "every": True}},
    {"in": ["cube", "container"]},
    {"done": True},
    {"any": [{"held": "apple"}, {"held": "mug"}]},
    {"all": [{"held": "mug"}, {"any": [{"held": "apple"}, {"robot_in": "study"}]}]},
]
FALSE = [
    {"within": ["bed", 0.9]},
    {"in": ["apple", "fridge"]},
    {"in": ["apple_1", "table"]},  # it is in the bowl, and the bowl is on the table
    {"on": ["apple_2", "table"]},
    {"on": ["pear", "table"]},
    {"at": ["mug", "kitchen"]},
    {"on": ["shoe", "bed"]},
    {"sorted": ["prism", "sorter"]},  # in the compartment of another kind
    {"sorted": ["star", "red_container"]},
    {"stacked": ["low", "top"]},  # something is between them
    {"stacked": ["mid", "low"]},
    {"stacked": ["block", "block", "block", "block"]},
    {"is": ["mid_area", "wiped"]},
    {"is_not": ["mid_area", "wiped"]},  # neither wiped nor spared
    {"is_not": ["area", "wiped"]},  # one of them is
    {"is_not": ["tomato", "sliced"]},
    {"count": {"of": "tomato", "is": "sliced", "every": True}},
    {"count": {"of": "apple", "is": "sliced", "at_least": 1}},
    {"open": "fridge"},
    {"closed": "fridge"},  # neither open nor closed: ajar
    {"closed": "cabinet"},  # one of them is not
    {"closed": "everything"},
    {"turned_on": "lamp"},
    {"turned_off": "lamp"},
    {"held": "nothing"},
    {"held": "apple"},
    {"given": ["spoon", "bob"]},
    {"given": ["mug", "person"]},  # the robot holds it
    {"shown": ["apple", "anna"]},
    {"shown": ["mug", "bob"]},
    {"followed": "anna"},
    {"near": "bob"},
    {"robot_in": "kitchen"},
    {"near": "lamp_1"},
    {"count": {"of": "apple", "on": "table", "every": True}},
    {"count": {"of": "pear", "every": True}},  # of nothing, nothing is true
    {"count": {"of": "apple", "at_least": 3}},
    {"count": {"of": "container", "at_least": 1}},  # what stands fixed is not an object
    {"not": {"done": True}},
    {"all": [{"held": "mug"}, {"held": "apple"}]},
]


@pytest.fixture(scope="module")
def state() -> WorldSnapshot:
    return read_snapshot(SNAPSHOT)


@pytest.mark.parametrize("goal", TRUE, ids=str)
def test_what_is_so(state, goal):
    assert parse_condition(goal).holds(state)
    assert not parse_condition({"not": goal}).holds(state)


@pytest.mark.parametrize("goal", FALSE, ids=str)
def test_what_is_not_so(state, goal):
    assert not parse_condition(goal).holds(state)
    assert parse_condition({"not": goal}).holds(state)


def test_every_predicate_is_tested():
    assert {next(iter(goal)) for goal in TRUE} | {"not"} == set(PREDICATES)


def test_everything_is_all_that_opens():
    joints = {name: {**joint, "fraction": 0.03} for name, joint in SNAPSHOT["joints"].items()}
    shut = read_snapshot({**SNAPSHOT, "joints": joints})
    assert parse_condition({"closed": "everything"}).holds(shut)
    assert unknown_words(parse_condition({"closed": "everything"}), WorldSnapshot()) == []


def test_an_empty_hand():
    empty = read_snapshot({**SNAPSHOT, "held": None})
    assert parse_condition({"held": "nothing"}).holds(empty) and not parse_condition({"held": "mug"}).holds(empty)


@pytest.mark.parametrize(
    "goal",
    [
        *({"given": ["mug", "carl"]}, {"shown": ["mug", "apple"]}, {"followed": "table"}),
        *({"open": "table"}, {"closed": "apple"}, {"turned_on": "fridge"}, {"turned_off": "x"}),
        *({"is": ["apple", "sliced"]}, {"is": ["tomato", "fried"]}, {"is_not": ["bed", "wiped"]}),
    ],
)
def test_what_the_world_has_not_can_not_be_judged(state, goal):
    for condition in (goal, {"all": [{"held": "apple"}, {"not": goal}]}, {"any": [{"held": "mug"}, goal]}):
        with pytest.raises(BadInput, match="The goal asks whether"):
            parse_condition(condition).holds(state)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"inside": ["apple", "bowl"]}, "a goal is one predicate of: all, any, not, in, on"),
        ({"stacked": ["apple"]}, r"stacked needs at least 2 of them \(got 1\)"),
        ({"held": "mug", "robot_in": "study"}, "a goal is one predicate of"),
        ("apple in bowl", "a goal is one predicate of"),
        ({"in": ["apple"]}, "in.1 is missing"),
        ({"in": ["apple", ""]}, "in.1 must not be empty"),
        ({"all": []}, r"all needs at least 1 of them \(got 0\)"),
        ({"all": [{"held": "mug"}, {"onn": ["a", "b"]}]}, "all.1 has no predicate 'onn': did you mean 'on'"),
        ({"count": {"of": "apple"}}, "count: give at_least, at_most, exactly or every: true"),
        ({"count": {"of": "apple", "in": "a", "on": "b", "exactly": 1}}, "give one of in, on, at"),
        ({"count": {"of": "apple", "exactly": -1}}, "count.exactly must be at least 0"),
        ({"count": {"of": "apple", "at_least": 5, "at_most": 2}}, "no number is at least 5 and at most 2"),
        ({"count": {"of": "apple", "at_least": 5, "exactly": 2}}, "no number is at least 5 and at most 2"),
        ({"count": {"of": "apple", "at_most": 1, "exactly": 2}}, "no number is at least 2 and at most 1"),
        ({"count": {"of": "apple", "exactlyy": 1}}, "count.exactlyy is not known here"),
    ],
)
def test_what_is_no_goal_is_refused_by_its_place(goal, message):
    with pytest.raises(BadInput, match=message):
        parse_condition(goal)


def test_a_goal_comes_back_as_it_was_written():
    for goal in (*TRUE, *FALSE):
        parsed = parse_condition(goal)
        assert parse_condition(json.loads(json.dumps(serialize_condition(parsed)))) == parsed


words = st.sampled_from(["apple", "apple_1", "bowl", "mug", "pear", "anything"])
places = st.sampled_from(["table", "kitchen", "fridge", "bowl", "study"])
both = st.sampled_from(["all", "any"])
goals = st.recursive(
    st.builds(lambda key, thing, place: {key: [thing, place]}, st.sampled_from(["in", "on", "at"]), words, places)
    | st.builds(lambda thing: {"held": thing}, words),
    lambda inner: (
        st.builds(lambda key, some: {key: some}, both, st.lists(inner, min_size=1, max_size=3))
        | st.builds(lambda condition: {"not": condition}, inner)
    ),
    max_leaves=8,
)


@given(goals, goals)
def test_the_laws_of_de_morgan(first, other):
    state = read_snapshot(SNAPSHOT)
    both = parse_condition({"not": {"all": [first, other]}}).holds(state)
    assert both == parse_condition({"any": [{"not": first}, {"not": other}]}).holds(state)


@given(words, places)
def test_in_or_on_is_at(thing, place):
    state = read_snapshot(SNAPSHOT)
    either = parse_condition({"any": [{"in": [thing, place]}, {"on": [thing, place]}]}).holds(state)
    assert not either or parse_condition({"at": [thing, place]}).holds(state)


def test_objects_that_carry_each_other_in_a_ring_end_the_search():
    ring = {"a": {"kind": "a", "relation": "on", "at": "b"}, "b": {"kind": "b", "relation": "on", "at": "a"}}
    assert not parse_condition({"on": ["a", "table"]}).holds(read_snapshot({"objects": ring}))


def test_a_snapshot_of_something_else_is_refused():
    with pytest.raises(BadInput, match=r"final_state.json is not a snapshot of a world: objects.ball"):
        read_snapshot({"objects": {"ball": 2.5}})


def test_typing_errors_are_found_in_the_scene():
    scene = read_snapshot(
        {
            "rooms": {"kitchen": {"kind": "kitchen"}},
            "fixed": {"table_1": {"kind": "table"}},
            "objects": {"apple": {"kind": "apple", "relation": "on", "at": "table_1"}},
        }
    )
    fine = {"all": [{"on": [["apple", "pear"], "table"]}, {"at": ["anything", "kitchen"]}, {"held": "nothing"}]}
    assert unknown_words(parse_condition(fine), scene) == []
    wrong = {"any": [{"on": ["aple", "table"]}, {"count": {"of": ["pear", "plum"], "in": "table_2", "exactly": 0}}]}
    assert unknown_words(parse_condition(wrong), scene) == ["aple", "pear, plum", "table_2"]


@pytest.mark.parametrize(
    ("fractions", "is_open", "is_closed"),
    [
        ((0.5,), True, False),
        ((0.49,), False, False),
        ((0.06,), False, True),
        ((0.061,), False, False),
        ((0.0, 0.5), True, False),
        ((0.05, 0.06), False, True),
        ((0.05, 0.2), False, False),
    ],
)
def test_from_where_a_door_is_open_and_up_to_where_it_is_closed(fractions, is_open, is_closed):
    joints = {f"{number}": {"receptacle": "fridge", "fraction": fraction} for number, fraction in enumerate(fractions)}
    doors = read_snapshot({"joints": joints})
    assert (parse_condition({"open": "fridge"}).holds(doors), parse_condition({"closed": "fridge"}).holds(doors)) == (
        *(is_open, is_closed),
    )


def test_what_a_world_does_not_tell():
    little = read_snapshot({"objects": {"cup_1": {"kind": "cup", "relation": "on", "at": "sofa"}}, "held": "ghost"})
    assert parse_condition({"held": "ghost"}).holds(little) and not parse_condition({"held": "anything"}).holds(little)
    for goal in ({"robot_in": "kitchen"}, {"at": ["cup", "x"]}):
        assert not parse_condition(goal).holds(little)
    with pytest.raises(
        BadInput, match=r"^The goal asks whether the scene's own task is done, and this scene sets none\.$"
    ):
        parse_condition({"done": True}).holds(little)
    with pytest.raises(BadInput, match=r"^The goal asks whether 'x' is open or closed, and no such thing opens\.$"):
        parse_condition({"open": "x"}).holds(little)
    with pytest.raises(BadInput, match=r"^The goal asks whether 'x' is turned on, and there is no such appliance\.$"):
        parse_condition({"turned_off": "x"}).holds(little)


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ({"open": "frdge"}, "is open or closed, and no such thing opens: did you mean 'fridge'?"),
        ({"closed": "lapm"}, "is open or closed, and no such thing opens."),
        ({"turned_on": "lapm"}, "is turned on, and there is no such appliance: did you mean 'lamp'?"),
        ({"is": ["applee", "sliced"]}, "is sliced, which nothing of that name can be: did you mean 'apple'?"),
        ({"is": ["apple", "slicd"]}, "is slicd, which nothing of that name can be: did you mean 'sliced'?"),
        ({"is_not": ["fridge", "sliced"]}, "which nothing of that name can be: the states here are: on, sliced."),
    ],
)
def test_a_goal_about_what_there_is_not_says_what_may_be_meant(goal, says):
    there = read_snapshot(
        {
            "objects": {"apple_1": {"kind": "apple", "relation": "on", "at": "sofa_1", "states": {"sliced": False}}},
            "fixed": {"fridge_1": {"kind": "fridge"}, "lamp_1": {"kind": "lamp", "states": {"on": False}}},
            "joints": {"door": {"receptacle": "fridge_1", "fraction": 0.0}},
        }
    )
    with pytest.raises(BadInput) as raised:
        parse_condition(goal).holds(there)
    assert str(raised.value).endswith(says)


@pytest.mark.parametrize("bound", ["at_least", "at_most", "exactly"])
def test_an_amount_has_a_bound_that_is_no_less_than_nothing(bound):
    assert parse_condition({"count": {"of": "pear", bound: 0}}).holds(read_snapshot({}))
    with pytest.raises(BadInput, match=f"count.{bound} must be at least 0"):
        parse_condition({"count": {"of": "pear", bound: -1}})
    apples = read_snapshot(SNAPSHOT)
    for number in (1, 2, 3):
        holds = {"at_least": number <= 2, "at_most": number >= 2, "exactly": number == 2}[bound]
        assert parse_condition({"count": {"of": "apple", bound: number}}).holds(apples) is holds


BED = FixedState(kind="bed", position=(2.0, 1.0, 0.3), half=(1.0, 0.5, 0.3), quaternion=(0.5**0.5, 0.0, 0.0, 0.5**0.5))
"""A quarter turn: it reaches from 1.5 to 2.5 along x and from 0 to 2 along y."""


@pytest.mark.parametrize(
    ("x", "y", "near"), [(2.0, 3.4, True), (2.0, 3.6, False), (0.1, 1.0, True), (-0.1, 1.0, False), (0.3, 3.2, False)]
)
def test_the_robot_is_near_a_thing_by_its_nearest_side(x: float, y: float, near: bool) -> None:
    world = WorldSnapshot(fixed={"bed": BED}, robot=RobotState(x=x, y=y))
    assert parse_condition({"near": "bed"}).holds(world) is near


def test_nobody_is_near_where_there_are_no_places() -> None:
    world = WorldSnapshot(fixed={"bed": FixedState(kind="bed")}, robot=RobotState(x=0.0, y=0.0))
    with pytest.raises(BadInput, match="whether the robot is near 'bed', and this world tells no places"):
        parse_condition({"near": "bed"}).holds(world)


@pytest.mark.parametrize("places", [("in", "on"), ("in", "at"), ("on", "at"), ("in", "on", "at")])
def test_an_amount_is_at_one_place(places):
    with pytest.raises(BadInput, match=r"count: give one of in, on, at\.$"):
        parse_condition({"count": {"of": "apple", "exactly": 1, **dict.fromkeys(places, "table")}})


def test_the_words_of_a_goal():
    goal = {"all": [
        {"in": ["a", "b"]}, {"not": {"on": [["c", "d"], "e"]}}, {"any": [{"at": ["f", "g"]}, {"open": "h"}]},
        {"closed": "i"}, {"turned_on": "j"}, {"turned_off": "k"}, {"held": "l"}, {"robot_in": "m"}, {"done": True},
        *({"count": {"of": place, place: f"the {place}", "exactly": 1}} for place in ("in", "on", "at")),
        {"held": "nothing"}, {"count": {"of": "n", "every": True}}, {"stacked": ["o", ["p", "q"]]},
        {"is": ["r", "sliced"]}, {"is_not": ["s", "sliced"]},
        {"given": ["t", "u"]}, {"shown": [["v", "w"], "x"]}, {"followed": "y"}, {"near": "z"}, {"within": ["z", 1.5]},
    ]}  # fmt: skip
    words = ["a", "b", ("c", "d"), *"efghijklm", "in", "the in", "on", "the on", "at", "the at", "n", "o", ("p", "q")]
    words += ["r", "s", "t", "u", ("v", "w"), "x", "y", "z", "z"]
    parsed = parse_condition(goal)
    assert list(parsed.words()) == words and parse_condition(parsed) == parsed


def test_a_message_names_the_field_once_and_ends_with_a_point():
    with pytest.raises(BadInput) as excinfo:
        parse_condition({"not": {"in": ["a", 7]}})
    assert str(excinfo.value) == "goal: not.in.1 must be text (got 7)."
    with pytest.raises(BadInput, match=r"^scene\.json is not a snapshot of a world: held must be"):
        read_snapshot({"held": 1}, "scene.json")


def test_a_snapshot_of_homie_0_1_is_read():
    old = {
        "objects": {"sponge": {"kind": "sponge", "relation": "held", "at": "robot"}},
        "fixed": {"left_area": {"kind": "area"}},
        "appliances": {"lamp_1": True},
        "wiped": {"left_area": 1.0},
        "conditions": [{"relation": "wiped", "thing": "left_area", "met": True}],
        "held": "sponge",
    }
    world = read_snapshot(old)
    for goal in ({"turned_on": "lamp"}, {"is": ["area", "wiped"]}, {"held": "sponge"}):
        assert parse_condition(goal).holds(world), goal
    with pytest.raises(BadInput, match=r"^final_state\.json is a snapshot of format 7, and this Homie reads formats 1"):
        read_snapshot({"format": 7})
    for wrong in ({"fixed": 3, "appliances": {}}, {"fixed": {"lamp": 3}}, {"appliances": {"lamp": "warm"}}):
        with pytest.raises(BadInput, match="is not a snapshot of a world: fixed"):
            read_snapshot(wrong)


def test_a_snapshot_comes_back_from_its_json_form():
    world = read_snapshot(SNAPSHOT)
    again = read_snapshot(json.loads(json.dumps(world.to_json())))
    assert again == world and world.to_json()["format"] == 2
    assert "extras" not in world.to_json(), "what an environment does not tell is not in its file"


def test_numbers_that_nobody_has_measured_are_not_in_its_file():
    joints = {"lift": math.nan, "wrist": [0.5, math.inf], "arm": 0.25}
    world = WorldSnapshot(extras={"joints": joints, "load": math.nan})
    assert world.to_json()["extras"] == {"joints": {"wrist": [0.5, None], "arm": 0.25}}
    assert read_snapshot(json.loads(json.dumps(world.to_json(), allow_nan=False))) == world


@pytest.mark.parametrize(
    ("goal", "share"),
    [
        ({"open": "fridge"}, None),
        ({"all": [{"held": "mug"}, {"held": "apple"}]}, 1 / 2),
        ({"all": [{"held": "mug"}, {"all": [{"held": "apple"}, {"turned_on": "stove"}, {"held": "bowl"}]}]}, 2 / 4),
        ({"any": [{"held": "apple"}, {"all": [{"held": "mug"}, {"held": "bowl"}]}]}, 1 / 2),
        ({"not": {"held": "apple"}}, 1.0),
        ({"all": [{"not": {"held": "mug"}}, {"turned_on": "stove"}, {"any": [{"held": "bowl"}]}]}, 1 / 3),
    ],
)
def test_progress_is_the_share_of_conditions_that_hold(goal: dict[str, object], share: float | None) -> None:
    world, condition = read_snapshot(SNAPSHOT), parse_condition(goal)
    assert condition.progress(world) == (float(condition.holds(world)) if share is None else pytest.approx(share))
