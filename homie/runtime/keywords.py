"""Keyword arguments of `homie.run` and `homie.open`, for editors and type checkers. A test compares them with the
options.

An option that names a part also accepts the part itself: an object, its class, or a factory function. A planner may
also be a planner function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from homie.kernel.function_planner import Decide
    from homie.kernel.interfaces import Detector, ErrorCheck, Locator, Planner, Robot, SkillSet
    from homie.kernel.options import OpenOptions

OneSkillSet: TypeAlias = "str | SkillSet | type[SkillSet]"


class OpenKeywords(TypedDict, total=False):
    """Keyword arguments of `homie.open`."""

    planner: str | Planner | type[Planner] | Decide
    planner_settings: Mapping[str, Any]
    robot: str | Robot | Callable[[OpenOptions], Robot]
    skills: OneSkillSet | Sequence[OneSkillSet]
    skill_settings: Mapping[str, Any]
    on_missing_model: Literal["fallback", "fail"]
    detector: str | Detector | type[Detector]
    detector_settings: Mapping[str, Any]
    robot_settings: Mapping[str, Any]
    targets: str | Locator | Callable[[Any], Locator]
    grasp: Literal["weld", "friction"]
    check_order: str | ErrorCheck | Sequence[str | ErrorCheck]
    picture_size: int | str | tuple[int, int] | None
    shade: bool | None
    meshes: str | Path | None
    attempts: int
    seed: int
    scene: str | Path | None
    rooms: int | None
    objects: int
    start: str | None
    opened: Sequence[str]
    added: Sequence[str]
    catalogue: Literal["ycb", "household"]
    furniture: Literal["usual", "household"]
    clutter: Literal["tidy", "messy"]
    states: bool
    people: int
    rounds: int


class RunKeywords(OpenKeywords, total=False):
    """Keyword arguments of `homie.run`: also the content of the run folder."""

    out: str | Path | None
    video: bool
    frames: bool
