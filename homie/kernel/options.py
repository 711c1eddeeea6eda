"""The options of each command: one model for the Python API, the CLI and `--config` files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.scenes import own_instruction, scenes_of
from homie.kernel.support.config import read_config
from homie.kernel.support.files import place_of
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.support.validation_sentences import RUN_USAGE, Usage, explain
from homie.kernel.types.limits import ROUNDS
from homie.kernel.world.household_verbs import STATES

MAX_SEED = 2**31 - 1


Seed = Annotated[int, Field(ge=0, le=MAX_SEED, description="Seed of the scene and of everything random.")]
Scene = Annotated[Path | None, Field(description="A scene spec (JSON) instead of a generated house.")]
Catalogue = Annotated[
    Literal["ycb", "household"],
    Field(
        description="Kinds of loose objects of a generated house: `ycb` (21 of YCB), or `household` (all there are)."
    ),
]
Furnishing = Annotated[
    Literal["usual", "household"],
    Field(
        description="Furniture of a generated house: `usual`, or `household` (with a dishwasher, double doors, lids, "
        "sliding doors and chests of drawers)."
    ),
]
Grasp = Annotated[Literal["weld", "friction"], Field(description="How a grasped object is held.")]
Shade = Annotated[
    bool | None,
    Field(description="Soft shadows where objects touch, in simulated pictures (default: the robot's own)."),
]
Meshes = Annotated[
    Path | None,
    Field(description="Folder of OBJ and GLB files that objects are drawn by, named by kind (`mug.obj`, `025_mug/`)."),
]
"""Options that are also settings of robots (`homie.kernel.robot_factory`)."""

SMALLEST_PICTURE, LARGEST_PICTURE = 16, 4096
"""Limits of width and height, pixels."""


def _width_and_height(value: Any) -> Any:
    """Normalize a picture size: `512` and 512 to `512x512`, (640, 480) to `640x480`."""
    if value is None:
        return None
    parts = value if isinstance(value, list | tuple) else str(value).lower().split("x")
    sides = [str(part).strip() for part in (parts if len(parts) > 1 else [*parts, *parts])]
    if len(sides) != 2 or not all(
        side.isdecimal() and SMALLEST_PICTURE <= int(side) <= LARGEST_PICTURE for side in sides
    ):
        size_range = f"from {SMALLEST_PICTURE} to {LARGEST_PICTURE} pixels"
        raise ValueError(f"expected a width and a height {size_range}, such as 512 or 640x480")
    return "x".join(sides)


PictureSize = Annotated[
    str | None,
    BeforeValidator(_width_and_height),
    Field(description="Pixels of the robot's pictures, as 512 or 640x480 (default: the robot's own)."),
]


def pixels_of(size: str) -> tuple[int, int]:
    """Parse width and height of a picture size (`640x480`)."""
    width, _, height = size.partition("x")
    return int(width), int(height)


def different_paths(paths: list[Path]) -> list[Path]:
    """Return the paths. Raises ValueError if two of them are the same place."""
    places = [place_of(path) for path in paths]
    duplicates = [path for number, path in enumerate(paths) if places[number] in places[:number]]
    if duplicates:
        raise ValueError(f"{duplicates[0]} is given twice")
    return paths


SKILLS = "Skill sets, separated by commas, as NAME or NAME:ARGUMENT (`nomad:nomad.pth,classical`)."
DETECTOR = "Detector, as NAME or NAME:ARGUMENT (`yolo-onnx:model.onnx`)."


SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "set": "planner_settings",
        "skill_option": "skill_settings",
        "detector_option": "detector_settings",
        "robot_option": "robot_settings",
    }
)
"""Options that are mappings, by the command-line option that adds a pair to them."""
PLANNER_SETTINGS = ("base_url", "api_key_env", "adapter", "template", "budget")
"""Planner settings with a command-line option of their own."""
MAX_TASK = 10_000
"""Maximum characters of an instruction. Longer ones are files given by mistake, and take the rule planner minutes."""


class Options(PlainNumbers, BaseModel):
    """Base class of the options of a command: read from config files and arguments, and validated."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)  # run.json is JSON, which has neither

    usage: ClassVar[Usage] = Usage()
    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options that make others meaningless; giving both is an error."""

    @classmethod
    def build(
        cls,
        config: Path | Sequence[Path] | None = None,
        /,
        *,
        defaults: Mapping[str, Any] = MappingProxyType({}),
        **options: Any,
    ) -> Self:
        """Build options from YAML files and arguments, which have priority (None = not given). Raises BadInput.

        A file may be the `run.json` of a run, or its folder: then its options except `out` are used. The last of
        several files has priority. Settings of planner, detector and skill sets are overridden one by one, other
        options as a whole.

        Args:
            defaults: Defaults, which the files override.
        """
        values = dict(defaults)
        for path in [config] if isinstance(config, Path) else config or ():
            _override(values, cls._read_file(path / "run.json" if path.is_dir() else path))
        _override(values, {name: value for name, value in options.items() if value is not None})
        cls._check_names(values)
        if isinstance(values.get("task"), str):
            values["task"] = values["task"].strip()
        for name, settled_options in cls.settled.items():
            redundant = [
                f"--{settled_option}"
                for settled_option in settled_options
                if values.get(name) is not None and settled_option in values
            ]
            if redundant:
                raise BadInput(
                    f"With --{name}, {' and '.join(redundant)} would mean nothing: leave one or the other out."
                )
        try:
            return cls(**values)
        except ValidationError as error:
            raise BadInput(explain(error, cls)) from error

    @classmethod
    def _check_names(cls, values: Mapping[str, Any]) -> None:
        for name in values:
            field = SETTINGS.get(name)
            if name in cls.model_fields:
                continue
            if field in cls.model_fields:
                raise BadInput(f"There is no option '{name}' here: write it as the mapping {field}.")
            if name in PLANNER_SETTINGS and "planner_settings" in cls.model_fields:
                raise BadInput(f"There is no option '{name}' here: write it under planner_settings.")
            hint = suggestion(name, cls.model_fields, f"`homie {cls.usage.command} --help-all` lists them.")
            raise BadInput(f"There is no option '{name}': {hint}")

    @classmethod
    def _read_file(cls, config: Path) -> dict[str, Any]:
        """Read the options in a config file. Raises BadInput."""
        document = read_config(config)
        if not (isinstance(document.get("options"), dict) and "format" in document):
            return document
        option_fields, recorded = cls.model_fields, document["options"]
        if foreign := [str(name) for name in recorded if name not in option_fields]:
            raise BadInput(f"{config} is from another command: it has '{foreign[0]}', which is not an option here.")
        defaults = {
            name: field.get_default(call_default_factory=True, validated_data={})
            for name, field in option_fields.items()
        }
        return {name: value for name, value in recorded.items() if name != "out" and value != defaults[name]}


def _override(values: dict[str, Any], overrides: Mapping[str, Any]) -> None:
    """Override `values` in place: mappings of settings one by one, other options as a whole."""
    for name, value in overrides.items():
        current = values.get(name)
        if name in SETTINGS.values() and isinstance(current, dict) and isinstance(value, dict):
            values[name] = {**current, **value}
        else:
            values[name] = value


class PartsOptions(Options):
    """Options that a run and a bench share: the parts of an episode and its records."""

    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT (`scripted:plan.yaml`).")
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner (`homie list planners NAME`).")
    robot: str = Field("mujoco", description="Robot or simulator, as NAME or NAME:ARGUMENT (`franka:stack`).")
    robot_settings: dict[str, Any] = Field({}, description="Settings of the robot, for one that has some.")
    skills: str = Field("classical", description=SKILLS)
    skill_settings: dict[str, Any] = Field({}, description="Settings of skill sets: SET.NAME (`homie list skills`).")
    on_missing_model: Literal["fallback", "fail"] = Field(
        "fallback",
        description="Without a checkpoint of a learned skill: run `classical` and record it (`fallback`), or `fail`.",
    )
    detector: str = Field("simulated", description=DETECTOR)
    detector_settings: dict[str, Any] = Field({}, description="Settings of the detector (`homie list detectors NAME`).")
    targets: str = Field(
        "background",
        description="Locate targets from the simulator's state (`background`), or only from pictures (`sensors`).",
    )
    grasp: Grasp = "weld"
    check_order: str = Field("paper", description="Order of the error checks: `paper`, `code` or one of your own.")
    picture_size: PictureSize = None
    shade: Shade = None
    meshes: Meshes = None
    attempts: int = Field(3, ge=1, le=10, description="Attempts per subtask.")
    video: bool = Field(False, description="Write video.mp4.")
    frames: bool = Field(False, description="Write the four views of every round.")

    @property
    def pixels(self) -> tuple[int, int] | None:
        """Width and height of the robot's pictures, None for its own."""
        return None if self.picture_size is None else pixels_of(self.picture_size)

    @model_validator(mode="before")
    @classmethod
    def _default_skills(cls, values: Any) -> Any:
        """Default `skills` to those of the robot's scenes."""
        if not isinstance(values, dict) or "skills" in values or not isinstance(values.get("robot"), str):
            return values
        robot_skills = scenes_of(values["robot"]).skills
        return {**values, "skills": robot_skills} if robot_skills else values


