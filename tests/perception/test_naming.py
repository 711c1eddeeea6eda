"""The names of objects that planners see."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perception.memory.numbered_names import Names

ENTITIES = ["table_1", "table_2", "table_3", "cabinet_1"]
LOOKS = st.lists(
    st.tuples(
        st.sampled_from(ENTITIES),
        st.sampled_from(["table", "white table", "gray table", "blue cabinet"]),
        st.floats(0.0001, 0.5),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)


def test_what_comes_later_has_a_number_and_the_first_keeps_its_name() -> None:
    names = Names()
    names.note("sugar_box_7", "sugar box", 0.1)
    names.tell(["sugar_box_7"])
    names.note("sugar_box_3", "sugar box", 0.2)
    assert (names.called("sugar_box_7"), names.called("sugar_box_3")) == ("sugar box", "sugar box 2")
    assert names.bearers("the sugar box") == (("sugar_box_7",), False)
    assert names.bearers("sugar box 1") == (("sugar_box_7",), True)
    assert names.bearers("the Sugar_box #2") == (("sugar_box_3",), True)
    assert names.bearers("sugar box 3") == ((), False)


def test_what_is_reported_at_once_is_numbered_from_the_first() -> None:
    names = Names()
    for entity in ("kitchen_counter_7", "kitchen_counter_3"):
        names.note(entity, "kitchen counter", 0.1)
    names.tell(["kitchen_counter_3", "kitchen_counter_7"])
    assert names.called("kitchen_counter_7") == "kitchen counter 1"
    assert names.called("kitchen_counter_3") == "kitchen counter 2"
    assert names.bearers("kitchen countertop 1") == (("kitchen_counter_7",), True)
    assert names.bearers("kitchen counter") == (("kitchen_counter_7", "kitchen_counter_3"), False)


def test_the_best_look_before_it_is_reported_names_a_thing() -> None:
    names = Names()
    names.note("table_1", "gray table", 0.001)
    names.note("table_1", "white table", 0.1)
    names.note("table_1", "gray table", 0.05)
    names.tell(["table_1"])
    names.note("table_1", "gray table", 0.4)
    assert names.called("table_1") == "white table"
    assert names.bearers("gray table") == ((), False)


def test_a_name_without_a_look_gives_way_to_the_first_look_and_is_still_understood() -> None:
    names = Names()
    for entity in ("table_1", "table_2", "mug_1"):
        names.note(entity, entity[:-2], 0.0)
    names.tell(["table_1", "table_2", "mug_1"])
    names.note("table_2", "white table", 0.01)
    names.note("table_2", "gray table", 0.4)
    names.note("mug_1", "mug", 0.01)
    assert (names.called("table_2"), names.called("mug_1")) == ("gray table", "mug")
    assert names.bearers("table 2") == (("table_2",), True)


def test_the_names_of_one_thing_that_was_reported_as_two_mean_the_first() -> None:
    names = Names()
    for entity in ("doorway 1", "doorway 2", "doorway 3"):
        names.note(entity, "doorway", 1.0)
        names.tell([entity])
    names.merge("doorway 3", "doorway 2")
    names.merge("doorway 2", "doorway 1")
    assert names.bearers("doorway 3") == (("doorway 1",), True)
    assert names.bearers("doorway") == (("doorway 1",), False)


@settings(max_examples=50)
@given(LOOKS)
def test_every_name_that_was_reported_means_its_thing_for_the_whole_episode(
    looks: list[tuple[str, str, float, bool]],
) -> None:
    names, reported = Names(), {}
    for entity, name, share, tells in looks:
        names.note(entity, name, share)
        if not tells:
            continue
        entities = [entity for entity in ENTITIES if entity in names]
        names.tell(entities)
        for entity in entities:
            assert reported.setdefault(names.called(entity), entity) == entity
        assert {entity: name for name, entity in reported.items()} == {
            entity: names.called(entity) for entity in entities
        }
        for name, entity in reported.items():
            assert names.bearers(name)[0] == (entity,)
