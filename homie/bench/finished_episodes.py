"""Contents of a bench's run folder, which is the only record of which episodes are finished.

RUN/run.json                     a `BenchFile`: options, versions; RUN/run.copy.json is a copy
RUN/suite.json                   the whole suite
RUN/parts/<sha256>.json          descriptions of the parts of episodes, and their prompts in texts/ (`provenance`)
RUN/episodes/<task>-<trial>/     an `Episode` (docs/run-folder.md), with its own scene.json
RUN/workers/worker-N.log         output of the workers
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
from homie.runtime.runstore.damage import describe_change

PLANNER = "planner."
"""Prefix of a planner's setting in a sweep."""
COPY = "run.copy.json"
"""Copy of `run.json`, from which a damaged one is restored."""
REPAIRING = "The same `homie bench` command with --out repairs the run folder if it can."


class BenchFile(BaseModel):
    """`run.json` of a bench.

    Homie 0.1 wrote format 1, without `files` and without a checksum.

    Attributes:
        versions: Versions of packages for the first runner; those of each episode are in its parts.
        files: Checksum of `suite.json`.
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
    """`sweep.json`: the varied options, and their values for each run folder beside it."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    kind: Literal["sweep"] = "sweep"
    sweep: tuple[str, ...]
    runs: dict[str, dict[str, Any]]


def is_bench(run: Path) -> bool:
    """Return whether a folder is the run of a bench, even if damaged."""
    return any((run / name).exists() for name in ("suite.json", COPY))


def read_bench(run: str | Path) -> tuple[BenchFile, Suite, tuple[Episode, ...]]:
    """Read a bench's run folder: its configuration, its suite and all its episodes, finished or not. Raises
    BadInput."""
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
    """Return `suite.json` of a suite."""
    return to_json(suite.model_dump(mode="json", by_alias=True, exclude_none=True))


def suite_damage(run: Path, file: BenchFile) -> str:
    """Describe how `suite.json` differs from its checksum in `run.json`; "" if it does not, or there is none."""
    mark = file.files.get("suite.json")
    return describe_change(run / "suite.json", mark) if mark is not None else ""