class HouseOptions(Options):
    """Options that determine the house generated from a seed."""

    rooms: Annotated[int | None, Field(ge=2, le=6, description="Rooms of a generated house (default: by seed).")] = None
    objects: Annotated[int, Field(ge=0, le=60, description="Loose objects of a generated house.")] = 40
    catalogue: Catalogue = "ycb"
    furniture: Furnishing = "usual"
    start: Annotated[
        str | None,
        Field(description="Room of a generated house in which the robot starts, or its pose there as X,Y,DEGREES (m)."),
    ] = None
    opened: list[str] = Field(
        default_factory=list, description="Furniture of a generated house that stands open; may be repeated."
    )
    added: list[str] = Field(
        default_factory=list,
        description="A further object of a generated house, as `apple@table_1`, `red mug@sofa`; may be repeated.",
    )
    clutter: Annotated[
        Literal["tidy", "messy"],
        Field(
            description="How things lie in a generated house: `tidy` (upright and apart, all shut), or `messy` (on "
            "their sides, leaning, stacked, on floors and seats; doors and drawers open or ajar).",
        ),
    ] = "tidy"
    states: Annotated[
        bool,
        Field(
            description=f"Things of a generated house have states ({', '.join(STATES)}), sinks have "
            "water, and what that needs is there (a knife, a sponge, bread, ...)."
        ),
    ] = False
    people: Annotated[
        int,
        Field(
            ge=0,
            le=4,
            description="People in a generated house: the first holds out a hand, the second walks, the third sits, "
            "the fourth points.",
        ),
    ] = 0


