"""Options of `homie bench`, `compare` and `report`: one model for the Python API, the CLI and `--config` files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from homie.bench.splits import TaskSplit
from homie.kernel.options import MAX_SEED, Options, PartsOptions, different_paths
from homie.kernel.support.validation_sentences import Usage

RunFolders = Annotated[list[Path], Field(min_length=1), AfterValidator(different_paths)]


class BenchOptions(PartsOptions):
    """Options of `homie bench`: a suite, its parts and how to run it. `run.json` of a bench contains all of them."""

    usage: ClassVar[Usage] = Usage("bench", "suite", "homie-100")

    suite: str = Field(min_length=1, description="A suite file, the name of a suite, or a folder of EMMOE-100.")
    tasks: str | None = Field(None, description="Only these tasks: ids or patterns, separated by commas.")
    split: TaskSplit | None = Field(None, description="Only the tasks of this split.")
    trials: int | None = Field(None, ge=1, le=1000, description="Trials per task (default: the suite's).")
    rounds: int | None = Field(
        None, ge=1, le=1000, description="Rounds per episode, overriding the limits of tasks (default: the suite's)."
    )
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed from which the seeds of all episodes are derived.")
    planner: str = Field("rule", description="Planner, as NAME or NAME:ARGUMENT; `expert` plays the suite's own.")
    out: Path | None = Field(
        None, description="Run folder (default: runs/<time>-<suite>); an unfinished one is resumed."
    )
    workers: int | None = Field(
        None,
        ge=1,
        le=256,
        description="Worker processes (default: one for each core in embedded worlds, as memory allows; else 1).",
    )
    ray: str | None = Field(
        None, min_length=1, description="Run on a Ray cluster: `local`, `auto` or its address (default: no cluster)."
    )
    timeout: float = Field(1800.0, gt=0.0, description="Seconds of wall clock after which an episode ends.")
    retries: int = Field(
        2, ge=0, le=100, description="How often an episode that failed by infrastructure is run again."
    )
    memory: float | None = Field(None, gt=0.0, description="Memory limit of a worker in GiB (default: none).")
    recycle: int = Field(100, ge=1, description="Episodes after which a worker process is restarted.")
    again: bool = Field(False, description="Run episodes again that failed by infrastructure.")
    mixed: bool = Field(False, description="Resume with other parts than those of the first episodes.")
    clean: bool = Field(False, description="Remove the files of failed and interrupted attempts at finished episodes.")
    sweep: list[str] = Field(
        default_factory=list, description="A bench for each value: planner.SETTING=A,B or OPTION=A,B; may be repeated."
    )


class CompareOptions(Options):
    """Options of `homie compare`: runs to compare, and how."""

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
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Variant of the EMMOE protocol.")
    form: Literal["markdown", "latex", "csv", "json"] = Field("markdown", description="Format of the tables.")
    confidence: float = Field(0.95, gt=0.0, lt=1.0, description="Confidence of the intervals.")
    resamples: int = Field(10_000, ge=100, le=1_000_000, description="Number of bootstrap resamples.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of the bootstrap.")
    tasks: bool = Field(False, description="Also print a table of every task by run.")
    all_tables: bool = Field(
        False,
        description="Also print the tables of splits, attributes, reports, errors, skills, answers and mistakes "
        "(files and other formats have all).",
    )
    out: Path | None = Field(None, description="Write the tables into this file instead of stdout.")


class ReportOptions(Options):
    """Options of `homie report`: runs to show in an HTML page, and its contents."""

    usage: ClassVar[Usage] = Usage("report", "runs", "runs/rule")

    runs: RunFolders = Field(description="Run folders of `homie bench` or `homie run`.")
    out: Path | None = Field(None, description="The page (default: report.html in the first run folder).")
    profile: Literal["homie", "strict-emmoe"] = Field("homie", description="Variant of the EMMOE protocol.")
    views: int = Field(192, ge=0, le=1024, description="Width of the views in pixels; 0 leaves them out.")
    max_size: float = Field(
        50.0,
        ge=0.0,
        le=2000.0,
        description="Largest size of the page in MiB; pictures and videos beyond it are left out.",
    )
    rerun: Path | None = Field(None, description="Also record one episode for the Rerun viewer into this file.")
    episode: str | None = Field(
        None, min_length=1, description="The episode to record, where there are several (`fridge-d1-0`)."
    )
