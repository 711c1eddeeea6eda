"""What is kept of an episode: every step as it was, with its truth."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from suites.published.vigil_episode import Episode, Family, Kind, Status, Step
from suites.published.vigil_score import Score, score_episode
from suites.vigil.frozen import INVALID_LIMITS


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class Played(_Record):
    """One step as it was.

    Attributes:
        said: Word for word.
        note: Why an action changed nothing, or why an answer was none.
    """

    kind: Kind
    skill: str
    call: dict[str, Any] = {}
    status: str | None = None
    goal: bool
    progress: float
    too_far: bool = False
    path_blocked: bool = False
    note: str = ""
    said: str = ""


class Record(_Record):
    """One episode as it was.

    Attributes:
        seconds: That it took.
        cost: US dollars, 0 where the price is not known.
    """

    id: str
    house: int
    label: Status | None = None
    steps: tuple[Played, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def family(self) -> Family:
        """By the first letters of its id."""
        return Family[self.id.partition("-")[0]]

    def score(self) -> Score:
        """By the formulas of the paper."""
        excluded = {"said", "note"}
        return score_episode(
            Episode(
                family=self.family,
                budget=self.family.budget,
                invalid_limit=INVALID_LIMITS[self.family],
                steps=[Step(**step.model_dump(exclude=excluded)) for step in self.steps],
                expected_label=self.label,
            )
        )
