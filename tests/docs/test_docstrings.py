"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PACKAGES = ("homie", "planners", "skills", "perception", "error_detection", "ros_bridge", "robot_server")
MODULES = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_modules_with_examples_are_found() -> None:
    assert "homie.envs.mujoco.generate.generate" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    tests = doctest.DocTestFinder(exclude_empty=True).find(module)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    transcript: list[str] = []
    for test in tests:
        runner.run(test, out=transcript.append)
    assert runner.summarize(verbose=False).attempted > 0, f"{name} has '>>>' outside of its docstrings"
    assert not runner.failures, "".join(transcript)
