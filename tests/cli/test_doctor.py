"""`homie doctor`: short by default, everything with `--all`."""

from __future__ import annotations

import pytest

from homie.cli.commands import doctor
from homie.cli.commands.doctor import Finding, doctor_command

FINDINGS = [
    Finding(name="python", ok=True, detail="3.11"),
    Finding(name="optional [chat]", ok=True, detail="installed", needed=False),
    Finding(name="optional [dev]", ok=False, detail="not installed: mypy", needed=False, fix="pip install x"),
    Finding(name="planner rule", ok=True, detail="usable", needed=False),
]


@pytest.fixture(autouse=True)
def _findings(monkeypatch):
    monkeypatch.setattr(doctor, "examine", lambda: iter(FINDINGS))


def test_optional_parts_and_planners_are_a_line_each(capsys):
    doctor_command()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "ok python 3.11",
        "- optional parts installed 1 of 2: chat; not: dev",
        "ok planners usable 1 of 1: rule",
        "-> `homie doctor --all` says what each of them needs",
        "Everything that Homie needs is here.",
    ]


def test_all_of_them_are_listed_where_that_is_asked_for(capsys):
    doctor_command(everything=True)
    output = capsys.readouterr().out
    assert "optional [dev]" in output and "-> pip install x" in output and "planner rule" in output
    assert "--all" not in output


def test_many_missing_packages_are_counted(monkeypatch):
    class Lacking:
        def __init__(self, name: str) -> None:
            self.name = name

    monkeypatch.setattr(doctor.packages, "extras", lambda: ["dev"])
    monkeypatch.setattr(doctor.packages, "lacking", lambda extra: [Lacking(f"p{n}") for n in range(7)])
    monkeypatch.setattr(doctor.packages, "install_command", lambda extra: "")
    (finding,) = doctor._extras()
    assert finding.detail == "not installed: p0, p1, p2, p3, p4 and 2 more"
