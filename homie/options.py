"""The options of each command: one model for the Python API, the CLI and `--config` files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from homie.errors import BadInput

MAX_SEED = 2**31 - 1


Seed = Annotated[int, Field(ge=0, le=MAX_SEED, description="Seed of the scene and of everything random.")]
Rooms = Annotated[int | None, Field(ge=2, le=6, description="Rooms of a generated house (default: by seed).")]
Objects = Annotated[int, Field(ge=0, le=60, description="Loose objects of a generated house.")]
Start = Annotated[str | None, Field(description="Room of a generated house in which the robot starts.")]
Opened = Annotated[
    list[str],
    Field(default_factory=list, description="Furniture of a generated house that stands open; may be repeated."),
]
Added = Annotated[
    list[str],
    Field(
        default_factory=list,
        description="A further object of a generated house, as `apple@table_1`, `red mug@sofa`; may be repeated.",
    ),
]
HOUSE = ("seed", "rooms", "objects", "start", "opened", "added")
"""Options that say which house is generated."""


SMALLEST_PICTURE, LARGEST_PICTURE = 16, 4096
"""Pixels of a side."""


def _width_and_height(value: Any) -> Any:
    """A picture size as text: `512` and 512 are `512x512`, (640, 480) is `640x480`."""
    if value is None:
        return None
    parts = value if isinstance(value, list | tuple) else str(value).lower().split("x")
    sides = [str(part).strip() for part in (parts if len(parts) > 1 else [*parts, *parts])]
    if len(sides) != 2 or not all(
        side.isdecimal() and SMALLEST_PICTURE <= int(side) <= LARGEST_PICTURE for side in sides
    ):
        span = f"from {SMALLEST_PICTURE} to {LARGEST_PICTURE} pixels"
        raise ValueError(f"expected a width and a height {span}, such as 512 or 640x480")
    return "x".join(sides)


PictureSize = Annotated[str | None, BeforeValidator(_width_and_height)]


SKILLS = "Skill sets, separated by commas, as NAME or NAME:ARGUMENT (`nomad:nomad.pth,classical`)."
DETECTOR = "Detector, as NAME or NAME:ARGUMENT (`yolo-onnx:model.onnx`)."


SETTINGS = ("planner_settings", "skill_settings", "detector_settings")
"""Options that are mappings."""


class Options(BaseModel):
    """What all commands have in common: options come from a config file and from what is given, and are checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options that leave others without meaning; given together they are bad input."""

    @classmethod
    def build(cls, config: Path | None = None, **given: Any) -> Self:
        """Options from a YAML file overridden by what is given (None = not given). Raises BadInput.

        The file may be the `run.json` of a run, or its folder: its options but for `out`.
        Settings of planner, detector and skill sets are overridden one by one, all others whole.
        """
        values: dict[str, Any] = {}
        if config is not None:
            values.update(cls._filed(config / "run.json" if config.is_dir() else config))
        for name in SETTINGS:
            filed, settings = values.get(name), given.get(name)
            if isinstance(filed, dict) and isinstance(settings, dict):
                given[name] = {**filed, **settings}
        values.update({name: value for name, value in given.items() if value is not None})
        if isinstance(values.get("task"), str):
            values["task"] = values["task"].strip()
        for name, others in cls.settled.items():
            useless = [f"--{other}" for other in others if values.get(name) is not None and other in values]
            if useless:
                told = " and ".join(useless)
                raise BadInput(f"With --{name}, {told} would mean nothing: leave one or the other out.")
        try:
            return cls(**values)
        except ValidationError as error:
            raise BadInput(explain(error)) from error

    @classmethod
    def _filed(cls, config: Path) -> dict[str, Any]:
        """What a config file says. Raises BadInput."""
        try:
            loaded = yaml.safe_load(config.read_text(encoding="utf-8"))
        except OSError as error:
            raise BadInput(f"Can not read the config file {config}: {error.strerror}.") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise BadInput(f"The config file {config} is not valid YAML: {yaml_problem(error)}.") from error
        if not isinstance(loaded, dict):
            raise BadInput(f"The config file {config} must hold a mapping of option names to values.")
        if not (isinstance(loaded.get("options"), dict) and "format" in loaded):
            return loaded
        known, kept = cls.model_fields, loaded["options"]
        if others := [str(name) for name in kept if name not in known]:
            raise BadInput(f"{config} is from another command: it has '{others[0]}', which is no option here.")
        usual = {name: field.get_default(call_default_factory=True, validated_data={}) for name, field in known.items()}
        return {name: value for name, value in kept.items() if name != "out" and value != usual[name]}


ROBOTS: Mapping[str, Mapping[str, str]] = MappingProxyType({"franka": {"skills": "arm"}})
"""Defaults of options that are not those of the Fetch, by robot."""


class PartsOptions(Options):
    """Which parts an episode is made of and what is kept of it: what a run and a bench share."""

    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT (`scripted:plan.yaml`).")
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner (`homie list planners`).")
    robot: str = Field("mujoco", description="Robot or simulator, as NAME or NAME:ARGUMENT (`franka:stack`).")
    skills: str = Field("classical", description=SKILLS)
    skill_settings: dict[str, Any] = Field({}, description="Settings of skill sets, as SET.NAME (`homie list skills`).")
    on_missing_model: Literal["fallback", "fail"] = Field(
        "fallback",
        description="A model without checkpoint: `classical` stands in for it, and the record says so, or fail.",
    )
    detector: str = Field("simulated", description=DETECTOR)
    detector_settings: dict[str, Any] = Field({}, description="Settings of the detector (`homie list detectors`).")
    targets: str = Field(
        "background",
        description="Targets located from world state (`background`), or only from what was seen (`sensors`).",
    )
    grasp: Literal["weld", "friction"] = Field("weld", description="How a grasped object is held.")
    check_order: str = Field("paper", description="Order of the error checks: `paper`, `code` or one of your own.")
    picture_size: PictureSize = Field(
        None, description="Pixels of the robot's pictures, as 512 or 640x480 (default: as the robot has them)."
    )
    attempts: int = Field(3, ge=1, le=10, description="Attempts per subtask.")
    video: bool = Field(False, description="Write video.mp4.")
    frames: bool = Field(False, description="Write the four views of every round.")

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of the robot's pictures, None for its own."""
        if self.picture_size is None:
            return None
        width, _, height = self.picture_size.partition("x")
        return int(width), int(height)

    @model_validator(mode="before")
    @classmethod
    def _of_the_robot(cls, given: Any) -> Any:
        """Where nothing else is asked for, the options that go with the robot."""
        if not isinstance(given, dict):
            return given
        return {**ROBOTS.get(str(given.get("robot", "")).partition(":")[0], {}), **given}


