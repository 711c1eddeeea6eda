"""What the skills weigh and where they go, number by number, as it stands in `tests/golden/classical`.

Written anew by `python -m tests.skills.classical.test_tables_of_skills`, for a change that is meant to alter them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

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
from tests.skills.classical.tables import FOLDER, TABLES, rows_of_file, same, text

MODULES = (ways_to_take, ways_over_floor, ways_of_arms, journeys, drives, mishaps, mishaps_on_the_way, crowded)
"""Their tables are in `TABLES` once they are imported."""
ROOT = Path(__file__).parents[3]
SECTIONS = [(name, section) for name, sections in TABLES.items() for section in sections()]


@pytest.mark.parametrize(("name", "section"), SECTIONS)
def test_a_table_is_as_it_was_read_through(name: str, section: str) -> None:
    rows, before = list(TABLES[name]()[section]()), rows_of_file(name)[section]
    changed = [f"- {old}\n+ {new}" for old, new in zip_longest(before, rows, fillvalue="") if not same(old, new)]
    assert not changed, "\n".join([f"{len(changed)} rows of {name}, {section} have changed", *changed[:5]])


def test_every_section_of_a_file_is_compared() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(TABLES)
    assert {name: list(rows_of_file(name)) for name in TABLES} == {
        name: list(sections()) for name, sections in TABLES.items()
    }


@pytest.mark.parametrize(("processor", "needs"), [("Haswell", "avx2"), ("SkylakeX", "avx512f")])
def test_candidates_that_tie_are_taken_in_their_order_on_every_processor(processor: str, needs: str) -> None:
    """Their costs differ in the last bits, by the matrix products that numpy has for a processor."""
    about = Path("/proc/cpuinfo")
    if not about.exists() or needs not in about.read_text().split():
        pytest.skip(f"this processor has no {needs}")
    for name in ("places_to_put_things", "places_to_stand", "putting"):
        program = f"from tests.skills.classical.test_tables_of_skills import text; print(text({name!r}), end='')"
        environment = {**os.environ, "OPENBLAS_CORETYPE": processor, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", program]
        printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        rows, before = printed.splitlines(), (FOLDER / f"{name}.txt").read_text().splitlines()
        assert all(same(*pair) for pair in zip(rows, before, strict=True)), name


if __name__ == "__main__":
    for table in TABLES:
        (FOLDER / f"{table}.txt").write_text(text(table))
