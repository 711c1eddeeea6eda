"""Options of `homie data`, one model per subcommand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from homie.bench.splits import TaskSplit
from homie.data.card_parts import License
from homie.kernel.options import MAX_SEED, Catalogue, Furnishing, Options, PictureSize, different_paths
from homie.kernel.support.validation_sentences import Usage

Sources = Annotated[
    list[Path],
    Field(
        min_length=1,
        description="Run folders of `homie bench` or `homie run`, sweeps, folders of EMMOE-100, LeRobot data sets.",
    ),
    AfterValidator(different_paths),
]
Keep = Annotated[
    Literal["done", "ended", "all"],
    Field(
        description="Episodes that are used: `done` (the task was done; where nobody can tell, the planner said End), "
        "`ended` (the planner said End), `all`.",
    ),
]
Splitting = Annotated[
    str,
    Field(
        min_length=1,
        description="Train and test: `suite` (as tasks say), `none` (all is train), a file of `homie data split`.",
    ),
]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED, description="Seed of everything random.")]
Explain = Annotated[
    bool, Field(description="Write an analysis for steps without one, from what happened in the episode.")
]


class TrainingOptions(Options):
    """Options of `homie data sft` and `homie data dpo`: data sets for training planners."""

    usage: ClassVar[Usage] = Usage("data sft", "sources", "runs/rule --out data/sft")

    sources: Sources
    out: Path = Field(description="The folder of the data set; an unfinished one is resumed.")
    form: Literal["chat", "emmoe"] = Field(
        "chat",
        description="Format: `chat` (for TRL, with pictures, the prompts of Homie's planners) or `emmoe` (EMMOE's).",
    )
    template: str = Field("emmoe-json", min_length=1, description="Prompt template of form chat: a name or a file.")
    prompt_settings: dict[str, Any] = Field({}, description="Settings of the prompt, the same as those of planners.")
    label_by: Literal["planner", "expert", "corrections"] = Field(
        "planner",
        description="Answers to learn: the planner's own, or the next step of the suite's expert in every situation "
        "that the planner came to, whether or not it did the task; `corrections` are those where the planner did "
        "something else.",
    )
    keep: Keep = "done"
    split: Splitting = "suite"
    explain: Explain = True
    license: License = None
    seed: Seed = 0
    rewriter: str | None = Field(
        None, min_length=1, description="A model planner that paraphrases instructions and analyses."
    )
    rewriter_settings: dict[str, Any] = Field({}, description="Settings of that planner.")
    versions: int = Field(3, ge=1, le=20, description="Number of paraphrases of each text.")
    rewritings: Path | None = Field(
        None, description="File of the paraphrases (default: rewritten.jsonl in the folder); data sets may share it."
    )
    rename: int = Field(
        0, ge=0, le=1000, description="Variants of each episode in which the task's objects have made-up names."
    )


class TasksOptions(Options):
    """Options of `homie data tasks`: errands sampled as a suite."""

    usage: ClassVar[Usage] = Usage("data tasks", "out", "tasks.json")

    out: Path = Field(description="The suite file, JSON.")
    number: int = Field(100, ge=1, le=100_000, description="Number of tasks.")
    test: float = Field(
        0.1,
        ge=0.0,
        le=0.24,
        description="Share of the tasks in each group of the test split: unseen templates, objects, houses, wordings.",
    )
    validation: float = Field(
        0.0, ge=0.0, le=0.24, description="The same of a validation split, held out from both train and test."
    )
    held_out: float = Field(
        0.2, gt=0.0, lt=0.9, description="Share of templates, object kinds and houses held out from training."
    )
    held_out_templates: str | None = Field(
        None, description="Templates held out from training instead of a share, separated by commas."
    )
    held_out_objects: str | None = Field(
        None, description="Object kinds held out from training instead of a share, separated by commas."
    )
    robot: str = Field("mujoco", description="The robot whose scenes they are in.")
    seed: Seed = 0


class GenerateOptions(Options):
    """Options of `homie data generate`: episodes by a suite's expert."""

    usage: ClassVar[Usage] = Usage("data generate", "suite", "tasks.json")

    suite: str = Field(min_length=1, description="A suite file (`homie data tasks` samples some), or a name.")
    episodes: int | None = Field(None, ge=1, description="Episodes, rounded up to whole trials (default: one a task).")
    out: Path = Field(description="The run folder; an unfinished one is resumed.")
    failures: float = Field(
        0.0, ge=0.0, le=1.0, description="Probability of a mistake before a step; the right step follows it."
    )
    detours: float = Field(
        0.0, ge=0.0, le=1.0, description="Probability of a useless step before a step; the expert goes on from there."
    )
    skills: str = Field(
        "ideal", description="Skill sets: `ideal` (nothing moves), `ideal:emmoe` (fail as in the paper), `classical`."
    )
    targets: str = Field(
        "background",
        description="Locate targets from the simulator's state (`background`) or from pictures (`sensors`).",
    )
    split: TaskSplit | None = Field(None, description="Only the tasks of this split.")
    rounds: int | None = Field(None, ge=1, le=1000, description="Rounds per episode (default: the suite's).")
    frames: bool = Field(True, description="Write the four views of every round.")
    picture_size: str | None = Field(None, description="Size of the pictures in pixels, as 512 or 640x480.")
    workers: int | None = Field(
        None, ge=1, le=256, description="Worker processes (default: one for each core, as memory allows)."
    )
    seed: Seed = 0


