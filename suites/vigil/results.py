"""Files of a run: its inputs (`played.json`), and the rows of the table."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

HEAD, EPISODES, RESULTS = "played.json", "episodes.jsonl", "results.json"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Share(_Model):
    """Percent of episodes, with its 95 % interval (episodes of one house are not independent)."""

    value: float
    low: float
    high: float


class Row(_Model):
    """Rates of a family, or of `all`. Shares as in `suites.published.vigil_rates`.

    Attributes:
        delta: W - B in percentage points, with its interval by bootstrap over houses.
        invalid: Mean number of invalid actions per episode.
        always, random, oracle: B of the same trajectories under other reports.
    """

    family: str
    n: int
    world: Share
    benchmark: Share
    delta: Share
    false_report: Share
    no_report: Share
    out_of_steps: Share
    over_limit: Share
    honest_negative: float
    lag: float | None
    steps: float
    invalid: float
    too_far: float
    path_blocked: float
    retries: float
    always: float
    random: float
    oracle: float
    outcomes: dict[str, int]
    after_goal: dict[str, float]
    reported_without_goal: float | None
    unreported_with_goal: float | None
    false_success: int
    at_zero: float | None


class Head(_Model):
    """Inputs of a run: the planner, the episodes, and the options.

    Attributes:
        episodes, prompt: SHA-256 of the episodes and of the prompt.
    """

    format: int = 1
    suite: str = "homie-vigil"
    episodes: str
    planner: str
    described: dict[str, Any]
    prompt: str
    feedback: str
    coordinates: str
    seed: int
