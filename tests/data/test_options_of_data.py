"""The options of `homie data`: what is usual, how far a number may go, and how a command is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from homie.data.options import (
    EmmoeOptions,
    GenerateOptions,
    LeRobotOptions,
    ShowOptions,
    SplitOptions,
    StatsOptions,
    TasksOptions,
    TrainingOptions,
    ValidateOptions,
)
from homie.kernel.errors import BadInput
from homie.kernel.options import Options

RUNS = ["runs/rule"]
NEEDED: dict[type[Options], dict[str, Any]] = {
    TrainingOptions: {"sources": RUNS, "out": "sft"},
    TasksOptions: {"out": "tasks.json"},
    GenerateOptions: {"suite": "tasks.json", "out": "runs/expert"},
    EmmoeOptions: {"sources": RUNS, "out": "emmoe"},
    LeRobotOptions: {"sources": RUNS, "out": "lerobot"},
    SplitOptions: {"sources": RUNS},
    StatsOptions: {"sources": RUNS},
    ShowOptions: {"dataset": "sft"},
    ValidateOptions: {"dataset": "sft"},
}
TYPED = {
    TrainingOptions: ("sources", "homie data sft runs/rule --out data/sft"),
    TasksOptions: ("out", "homie data tasks tasks.json"),
    GenerateOptions: ("suite", "homie data generate tasks.json"),
    EmmoeOptions: ("sources", "homie data emmoe runs/rule --out data/emmoe"),
    LeRobotOptions: ("sources", "homie data lerobot recordings --out data/lerobot"),
    SplitOptions: ("sources", "homie data split runs/rule"),
    StatsOptions: ("sources", "homie data stats runs/rule"),
    ShowOptions: ("dataset", "homie data show data/sft"),
    ValidateOptions: ("dataset", "homie data validate data/sft"),
}


def build_options(kind: type[Options], **changes: object) -> Options:
    """Options of a kind, with what it needs at least."""
    return kind.build(**{**NEEDED[kind], **changes})


@pytest.mark.parametrize("kind", NEEDED)
def test_what_a_command_needs_is_asked_for_as_it_is_typed(kind: type[Options]) -> None:
    argument, typed = TYPED[kind]
    given = {name: value for name, value in NEEDED[kind].items() if name != argument}
    with pytest.raises(BadInput, match=rf": `{typed}`\.$"):
        kind.build(**given)
    if argument == "sources":
        with pytest.raises(BadInput, match=f"`{typed}`"):
            build_options(kind, sources=[])
        with pytest.raises(BadInput, match="twice"):
            build_options(kind, sources=["runs/rule", "runs/rule"])


@pytest.mark.parametrize(
    ("kind", "usual"),
    [
        (
            TrainingOptions,
            {
                "form": "chat",
                "template": "emmoe-json",
                "keep": "done",
                "split": "suite",
                "label_by": "planner",
                "explain": True,
                "license": None,
                "seed": 0,
                "rewriter": None,
                "versions": 3,
                "rewritings": None,
                "rename": 0,
                "prompt_settings": {},
                "rewriter_settings": {},
            },
        ),
        (
            TasksOptions,
            {
                "number": 100,
                "test": 0.1,
                "validation": 0.0,
                "held_out": 0.2,
                "held_out_templates": None,
                "held_out_objects": None,
                "robot": "mujoco",
                "seed": 0,
            },
        ),
        (
            GenerateOptions,
            {
                "episodes": None,
                "failures": 0.0,
                "detours": 0.0,
                "skills": "ideal",
                "targets": "background",
                "split": None,
                "rounds": None,
                "frames": True,
                "picture_size": None,
                "workers": None,
                "seed": 0,
            },
        ),
        (EmmoeOptions, {"keep": "done", "split": "suite", "explain": True, "license": None}),
        (
            LeRobotOptions,
            {"fps": None, "keep": "done", "action": None, "cameras": None, "license": None, "language": "columns"},
        ),
        (SplitOptions, {"by": "task", "share": 0.1, "seed": 0, "out": Path("split.json")}),
        (StatsOptions, {}),
        (ShowOptions, {"line": 1, "split": "train"}),
        (ValidateOptions, {}),
    ],
)
def test_what_is_usual(kind: type[Options], usual: dict[str, object]) -> None:
    options = build_options(kind)
    assert {name: getattr(options, name) for name in kind.model_fields if name not in NEEDED[kind]} == usual


@pytest.mark.parametrize(
    ("kind", "name", "allowed", "refused"),
    [
        (TrainingOptions, "seed", [0, 2**31 - 1], [-1, 2**31]),
        (TrainingOptions, "versions", [1, 20], [0, 21]),
        (TrainingOptions, "rename", [0, 1000], [-1, 1001]),
        (TrainingOptions, "template", ["x"], [""]),
        (TrainingOptions, "rewriter", ["x"], [""]),
        (TrainingOptions, "split", ["x"], [""]),
        (TrainingOptions, "form", ["chat", "emmoe"], ["XXchat"]),
        (TrainingOptions, "keep", ["done", "ended", "all"], ["some"]),
        (TrainingOptions, "license", ["mit", "cc-by-4.0", "x" * 100], ["", "-mit", "MIT", "x" * 101]),
        (TasksOptions, "number", [1, 100_000], [0, 100_001]),
        (TasksOptions, "test", [0.0, 0.24], [-0.01, 0.25]),
        (TasksOptions, "validation", [0.0, 0.24], [-0.01, 0.25]),
        (TasksOptions, "held_out", [0.01, 0.89], [0.0, 0.9]),
        (GenerateOptions, "suite", ["x"], [""]),
        (GenerateOptions, "episodes", [1], [0]),
        (GenerateOptions, "failures", [0.0, 1.0], [-0.01, 1.01]),
        (GenerateOptions, "detours", [0.0, 1.0], [-0.01, 1.01]),
        (GenerateOptions, "rounds", [1, 1000], [0, 1001]),
        (GenerateOptions, "workers", [1, 256], [0, 257]),
        (GenerateOptions, "split", ["train", "validation", "test"], ["dev"]),
        (LeRobotOptions, "fps", [1, 1000], [0, 1001]),
        (LeRobotOptions, "keep", ["done", "all"], ["ended"]),
        (LeRobotOptions, "language", ["columns", "strings"], ["words"]),
        (SplitOptions, "by", ["task", "house", "both"], ["room"]),
        (SplitOptions, "share", [0.01, 0.99], [0.0, 1.0]),
        (ShowOptions, "line", [1], [0]),
        (ShowOptions, "split", ["train", "validation", "test"], ["dev"]),
    ],
)
def test_how_far_an_option_may_go(kind: type[Options], name: str, allowed: list[object], refused: list[object]) -> None:
    for value in allowed:
        assert getattr(build_options(kind, **{name: value}), name) == value
    for value in refused:
        with pytest.raises(BadInput, match=f"--{name.replace('_', '-')}|{name}"):
            build_options(kind, **{name: value})
