"""What planners are told that things are called."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from perception.recall.naming import Names

LOOKS = st.lists(
    st.tuples(
        st.sampled_from(["table_1", "table_2", "table_3", "cabinet_1"]),
        st.sampled_from(["table", "white table", "gray table", "blue cabinet"]),
        st.floats(0.0001, 0.5),
    ),
    min_size=1,
    max_size=30,
)


def test_numbers_show_where_there_are_two() -> None:
    names = Names()
    names.note("kitchen_counter_7", "kitchen counter", 0.1)
    assert names.called("kitchen_counter_7") == "kitchen counter"
    names.note("kitchen_counter_3", "kitchen counter", 0.2)
    assert names.called("kitchen_counter_7") == "kitchen counter 1"
    assert names.called("kitchen_counter_3") == "kitchen counter 2"
    assert names.bearers("the Kitchen_counter #2") == (("kitchen_counter_3",), True)
    assert names.bearers("kitchen countertop 1") == (("kitchen_counter_7",), True)
    assert names.bearers("kitchen counter 3") == ((), False)


def test_a_far_better_look_changes_a_name_and_a_plain_one_stays() -> None:
    names = Names()
    names.note("table_1", "gray table", 0.001)
    names.note("table_1", "white table", 0.0015)
    assert names.called("table_1") == "gray table"
    names.note("table_1", "white table", 0.1)
    assert names.called("table_1") == "white table"
    names.note("table_1", "gray table", 0.4)
    assert names.called("table_1") == "white table"
    assert names.bearers("gray table") == (("table_1",), False)


@settings(max_examples=50)
@given(LOOKS)
def test_every_name_that_was_told_means_its_thing_for_the_whole_episode(looks: list[tuple[str, str, float]]) -> None:
    names, numbered = Names(), {}
    for entity, name, share in looks:
        names.note(entity, name, share)
        for known in {entity for entity, _, _ in looks if entity in names}:
            assert known in names.bearers(names.called(known))[0]
            if names.number(known):
                numbered[names.called(known)] = known
        assert all(names.bearers(name) == ((entity,), True) for name, entity in numbered.items())
