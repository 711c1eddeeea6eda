"""The options of `homie bench`, `compare` and `report`: one model for the Python API, the CLI and `--config` files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from homie.kernel.setup.options import MAX_SEED, Options, PartsOptions, different_paths
from homie.kernel.support.problems import Usage

RunFolders = Annotated[list[Path], Field(min_length=1), AfterValidator(different_paths)]


class BenchOptions(PartsOptions):
    """A suite of tasks, how to run it, and with what. `run.json` of a bench keeps it whole."""

    usage: ClassVar[Usage] = Usage("bench", "suite", "homie-100")

    suite: str = Field(min_length=1, description="A suite file, the name of a suite, or a folder of EMMOE-100.")
    tasks: str | None = Field(None, description="Only these tasks: ids or patterns, separated by commas.")
    split: Literal["train", "test"] | None = Field(None, description="Only the tasks of this split.")
    trials: int | None = Field(None, ge=1, le=1000, description="Trials per task (default: as the suite says).")
    rounds: int | None = Field(
        None, ge=1, le=1000, description="Rounds per episode, also of tasks with limits (default: as the suite says)."
    )
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed that the seeds of all episodes are made from.")
    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT; `expert` plays the suite's own.")
    out: Path | None = Field(None, description="Run folder (default: runs/<time>-<suite>); an unfinished one goes on.")
    workers: int | None = Field(
        None,
        ge=1,
        le=256,
        description="Worker processes (default: one for each core in embedded worlds, as memory allows; else 1).",
    )
    ray: str | None = Field(
        None, min_length=1, description="Play on a Ray cluster: `local`, `auto` or its address (default: not)."
    )
    timeout: float = Field(1800.0, gt=0.0, description="Seconds of wall clock after which an episode is ended.")
    retries: int = Field(2, ge=0, le=100, description="How often an episode is run again that infrastructure ended.")
    memory: float | None = Field(None, gt=0.0, description="GiB that a worker may take (default: no limit).")
    recycle: int = Field(100, ge=1, description="Episodes after which a worker is replaced by a fresh one.")
    again: bool = Field(False, description="Run finished episodes again that infrastructure ended.")
    mixed: bool = Field(False, description="Go on with other parts than the first episodes were made with.")
    clean: bool = Field(False, description="Remove what failed and interrupted tries of finished episodes left.")
    sweep: list[str] = Field(
        default_factory=list, description="A bench for each value: planner.SETTING=A,B or OPTION=A,B; may be repeated."
    )


class CompareOptions(Options):
    """Which runs of a bench to compare, and how."""

    usage: ClassVar[Usage] = Usage("compare", "runs", "runs/rule runs/random")

    runs: RunFolders = Field(
        description="Run folders of `homie bench`; differences are to the first. Or two of `homie vigil`: what "
        "feedback changed."
    )
    protocols: Path | None = Field(
        None,
        description="A page to write about runs of different suites, of `homie vigil`, `homie questions ask` and "
        "`homie questions judge`, side by side.",
    )
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Reading of the EMMOE protocol.")
    form: Literal["markdown", "latex", "csv", "json"] = Field("markdown", description="Form of the tables.")
    confidence: float = Field(0.95, gt=0.0, lt=1.0, description="Confidence of the intervals.")
    resamples: int = Field(10_000, ge=100, le=1_000_000, description="Resamples of the bootstrap.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of the bootstrap.")
    tasks: bool = Field(False, description="Besides, a table of every task by run.")
    out: Path | None = Field(None, description="Write the tables into this file instead of stdout.")


class ReportOptions(Options):
    """Which runs to show in one HTML page, and what it holds."""

    usage: ClassVar[Usage] = Usage("report", "runs", "runs/rule")

    runs: RunFolders = Field(description="Run folders of `homie bench` or `homie run`.")
    out: Path | None = Field(None, description="The page (default: report.html in the first run folder).")
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Reading of the EMMOE protocol.")
    views: int = Field(192, ge=0, le=1024, description="Width of the views in pixels; 0 leaves them out.")
    max_size: float = Field(
        50.0, ge=0.0, le=2000.0, description="MiB of the page: pictures and videos are in it while there is room."
    )
    rerun: Path | None = Field(None, description="Record one episode for the Rerun viewer into this file, besides.")
    episode: str | None = Field(
        None, min_length=1, description="The episode to record, where there are several (`fridge-d1-0`)."
    )
