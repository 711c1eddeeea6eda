"""Whether a finished episode is still what was written: no number is made of a file that was torn, changed or lost."""

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
"""The cause of an episode that is lost because its files cannot be trusted."""
ENDING = "episode.json"
STEPS = "steps.jsonl"


class Damaged(BadInput):
    """An episode that says it is finished cannot be trusted. The message is `FILE (what is wrong with it)`."""


def read_finished(folder: Path) -> tuple[EpisodeFile, tuple[RoundRecord, ...]] | None:
    """How an episode ended and its records, or None if it is unfinished.

    Raises Damaged: for a file that cannot be read, that is not what `episode.json` says it was, or that disagrees
    with another. Of an episode that infrastructure ended only `episode.json` is looked at; it has no records here.
    """
    try:
        ending = read_episode(folder)
    except (BadInput, OSError) as error:
        raise Damaged(f"{ENDING} ({_short(error, folder)})") from error
    if ending is None:
        return None
    if ending.ended_by == "infrastructure":
        return ending, ()
    for name, file_mark in ending.files.items():
        if difference := changed(folder / name, file_mark):
            raise Damaged(f"{name} ({difference})")
    try:
        # A torn last line is a warning where an episode was killed, and damage where it was finished.
        with warnings.catch_warnings(action="error", category=UserWarning):
            records = read_steps(folder)
    except (BadInput, UserWarning) as error:
        raise Damaged(f"{STEPS} ({_short(error, folder)})") from error
    if ending.history != history_of(records):
        raise Damaged(f"{STEPS} (its subtasks are not the history in {ENDING})")
    if (ending.ended_by == "ended") != _ends(records):
        raise Damaged(f"{STEPS} (its last subtask does not fit '{ending.ended_by}' in {ENDING})")
    return ending, records


def lost_to(damage: Damaged, *, task: str, trial: int, seed: int) -> EpisodeFile:
    """How a damaged episode counts: ended by infrastructure, with the cause `damaged: FILE (what is wrong)`."""
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


def changed(path: Path, expected: FileMark) -> str:
    """How a file differs from what it was, in words; "" if it does not."""
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
    """The history that an episode of these records ends with: an output that could not be read is not an item of it."""
    executions = [record.execution for record in records if not record.decision.problem]
    return tuple(HistoryItem(n, execution.subtask, execution.feedback) for n, execution in enumerate(executions, 1))


def _ends(records: tuple[RoundRecord, ...]) -> bool:
    """Whether the last subtask is an End that was taken: one that is in no list of numbered actions is refused."""
    last = records[-1].execution if records else None
    return last is not None and last.subtask.action == END.action and last.feedback.ok


def _short(error: Exception, folder: Path) -> str:
    """What is wrong, without the path that everybody knows, in one line."""
    text = " ".join((reason_of(error) if isinstance(error, OSError) else str(error)).replace(f"{folder}/", "").split())
    return text[:200].removeprefix(f"{ENDING} is damaged: ").removesuffix(".")
