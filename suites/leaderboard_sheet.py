"""A sheet: the results of one planner in one protocol, in the same form for all protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from homie.bench.intervals_and_tests import Estimate
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json

ALL = "all"
Rows = TypeVar("Rows")


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one group of a protocol.

    Attributes:
        n: Number of episodes or questions.
        chance: Chance level, where it is known.
    """

    group: str
    n: int
    estimate: Estimate
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode.

    Attributes:
        good: Whether it succeeded, None where it was lost.
        note: How it ended, in words.
        details: The folder or file that has its steps.
    """

    name: str
    good: bool | None
    note: str
    details: Path


@dataclass(frozen=True, slots=True)
class Answer:
    """One question with its answer.

    Attributes:
        group: One of the groups of the shares.
        text: Text of the question.
        good: Whether it is right, None where it could not be read.
        score: 0..1, with part marks.
        note: Explanation of a judge.
    """

    name: str
    group: str
    text: str
    truth: str
    words: str
    good: bool | None
    score: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The results of one planner in one protocol.

    Attributes:
        planner: As on the command line.
        protocol: Name and version, with judge and rules where there are any: sheets of one protocol can be compared.
        measure: What the shares measure; its first word is what is counted.
        settings: Settings of the run, by name.
        shares: The groups, `all` first where there is one.
        details: The page or file with every episode, or the folder where none is written yet.
        episodes: All episodes, where the protocol has any.
        answers: All answers, where the protocol has questions and they were kept.
        words: The file with all answers.
    """

    planner: str
    protocol: str
    measure: str
    settings: Mapping[str, str]
    shares: tuple[Share, ...]
    folder: Path
    details: Path
    episodes: tuple[Episode, ...] = ()
    answers: tuple[Answer, ...] = ()
    words: Path | None = None

    @property
    def counted(self) -> str:
        """Number of episodes or questions, with the noun."""
        of_all = [share.n for share in self.shares if share.group == ALL]
        number = of_all[0] if of_all else sum(share.n for share in self.shares)
        return f"{number} {self.measure.split()[0]}"


def read_rows(results: Path, rows: TypeAdapter[Rows], unfinished: str, command: str) -> Rows:
    """Read the table that a command writes at its end.

    Args:
        results: Its file.
        rows: Type of its content.
        unfinished: Error text if there is no such file: `The episodes of FOLDER are not played`.
        command: The command, `homie vigil`.

    Raises:
        BadInput: there is no such file yet, or it is damaged.
    """
    if not results.exists():
        raise BadInput(f"{unfinished} to the end: run the same `{command}` again.")
    try:
        return rows.validate_python(load_json(results))
    except ValueError as error:
        raise BadInput(f"{results} is damaged: remove it and run the same `{command}` again.") from error