class OpenOptions(PartsOptions):
    """A robot in its scene, and how long it tries: what `homie.open` takes."""

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {"scene": HOUSE[1:]}

    seed: Seed = 0
    scene: Path | None = Field(None, description="A scene spec (JSON) instead of a generated house.")
    rooms: Rooms = None
    objects: Objects = 40
    start: Start = None
    opened: Opened
    added: Added
    rounds: int = Field(20, ge=1, le=1000, description="Rounds before the episode is ended.")


class RunOptions(OpenOptions):
    """Everything that decides an episode. Stored whole in `run.json`."""

    task: str = Field(min_length=1, description="The instruction in natural language.")
    out: Path | None = Field(None, description="Run folder (default: runs/<time>-<task>).")
    video: bool = Field(True, description="Write video.mp4.")
    frames: bool = Field(True, description="Write the four views of every round.")


class BenchOptions(PartsOptions):
    """A suite of tasks, how to run it, and with what. `run.json` of a bench keeps it whole."""

    suite: str = Field(min_length=1, description="A suite file, the name of a suite, or a folder of EMMOE-100.")
    tasks: str | None = Field(None, description="Only these tasks: ids or patterns, separated by commas.")
    split: Literal["train", "test"] | None = Field(None, description="Only the tasks of this split.")
    trials: int | None = Field(None, ge=1, le=1000, description="Trials per task (default: as the suite says).")
    rounds: int | None = Field(None, ge=1, le=1000, description="Rounds per episode (default: as the suite says).")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed that the seeds of all episodes are made from.")
    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT; `expert` plays the suite's own.")
    out: Path | None = Field(None, description="Run folder (default: runs/<time>-<suite>); an unfinished one goes on.")
    workers: int = Field(1, ge=1, le=256, description="Worker processes.")
    ray: str | None = Field(
        None, min_length=1, description="Play on a Ray cluster: `local`, `auto` or its address (default: not)."
    )
    timeout: float = Field(1800.0, gt=0.0, description="Seconds of wall clock after which an episode is ended.")
    retries: int = Field(2, ge=0, le=100, description="How often an episode is run again that infrastructure ended.")
    memory: float | None = Field(None, gt=0.0, description="GiB that a worker may take (default: no limit).")
    recycle: int = Field(25, ge=1, description="Episodes after which a worker is replaced by a fresh one.")
    again: bool = Field(False, description="Run finished episodes again that infrastructure ended.")
    mixed: bool = Field(False, description="Go on with other parts than the first episodes were made with.")
    clean: bool = Field(False, description="Remove what failed and interrupted tries of finished episodes left.")
    sweep: list[str] = Field(
        default_factory=list, description="A bench for each value: planner.SETTING=A,B or OPTION=A,B; may be repeated."
    )


