"""Construction of all parts of an episode from options.

OpenOptions --registry--> planner, checks, detector, robot, locator, skill sets --> Parts
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from homie.kernel import registry
from homie.kernel.actions import action_table
from homie.kernel.errors import BadInput, MissingCheckpoint, suggestion
from homie.kernel.executor import Executor
from homie.kernel.interfaces import (
    Detector,
    ErrorCheck,
    ExecutionCheck,
    GroundTruthAccess,
    Locator,
    Planner,
    Robot,
    SkillSet,
)
from homie.kernel.interfaces.parts import accepts_one_argument, brief
from homie.kernel.interfaces.prompts import PromptWriter
from homie.kernel.look_and_detect import Senses
from homie.kernel.options import OpenOptions
from homie.kernel.registry import (
    DETECTOR,
    NO_OBJECTS,
    PLANNER,
    ROBOT,
    SKILL_SET,
    NamedPart,
    Objects,
    construct,
    make_part,
    named_part,
    path_of,
    resolve,
    settings_of,
)
from homie.kernel.robot_factory import Opening
from homie.kernel.skill_table import SkillTable
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.support.text import split_commas
from homie.runtime.provenance import complete_description
from homie.runtime.skills_by_action import skills_by_action

FALLBACK = "classical"
"""The skill set that is the fallback for models without a checkpoint."""


@dataclass(frozen=True, slots=True)
class LoadedSkills:
    """The skill sets of a run, not yet bound to a robot.

    Attributes:
        sets: The sets by model, in the order of `--skills`; for a model without checkpoint its class.
        missing: The reason why a listed model cannot run, by its name; `fallback` runs instead.
        fallback: The set for the models in `missing`, None if it is not needed.
        external: Models whose sets were given as objects. Their owner closes them.
    """

    sets: Mapping[str, SkillSet | type[SkillSet]]
    missing: Mapping[str, str]
    fallback: SkillSet | None
    external: frozenset[str] = frozenset()

    def bind(self, robot: Robot) -> SkillTable:
        """Create the skills for a robot."""
        skills = {
            name: skills_by_action(skill_set, robot)
            for name, skill_set in self.sets.items()
            if isinstance(skill_set, SkillSet)
        }
        fallback_skills = skills_by_action(self.fallback, robot) if self.fallback is not None else {}
        for name in self.missing:
            skills[name] = {
                action: fallback_skills[action] for action in self.sets[name].actions if action in fallback_skills
            }
        declared = (skill_set.own_actions for skill_set in self.sets.values())
        table = action_table((robot.own_actions, *declared))
        return SkillTable({name: skills[name] for name in self.sets}, frozenset(self.missing), table, self.sets)

    @property
    def checks(self) -> tuple[ErrorCheck, ...]:
        """Checks that the sets add to those of the run."""
        return tuple(check for skill_set in self.sets.values() for check in skill_set.own_checks)

    def reset(self, seed: int) -> None:
        """Reset the sets for an episode with a seed."""
        for skill_set in (*self.sets.values(), self.fallback):
            if isinstance(skill_set, SkillSet):
                skill_set.reset(seed=seed)

    def describe(self) -> dict[str, Any]:
        """Return the descriptions of the sets, by model."""
        return {
            name: complete_description(skill_set, skill_set.describe())
            if isinstance(skill_set, SkillSet)
            else {"missing": self.missing[name]}
            for name, skill_set in self.sets.items()
        }

    def close(self) -> None:
        """Release their resources, except those of external sets. Idempotent."""
        for skill_set in (*self.sets.values(), self.fallback):
            if isinstance(skill_set, SkillSet) and skill_set.name not in self.external:
                skill_set.close()


@dataclass(frozen=True, slots=True)
class Parts:
    """All parts of an episode, wired together. The owner has to close them: `close` closes the robot, then the skill
    sets."""

    robot: Robot
    planner: Planner
    executor: Executor
    loaded_skills: LoadedSkills = field(repr=False)

    def describe(self) -> dict[str, dict[str, Any]]:
        """Return the descriptions of the parts, JSON-serializable, for a `homie.runtime.provenance.PartsFile`."""
        planner, detector, robot = self.planner, self.executor.senses.detector, self.robot
        robot_description = complete_description(robot, robot.describe())
        body = {"name": robot.spec.name, "picture_size": robot.picture_size, **robot_description}
        return {
            "planner": complete_description(planner, planner.describe()),
            "detector": complete_description(detector, detector.describe()),
            "skills": self.loaded_skills.describe(),
            "robot": complete_description(robot, body),
        }

    def reset(self, seed: int) -> None:
        """Reset to the start of an episode, without state of earlier ones."""
        self.executor.senses.reset(seed=seed)
        self.loaded_skills.reset(seed)
        self.executor.skills = self.loaded_skills.bind(self.robot)

    def close(self) -> None:
        """Stop and disconnect. Idempotent."""
        try:
            self.robot.close()
        finally:
            self.loaded_skills.close()

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenParts:
    """The parts that outlive an episode, with their networks and models loaded, without a robot.

    The owner has to close them; `Parts` made from them are closed earlier, or instead of them.
    """

    planner: Planner
    checks: Sequence[ErrorCheck]
    execution: ExecutionCheck
    detector: Detector
    make_locator: Any
    loaded_skills: LoadedSkills
    objects: Objects

    def robot(self, options: OpenOptions) -> Robot:
        """Construct the robot of the options. Raises BadInput, MissingPart."""
        return open_robot(options, self.objects)

    def named_robot(self, options: OpenOptions) -> NamedPart[Robot]:
        """Find the robot of the options without constructing it. Raises BadInput, MissingPart."""
        return named_part(ROBOT, options.robot, options.robot_settings, self.objects)

    def around(self, robot: Robot, options: OpenOptions) -> Parts:
        """Wire the parts to an open robot. Raises BadInput, MissingPart."""
        _check_pictures(robot, options)
        if self.planner.uses_wrist_camera and not robot.hand:
            raise BadInput(f"The robot '{options.robot}' has no camera at its hand: leave out --set hand=true.")
        if isinstance(self.planner, GroundTruthAccess):
            self.planner.bind(robot)
        locator = construct(f"locator '{options.targets}'", self.make_locator, [robot], Locator)  # type: ignore[type-abstract]
        skill_table = self.loaded_skills.bind(robot)
        executor = Executor(
            Senses(robot, self.detector, locator),
            skill_table,
            tuple(dict.fromkeys((*self.checks, *self.loaded_skills.checks))),
            self.execution,
            attempts=options.attempts,
            actions=skill_table.actions(robot),
        )
        return Parts(robot, self.planner, executor, self.loaded_skills)

    def on_robot(self, options: OpenOptions) -> Parts:
        """Construct the robot of the options and wire the parts to it. On failure the robot is closed. Raises BadInput,
        MissingPart."""
        robot = self.robot(options)
        try:
            return self.around(robot, options)
        except BaseException:
            robot.close()
            raise

    def close(self) -> None:
        """Release networks, models and connections. Idempotent."""
        self.loaded_skills.close()


def open_robot(options: OpenOptions, objects: Objects = NO_OBJECTS) -> Robot:
    """Construct only the robot of the options: a class is called as `cls(argument, settings)`, an `Opening` with the
    options and the argument, a function with the options. The caller has to close it. Raises BadInput, MissingPart."""
    named = named_part(ROBOT, options.robot, options.robot_settings, objects)
    if isinstance(named.make, Opening):
        robot: Robot = named.make(options, named.argument)
        return robot
    if inspect.isclass(named.make) or isinstance(named.make, Robot):
        return named.build()
    return construct(f"robot '{options.robot}'", named.make, [options], Robot)  # type: ignore[type-abstract]


def choose(options: OpenOptions, objects: Objects = NO_OBJECTS) -> ChosenParts:
    """Construct the parts that the options name, except the robot.

    Raises BadInput, MissingPart.

    Args:
        objects: Parts given as Python objects.
    """
    planner = load_planner(options.planner, options.planner_settings, objects)
    checks = load_checks(options.check_order, objects)
    detector = make_part(DETECTOR, options.detector, options.detector_settings, objects)
    make_locator, _ = resolve("targets", options.targets, objects)
    named_part(ROBOT, options.robot, options.robot_settings, objects)  # finds mistakes before networks are loaded
    fallback = options.on_missing_model == "fallback"
    loaded_skills = load_skills(options.skills, options.skill_settings, objects, fallback=fallback)
    execution = registry.load("execution", "emmoe")
    return ChosenParts(
        planner=planner,
        checks=checks,
        execution=execution,
        detector=detector,
        make_locator=make_locator,
        loaded_skills=loaded_skills,
        objects=objects,
    )


def assemble(options: OpenOptions, objects: Objects = NO_OBJECTS) -> Parts:
    """Construct the parts that the options name, cheap ones first. Raises BadInput, MissingPart."""
    chosen = choose(options, objects)
    try:
        return chosen.on_robot(options)
    except BaseException:
        chosen.close()
        raise


def _check_pictures(robot: Robot, options: OpenOptions) -> None:
    if options.pixels is not None and robot.picture_size != options.pixels:
        raise BadInput(f"The pictures of the robot '{options.robot}' have their own size: leave out --picture-size.")


def load_planner(text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS) -> Planner:
    """Construct a planner from its name and its settings.

    Args:
        text: NAME or NAME:ARGUMENT, as for `--planner` (`scripted:plan.yaml`).
        settings: Settings by name; missing ones have their defaults.
        objects: Planners given as Python objects, which `text` may refer to.

    Raises:
        BadInput: There is no such planner, or a setting or its argument is invalid.
        MissingPart: It needs a package that is not installed.

    Example:
        >>> from homie.runtime.assembly import load_planner
        >>> load_planner("random", {}).name
        'random'
    """
    return named_planner(text, settings, objects).build()


def named_planner(
    text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS
) -> NamedPart[Planner]:
    """Find a planner and validate its settings without constructing it. Raises as `make_part`."""
    if text == "expert":  # a bench handles it itself and does not call this function
        raise BadInput("The planner 'expert' plays the steps that a suite gives: only `homie bench` has it.")
    return named_part(PLANNER, text, settings, objects)


def load_prompts(settings: Mapping[str, Any] | None = None, name: str = "default") -> PromptWriter:
    """Construct a prompt writer from its name and its settings (`{"template": "emmoe-text"}`).

    Raises BadInput, MissingPart.
    """
    factory = registry.load("prompts", name)
    checked = settings_of("prompt", getattr(factory, "Settings", None), settings or {})
    return construct("prompt", factory, [checked], PromptWriter)  # type: ignore[type-abstract]


def load_checks(text: str, objects: Objects = NO_OBJECTS) -> tuple[ErrorCheck, ...]:
    """Return the checks of `--check-order` in order; a name in a sequence is replaced by its checks.

    Raises BadInput, MissingPart.
    """
    order, _ = resolve("check_order", text, objects)
    checks_in_order = tuple(order) if isinstance(order, Iterable) else (order,)
    checks = tuple(
        check
        for item in checks_in_order
        for check in (load_checks(item, objects) if isinstance(item, str) else (item,))
    )
    if not checks or not all(callable(check) for check in checks):
        raise BadInput(
            f"The order of checks '{text}' is {brief(order)}: give functions that take a homie.CheckQuestion and "
            "return a homie.Check, in a list, or names of them separated by commas."
        )
    for check in checks:
        if not accepts_one_argument(check):
            raise BadInput(f"The check {path_of(check)} has to take one argument, a homie.CheckQuestion.")
    return checks


def load_skills(
    text: str, settings: Mapping[str, Any] | None = None, objects: Objects = NO_OBJECTS, *, fallback: bool = True
) -> LoadedSkills:
    """Construct the skill sets of `--skills` with their settings (`{"nomad.topomap": ...}`).

    Args:
        text: Names of skill sets with their arguments, separated by commas.
        settings: Settings by `SET.SETTING`.
        objects: Parts given as objects instead of names.
        fallback: Whether to use `classical` for a model without checkpoint, with a warning; otherwise raise.

    Raises:
        BadInput: An unknown set or setting, or two sets of the same model.
        MissingPart: A package or a checkpoint is missing.
    """
    chosen = skill_names(text)
    by_set = _group_by_set(settings or {}, [name for name, _ in chosen])
    sets: dict[str, SkillSet | type[SkillSet]] = {}
    missing: dict[str, str] = {}
    external: set[str] = set()
    for name, subset in chosen:
        item = f"{name}:{subset}" if subset else name
        named = named_part(SKILL_SET, item, by_set.get(name), objects)
        factory = named.make
        try:
            skill_set = named.build()
        except MissingCheckpoint as error:
            if not fallback:
                raise
            sets[factory.name], missing[factory.name] = factory, str(error)
            warnings.warn(f"{error} Falling back to `{FALLBACK}` for {factory.name}.", stacklevel=2)
            continue
        sets[skill_set.name] = skill_set
        if skill_set is factory:
            external.add(skill_set.name)
    if len(sets) < len(chosen):
        raise BadInput(f"skills: two of the sets in '{text}' are the same model.")
    fallback_set = sets.get(FALLBACK)
    fallback_skills: SkillSet | None = fallback_set if isinstance(fallback_set, SkillSet) else None
    if missing and fallback_skills is None:
        fallback_skills = registry.load("skills", FALLBACK)("")
    return LoadedSkills(sets, missing, fallback_skills, frozenset(external))


def skill_names(text: str) -> list[tuple[str, str]]:
    """Parse names and arguments of the skill sets in `--skills`. Raises BadInput."""
    parts = [part.partition(":") for part in split_commas(text)]
    pairs = [(name.strip(), argument.strip()) for name, _, argument in parts]
    if not pairs or len(set(pairs)) < len(pairs):
        raise BadInput(f"skills: expected different skill sets separated by commas (got {text!r}).")
    return pairs


def _group_by_set(settings: Mapping[str, Any], sets: list[str]) -> dict[str, dict[str, Any]]:
    split: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        owner, _, name = key.partition(".")
        if not name or owner not in sets:
            if owner in sets:
                hint = f"`homie list skills {owner}` lists its settings."
            else:
                hint = suggestion(owner, sets, f"the skill sets are {', '.join(sets)}.")
            raise BadInput(f"A setting of a skill set is SET.NAME, such as {sets[0]}.NAME (got '{key}'): {hint}")
        split.setdefault(owner, {})[name] = value
    return split


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"SkillShelf": "LoadedSkills"})  # codespell:ignore
