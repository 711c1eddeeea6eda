"""Errors carry the exit code that scripts rely on, and a way out."""

from __future__ import annotations

import pytest

from homie.kernel import errors
from homie.kernel.errors import did_you_mean, suggestion


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.HomieError, 4),
        (errors.BadInput, 2),
        (errors.MissingCheckpoint, 2),
        (errors.MissingPart, 3),
        (errors.InfrastructureError, 4),
        (errors.RobotFault, 4),
        (errors.CommandRefused, 4),
        (errors.PlannerError, 4),
        (errors.PartError, 4),
        (errors.Interrupted, 130),
    ],
)
def test_exit_codes(error: type[errors.HomieError], code: int) -> None:
    assert error("what is wrong").exit_code == code and isinstance(error("x"), errors.HomieError)


def test_the_known_word_that_is_meant() -> None:
    words = ["classical", "nomad", "pixnav"]
    assert suggestion("clasical", words, "choose one.") == "did you mean 'classical'?"
    assert suggestion("pixnaw", words, "choose one.") == "did you mean 'pixnav'?"
    assert suggestion("zzz", words, "choose one.") == "choose one."
    assert suggestion("zzz", [], "choose one.") == "choose one."
    assert suggestion("NoMad", words, "choose one.") == "did you mean 'nomad'?"


def test_what_is_added_to_a_sentence_about_an_unknown_word() -> None:
    words = ["classical", "NoMaD"]
    assert did_you_mean("clasical", words) == ": did you mean 'classical'?"
    assert did_you_mean("nomda", words, " (", ")") == " (did you mean 'NoMaD'?)"
    assert did_you_mean("zzz", words, " (", ")") == did_you_mean("zzz", []) == ""
