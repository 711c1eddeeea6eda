"""What people call things: spelling, synonyms, descriptions, and what must not match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.kernel.types import NamedThing
from perception.names import Rank, best_matches, canonical, match_names, normalise, vocabulary

THINGS = (
    NamedThing("apple_1", "apple", "red"),
    NamedThing("apple_2", "apple", "green"),
    NamedThing("cracker_box_1", "cracker_box", "red"),
    NamedThing("sugar_box_1", "sugar_box", "yellow"),
    NamedThing("gelatin_box_1", "gelatin_box", "red"),
    NamedThing("potted_meat_can_1", "potted_meat_can", "blue"),
    NamedThing("tuna_fish_can_1", "tuna_fish_can", "green", ("tuna",)),
    NamedThing("master_chef_can_1", "master_chef_can", "blue"),
    NamedThing("tomato_soup_can_1", "tomato_soup_can", "red"),
    NamedThing("table_1", "table", "brown", (), "living room"),
    NamedThing("table_2", "table", "blue", (), "kitchen"),
    NamedThing("drawer_1", "drawer", None, (), "kitchen"),
    NamedThing("drawer_2", "drawer", None, (), "bedroom"),
    NamedThing("cabinet_1", "cabinet", "white", (), "kitchen"),
    NamedThing("fridge_1", "fridge", "white", (), "kitchen"),
    NamedThing("kitchen_counter_1", "kitchen_counter", "gray", (), "kitchen"),
    NamedThing("sink_1", "sink", "white", (), "kitchen"),
    NamedThing("washbasin_1", "washbasin", "white", (), "bathroom"),
    NamedThing("tv_stand_1", "tv_stand", "brown", (), "living room"),
    NamedThing("tv_1", "tv", "black", (), "living room"),
    NamedThing("sofa_1", "sofa", "gray", (), "living room"),
    NamedThing("mug_1", "mug", "white"),
    NamedThing("bowl_1", "bowl", "white"),
    NamedThing("kitchen", "kitchen"),
    NamedThing("living_room", "living room"),
)


def names_meant(query: str) -> list[str]:
    return [thing.name for thing in best_matches(query, THINGS)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("apple_2", ["apple_2"]),
        ("Apple 2", ["apple_2"]),
        ("apple", ["apple_1", "apple_2"]),
        ("the Apples", ["apple_1", "apple_2"]),
        ("green apple", ["apple_2"]),
        ("the apple on the table", ["apple_1", "apple_2"]),
        ("refrigerator", ["fridge_1"]),
        ("refrigerator door", ["fridge_1"]),
        ("couch", ["sofa_1"]),
        ("television", ["tv_1"]),
        ("tvstand", ["tv_stand_1"]),
        ("TV-stand", ["tv_stand_1"]),
        ("red box", ["cracker_box_1", "gelatin_box_1"]),
        ("yellow box", ["sugar_box_1"]),
        ("box", ["cracker_box_1", "sugar_box_1", "gelatin_box_1"]),
        ("can", ["potted_meat_can_1", "tuna_fish_can_1", "master_chef_can_1", "tomato_soup_can_1"]),
        ("green can", ["tuna_fish_can_1"]),
        ("blue can", ["potted_meat_can_1", "master_chef_can_1"]),
        ("red can", ["tomato_soup_can_1"]),
        ("short can", ["tuna_fish_can_1"]),
        ("fish can", ["tuna_fish_can_1"]),
        ("tuna", ["tuna_fish_can_1"]),
        ("soup can", ["tomato_soup_can_1"]),
        ("can of soup", ["tomato_soup_can_1"]),
        ("meat can", ["potted_meat_can_1"]),
        ("blue table", ["table_2"]),
        ("brown table", ["table_1"]),
        ("kitchen table", ["table_2"]),
        ("table", ["table_1", "table_2"]),
        ("drawer", ["drawer_1", "drawer_2"]),
        ("kitchen drawer", ["drawer_1"]),
        ("kitchen cabinet", ["cabinet_1"]),
        ("cupboard", ["cabinet_1"]),
        ("kitchen counter", ["kitchen_counter_1"]),
        ("countertop", ["kitchen_counter_1"]),
        ("counter", ["kitchen_counter_1"]),
        ("sink", ["sink_1"]),
        ("kitchen sink", ["sink_1"]),
        ("bathroom sink", ["washbasin_1"]),
        ("kitchen", ["kitchen"]),
        ("living_room", ["living_room"]),
        ("lounge", ["living_room"]),
        ("suger box", ["sugar_box_1"]),
        ("gelation box", ["gelatin_box_1"]),
        ("aple", ["apple_1", "apple_2"]),
        ("cup", ["mug_1"]),
        ("fruit", ["apple_1", "apple_2"]),
        ("cold apple", ["apple_1", "apple_2"]),
    ],
)
def test_what_is_meant(query: str, names: list[str]) -> None:
    assert names_meant(query) == names


@pytest.mark.parametrize(
    "query",
    [
        *(
            "item",
            "spaceship",
            "",
            "the",
            "_",
            "red",
            "blue apple",
            "bow",
            "tablet",
            "trash can",
            "drawer 3",
            "dining room",
        ),
        *(
            "bathroom drawer",
            "room 2",
            "table lamp",
            "apple tree",
            "on the table",
            "can opener",
            "boxer",
            "fridge magnet",
        ),
    ],
)
def test_what_is_nonsense_means_nothing(query: str) -> None:
    assert names_meant(query) == []


def test_emmoe_nicknames_hold_where_no_colour_speaks_against_them() -> None:
    uncoloured = [NamedThing(f"{kind}_1", kind) for kind in ("potted_meat_can", "tuna_fish_can", "master_chef_can")]
    assert [thing.kind for thing in best_matches("green can", uncoloured)] == ["potted_meat_can"]
    blue = [NamedThing("potted_meat_can_1", "potted_meat_can", "blue")]
    assert [match.rank for match in match_names("green can", blue)] == [Rank.NICKNAME]


def test_sink_drawer_and_counter_are_three_things() -> None:
    assert len({canonical(word) for word in ("sink", "drawer", "kitchen counter")}) == 3


def test_ranks_are_best_first_and_ties_keep_their_order() -> None:
    ranks = [match.rank for match in match_names("drawer 1", THINGS)]
    assert ranks == sorted(ranks)
    assert names_meant("drawer 1") == ["drawer_1"]


def test_a_thing_in_an_unknown_room_may_be_in_the_one_that_was_said() -> None:
    assert best_matches("kitchen drawer", [NamedThing("drawer_1", "drawer")])
    assert not best_matches("kitchen drawer", [NamedThing("drawer_1", "drawer", None, (), "bedroom")])


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert once == " ".join(once.split())


@given(st.text(), st.booleans())
def test_any_text_can_be_asked_for(text: str, shout: bool) -> None:
    matches = match_names(text.upper() if shout else text, THINGS)
    assert [match.rank for match in matches] == sorted(match.rank for match in matches)
    assert {match.candidate for match in matches} <= set(THINGS)


@given(st.sampled_from(THINGS), st.sampled_from(["{}", " {} ", "THE {}", "{}!", "the_{}"]))
def test_every_thing_answers_to_its_name_and_kind(thing: NamedThing, form: str) -> None:
    assert [match.name for match in best_matches(form.format(thing.name), THINGS)] == [thing.name]
    assert thing in best_matches(form.format(thing.kind.upper().replace("_", "-")), THINGS)


@pytest.mark.parametrize("phrase", sorted(vocabulary().synonyms))
def test_synonyms_are_settled_at_once(phrase: str) -> None:
    """No synonym leads to another synonym: the table needs no second look-up."""
    settled = canonical(phrase)
    assert canonical(settled) == settled
    assert phrase == normalise(phrase), "a synonym that normalising changes would never be found"


@pytest.mark.parametrize(
    ("query", "kind"),
    [("remote control", "remote"), ("smartphone", "cell phone"), ("computer mouse", "mouse"), ("stove", "oven")],
)
def test_what_networks_call_by_the_names_of_coco_is_found(query: str, kind: str) -> None:
    assert [thing.kind for thing in best_matches(query, [NamedThing(f"{kind}_1", kind)])] == [kind]


def test_nicknames_and_classes_are_written_as_they_are_looked_up() -> None:
    words = vocabulary()
    for nickname, kinds in words.nicknames.items():
        assert canonical(nickname) == nickname
        assert all(canonical(kind) == kind for kind in kinds)
    for label, members in words.classes.items():
        assert canonical(label) == label
        assert all(canonical(member) == member for member in members)


def test_a_dining_table_is_none_in_a_living_room() -> None:
    tables = [NamedThing("table_1", "table", room="living room"), NamedThing("table_2", "table", room="kitchen")]
    assert [match.name for match in best_matches("dining table", tables)] == ["table_2"]
    assert best_matches("dining table", tables[:1]) == []
    assert best_matches("dining table", [NamedThing("table_1", "table")])
