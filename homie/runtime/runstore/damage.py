"""Integrity check of finished episodes: no metric is computed from a truncated, changed or missing file."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Literal

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import FileMark, mark
from homie.kernel.support.files import reason_of
from homie.kernel.types import END, HistoryItem, RoundRecord
from homie.runtime.runstore import EpisodeFile, read_episode, read_steps

DAMAGED: Literal["damaged"] = "damaged"
"""Cause of an episode that is lost because its files are damaged."""
ENDING = "episode.json"
STEPS = "steps.jsonl"


class DamagedEpisode(BadInput):
    """The files of a finished episode are damaged. The message is `FILE (what is wrong with it)`."""


def read_finished(folder: Path) -> tuple[EpisodeFile, tuple[RoundRecord, ...]] | None:
    """Read the end of an episode and its records, or None if it is unfinished.

    Raises DamagedEpisode for a file that cannot be read, differs from its mark in `episode.json`, or contradicts
    another. For an episode that ended by infrastructure only `episode.json` is read, and no records are returned.
    """
    try:
        ending = read_episode(folder)
    except (BadInput, OSError) as error:
        raise DamagedEpisode(f"{ENDING} ({_format_error(error, folder)})") from error
    if ending is None:
        return None
    if ending.ended_by == "infrastructure":
        return ending, ()
    for name, file_mark in ending.files.items():
        if difference := describe_change(folder / name, file_mark):
            raise DamagedEpisode(f"{name} ({difference})")
    try:
        # A truncated last line is a warning in a killed episode, but damage in a finished one.
        with warnings.catch_warnings(action="error", category=UserWarning):
            records = read_steps(folder)
    except (BadInput, UserWarning) as error:
        raise DamagedEpisode(f"{STEPS} ({_format_error(error, folder)})") from error
    if ending.history != history_of(records):
        raise DamagedEpisode(f"{STEPS} (its subtasks are not the history in {ENDING})")
    if (ending.ended_by == "ended") != _ended_by_planner(records):
        raise DamagedEpisode(f"{STEPS} (its last subtask does not fit '{ending.ended_by}' in {ENDING})")
    return ending, records


def damaged_record(damage: DamagedEpisode, *, task: str, trial: int, seed: int) -> EpisodeFile:
    """Return the record of a damaged episode: ended by infrastructure, cause `damaged: FILE (what is wrong)`."""
    return EpisodeFile(
        task=task,
        trial=trial,
        seed=seed,
        ended_by="infrastructure",
        rounds=0,
        history=(),
        inventory=(),
        robot_seconds=0.0,
        wall_seconds=0.0,
        cause=f"{DAMAGED}: {damage}",
    )


def describe_change(path: Path, expected: FileMark) -> str:
    """Describe how a file differs from its mark; "" if it does not."""
    try:
        current = mark(path, content=bool(expected.sha256))
    except FileNotFoundError:
        return "it is missing"
    except OSError as error:
        return f"it cannot be read: {reason_of(error)}"
    if current.bytes != expected.bytes:
        return f"it has {current.bytes} bytes, {expected.bytes} were written"
    return "" if current == expected else "its content is not what was written: the checksum differs"


def history_of(records: tuple[RoundRecord, ...]) -> tuple[HistoryItem, ...]:
    """Return the final history of an episode from its records, without outputs that could not be parsed."""
    executions = [record.execution for record in records if not record.decision.problem]
    return tuple(HistoryItem(n, execution.subtask, execution.feedback) for n, execution in enumerate(executions, 1))


def _ended_by_planner(records: tuple[RoundRecord, ...]) -> bool:
    """Whether the last subtask is an accepted End: an End that is not in the list of numbered actions is refused."""
    last = records[-1].execution if records else None
    return last is not None and last.subtask.action == END.action and last.feedback.ok


def _format_error(error: Exception, folder: Path) -> str:
    """Format an error on one line, without the path of the folder."""
    text = " ".join((reason_of(error) if isinstance(error, OSError) else str(error)).replace(f"{folder}/", "").split())
    return text[:200].removeprefix(f"{ENDING} is damaged: ").removesuffix(".")
