"""The options of `homie questions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from homie.kernel.options import MAX_SEED, Options
from homie.kernel.support.validation_sentences import Usage
from suites.published.robobench.instructions import Profile

Folder = Annotated[Path, Field(description="The folder of questions, or RoboBench's data as released.")]


class MakeOptions(Options):
    """Questions from simulated worlds."""

    usage: ClassVar[Usage] = Usage("questions make", "out", "questions")

    out: Path = Field(description="The folder, new or empty.")
    number: int = Field(1500, ge=5, le=100_000, description="Questions at least, the same number in each dimension.")
    size: int = Field(384, ge=128, le=2048, description="Pixels of a side of the pictures.")
    workers: int = Field(1, ge=1, le=256, description="Processes that visit worlds; the questions are the same.")
    seed: int = Field(0, ge=0, le=1000, description="Seed of everything random; no world is in the sets of two seeds.")


class AskOptions(Options):
    """Who is asked what."""

    usage: ClassVar[Usage] = Usage("questions ask", "folder", "questions --planner chat:MODEL")

    folder: Folder
    planner: str = Field(
        description="Whose model: NAME:ARGUMENT (`chat:MODEL`); or `scripted:FILE`, `constant:A`, `random`."
    )
    planner_settings: dict[str, Any] = Field({}, description="Settings of the planner; `images=false`: text alone.")
    out: Path | None = Field(
        None, description="Run folder (default: runs/questions-...); an unfinished one is resumed."
    )
    dimension: str | None = Field(None, min_length=1, description="Only the questions of this dimension.")


class JudgeOptions(Options):
    """Who judges which answers, by whose rules."""

    usage: ClassVar[Usage] = Usage("questions judge", "run", "runs/asked --questions questions")

    run: Path = Field(description="The run folder of `homie questions ask`.")
    questions: Folder
    judge: str = Field(
        description="Whose model: NAME:ARGUMENT (`chat:MODEL`); `scripted:FILE`; or `world`, which carries plans out "
        "by ideal skills and by motion (`world:ideal`: without motion)."
    )
    profile: Profile = Field("homie", description="How RoboBench's answers and the judge's replies are read.")
    planner_settings: dict[str, Any] = Field({}, description="Settings of the judge's planner.")
    workers: int = Field(1, ge=1, le=256, description="Processes that carry plans out; of `world` alone.")
    out: Path | None = Field(None, description="Folder (default: judged-... in the run); an unfinished one is resumed.")


class AuditOptions(Options):
    """Which questions to look through."""

    usage: ClassVar[Usage] = Usage("questions audit", "folder", "questions")

    folder: Folder
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of the folds.")
