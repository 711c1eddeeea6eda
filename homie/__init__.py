"""Homie: a hierarchical robot agent framework.

    import homie
    summary = homie.run("put the apple in the bowl", seed=7)

    with homie.open(seed=7) as session:
        session.call("Go to", "apple")
        picture = session.views()["front"]

    homie.bench("homie-100", planner="rule", tasks="fruit-*")

All take the options of the command line by name. The classes to derive parts from, the values that cross them and what
reads run folders are here too: `dir(homie)` lists them. docs/python-api.md shows what they can do.
What happens is logged to `homie` and the loggers under it (standard `logging`); a program that sets up logging sees it.
"""

from __future__ import annotations

import sys

from homie.kernel.support import deprecated_imports
from homie.kernel.support.version import __version__

TYPE_CHECKING = False  # not from `typing`: importing that takes longer than all else before Ctrl-C is handled
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Unpack

    from homie.bench.finished_episodes import read_bench
    from homie.bench.intervals_and_tests import Estimate, Term, bootstrap, clustered_wilson
    from homie.bench.keywords import BenchKeywords
    from homie.bench.options import BenchOptions, ReportOptions
    from homie.bench.play.one_by_one import OpenBench, PlayedEpisode, open_bench
    from homie.bench.play.runner import BenchSummary
    from homie.bench.report import report
    from homie.bench.score.compare import compare
    from homie.bench.score.metrics import Metric, estimate, ratio
    from homie.bench.score.results import load_run, load_runs
    from homie.bench.score.scores import Score
    from homie.bench.suite.suite import Suite, read_suite
    from homie.bench.table_formats import to_markdown
    from homie.data.lerobot_export import export_lerobot
    from homie.data.options import LeRobotOptions, TrainingOptions
    from homie.data.recording.reader import read_recording
    from homie.data.recording.takes import list_takes
    from homie.data.training_examples import make_dataset
    from homie.envs.mujoco.generate.generate import generate as generate_scene
    from homie.envs.mujoco.generate.requested_changes import Variation
    from homie.envs.mujoco.house.build import build as build_scene
    from homie.envs.mujoco.house.spec import SceneSpec
    from homie.envs.mujoco.scene_map import draw_map
    from homie.envs.snapshot_robot import Shape, SnapshotRobot
    from homie.envs.symbolic_robot import SymbolicRobot
    from homie.kernel.actions import Action
    from homie.kernel.agent import run_episode
    from homie.kernel.episode_rules import EpisodeRules
    from homie.kernel.errors import (
        BadInput,
        HomieError,
        InfrastructureError,
        Interrupted,
        MissingPart,
        PartError,
        PlannerError,
        RobotFault,
        Stopped,
    )
    from homie.kernel.function_planner import FunctionPlanner
    from homie.kernel.interfaces import (
        CheckQuestion,
        Detector,
        EpisodeListener,
        ErrorCheck,
        Kinematics,
        Listeners,
        Locator,
        Planner,
        Robot,
        Skill,
        SkillSet,
    )
    from homie.kernel.options import OpenOptions, RunOptions
    from homie.kernel.registry import DETECTOR, PLANNER, ROBOT, SKILL_SET, make_part
    from homie.kernel.robot.action_vector import ActionVector
    from homie.kernel.robot.body import Group, Joint, RobotSpec
    from homie.kernel.robot.camera import CameraModel
    from homie.kernel.scenes import Scenes
    from homie.kernel.types import (
        END,
        SUCCESS,
        Attempt,
        AttemptEnded,
        AttemptStarted,
        CameraFrame,
        Check,
        Command,
        CommandSent,
        Decision,
        Detection,
        EpisodeEnded,
        EpisodeResult,
        EpisodeStarted,
        ErrorCode,
        Event,
        Execution,
        Failure,
        FailureReason,
        Feedback,
        Goal,
        HistoryItem,
        Image,
        Observation,
        Outcome,
        PeriodPassed,
        PlannerAnswered,
        PlannerAsked,
        PlannerInput,
        Pose,
        Pose2,
        Proprioception,
        RoundRecord,
        Subtask,
        SubtaskChecked,
        SubtaskRecorded,
        SubtaskStarted,
    )
    from homie.kernel.world.conditions import parse_condition
    from homie.kernel.world.snapshot import (
        FixedState,
        JointState,
        ObjectState,
        RobotState,
        WorldSnapshot,
        read_snapshot,
    )
    from homie.runtime.keywords import OpenKeywords, RunKeywords
    from homie.runtime.open_session import Round, Session, save_picture
    from homie.runtime.provenance import read_parts
    from homie.runtime.runstore import episode_folders, read_episode, read_run, read_steps
    from homie.runtime.session import EpisodeSummary
    from homie.train.hyperparameters import SftOptions
    from homie.train.planner import train as train_planner