class CompareOptions(Options):
    """Which runs of a bench to compare, and how."""

    runs: list[Path] = Field(min_length=1, description="Run folders of `homie bench`; differences are to the first.")
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Reading of the EMMOE protocol.")
    form: Literal["markdown", "latex", "csv", "json"] = Field("markdown", description="Form of the tables.")
    confidence: float = Field(0.95, gt=0.0, lt=1.0, description="Confidence of the intervals.")
    resamples: int = Field(10_000, ge=100, le=1_000_000, description="Resamples of the bootstrap.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of the bootstrap.")
    tasks: bool = Field(False, description="Besides, a table of every task by run.")
    out: Path | None = Field(None, description="Write the tables into this file instead of stdout.")


class ReportOptions(Options):
    """Which runs to show in one HTML page, and what it holds."""

    runs: list[Path] = Field(min_length=1, description="Run folders of `homie bench` or `homie run`.")
    out: Path | None = Field(None, description="The page (default: report.html in the first run folder).")
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Reading of the EMMOE protocol.")
    views: int = Field(192, ge=0, le=1024, description="Width of the views in pixels; 0 leaves them out.")
    megabytes: float = Field(
        50.0, ge=0.0, le=2000.0, description="MiB of pictures and videos in the page; what is more is linked."
    )
    rerun: Path | None = Field(None, description="Record one episode for the Rerun viewer into this file, besides.")
    episode: str | None = Field(
        None, min_length=1, description="The episode to record, where there are several (`fridge-d1-0`)."
    )


class PlanOptions(Options):
    """One decision without a robot: what the planner is told."""

    task: str = Field(min_length=1, description="The instruction in natural language.")
    image: list[Path] = Field(
        default_factory=list,
        max_length=4,
        description="A picture of what is in sight; repeat it for front, left, back, right, in this order.",
    )
    inventory: str | None = Field(None, min_length=1, description="What the hand holds (default: nothing).")
    seed: Seed = 0
    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT (`chat:MODEL`).")
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner (`homie list planners`).")
    skills: str = Field("classical", description="Skill sets, as the models that the planner may choose from.")


class SceneOptions(Options):
    """Which scene to show and where to."""

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {"scene": HOUSE}

    seed: Seed = 0
    scene: Path | None = Field(None, description="A scene spec (JSON) instead of a generated house.")
    rooms: Rooms = None
    objects: Objects = 40
    start: Start = None
    opened: Opened
    added: Added
    png: Path | None = Field(None, description="Draw a labelled map, seen from above, into this file.")
    save: Path | None = Field(None, description="Write the scene spec into this file, to be edited and run.")


def yaml_problem(error: yaml.YAMLError | UnicodeDecodeError) -> str:
    """What is wrong with a YAML file, in one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} in line {mark.line + 1}, column {mark.column + 1}"
    return " ".join(str(error).split())


def explain(error: ValidationError) -> str:
    """The first complaint of pydantic as one sentence that names the option; unknown names come before all others."""
    found = error.errors()
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    where = ".".join(str(part) for part in first["loc"]) or "options"
    if where == "task" and first["type"] in ("string_too_short", "missing"):
        return 'The instruction is empty: say what to do, e.g. homie run "put the apple in the bowl".'
    if first["type"] == "too_long":
        return f"{where}: at most {first['ctx']['max_length']} (got {first['ctx']['actual_length']})."
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return f"{where}: {first['msg']} (got {first.get('input')!r}){more}."
