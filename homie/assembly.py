"""From options to parts that work together, found by name.

RunOptions --registry--> planner, checks, detector, robot, locator, skill sets --> Parts
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from homie import registry
from homie.errors import BadInput, MissingCheckpoint, suggestion
from homie.executor import Executor, SkillBook
from homie.interfaces import Detector, Planner, Privileged, Robot, Skill, SkillSet
from homie.options import RunOptions, explain
from homie.provenance import described

STAND_IN = "classical"
"""The skill set that stands in for models without checkpoint."""


@dataclass(frozen=True, slots=True)
class SkillShelf:
    """The skill sets of an episode before they know their robot, by model, in the order of `--skills`.

    missing: why a listed model can not run, by its name; `stand_in` runs in its place.
    """

    sets: Mapping[str, SkillSet | type[SkillSet]]
    missing: Mapping[str, str]
    stand_in: SkillSet | None

    def book(self, robot: Robot) -> SkillBook:
        """Which skill runs for what on a robot."""
        made = {name: _by_action(one, robot) for name, one in self.sets.items() if isinstance(one, SkillSet)}
        spare = _by_action(self.stand_in, robot) if self.stand_in is not None else {}
        for name in self.missing:
            made[name] = {action: spare[action] for action in self.sets[name].actions if action in spare}
        return SkillBook({name: made[name] for name in self.sets}, frozenset(self.missing))

    def describe(self) -> dict[str, Any]:
        """What they say of themselves, by the names of their models."""
        return {
            name: described(one, one.describe()) if isinstance(one, SkillSet) else {"missing": self.missing[name]}
            for name, one in self.sets.items()
        }

    def close(self) -> None:
        """Let go of what they hold. Idempotent."""
        for one in (*self.sets.values(), self.stand_in):
            if isinstance(one, SkillSet):
                one.close()


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that an episode needs, wired together. It has to be closed: the robot, then the skill sets."""

    robot: Robot
    planner: Planner
    executor: Executor
    shelf: SkillShelf = field(repr=False)

    def describe(self) -> dict[str, dict[str, Any]]:
        """What the parts say of themselves, JSON-ready: what a `homie.provenance.PartsFile` is made of."""
        planner, detector, robot = self.planner, self.executor.detector, self.robot
        return {
            "planner": described(planner, planner.describe()),
            "detector": described(detector, detector.describe()),
            "skills": self.shelf.describe(),
            "robot": described(robot, {"name": robot.spec.name, **robot.describe()}),
        }

    def close(self) -> None:
        """Stop and disconnect. Idempotent."""
        try:
            self.robot.close()
        finally:
            self.shelf.close()

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def assemble(options: RunOptions) -> Parts:
    """The parts that the options name, cheap ones first. Raises BadInput, MissingPart."""
    planner = load_planner(options.planner, options.planner_settings)
    checks = registry.load("checks", options.check_order)
    sentences = registry.load("sentences", "emmoe")
    detector = load_detector(options.detector, options.detector_settings)
    locator_class = registry.load("locators", options.targets)
    shelf = load_skills(options.skills, options.skill_settings, fallback=options.on_missing_model == "fallback")
    try:
        robot: Robot = registry.load("robots", options.robot.partition(":")[0])(options)
    except BaseException:
        shelf.close()
        raise
    try:
        if isinstance(planner, Privileged):
            planner.enter(robot)
        book = shelf.book(robot)
        executor = Executor(
            robot,
            detector,
            locator_class(robot),
            book,
            checks,
            sentences,
            attempts=options.attempts,
            actions=book.actions(robot),
        )
    except BaseException:
        robot.close()
        shelf.close()
        raise
    return Parts(robot, planner, executor, shelf)


def load_planner(text: str, settings: Mapping[str, Any] | None = None) -> Planner:
    """A planner from NAME or NAME:ARGUMENT (`scripted:plan.yaml`) and its settings. Raises BadInput, MissingPart."""
    made, argument, checked = check_planner(text, settings)
    return made(argument) if checked is None else made(argument, checked)  # type: ignore[call-arg]