if sys.platform == "win32":
    raise ImportError("Homie runs on Linux and macOS, not on Windows, which lacks file locks that it needs: use WSL.")

deprecated_imports.install()
__all__ = [
    "DETECTOR",
    "END",
    "PLANNER",
    "ROBOT",
    "SKILL_SET",
    "SUCCESS",
    "Action",
    "ActionVector",
    "Attempt",
    "AttemptEnded",
    "AttemptStarted",
    "BadInput",
    "BenchOptions",
    "BenchSummary",
    "CameraFrame",
    "CameraModel",
    "Check",
    "CheckQuestion",
    "Command",
    "CommandSent",
    "Decision",
    "Detection",
    "Detector",
    "EpisodeEnded",
    "EpisodeListener",
    "EpisodeResult",
    "EpisodeRules",
    "EpisodeStarted",
    "EpisodeSummary",
    "ErrorCheck",
    "ErrorCode",
    "Estimate",
    "Event",
    "Execution",
    "Failure",
    "FailureReason",
    "Feedback",
    "FixedState",
    "FunctionPlanner",
    "Goal",
    "Group",
    "HistoryItem",
    "HomieError",
    "Image",
    "InfrastructureError",
    "Interrupted",
    "Joint",
    "JointState",
    "Kinematics",
    "LeRobotOptions",
    "Listeners",
    "Locator",
    "Metric",
    "MissingPart",
    "ObjectState",
    "Observation",
    "OpenBench",
    "OpenOptions",
    "Outcome",
    "PartError",
    "PeriodPassed",
    "Planner",
    "PlannerAnswered",
    "PlannerAsked",
    "PlannerError",
    "PlannerInput",
    "PlayedEpisode",
    "Pose",
    "Pose2",
    "Proprioception",
    "ReportOptions",
    "Robot",
    "RobotFault",
    "RobotSpec",
    "RobotState",
    "Round",
    "RoundRecord",
    "RunOptions",
    "SceneSpec",
    "Scenes",
    "Score",
    "Session",
    "SftOptions",
    "Shape",
    "Skill",
    "SkillSet",
    "SnapshotRobot",
    "Stopped",
    "Subtask",
    "SubtaskChecked",
    "SubtaskRecorded",
    "SubtaskStarted",
    "Suite",
    "SymbolicRobot",
    "Term",
    "TrainingOptions",
    "Variation",
    "WorldSnapshot",
    "__version__",
    "bench",
    "bootstrap",
    "build_scene",
    "clustered_wilson",
    "compare",
    "draw_map",
    "episode_folders",
    "estimate",
    "export_lerobot",
    "generate_scene",
    "list_takes",
    "load_run",
    "load_runs",
    "make_dataset",
    "make_part",
    "open",
    "open_bench",
    "parse_condition",
    "ratio",
    "read_bench",
    "read_episode",
    "read_parts",
    "read_recording",
    "read_run",
    "read_snapshot",
    "read_steps",
    "read_suite",
    "report",
    "run",
    "run_episode",
    "save_picture",
    "to_markdown",
    "train_planner",
]
_NAMES = {
    "homie.bench.score.compare": "compare",
    "homie.bench.finished_episodes": "read_bench",
    "homie.bench.options": "BenchOptions ReportOptions",
    "homie.bench.play.one_by_one": "OpenBench PlayedEpisode open_bench",
    "homie.bench.play.runner": "BenchSummary",
    "homie.bench.report": "report",
    "homie.bench.score.metrics": "Metric estimate ratio",
    "homie.bench.score.results": "load_run load_runs",
    "homie.bench.score.scores": "Score",
    "homie.bench.intervals_and_tests": "Estimate Term bootstrap clustered_wilson",
    "homie.bench.suite.suite": "Suite read_suite",
    "homie.bench.table_formats": "to_markdown",
    "homie.data.training_examples": "make_dataset",
    "homie.data.lerobot_export": "export_lerobot",
    "homie.data.options": "LeRobotOptions TrainingOptions",
    "homie.data.recording.reader": "read_recording",
    "homie.data.recording.takes": "list_takes",
    "homie.envs.mujoco.generate.generate": "generate:generate_scene",
    "homie.envs.mujoco.generate.requested_changes": "Variation",
    "homie.envs.mujoco.house.build": "build:build_scene",
    "homie.envs.mujoco.house.spec": "SceneSpec",
    "homie.envs.mujoco.scene_map": "draw_map",
    "homie.envs.snapshot_robot": "Shape SnapshotRobot",
    "homie.envs.symbolic_robot": "SymbolicRobot",
    "homie.kernel.agent": "run_episode",
    "homie.kernel.episode_rules": "EpisodeRules",
    "homie.kernel.errors": (
        "BadInput HomieError InfrastructureError Interrupted MissingPart PartError PlannerError RobotFault Stopped"
    ),
    "homie.kernel.function_planner": "FunctionPlanner",
    "homie.kernel.interfaces": (
        "CheckQuestion Detector EpisodeListener ErrorCheck Kinematics Listeners Locator Planner Robot Skill SkillSet"
    ),
    "homie.kernel.robot.body": "Group Joint RobotSpec",
    "homie.kernel.robot.camera": "CameraModel",
    "homie.kernel.robot.action_vector": "ActionVector",
    "homie.kernel.options": "OpenOptions RunOptions",
    "homie.kernel.registry": "DETECTOR PLANNER ROBOT SKILL_SET make_part",
    "homie.kernel.scenes": "Scenes",
    "homie.kernel.types": (
        "END SUCCESS Attempt AttemptEnded AttemptStarted CameraFrame Check Command CommandSent Decision Detection "
        "EpisodeEnded EpisodeResult EpisodeStarted ErrorCode Event Execution Failure FailureReason Feedback Goal "
        "HistoryItem Image Observation Outcome PeriodPassed PlannerAnswered PlannerAsked PlannerInput Pose Pose2 "
        "Proprioception RoundRecord Subtask SubtaskChecked SubtaskRecorded SubtaskStarted"
    ),
    "homie.kernel.actions": "Action",
    "homie.kernel.world.conditions": "parse_condition",
    "homie.kernel.world.snapshot": "FixedState JointState ObjectState RobotState WorldSnapshot read_snapshot",
    "homie.runtime.open_session": "Round Session save_picture",
    "homie.runtime.provenance": "read_parts",
    "homie.runtime.runstore": "episode_folders read_episode read_run read_steps",
    "homie.runtime.session": "EpisodeSummary",
    "homie.train.hyperparameters": "SftOptions",
    "homie.train.planner": "train:train_planner",
}
"""The public names by the modules that define them; `NAME:OTHER` is called OTHER here. They are imported when they are
asked for: `import homie` stays light."""
_SOURCES = {
    name.partition(":")[2] or name: (module, name.partition(":")[0])
    for module, names in _NAMES.items()
    for name in names.split()
}


