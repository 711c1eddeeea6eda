"""The page of constants has the values that are in the code."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import BaseModel

from homie.kernel.world import thresholds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "constants.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^- `([a-z_.]+)\.([A-Z][\w.]*)` \(([^)]+)\): .+$", PAGE, re.MULTILINE)


def value_of(module: str, name: str) -> object:
    """A constant, an attribute of a class, or what an option is where nothing is said."""
    value: object = importlib.import_module(module)
    for part in name.split("."):
        is_options = isinstance(value, type) and issubclass(value, BaseModel)
        value = value.model_fields[part].default if is_options else getattr(value, part)
    return value


def numbers_in(value: object) -> Iterator[float]:
    """The numbers in a constant, in order."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple):
        for item in value:
            yield from numbers_in(item)
    else:
        assert isinstance(value, int | float), value
        yield float(value)


@pytest.mark.parametrize(("module", "name", "cell"), ROWS, ids=lambda text: text)
def test_the_page_has_the_value_of_the_code(module: str, name: str, cell: str) -> None:
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", cell)]
    assert numbers == list(numbers_in(value_of(module, name)))


def test_every_row_is_read() -> None:
    assert len(ROWS) == sum(line.startswith("- `") for line in PAGE.splitlines()) > 50


def test_every_threshold_of_the_world_is_on_the_page() -> None:
    names = {name for module, name, _ in ROWS if module == thresholds.__name__}
    assert names == {name for name in vars(thresholds) if name.isupper()}
