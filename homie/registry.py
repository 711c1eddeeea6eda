"""One registry: names to lazy `"module:attribute"` strings, plus entry points of third parties.

Nothing is imported until it is asked for, so `homie --help` stays quick and a broken plug-in hurts only its users.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, entry_points, version
from types import MappingProxyType
from typing import Any

from homie.errors import BadInput, MissingPart, suggestion

BUILT_IN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "planners": {
            "rule": "planners.rule:RulePlanner",
            "scripted": "planners.scripted:ScriptedPlanner",
            "random": "planners.random_valid:RandomPlanner",
            "table-expert": "homie.envs.mujoco.table.expert:TableExpert",
            "human": "planners.human:HumanPlanner",
            "transformers": "planners.local.planner:TransformersPlanner",
            "chat": "planners.chat:ChatPlanner",
            "anthropic": "planners.claude:ClaudePlanner",
        },
        "skills": {
            "classical": "skills.classical:Classical",
            "nomad": "skills.nomad:Nomad",
            "pixnav": "skills.pixnav:PixNav",
            "rt1x": "skills.rt1x:Rt1x",
            "octo": "skills.octo:Octo",
            "m3": "skills.m3:M3",
            "remote": "skills.server:Remote",
            "arm": "skills.arm:Arm",
        },
        "robots": {
            "mujoco": "homie.envs.mujoco.home:open_home",
            "franka": "homie.envs.mujoco.table.robot:open_table",
        },
        "detectors": {
            "simulated": "perception.detectors.simulated:SimulatedDetector",
            "yolo": "perception.detectors.yolo:YoloDetector",
            "yolo-onnx": "perception.detectors.yolo_onnx:YoloOnnxDetector",
            "owl": "perception.detectors.owl:OwlDetector",
            "grounding-dino": "perception.detectors.grounding_dino:GroundingDinoDetector",
            "rtdetr": "perception.detectors.rtdetr:RtDetrDetector",
        },
        "locators": {
            "background": "homie.interfaces:background",
            "sensors": "perception.memory:SensorLocator",
        },
        "checks": {
            "paper": "error_detection:paper_order",
            "code": "error_detection:code_order",
        },
        "checkpoints": {
            "inspect": "skills.checkpoints.info:inspect",
            "generate": "skills.checkpoints.generate:write_generated",
        },
        "services": {
            "policy": "skills.server.serving:serve_policy",
        },
        "suites": {
            "homie-100": "homie.bench.suites:homie_100",
        },
        "names": {
            "default": "perception.names:best_matches",
        },
        "actions": {
            "arm": "skills.arm_actions:ArmAction",
        },
        "sentences": {
            "emmoe": "error_detection:messages",
        },
    }
)


def targets(kind: str) -> dict[str, str]:
    """Registered names of a kind (`planners`, `skills`, `robots`, ...) and where each is found, built-in first."""
    found = dict(BUILT_IN.get(kind, {}))
    for entry in entry_points(group=f"homie.{kind}"):
        found.setdefault(entry.name, entry.value)
    return found


def names(kind: str) -> list[str]:
    """Registered names of a kind, built-in first."""
    return list(targets(kind))


def installed_version(package: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def load(kind: str, name: str) -> Any:
    """The object registered under a name. Raises BadInput for an unknown name, MissingPart for a missing package."""
    target = targets(kind).get(name)
    if target is None:
        known = names(kind)
        hint = suggestion(name, known, f"choose one of: {', '.join(known)}.")
        raise BadInput(f"Unknown {kind[:-1]} '{name}': {hint}")
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == module.partition(".")[0] and module != error.name:
            raise  # a package that is there but broken, not one to install
        raise MissingPart(
            f"The {kind[:-1]} '{name}' needs the package '{error.name}': install it with `pip install {error.name}`."
        ) from error
