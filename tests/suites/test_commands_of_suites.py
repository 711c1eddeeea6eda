"""The commands that the package adds to `homie`, as the pages write them and as their help shows them."""

from __future__ import annotations

import pytest
from test_pages import PAGES, SUITES, commands, option_names
from test_usage import check_short_help

from homie.cli.app import helps
from suites.questions.options import AskOptions, AuditOptions, JudgeOptions, MakeOptions
from suites.vigil.options import VigilOptions


def test_options_in_the_commands_of_the_pages_exist() -> None:
    options = option_names((MakeOptions, AskOptions, JudgeOptions, AuditOptions, VigilOptions))
    lines = [line for page in PAGES for line in commands(page) if line[1] in SUITES]
    assert len(lines) > 5 and set(SUITES) <= set(helps())
    assert [line for line, _, used in lines if not used <= options] == []


@pytest.mark.parametrize("command", ["vigil", "questions judge"])
def test_the_help_of_a_large_command_is_short(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_short_help(command, capsys)
