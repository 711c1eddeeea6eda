"""The options of `homie vigil`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from homie.kernel.options import MAX_SEED, Options
from homie.kernel.support.validation_sentences import Usage


class VigilOptions(Options):
    """Who plays which episodes."""

    usage: ClassVar[Usage] = Usage("vigil", example="--planner expert")

    planner: str = Field(
        description="`expert` (privileged), `random`, `always`, `never`; or whose model plays: `chat:MODEL`, ..."
    )
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner of a model.")
    families: list[str] = Field([], description="Families, such as PG; may be repeated (default: all).")
    episodes: Annotated[int | None, Field(ge=1, description="The first so many of each family (default: all).")] = None
    feedback: Literal["silent", "told"] = Field(
        "silent", description="Whether a planner gets `too_far` and `path_blocked` after an action."
    )
    coordinates: Literal["pixels", "thousandths"] = Field(
        "pixels", description="What a planner's x and y are: pixels of 640x480, or 0 to 1000 over the frame."
    )
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of those that act at random; the episodes are frozen.")
    workers: int = Field(1, ge=1, le=256, description="Processes that play; the results are the same.")
    out: Path | None = Field(None, description="Run folder (default: runs/vigil-...); an unfinished one is resumed.")
