"""What a bench leaves in its run folder: there is no other list that could disagree with it.

RUN/run.json                     a `BenchFile`: options, versions; RUN/run.copy.json is the same once more
RUN/suite.json                   the whole suite
RUN/parts/<sha256>.json          what episodes were made with, and in texts/ their prompts (`provenance`)
RUN/episodes/<task>-<trial>/     an `Episode` (docs/run-folder.md), with its own scene.json
RUN/workers/worker-N.log         what the workers wrote
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.bench.episode import Episode
from homie.bench.episode_plan import plan
from homie.bench.options import BenchOptions
from homie.bench.suite.suite import Suite
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import FileMark
from homie.kernel.support.files import to_json
from homie.runtime.runstore import read_model
from homie.runtime.runstore.damage import changed

PLANNER = "planner."
"""What the name of a planner's setting begins with in a sweep."""
COPY = "run.copy.json"
"""A second `run.json`, from which a damaged one is put back."""
REPAIRING = "The same `homie bench` command with --out repairs the run folder if it can."


class BenchFile(BaseModel):
    """`run.json` of a bench.

    Homie 0.1 wrote format 1, without files and without a checksum.

    Attributes:
        versions: Of the first runner; those of each episode are in its parts.
        files: Of `suite.json`.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    kind: Literal["bench"] = "bench"
    created: str
    seed: int
    options: BenchOptions
    versions: dict[str, str]
    platform: str
    files: dict[str, FileMark] = {}


class SweepFile(BaseModel):
    """`sweep.json`: what was varied, and which values each run folder beside it has."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    kind: Literal["sweep"] = "sweep"
    sweep: tuple[str, ...]
    runs: dict[str, dict[str, Any]]


def is_bench(run: Path) -> bool:
    """Whether a folder is the run of a bench, be it damaged."""
    return any((run / name).exists() for name in ("suite.json", COPY))


def read_bench(run: str | Path) -> tuple[BenchFile, Suite, tuple[Episode, ...]]:
    """A run folder of a bench: its configuration, its suite and all its episodes, finished or not. Raises BadInput."""
    run = Path(run)
    try:
        file = read_model(run / "run.json", BenchFile)
        if damage := suite_damage(run, file):
            raise BadInput(f"{run / 'suite.json'} is damaged: {damage}.")
        suite = read_model(run / "suite.json", Suite)
    except BadInput as error:
        raise BadInput(f"{error} {REPAIRING}") from error
    return file, suite, plan(run, file.options, suite)


def suite_json(suite: Suite) -> bytes:
    """`suite.json` of a suite."""
    return to_json(suite.model_dump(mode="json", by_alias=True, exclude_none=True))


def suite_damage(run: Path, file: BenchFile) -> str:
    """How `suite.json` differs from what `run.json` says of it; "" where it does not, or nothing is said."""
    mark = file.files.get("suite.json")
    return changed(run / "suite.json", mark) if mark is not None else ""