def check_planner(text: str, settings: Mapping[str, Any] | None = None) -> tuple[type[Planner], str, BaseModel | None]:
    """The class, the argument and the checked settings of a planner that is not made yet. Raises as `load_planner`."""
    name, _, argument = text.partition(":")
    made: type[Planner] = registry.load("planners", name)
    return made, argument, _checked(f"planner '{name}'", made.Settings, settings or {})


def load_detector(text: str, settings: Mapping[str, Any] | None = None) -> Detector:
    """A detector from NAME or NAME:ARGUMENT (`yolo-onnx:model.onnx`) and its settings. Raises BadInput, MissingPart."""
    made, argument, checked = check_detector(text, settings)
    return made(argument) if checked is None else made(argument, checked)  # type: ignore[call-arg]


def check_detector(
    text: str, settings: Mapping[str, Any] | None = None
) -> tuple[type[Detector], str, BaseModel | None]:
    """The class, the argument and the checked settings of a detector not made yet. Raises as `load_detector`."""
    name, _, argument = text.partition(":")
    made: type[Detector] = registry.load("detectors", name)
    return made, argument, _checked(f"detector '{name}'", made.Settings, settings or {})


def load_skills(text: str, settings: Mapping[str, Any] | None = None, *, fallback: bool = True) -> SkillShelf:
    """The skill sets of `--skills` and their settings (`{"nomad.topomap": ...}`). Raises BadInput, MissingPart.

    fallback: a model without checkpoint is listed, and `classical` stands in for it, with a warning.
    """
    wanted = skill_names(text)
    given = _by_set(settings or {}, [name for name, _ in wanted])
    sets: dict[str, SkillSet | type[SkillSet]] = {}
    missing: dict[str, str] = {}
    for name, argument in wanted:
        made: type[SkillSet] = registry.load("skills", name)
        checked = _checked(f"skill set '{name}'", made.Settings, given.get(name, {}))
        try:
            one = made(argument) if checked is None else made(argument, checked)  # type: ignore[call-arg]
            sets[one.name] = one
        except MissingCheckpoint as error:
            if not fallback:
                raise
            sets[made.name], missing[made.name] = made, str(error)
            warnings.warn(f"{error} `{STAND_IN}` stands in for {made.name}.", stacklevel=2)
    if len(sets) < len(wanted):
        raise BadInput(f"skills: two of the sets in '{text}' are the same model.")
    own = sets.get(STAND_IN)
    spare: SkillSet | None = own if isinstance(own, SkillSet) else None
    if missing and spare is None:
        spare = registry.load("skills", STAND_IN)("")
    return SkillShelf(sets, missing, spare)


def skill_names(text: str) -> list[tuple[str, str]]:
    """The registered names and arguments of the skill sets in `--skills`. Raises BadInput."""
    parts = [part.strip().partition(":") for part in text.split(",") if part.strip()]
    pairs = [(name.strip(), argument.strip()) for name, _, argument in parts]
    if not pairs or len(set(pairs)) < len(pairs):
        raise BadInput(f"skills: expected different skill sets separated by commas (got {text!r}).")
    return pairs


def _by_set(settings: Mapping[str, Any], sets: list[str]) -> dict[str, dict[str, Any]]:
    split: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        owner, _, name = key.partition(".")
        if not name or owner not in sets:
            hint = suggestion(owner, sets, f"the skill sets are {', '.join(sets)}.")
            raise BadInput(f"A setting of a skill set is SET.NAME, such as {sets[0]}.NAME (got '{key}'): {hint}")
        split.setdefault(owner, {})[name] = value
    return split


def _checked(whose: str, model: type[BaseModel] | None, given: Mapping[str, Any]) -> BaseModel | None:
    if model is None:
        if given:
            raise BadInput(f"The {whose} has no settings (got {', '.join(given)}).")
        return None
    known = list(model.model_fields)
    for key in given:
        if key not in known:
            hint = suggestion(key, known, f"it knows: {', '.join(known)}.")
            raise BadInput(f"The {whose} has no setting '{key}': {hint}")
    try:
        return model(**given)
    except ValidationError as error:
        raise BadInput(f"Setting of the {whose}: {explain(error)}") from error


def _by_action(made: SkillSet, robot: Robot) -> dict[str, Skill]:
    skills: Sequence[Skill] = made.skills(robot.spec, robot.kinematics)
    return {action: skill for skill in skills for action in skill.actions}