def run(
    task: str,
    *listeners: EpisodeListener,
    config: str | Path | None = None,
    progress: bool = False,
    **options: Unpack[RunKeywords],
) -> EpisodeSummary:
    """Run one task and write its run folder, as `homie run` does.

    Args:
        task: The instruction.
        listeners: Get every event of the episode.
        config: A file of options, or the `run.json` of an earlier run.
        progress: Tell on stderr what happens, as the command does.
        options: As on the command line; parts may also be objects (`planner=MyPlanner()`).

    Raises:
        HomieError: With one clear sentence.
    """
    from homie.runtime.open_session import run_task

    return run_task(task, listeners, config, progress, dict(options))


def open(config: str | Path | None = None, *, progress: bool = False, **options: Unpack[OpenKeywords]) -> Session:
    """A home (or a table, or a robot) that stays open: for notebooks. Use it as a context manager.

    The same options as `run`, but for those of a run folder. Raises HomieError.
    """
    from homie.runtime.open_session import open_session

    return open_session(config, progress, dict(options))


if TYPE_CHECKING:

    def bench(
        suite: str | Path,
        *,
        config: str | Path | None = None,
        progress: bool = False,
        **options: Unpack[BenchKeywords],
    ) -> BenchSummary:
        """Run a suite, as `homie bench` does: calling the package `homie.bench`, which has to keep its name."""


def __getattr__(name: str) -> Any:
    """A public name, which is kept once it is imported."""
    import importlib

    if name == "bench":
        return importlib.import_module("homie.bench")
    if name not in _SOURCES:
        raise AttributeError(f"module 'homie' has no attribute '{name}'")
    module, attribute = _SOURCES[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
