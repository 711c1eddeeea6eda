"""Code of a user's own that raises, or that cannot be imported: one sentence that says where, whose, and what to do."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import homie
from homie import PartError, Planner, PlannerInput
from homie.kernel.support.own_code import in_words, own_code, unexpected_error

TINY: dict[str, Any] = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}


def test_the_line_of_own_code_is_found_below_homies_only() -> None:
    class Divides(Planner):
        name = "divides"

        def reset(self, task: str, *, seed: int) -> None:
            """Nothing is kept."""

        def decide(self, planner_input: PlannerInput) -> Any:
            return halves(0)

    def halves(number: int) -> float:
        return json.loads("1") / number

    with homie.open(**TINY, planner=Divides()) as session, pytest.raises(ZeroDivisionError) as excinfo:
        list(session.rounds("go"))
    place = own_code(excinfo.value)
    assert place is not None and (place.part, place.function) == ("planner 'Divides'", "halves")
    line = (Path(place.file).read_text().splitlines())[place.line - 1]
    assert line.strip() == 'return json.loads("1") / number'
    error = unexpected_error(excinfo.value, "More.")
    assert isinstance(error, PartError) and error.exit_code == 4
    assert (
        str(error)
        == f"Error in the code of the planner 'Divides' at {place}: ZeroDivisionError: division by zero. More."
    )
    with pytest.raises(ZeroDivisionError) as by_nobody:
        halves(0)
    assert own_code(by_nobody.value) is None
    assert str(unexpected_error(by_nobody.value)) == "Unexpected ZeroDivisionError: division by zero."
    assert in_words(AssertionError()) == "AssertionError"


MINE = """
    import homie
    from homie import END, Decision, Planner, Subtask
    from homie_tiny import TinyDetector, TinyRobot, TinySkill, TinySkills

    class Divides(Planner):
        name = "divides"
        def reset(self, task, *, seed): ...
        def decide(self, planner_input):
            return 1 / 0

    def exits(planner_input):
        raise SystemExit(0)

    class Nothing(Divides):
        def decide(self, planner_input): ...

    def decide(planner_input):
        return END if planner_input.history else Subtask("Go to", "ball")

    def locate(robot):
        return robot.nothing

    def raises(planner_input):
        return planner_input.nothing

    class Detector(TinyDetector):
        def detect(self, observation):
            raise KeyError("ball")

    class Skill(TinySkill):
        def act(self, observation):
            return observation.pictures

    class Skills(TinySkills):
        def skills(self, spec, kinematics):
            return [Skill("Go to")]

    class Robot(TinyRobot):
        def _send(self, command):
            assert False

    class Constructed(Divides):
        def __init__(self, argument):
            self.number = int(argument)
