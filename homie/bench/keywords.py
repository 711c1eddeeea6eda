"""Keyword arguments of `homie.bench`, for editors and type checkers. A test keeps them equal to the options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from homie.bench.splits import TaskSplit
    from homie.kernel.function_planner import Decide
    from homie.kernel.interfaces import Detector, Locator, Planner, Robot, SkillSet


class BenchKeywords(TypedDict, total=False):
    """Arguments of `homie bench` besides the suite, without `sweep`, for which Python has loops.

    Parts are names, or importable classes, because worker processes create them anew. A planner may also be a function.
    """

    planner: str | type[Planner] | Decide
    planner_settings: Mapping[str, Any]
    robot: str | type[Robot]
    robot_settings: Mapping[str, Any]
    skills: str | type[SkillSet] | Sequence[str | type[SkillSet]]
    skill_settings: Mapping[str, Any]
    on_missing_model: Literal["fallback", "fail"]
    detector: str | type[Detector]
    detector_settings: Mapping[str, Any]
    targets: str | type[Locator]
    grasp: Literal["weld", "friction"]
    check_order: str
    picture_size: int | str | tuple[int, int] | None
    shade: bool | None
    meshes: str | Path | None
    attempts: int
    video: bool
    frames: bool
    tasks: str | None
    split: TaskSplit | None
    trials: int | None
    rounds: int | None
    seed: int
    out: str | Path | None
    workers: int | None
    ray: str | None
    timeout: float
    retries: int
    memory: float | None
    recycle: int
    again: bool
    mixed: bool
    clean: bool
