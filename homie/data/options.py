"""The options of `homie data`, one model for each of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from homie.data.cards import License
from homie.kernel.setup.options import MAX_SEED, Options, different_paths
from homie.kernel.support.problems import Usage

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
Explain = Annotated[bool, Field(description="Write an analysis for steps that have none, from what happened.")]


class TrainingOptions(Options):
    """A data set for training: of what, in which words, where to."""

    usage: ClassVar[Usage] = Usage("data sft", "sources", "runs/rule --out data/sft")

    sources: Sources
    out: Path = Field(description="The folder of the data set; an unfinished one goes on.")
    form: Literal["chat", "emmoe"] = Field(
        "chat", description="Form of the lines: `chat` (TRL, with pictures, as Homie's planners ask), `emmoe` (theirs)."
    )
    template: str = Field("emmoe-json", min_length=1, description="Prompt template of form chat: a name or a file.")
    prompt_settings: dict[str, Any] = Field({}, description="Further settings of the prompt, as planners have them.")
    keep: Keep = "done"
    split: Splitting = "suite"
    explain: Explain = True
    license: License = None
    seed: Seed = 0
    rewriter: str | None = Field(
        None, min_length=1, description="A model planner that says instructions and analyses in other words."
    )
    rewriter_settings: dict[str, Any] = Field({}, description="Settings of that planner.")
    versions: int = Field(3, ge=1, le=20, description="Versions in other words, for each text.")
    rewritings: Path | None = Field(
        None, description="File that keeps the versions (default: rewritten.jsonl in the folder); may be shared."
    )
    rename: int = Field(
        0, ge=0, le=1000, description="Versions with made-up names of what the task names, for each episode."
    )


class TasksOptions(Options):
    """Sampled errands, as a suite."""

    usage: ClassVar[Usage] = Usage("data tasks", "out", "tasks.json")

    out: Path = Field(description="The suite file, JSON.")
    number: int = Field(100, ge=1, le=100_000, description="Tasks.")
    test: float = Field(
        0.1, ge=0.0, le=0.3, description="Share of the tasks of each test: of unseen templates, objects and houses."
    )
    held_out: float = Field(
        0.2, gt=0.0, lt=0.9, description="Share of templates, kinds of objects and houses that training is without."
    )
    robot: str = Field("mujoco", description="The robot whose scenes they are in.")
    seed: Seed = 0


class GenerateOptions(Options):
    """Episodes of a suite's expert, by the thousand."""

    usage: ClassVar[Usage] = Usage("data generate", "suite", "tasks.json")

    suite: str = Field(min_length=1, description="A suite file (`homie data tasks` draws some), or a name.")
    episodes: int | None = Field(None, ge=1, description="Episodes, rounded up to whole trials (default: one a task).")
    out: Path = Field(description="The run folder; an unfinished one goes on.")
    failures: float = Field(
        0.0, ge=0.0, le=1.0, description="Probability of a mistake before a step; the right one comes next."
    )
    skills: str = Field(
        "ideal", description="Skill sets: `ideal` (nothing moves), `ideal:emmoe` (fail as in the paper), `classical`."
    )
    targets: str = Field("background", description="Targets from world state (`background`), or from `sensors`.")
    split: Literal["train", "test"] | None = Field(None, description="Only the tasks of this split.")
    rounds: int | None = Field(None, ge=1, le=1000, description="Rounds per episode (default: as the suite says).")
    frames: bool = Field(True, description="Write the four views of every round.")
    picture_size: str | None = Field(None, description="Pixels of the pictures, as 512 or 640x480.")
    workers: int | None = Field(
        None, ge=1, le=256, description="Worker processes (default: one for each core, as memory allows)."
    )
    seed: Seed = 0


class EmmoeOptions(Options):
    """Episodes as files of EMMOE-100."""

    usage: ClassVar[Usage] = Usage("data emmoe", "sources", "runs/rule --out data/emmoe")

    sources: Sources
    out: Path = Field(description="The folder; tasks that it has already are left as they are.")
    keep: Keep = "done"
    split: Splitting = "suite"
    explain: Explain = True
    license: License = None


class LeRobotOptions(Options):
    """Recorded episodes as a LeRobot data set."""

    usage: ClassVar[Usage] = Usage("data lerobot", "sources", "recordings --out data/lerobot")

    sources: Sources
    out: Path = Field(description="The folder; to a data set that is there already, what it has not is added.")
    fps: int | None = Field(None, ge=1, le=1000, description="Frames in a second (default: as recorded).")
    keep: Literal["done", "all"] = Field(
        "done", description="Episodes that are used: `done` (all whose task is not known to have failed), `all`."
    )
    license: License = None
    language: Literal["columns", "strings"] = Field(
        "columns",
        description="Plan, subtask and failure: `columns` (the language columns of LeRobot 0.6), `strings` (a plain "
        "column each, which LeRobot 0.4 loads too).",
    )


class SplitOptions(Options):
    """Which episodes are for training and which for testing."""

    usage: ClassVar[Usage] = Usage("data split", "sources", "runs/rule")

    sources: Sources
    by: Literal["task", "house", "both"] = Field(
        "task", description="What is on one side only: tasks, houses, or both of them."
    )
    share: float = Field(0.1, gt=0.0, lt=1.0, description="Share of the episodes that is for testing, at most.")
    seed: Seed = 0
    out: Path = Field(Path("split.json"), description="The file of the split.")


class StatsOptions(Options):
    """Which episodes to count."""

    usage: ClassVar[Usage] = Usage("data stats", "sources", "runs/rule")

    sources: Sources


class ShowOptions(Options):
    """Which line of a data set to show."""

    usage: ClassVar[Usage] = Usage("data show", "dataset", "data/sft")

    dataset: Path = Field(description="The folder of a data set.")
    line: int = Field(1, ge=1, description="The number of the line, from 1.")
    split: Literal["train", "test"] = Field("train", description="The split that it is in.")


class ValidateOptions(Options):
    """Which data set to check."""

    usage: ClassVar[Usage] = Usage("data validate", "dataset", "data/sft")

    dataset: Path = Field(description="The folder of a data set.")
