"""One registry: names to lazy `"module:attribute"` strings, plus entry points of third parties.

Nothing is imported until it is asked for, so `homie --help` stays quick and a broken plug-in hurts only its users.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import warnings
from collections.abc import Mapping
from importlib.metadata import EntryPoints
from importlib.metadata import entry_points as installed_entry_points
from types import MappingProxyType
from typing import Any

from homie.kernel.errors import BadInput, HomieError, MissingPart, suggestion
from homie.kernel.support.packages import OURS, missing_part, shadows

BUILT_IN: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "planners": {
            "rule": "planners.rule:RulePlanner",
            "scripted": "planners.scripted:ScriptedPlanner",
            "erring": "planners.erring:ErringPlanner",
            "random": "planners.random_valid:RandomPlanner",
            "table-expert": "homie.envs.mujoco.table.expert:TableExpert",
            "human": "planners.human:HumanPlanner",
            "transformers": "planners.llm.local.planner:TransformersPlanner",
            "chat": "planners.llm.providers.chat:ChatPlanner",
            "anthropic": "planners.llm.providers.claude:ClaudePlanner",
            "responses": "planners.llm.providers.responses:ResponsesPlanner",
            "gemini": "planners.llm.providers.gemini:GeminiPlanner",
        },
        "skills": {
            "classical": "skills.classical.skill_set:Classical",
            "nomad": "skills.nomad.skill_set:Nomad",
            "pixnav": "skills.pixnav.skill_set:PixNav",
            "rt1x": "skills.rt1x.skill_set:Rt1x",
            "octo": "skills.octo.skill_set:Octo",
            "m3": "skills.m3.skill_set:M3",
            "remote": "skills.server.remote:Remote",
            "arm": "skills.arm.skill_set:Arm",
            "own": "skills.own.skill_set:Own",
            "nav2": "skills.delegated.nav2:Nav2",
            "moveit": "skills.delegated.moveit:MoveIt",
            "ideal": "skills.ideal.skill_set:Ideal",
            "chores": "skills.chores.skill_set:Chores",
            "ideal-chores": "skills.chores.skill_set:IdealChores",
            "people": "skills.people.skill_set:People",
            "ideal-people": "skills.people.skill_set:IdealPeople",
            "steps": "skills.steps.skill_set:Steps",
            "graph": "skills.graph.skill_set:Moves",
            "ideal-graph": "skills.graph.skill_set:IdealGraph",
        },
        "robots": {
            "mujoco": "homie.envs.mujoco.home.home:open_home",
            "franka": "homie.envs.mujoco.table.robot:open_table",
            "ros": "ros_bridge.robot.opening:open_ros",
            "thor": "homie.envs.thor.robot:open_thor",
        },
        "bodies": {
            "fetch": "homie.envs.mujoco.robots.fetch.kinematics:FETCH",
            "panda-base": "homie.envs.mujoco.robots.panda_base.panda_base:PANDA_BASE",
            "stretch-like": "homie.envs.mujoco.robots.stretch_like.stretch_like:STRETCH_LIKE",
        },
        "scenes": {
            "mujoco": "homie.envs.mujoco.home.scenes:HouseScenes",
            "franka": "homie.envs.mujoco.table.scenes:TableScenes",
            "thor": "homie.envs.thor.scenes:ThorScenes",
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
            "background": "homie.kernel.interfaces:background",
            "sensors": "perception.sensors.locator:SensorLocator",
        },
        "checks": {
            "paper": "error_detection:paper_order",
            "code": "error_detection:code_order",
        },
        "checkpoints": {
            "nomad": "skills.nomad.checkpoint:CHECKPOINT",
            "pixnav": "skills.pixnav.checkpoint:CHECKPOINT",
            "rt1x": "skills.rt1x.checkpoint:CHECKPOINT",
            "octo": "skills.octo.checkpoint:CHECKPOINT",
            "m3": "skills.m3.checkpoint:CHECKPOINT",
        },
        "services": {
            "policy": "skills.server.serving:serve_policy",
            "ros": "ros_bridge.serving.process:serve_robot",
        },
        "tools": {
            "checkpoint-info": "skills.checkpoints.info:inspect",
            "checkpoint-generate": "skills.checkpoints.generate:write_generated",
            "spoken-subtask": "planners.human:read_line",
        },
        "ros": {
            "node": "ros_bridge.transport.opening:open_node",
            "profile": "ros_bridge.profiles.drafted:profile_from_urdf",
            "read-profile": "ros_bridge.profiles.model:read_profile",
            "check": "ros_bridge.profiles.live:check_profile",
            "guard": "ros_bridge.guard.process:run_guard",
            "record": "ros_bridge.bags.recording:record_robot",
            "replay": "ros_bridge.robot.replayed:ReplayedRobot",
        },
        "pages": {
            "play": "planners.llm.play.serving:serve_play",
        },
        "suites": {
            "homie-100": "homie.bench.suites:homie_100",
            "table-pick": "homie.bench.suites:table_pick",
            "table-stack": "homie.bench.suites:table_stack",
            "table-sort": "homie.bench.suites:table_sort",
            "table-wipe": "homie.bench.suites:table_wipe",
        },
        "quirks": {
            "none": "homie.kernel.types.quirks:NO_QUIRKS",
        },
        "names": {
            "default": "perception.words.names:best_matches",
        },
        "stand_ins": {
            "reaching": "skills.delegated.stand_ins:ArmPlanning",
            "navigation": "skills.delegated.stand_ins:Driving",
        },
        "recall": {
            "default": "perception.recall.recall:SightRecall",
        },
        "actions": {
            "arm": "skills.arm.arm_actions:ArmAction",
        },
        "execution": {
            "emmoe": "error_detection:execution",
        },
        "prompts": {
            "default": "planners.llm.prompting.writer:TemplateWriter",
        },
        "rewriters": {
            "default": "planners.llm.rewriting:ModelRewriter",
        },
        "respondents": {
            "model": "planners.llm.respondent:ModelRespondent",
            "scripted": "planners.respondents:ScriptedRespondent",
            "constant": "planners.respondents:ConstantRespondent",
            "random": "planners.respondents:RandomRespondent",
        },
        "trainers": {
            "transformers": "planners.llm.training.trainer:train",
        },
        "skill_trainers": {
            "m3": "skills.m3.training:TRAINING",
        },
    }
)


WORDS: Mapping[str, str] = MappingProxyType(
    {
        "planners": "planner",
        "skills": "skill set",
        "robots": "robot",
        "bodies": "body of a robot",
        "detectors": "detector",
        "locators": "locator (--targets)",
        "checks": "order of checks (--check-order)",
        "suites": "suite",
        "published": "suite",
        "quirks": "set of quirks",
        "checkpoints": "checkpoint format",
        "skill_trainers": "skill set to train",
    }
)
"""What users call a part of each kind."""
OBJECT = "object"
"""In the place of a name: a part that was made in Python (`object:MODULE.CLASS`), which no name can make again."""


def word(kind: str) -> str:
    """What users call a part of a kind."""
    return WORDS.get(kind, kind.removesuffix("s"))


def entry_points(group: str) -> EntryPoints:
    """The entry points of a group, of all packages that are installed."""
    return _installed(group, tuple(sys.path))


@functools.lru_cache(maxsize=64)
def _installed(group: str, path: tuple[str, ...]) -> EntryPoints:
    """The same by where packages are looked for: to read them takes some 30 ms, and every part of an episode is looked
    up."""
    return installed_entry_points(group=group)


def targets(kind: str) -> dict[str, str]:
    """Registered names of a kind (`planners`, `skills`, `robots`, ...) and where each is found, built-in first.

    Warns of an entry point that has the name of another part, which hides it.
    """
    registered = dict(BUILT_IN.get(kind, {}))
    owners = dict.fromkeys(registered, "Homie")
    for entry in entry_points(group=f"homie.{kind}"):
        owner = f"the package '{entry.dist.name}'" if entry.dist is not None else "another package"
        if registered.setdefault(entry.name, entry.value) == entry.value:
            owners.setdefault(entry.name, owner)
            continue
        warnings.warn(
            f"The {word(kind)} '{entry.name}' of {owner} ({entry.value}) is hidden by that of {owners[entry.name]} "
            f"({registered[entry.name]}): register it under another name.",
            stacklevel=2,
        )
    return registered


def names(kind: str) -> list[str]:
    """Registered names of a kind, built-in first."""
    return list(targets(kind))


def load(kind: str, name: str) -> Any:
    """The object registered under a name. Raises BadInput for an unknown name, MissingPart for a missing package."""
    target = targets(kind).get(name)
    if target is None:
        raise unknown(kind, name)
    module, _, attribute = target.partition(":")
    package = module.partition(".")[0]
    try:
        return _attribute(importlib.import_module(module), attribute, f"The {word(kind)} '{name}' is registered as")
    except (ImportError, BadInput) as error:
        for hidden, culprit in shadows().items():
            raise BadInput(
                f"{culprit} hides Homie's own package '{hidden}': rename it, or start Python from another folder."
            ) from error
        absent = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        if absent in OURS:
            raise MissingPart(
                f"The {word(kind)} '{name}' needs Homie's package '{absent}', which is not here: install Homie again"
                " with it."
            ) from error
        if not absent or (absent.partition(".")[0] == package and module != absent):
            raise  # a package that is there but broken, not one to install
        if absent.partition(".")[0] in OURS:
            raise MissingPart(f"Homie's own module '{absent}' is gone from {package}: install Homie again.") from error
        raise missing_part(f"The {word(kind)} '{name}'", absent, "") from error


def usable(kind: str) -> dict[str, Any]:
    """The registered objects of a kind by name, without those whose package is missing or broken: what goes through
    all of them works without these."""
    parts: dict[str, Any] = {}
    for name in targets(kind):
        with contextlib.suppress(ImportError, HomieError):
            parts[name] = load(kind, name)
    return parts


def find(kind: str, text: str) -> tuple[Any, str]:
    """What NAME, NAME:ARGUMENT, MODULE:CLASS or MODULE:CLASS:ARGUMENT means, and the argument ("" without one).

    A module that is not installed is looked for in the current folder too. Raises BadInput and MissingPart as `load`.
    """
    name, _, rest = text.partition(":")
    if name in targets(kind):
        return load(kind, name), rest
    if name == OBJECT:
        raise BadInput(
            f"The {word(kind)} was an object of {rest} that was made in Python; no name makes it again: give another."
        )
    attribute, _, argument = rest.partition(":")
    if not attribute.isidentifier() or not all(part.isidentifier() for part in name.split(".")):
        raise unknown(kind, name)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # at the end: nothing in it hides what is installed
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, and what it needs is not
        raise unknown(kind, name, f"there is no module '{error.name}' either") from error
    return _attribute(module, attribute, f"The {word(kind)} was given as"), argument


def unknown(kind: str, name: str, more: str = "") -> BadInput:
    """The complaint about a name that is not registered."""
    known = names(kind)
    hint = suggestion(name, known, f"choose one of: {', '.join(known)}.")
    return BadInput(f"Unknown {word(kind)} '{name}'{f' ({more})' if more else ''}: {hint}")


def _attribute(module: Any, name: str, beginning: str) -> Any:
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        raise BadInput(f"{beginning} {module.__name__}:{name}, and that module has no '{name}'.") from None
