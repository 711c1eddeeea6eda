"""Models of the files of a run folder, and functions to read them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.support.checksums import FileMark, mark
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reason_of
from homie.kernel.types import Answer, EndedBy, HistoryItem, Report, RoundRecord
from homie.runtime.planner_inputs import INPUTS
from homie.runtime.runstore.checksummed_json import contents, read_model, write_model

HASHED = ("steps.jsonl", INPUTS, "commands.jsonl", "goals.jsonl", "final_state.json", "scene.json")
"""Files of an episode from which metrics are computed: `episode.json` stores their SHA-256."""
SIZED = ("video.mp4",)
"""Files that are too long to be read again for a table: `episode.json` stores their length."""

RECORD = TypeAdapter(RoundRecord)
"""A line of `steps.jsonl`."""


class RunFile(BaseModel):
    """`run.json`: the configuration of a run, sufficient to repeat it.

    Homie 0.1 wrote format 1, without the last two fields and without a checksum.

    Attributes:
        parts: Name of a `provenance.PartsFile`.
        files: Mark of `scene.json`.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    created: str
    seed: int
    options: RunOptions
    versions: dict[str, str]
    platform: str
    parts: str = ""
    files: dict[str, FileMark] = {}


class Usage(BaseModel):
    """Answers, tokens and cost of the language model in an episode.

    `unreadable` answers were retried, `lenient` ones parsed by one of the `leniencies`, which are counted by name.
    `cached` answers were free; `cache_read_tokens` are input tokens from the provider's prompt cache; `cost` is in US
    dollars, 0 if prices are not known.
    """

    model_config = ConfigDict(frozen=True)

    answers: int = 0
    unreadable: int = 0
    lenient: int = 0
    leniencies: dict[str, int] = {}
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cache_read_tokens: int = 0

    def plus(self, answers: Iterable[Answer]) -> Usage:
        """Return the usage with further answers added."""
        total = self
        for answer in answers:
            total = Usage(
                answers=total.answers + 1,
                unreadable=total.unreadable + bool(answer.problem),
                lenient=total.lenient + bool(answer.leniencies),
                leniencies=dict(Counter(total.leniencies) + Counter(answer.leniencies)),
                cached=total.cached + answer.cached,
                input_tokens=total.input_tokens + answer.input_tokens,
                output_tokens=total.output_tokens + answer.output_tokens,
                cost=total.cost + answer.cost,
                cache_read_tokens=total.cache_read_tokens + answer.cache_read_tokens,
            )
        return total


class EpisodeFile(BaseModel):
    """`episode.json`: the result of one episode. Equal episodes only differ in `wall_seconds`, in the mark of
    `steps.jsonl`, which has timings, and in the checksum.

    Attributes:
        ended_by: The planner (`ended`), a limit (`rounds`, `steps`, `failures`, and for agents `calls`,
            `robot_seconds`), or, in a bench, a failure not caused by planner or skills (`infrastructure`), with its
            `cause`.
        report, answer: The planner's report and answer at the end (`homie.kernel.types.EpisodeResult`).
        parts: Name of a `provenance.PartsFile`.
        files: Marks of the episode's other files at its end. Homie 0.1 wrote format 1, without the last two fields.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1, 2] = 2
    task: str
    trial: int
    seed: int
    ended_by: EndedBy | Literal["infrastructure"]
    rounds: int
    history: tuple[HistoryItem, ...]
    inventory: tuple[str, ...]
    robot_seconds: float
    wall_seconds: float
    report: Report = ""
    answer: str = ""
    cause: str = ""
    usage: Usage = Usage()
    parts: str = ""
    files: dict[str, FileMark] = {}


def read_run(run: str | Path) -> RunFile:
    """Read the configuration of a run.

    Args:
        run: The run folder.

    Raises:
        BadInput: `run.json` is missing or damaged.
    """
    return read_model(Path(run) / "run.json", RunFile)


def read_episode(folder: str | Path) -> EpisodeFile | None:
    """Read the result of an episode.

    Args:
        folder: The episode folder (`EpisodeSummary.episode_folder`, `episode_folders`).

    Returns:
        The content of `episode.json`, or None if the episode is unfinished.

    Raises:
        BadInput: `episode.json` is damaged.
    """
    path = Path(folder) / "episode.json"
    return read_model(path, EpisodeFile) if path.exists() else None


def read_steps(folder: str | Path) -> tuple[RoundRecord, ...]:
    """Read the records of an episode, one per subtask. A last line truncated by a kill is left out with a warning.

    Args:
        folder: The episode folder.

    Raises:
        BadInput: `steps.jsonl` is missing, or a line of it is damaged.

    Example:
        >>> from homie import read_steps
        >>> read_steps("none")
        Traceback (most recent call last):
        homie.kernel.errors.BadInput: Cannot read none/steps.jsonl: No such file or directory.
    """
    path = Path(folder) / "steps.jsonl"
    lines = contents(path).split(b"\n")
    if truncated := lines.pop():
        warnings.warn(f"{path}: left out a last line that a kill has torn ({len(truncated)} bytes).", stacklevel=2)
    try:
        return tuple(RECORD.validate_python(parse_json(line)) for line in lines)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} holds a line that is not a round record: {reason_of(error)}.") from error


def write_ending(folder: Path, ending: EpisodeFile) -> None:
    """Write `episode.json`, with the marks of the other files in its folder. Raises OSError."""
    marks = {
        name: mark(folder / name, content=name in HASHED) for name in (*HASHED, *SIZED) if (folder / name).exists()
    }
    write_model(folder / "episode.json", ending.model_copy(update={"files": marks}))