class DetectionsOptions(Options):
    """Options of `homie data detections`: pictures of generated houses with labelled boxes."""

    usage: ClassVar[Usage] = Usage("data detections", "out", "data/detections")

    out: Path = Field(description="The folder of the data set; an unfinished one is resumed.")
    houses: int = Field(500, ge=3, le=1_000_000, description="Houses; each is in one split only.")
    viewpoints: int = Field(15, ge=1, le=10_000, description="Places in each house; three pictures from each.")
    validation: float = Field(0.05, gt=0.0, lt=0.5, description="Share of the houses to measure a training on.")
    test: float = Field(0.1, gt=0.0, lt=0.5, description="Share of the houses to measure the result on.")
    layout: Literal["coco", "yolo"] = Field(
        "coco", description="`coco` (boxes and outlines in JSON), or `yolo` (boxes in a text file beside each picture)."
    )
    picture_size: PictureSize = "256x256"
    catalogue: Catalogue = "ycb"
    furniture: Furnishing = "usual"
    randomise: bool = Field(True, description="Draw light, colours, materials and camera noise at random.")
    robot: str = Field("mujoco", description="The robot whose scenes and cameras they are of.")
    workers: int = Field(1, ge=1, le=256, description="Worker processes.")
    license: License = None
    seed: Seed = 0


class EmmoeOptions(Options):
    """Options of `homie data emmoe`: export in the format of EMMOE-100."""

    usage: ClassVar[Usage] = Usage("data emmoe", "sources", "runs/rule --out data/emmoe")

    sources: Sources
    out: Path = Field(description="The folder; tasks that it already has are not changed.")
    keep: Keep = "done"
    split: Splitting = "suite"
    explain: Explain = True
    license: License = None


class LeRobotOptions(Options):
    """Options of `homie data lerobot`: export of recorded episodes as a LeRobot data set."""

    usage: ClassVar[Usage] = Usage("data lerobot", "sources", "recordings --out data/lerobot")

    sources: Sources
    out: Path = Field(description="The folder; episodes missing from an existing data set are added to it.")
    fps: int | None = Field(None, ge=1, le=1000, description="Frames in a second (default: as recorded).")
    keep: Literal["done", "all"] = Field(
        "done", description="Episodes that are used: `done` (all whose task is not known to have failed), `all`."
    )
    action: str | None = Field(
        None,
        min_length=1,
        description="Instead of whole episodes: each subtask of this action that succeeded at once, with poses of the "
        "hand and the place of its target (`Pick`).",
    )
    cameras: str | None = Field(
        None, description="Cameras whose pictures are exported, separated by commas, or `none` (default: all)."
    )
    license: License = None
    language: Literal["columns", "strings"] = Field(
        "columns",
        description="Plan, subtask and failure: `columns` (the language columns of LeRobot 0.6), `strings` (a plain "
        "column each, which LeRobot 0.4 loads too).",
    )


class SplitOptions(Options):
    """Options of `homie data split`: a split of episodes into training and testing."""

    usage: ClassVar[Usage] = Usage("data split", "sources", "runs/rule")

    sources: Sources
    by: Literal["task", "house", "both"] = Field(
        "task", description="What train and test never share: tasks, houses, or both."
    )
    share: float = Field(0.1, gt=0.0, lt=1.0, description="Largest share of the episodes for testing.")
    seed: Seed = 0
    out: Path = Field(Path("split.json"), description="The file of the split.")


class StatsOptions(Options):
    """Options of `homie data stats`: counts over episodes."""

    usage: ClassVar[Usage] = Usage("data stats", "sources", "runs/rule")

    sources: Sources


class ShowOptions(Options):
    """Options of `homie data show`: a line of a data set."""

    usage: ClassVar[Usage] = Usage("data show", "dataset", "data/sft")

    dataset: Path = Field(description="The folder of a data set.")
    line: int = Field(1, ge=1, description="Number of the line, from 1.")
    split: TaskSplit = Field("train", description="The split to read.")


class ValidateOptions(Options):
    """Options of `homie data validate`: the data set to check."""

    usage: ClassVar[Usage] = Usage("data validate", "dataset", "data/sft")

    dataset: Path = Field(description="The folder of a data set.")