HOUSE = tuple(HouseOptions.model_fields)
"""Options that determine which house a seed generates."""


class OpenOptions(HouseOptions, PartsOptions):
    """Options of `homie.open`: a robot in its scene, and limits."""

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {"scene": HOUSE}
    usage: ClassVar[Usage] = Usage("run")

    seed: Seed = 0
    scene: Scene = None
    rounds: int = Field(ROUNDS, ge=1, le=1000, description="Rounds after which the episode ends.")


class RunOptions(OpenOptions):
    """Everything that determines an episode. Stored completely in `run.json`."""

    usage: ClassVar[Usage] = RUN_USAGE

    task: str = Field(min_length=1, max_length=MAX_TASK, description="The instruction in natural language.")
    out: Path | None = Field(None, description="Run folder (default: runs/<time>-<task>).")
    video: bool = Field(True, description="Write video.mp4.")
    frames: bool = Field(True, description="Write the four views of every round.")

    @model_validator(mode="before")
    @classmethod
    def _default_instruction(cls, values: Any) -> Any:
        """Default `task` to the instruction of the scene's own task, if it has one."""
        if not isinstance(values, dict) or str(values.get("task") or "").strip():
            return values
        seed = values.get("seed", 0)
        if not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
            return values
        file = values.get("scene")
        instruction = own_instruction(str(values.get("robot", "")), seed, file and Path(file))
        return {**values, "task": instruction} if instruction else values


class PlanOptions(Options):
    """Options of one decision without a robot: the planner's input."""

    usage: ClassVar[Usage] = Usage("plan", "task", '"put the apple in the bowl" --image front.png')

    task: str = Field(min_length=1, max_length=MAX_TASK, description="The instruction in natural language.")
    image: list[Path] = Field(
        default_factory=list,
        max_length=4,
        description="A picture of what is in sight; repeat it for front, left, back, right, in this order.",
    )
    inventory: str | None = Field(None, min_length=1, description="What the hand holds (default: nothing).")
    seed: Seed = 0
    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT (`chat:MODEL`).")
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner (`homie list planners NAME`).")
    skills: str = Field("classical", description="Skill sets, as the models that the planner may choose from.")
    detector: str | None = Field(None, description="Detector that looks at the pictures (default: nothing does).")
    detector_settings: dict[str, Any] = Field({}, description="Settings of the detector (`homie list detectors NAME`).")


class SceneOptions(HouseOptions):
    """Options for showing a scene: its source and the output."""

    settled: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "scene": ("seed", *HOUSE),
        "mjcf": ("robot", "seed", "scene", "meshes", "png", "save", *HOUSE),
    }
    usage: ClassVar[Usage] = Usage("scene", example="--seed 7")

    robot: str = Field("mujoco", description="The robot whose scene it is: a house, or a table (`franka:stack`).")
    seed: Seed = 0
    scene: Scene = None
    mjcf: Path | None = Field(
        None, description="The MJCF file of a house: what is found in it, and what was not understood."
    )
    meshes: Meshes = None
    png: Path | None = Field(None, description="Draw a labelled map, seen from above, into this file.")
    save: Path | None = Field(
        None, description="Write the scene spec into this file, to be edited and run; as MJCF if it ends in .xml."
    )
