"""Record of an episode: every step with its truth."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from suites.published.vigil_episode import Episode, Family, Kind, Status, Step
from suites.published.vigil_score import Score, score_episode
from suites.vigil.frozen import INVALID_LIMITS


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class StepRecord(_Record):
    """Record of one step.

    Attributes:
        said: The answer, word for word.
        note: Why an action changed nothing, or why an answer was invalid.
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
    """Record of one episode.

    Attributes:
        seconds: Duration in seconds.
        cost: Cost in US dollars, 0 if the price is not known.
    """

    id: str
    house: int
    label: Status | None = None
    steps: tuple[StepRecord, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def family(self) -> Family:
        """Family, from the first letters of the id."""
        return Family[self.id.partition("-")[0]]

    def score(self) -> Score:
        """Score the episode by the formulas of the paper."""
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
