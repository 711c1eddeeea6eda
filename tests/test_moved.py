"""Modules that have moved are found by their old names for one release."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from homie.kernel.interfaces import GroundTruthAccess, Planner, Skill
from homie.kernel.scenes import Scenes
from homie.kernel.support.deprecated_imports import new_name
from homie.kernel.support.moved_modules import MOVED
from homie.kernel.types import Command, Decision, Outcome, PlannerInput, Visibility

ROOT = Path(__file__).parents[1]
MODULES = Path(__file__).with_name("modules_of_0_1.txt").read_text(encoding="utf-8").split()
"""The modules of version 0.1 (commit 0dc8de1) without those that begin with an underscore."""
GONE = {"homie.bench.suites.faults", "ros_bridge.robot.errands"}
"""Helpers of parts that come with Homie, of no use to others."""


def in_suites(module: str | None) -> bool:
    """Whether a module is of the package `suites`, whose own tests look at it."""
    return module is not None and f"{module}.".startswith("suites.")


def is_there(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_every_module_of_the_release_before_is_there_or_was_moved() -> None:
    assert len(MODULES) > 900
    now = {old: new_name(old) or old for old in MODULES if old not in GONE}
    assert [old for old, new in now.items() if not in_suites(new) and not is_there(new)] == []
    assert [old for old in MOVED if is_there(old)] == [], "a module that is there again has not moved"


IMPORTS = """
import importlib, json, sys, warnings

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    alike = {
        old: importlib.import_module(old) is importlib.import_module(new)
        for old, new in json.loads(sys.argv[1]).items()
    }
print(json.dumps([alike, [str(warning.message) for warning in warned]]))
"""


def test_an_old_name_is_the_module_with_the_new_one_and_warns_of_it() -> None:
    check_old_names([old for old in MOVED if not in_suites(new_name(old))])


def check_old_names(names: Sequence[str]) -> None:
    """Fail unless modules can be imported by their old names, which warn; those of a package by themselves."""
    now = {old: new_name(old) for old in names}
    packages = {old.partition(".")[0]: {old: new} for old, new in now.items()}
    for some in (now, *packages.values()):
        ran = subprocess.run(
            [sys.executable, "-c", IMPORTS, json.dumps(some)], capture_output=True, text=True, check=True
        )
        alike, warned = json.loads(ran.stdout)
        assert [old for old in some if not alike[old]] == []
        messages = {
            old: f"{old} has moved: import {new}. The old name works for one release." for old, new in some.items()
        }
        assert [old for old, message in messages.items() if message not in warned] == []


def test_members_of_a_skill_by_their_old_names() -> None:
    with pytest.warns(DeprecationWarning, match="now") as warned:

        class Old(Skill):
            def start(self, subtask, goal, observation):
                pass

            def act(self, observation):
                return Command()

            @property
            def outcome(self):
                return Outcome.FAILED

            @property
            def complaint(self):  # codespell:ignore
                return "it is too dark"

            @property
            def hopeless(self):  # codespell:ignore
                return True

            def looks(self):
                return ("head",)

    skill = Old()
    assert (skill.feedback_message, skill.retryable, skill.required_cameras()) == ("it is too dark", False, ("head",))
    assert [str(warning.message).partition(" The")[0] for warning in warned] == [
        "Old.complaint is called feedback_message now.",  # codespell:ignore
        "Old.looks is called required_cameras now.",
        "Old.hopeless is called retryable now.",  # codespell:ignore
    ]


def test_members_of_parts_by_their_old_names() -> None:
    with pytest.warns(DeprecationWarning, match="is called bind now"):

        class Old(Planner):
            def reset(self, task, *, seed):
                pass

            def decide(self, planner_input):
                return Decision(())

            def enter(self, robot):
                self.robot = robot

    assert isinstance(Old(), GroundTruthAccess)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("homie.kernel.executor", "SkillBook", "SkillTable"),  # codespell:ignore
        ("homie.kernel.interfaces", "Errand", "GoalHandle"),
        ("homie.kernel.interfaces", "NamedByUsers", "Configurable"),  # codespell:ignore
        ("homie.kernel.interfaces", "Privileged", "GroundTruthAccess"),
        ("homie.kernel.interfaces.simulator_abilities", "Privileged", "GroundTruthAccess"),
        ("homie.kernel.types", "Listed", "NumberedObject"),
        ("homie.kernel.types", "Telling", "Visibility"),
        ("homie.kernel.types", "wrapped", "wrap_angles"),
        ("homie.kernel.types", "wrapped_angle", "wrap_angle"),
        ("homie.runtime.assembly", "SkillShelf", "LoadedSkills"),  # codespell:ignore
    ],
)
def test_a_class_or_function_by_its_old_name(module: str, old: str, new: str) -> None:
    place = importlib.import_module(module)
    with pytest.warns(DeprecationWarning, match=rf"{old} is called {new} now"):
        assert getattr(place, old) is getattr(place, new)
    with pytest.raises(AttributeError, match=f"'{module}' has no attribute 'Nothing'"):
        place.Nothing  # noqa: B018


def test_the_initial_state_of_scenes_by_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"Old\.outset is called initial_state now"):  # codespell:ignore

        class Old(Scenes):
            def outset(self, content):  # codespell:ignore
                return None

    assert Old.initial_state is Old.outset  # codespell:ignore


def test_what_a_planner_may_see_by_its_old_name() -> None:
    planner_input = PlannerInput("look", 1, {}, (), (), (), None, ("End",), (), visibility=Visibility("booleans"))
    with pytest.warns(DeprecationWarning, match="is called visibility now"):
        assert planner_input.telling is planner_input.visibility
