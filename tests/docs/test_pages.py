"""The documentation holds: its links lead somewhere, its code runs, its options exist."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from homie.bench.options import BenchOptions, CompareOptions, ReportOptions
from homie.cli.app import helps
from homie.cli.commands.play_server import play_server_command
from homie.cli.commands.robot import robot_command
from homie.cli.commands.serve import serve_command
from homie.cli.parameters import SHORTCUTS
from homie.data.options import (
    DetectionsOptions,
    EmmoeOptions,
    GenerateOptions,
    LeRobotOptions,
    SplitOptions,
    TasksOptions,
    TrainingOptions,
)
from homie.kernel.interfaces import Planner, Skill, SkillSet
from homie.kernel.options import PlanOptions, RunOptions, SceneOptions
from homie.studio.options import StudioOptions, TeleopOptions
from homie.train.hyperparameters import DetectorOptions, DpoOptions, SftOptions

ROOT = Path(__file__).parents[2]
MODELS = (
    *(RunOptions, BenchOptions, SceneOptions, PlanOptions, CompareOptions, ReportOptions),
    *(TrainingOptions, EmmoeOptions, SplitOptions, LeRobotOptions, TasksOptions, GenerateOptions, DetectionsOptions),
    *(TeleopOptions, StudioOptions, SftOptions, DpoOptions, DetectorOptions),
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_links_of_the_site_stay_in_it(page):
    """`make docs` stops at others."""
    links = re.findall(r"\]\(([^)#\s:]+)[)#]", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).resolve().is_relative_to(ROOT / "docs")] == []


@functools.cache
def anchors(page: Path) -> set[str]:
    """Of the headings of a page, as a site makes them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)", text, re.MULTILINE)]
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_headings_lead_to_some(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s:]*\.md|)#([^)\s]+)\)", text)
    assert [link for link in links if link[1] not in anchors(page.parent / link[0] if link[0] else page)] == []


SUITES = ("questions", "vigil")
"""Commands of the package `suites`, whose own tests look at them."""
PLAIN = {
    "no-video",
    "no-frames",
    "config",
    "json",
    "version",
    "help",
    "help-all",
    "set",
    "no-explain",
    "prompt",
    "line",
}
PLAIN |= {"prompt", "line", "skill-option", "detector-option", "robot-option", "rewriter-option"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_in_commands_exist(page):
    functions = (*serve_command.values(), *robot_command.values(), play_server_command)
    served = [name for command in functions for name in inspect.signature(command).parameters]
    for line, command, options in commands(page):
        if command not in SUITES:
            assert command in helps(), line
            assert options <= option_names(MODELS, *SHORTCUTS, *served), line


def option_names(models: Iterable[type[BaseModel]], *more: str) -> set[str]:
    """The names of options, as a command line writes them."""
    names = (*more, *(name for model in models for name in model.model_fields))
    return PLAIN | {name.replace("_", "-") for name in names}


def commands(page: Path) -> list[tuple[str, str, set[str]]]:
    """The lines of a page that run Homie, each with its command and the options in it."""
    lines = [line.split("#")[0] for block in blocks(page, "console") for line in block.splitlines()]
    return [
        (line, line.split()[1], set(re.findall(r"--([a-z-]+)", line))) for line in lines if line.startswith("homie ")
    ]


def class_defined_on(page: str, kind: type) -> type:
    """The class of a kind that the first Python block of a page defines."""
    space: dict[str, object] = {}
    exec(blocks(ROOT / "docs" / page, "python")[0], space)
    (part,) = [
        item for item in space.values() if isinstance(item, type) and issubclass(item, kind) and item is not kind
    ]
    return part


def test_the_skill_of_the_manual_is_one():
    skill = class_defined_on("first-skill.md", Skill)()
    assert skill.actions == ("Go to",) and skill.name
    shelf = class_defined_on("first-skill.md", SkillSet)()
    assert [type(item).__name__ for item in shelf.skills(None, None)] == [type(skill).__name__]


def test_the_planner_of_the_manual_plans():
    from homie.kernel.types import Detection, PlannerInput

    planner = class_defined_on("planners.md", Planner)()
    planner.reset("look around", seed=0)
    detections = (Detection("ball", "front", (0, 0, 1, 1)),)
    planner_input = PlannerInput("look around", 1, {}, detections, (), (), None, ("Go to", "End"), ())
    assert [str(planner.decide(planner_input).subtasks[0]) for _ in range(2)] == ["[Go to, ball]", "[End]"]


def test_the_script_of_the_manual_is_one(tmp_path):
    from planners.scripted import read_script

    (script,) = blocks(ROOT / "docs" / "planners.md", "yaml")
    path = tmp_path / "script.yaml"
    path.write_text(script)
    assert [len(decision.subtasks) for decision in read_script(path)] == [1, 1, 1, 2]


def test_the_options_files_of_the_quickstart_are_some(tmp_path):
    path = tmp_path / "apple.yaml"
    for text in blocks(ROOT / "docs" / "quickstart.md", "yaml"):
        path.write_text(text)
        options = {**yaml.safe_load(text), "seed": 8}
        assert RunOptions.build(path, seed=8).model_dump(include=set(options)) == options
