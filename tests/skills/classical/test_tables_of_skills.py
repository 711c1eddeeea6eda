"""What the skills weigh and where they go, number by number, as it stands in `tests/golden/classical`.

Written anew by `python -m tests.skills.classical.test_tables_of_skills`, for a change that is meant to alter them.
"""

from __future__ import annotations

from itertools import zip_longest

import pytest

from tests.skills.classical import (
    crowded,
    drives,
    journeys,
    mishaps,
    mishaps_on_the_way,
    ways_of_arms,
    ways_over_floor,
    ways_to_take,
)
from tests.skills.classical.tables import FOLDER, TABLES, known, same, text

MODULES = (ways_to_take, ways_over_floor, ways_of_arms, journeys, drives, mishaps, mishaps_on_the_way, crowded)
"""Their tables are in `TABLES` once they are imported."""
SECTIONS = [(name, section) for name, sections in TABLES.items() for section in sections()]


@pytest.mark.parametrize(("name", "section"), SECTIONS)
def test_a_table_is_as_it_was_read_through(name: str, section: str) -> None:
    rows, before = list(TABLES[name]()[section]()), known(name)[section]
    changed = [f"- {old}\n+ {new}" for old, new in zip_longest(before, rows, fillvalue="") if not same(old, new)]
    assert not changed, "\n".join([f"{len(changed)} rows of {name}, {section} have changed", *changed[:5]])


def test_every_section_of_a_file_is_compared() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(TABLES)
    assert {name: list(known(name)) for name in TABLES} == {name: list(sections()) for name, sections in TABLES.items()}


if __name__ == "__main__":
    for table in TABLES:
        (FOLDER / f"{table}.txt").write_text(text(table))