"""


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(textwrap.dedent(MINE).lstrip())
    return path


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


FAULTS = [
    ("--planner", "mine:Divides", "the planner 'Divides'", "1 / 0", "decide", "ZeroDivisionError: division by zero"),
    ("--planner", "mine:raises", "the planner", "planner_input.nothing", "raises", "AttributeError: 'PlannerInput'"),
    ("--planner", "mine:exits", "the planner", "raise SystemExit", "exits", "SystemExit: 0"),
    ("--targets", "mine:locate", "", "robot.nothing", "locate", "AttributeError: 'FilmedTinyRobot'"),
    ("--detector", "mine:Detector", "the detector 'Detector'", "raise Key", "detect", "KeyError: 'ball'"),
    ("--skills", "mine:Skills", "the skill 'Skill'", "observation.pictures", "act", "AttributeError: 'Observation'"),
    ("--robot", "mine:Robot", "the robot 'Robot'", "assert False", "_send", "AssertionError."),
    (
        "--planner",
        "mine:Constructed:x",
        "the planner 'Constructed'",
        "int(argument)",
        "__init__",
        "ValueError: invalid",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[1])
def test_a_fault_of_own_code_is_one_sentence_with_its_line(
    own_file: Path, homie: Any, tiny_arguments: list[str], fault: tuple[str, ...]
) -> None:
    option, value, whose, code, function, error = fault
    completed = homie("run", "go", *tiny_arguments, option, value, "--no-video", "--out", "run")
    assert completed.returncode == 4, completed.stderr
    code_of = f"the code of {whose}" if whose else "code of your own"
    sentence = f"homie: Error in {code_of} at mine.py, line {line_of(own_file, code)}, in {function}: {error}"
    assert (
        sentence in completed.stderr
        and "Traceback" not in completed.stderr
        and "The traceback is in " in completed.stderr
    )


def test_what_a_planner_returns_wrongly_is_the_users_mistake(
    own_file: Path, homie: Any, tiny_arguments: list[str]
) -> None:
    completed = homie("run", "go", *tiny_arguments, "--planner", "mine:Nothing", "--no-video")
    assert completed.returncode == 2 and "The method decide of the planner Nothing returned None" in completed.stderr
    completed = homie("plan", "go", "--planner", "mine:Nothing")
    assert completed.returncode == 2 and "The method decide of the planner Nothing returned None" in completed.stderr


def test_a_function_is_named_on_the_command_line(own_file: Path, homie: Any, tiny_arguments: list[str]) -> None:
    completed = homie("run", "go", *tiny_arguments, "--planner", "mine:decide", "--no-video", "--out", "run")
    assert completed.returncode == 0, completed.stderr
    (made_with,) = (own_file.parent / "run" / "parts").glob("*.json")
    planner = json.loads(made_with.read_text())["planner"]
    assert planner["class"] == "mine:decide" and len(planner["source"]) == 64


# ---------------------------------------------------------------- modules


@pytest.mark.parametrize("name", ["wave", "time", "planners", "yaml"])
def test_a_module_that_another_hides_is_named(homie: Any, tmp_path: Path, tiny_arguments: list[str], name: str) -> None:
    (tmp_path / f"{name}.py").write_text("class Mine: ...\n")
    completed = homie("run", "go", *tiny_arguments, "--planner", f"{name}:Mine", "--no-video", PYTHONSAFEPATH="1")
    file = getattr(importlib.import_module(name), "__file__", None) or "a part of Python itself"
    assert completed.returncode == 2
    assert f"the module '{name}' is {file}, which hides {name}.py of this folder: rename that." in completed.stderr


def test_a_folder_that_a_module_hides_is_named(homie: Any, tmp_path: Path, tiny_arguments: list[str]) -> None:
    (tmp_path / "wave").mkdir()
    (tmp_path / "wave" / "mine.py").touch()
    completed = homie("run", "go", *tiny_arguments, "--planner", "wave.mine:Mine", "--no-video", PYTHONSAFEPATH="1")
    assert completed.returncode == 2 and "which hides wave of this folder: rename that." in completed.stderr


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("x = 1\nPlannr\n", 2, "bad.py, line 2: NameError: name 'Plannr' is not defined: correct the module 'bad'."),
        ("import sys\nsys.exit()\n", 2, "bad.py, line 2: SystemExit: correct the module 'bad'"),
        ("from homie import Plannr\n", 2, "bad.py, line 1: ImportError: cannot import name 'Plannr'"),
        (
            "import nowhere_at_all\n",
            3,
            "bad.py, line 1: ModuleNotFoundError: No module named 'nowhere_at_all': in",
        ),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_sentence(
    homie: Any, tmp_path: Path, tiny_arguments: list[str], text: str, code: int, sentence: str
) -> None:
    (tmp_path / "bad.py").write_text(text)
    completed = homie("run", "go", *tiny_arguments, "--planner", "bad:Mine", "--no-video")
    assert completed.returncode == code and sentence in completed.stderr and "Traceback" not in completed.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["yaml", "copy", "typing", "numpy"])
def test_a_file_that_hides_a_module_is_named_and_hides_nothing_from_python_m(tmp_path: Path, name: str) -> None:
    root = Path(__file__).parents[1]
    (tmp_path / f"{name}.py").write_text("x = 1\n")

    def start(*places: Path | str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "homie", "list", "suites", "--json"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert start(root).returncode == 0
    completed = start(".", root)
    sentence = f"{name}.py of this folder hides the module '{name}', which Homie needs: rename it."
    assert (completed.returncode, completed.stderr) == (2, f"homie: {sentence}\n")
    assert json.loads(completed.stdout) == {"error": sentence, "exit_code": 2}


def test_a_file_that_an_exception_does_not_name_is_not_blamed(tmp_path: Path) -> None:
    (tmp_path / "calendar.py").write_text("x = 1\n")
    code = (
        "import calendar; from homie.kernel.support.own_code import unexpected_error as show; "
        "print(show(KeyError('door')), show(ImportError(\"cannot import name 'day' from 'calendar'\")))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((".", str(Path(__file__).parents[1])))}
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    hiding = "calendar.py of this folder hides the module 'calendar', which Homie needs: rename it."
    assert completed.stdout == f"Unexpected KeyError: 'door'. {hiding}\n"
