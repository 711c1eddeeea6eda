"""What pydantic finds wrong with a value, in plain words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.validation_sentences import first_problem, own_words, phrase_of


class Lamp(PlainNumbers, BaseModel):
    model_config = ConfigDict(extra="forbid")

    watts: int = Field(5, ge=1, le=100)
    share: float = Field(0.5, gt=0.0, lt=1.0, allow_inf_nan=False)
    colour: Literal["warm", "cold"] = "warm"
    name: str = Field("lamp", min_length=1, max_length=9)
    on: bool = True
    shade: Path | None = None
    bulbs: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]

    @model_validator(mode="after")
    def _bright(self) -> Lamp:
        if self.watts == 13:
            raise ValueError("nobody sells that")
        return self


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"watts": "many"}, "watts must be a whole number (got 'many')"),
        ({"watts": 1.5}, "watts must be a whole number (got 1.5)"),
        ({"watts": None}, "watts must be a whole number (got None)"),
        ({"watts": True}, "watts must be a whole number (got true)"),
        ({"share": False}, "share must be a number (got false)"),
        ({"bulbs": [1, True]}, "bulbs must be a whole number (got [1, True])"),
        ({"watts": 0}, "watts must be at least 1 (got 0)"),
        ({"watts": 101}, "watts must be at most 100 (got 101)"),
        ({"share": "x"}, "share must be a number (got 'x')"),
        ({"share": 0}, "share must be more than 0 (got 0)"),
        ({"share": 1}, "share must be less than 1 (got 1)"),
        ({"share": float("nan")}, "share must be a finite number (got nan)"),
        ({"colour": "red"}, "colour must be 'warm' or 'cold' (got 'red')"),
        ({"name": ""}, "name must not be empty"),
        ({"name": "x" * 10}, "name must have at most 9 characters"),
        ({"name": 3}, "name must be text (got 3)"),
        (
            {"name": "a\udcc3"},
            "name is text that cannot be written: its character 2 is \\udcc3, which is half of one",
        ),
        ({"on": "perhaps"}, "on must be true or false (got 'perhaps')"),
        ({"shade": 3}, "shade must be a path (got 3)"),
        ({"bulbs": 3}, "bulbs must be a list (got 3)"),
        ({"bulbs": []}, "bulbs needs at least 1 of them"),
        ({"bulbs": [1, "x"]}, "bulbs.1 must be a whole number (got 'x')"),
        ({"weight": 3}, "weight is not known here (got 3)"),
        ({"wats": 3}, "wats is not known here (did you mean 'watts'?)"),
        ({"watts": 13}, "nobody sells that"),
        (3, "must be a mapping of names to values"),
    ],
)
def test_the_first_problem_in_plain_words(content: object, message: str) -> None:
    with pytest.raises(ValidationError) as excinfo:
        Lamp.model_validate(content)
    assert first_problem(excinfo.value).startswith(message)


def test_what_is_about_all_of_a_file_has_its_name_and_long_values_are_left_out() -> None:
    with pytest.raises(ValidationError) as excinfo:
        Lamp.model_validate({"watts": 13})
    assert first_problem(excinfo.value, "the file") == "the file: nobody sells that"
    with pytest.raises(ValidationError) as excinfo:
        Lamp.model_validate({"watts": "many " * 100})
    assert first_problem(excinfo.value) == "watts must be a whole number"


def test_two_bounds_are_reported_together() -> None:
    with pytest.raises(ValidationError) as excinfo:
        Lamp.model_validate({"watts": 0})
    assert phrase_of(excinfo.value.errors()[0], (1, 100.0)) == "must be between 1 and 100 (got 0)"
    assert own_words("Value error, it rains") == "it rains" and own_words("It rains") == "It rains"


ROOTS = [Path(__file__).parents[1] / name for name in ("homie", "suites", "planners", "skills", "perception")]


def test_no_field_shows_a_regular_expression_to_its_user() -> None:
    sources = [path for root in ROOTS for path in root.rglob("*.py")]
    fields = [path for path in sources if re.search(r"(Field|StringConstraints)\([^()]*\bpattern=", path.read_text())]
    assert sources and not fields, "homie.kernel.support.text_pattern.pattern_validator says it in words"
