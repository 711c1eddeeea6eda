"""Plays an episode whose answers stand in a file, for the pages and the in-context examples that are made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from homie.kernel.episode.agent import Numbering, run_episode
from homie.kernel.episode.senses import OWN_VIEWS
from homie.kernel.interfaces import Listeners, Planner, Robot
from homie.kernel.setup.options import RunOptions
from homie.kernel.types import EpisodeResult, Telling
from homie.runtime.assembly import assemble


@contextmanager
def played(
    options: RunOptions,
    planner: Planner,
    *,
    telling: Telling,
    numbering: Numbering | None = None,
    views: Mapping[str, str] = OWN_VIEWS,
) -> Iterator[tuple[EpisodeResult, Robot]]:
    """What came of the episode, whose subtasks are printed, and its robot while the block lasts. The arguments are
    those of `homie.kernel.episode.agent.run_episode`."""
    with assemble(options) as parts:
        parts.reset(options.seed)
        result = run_episode(
            options.task,
            planner,
            parts.executor,
            seed=options.seed,
            rounds=options.rounds,
            listener=Listeners(),
            telling=telling,
            numbering=numbering,
            views=views,
        )
        for item in result.history:
            print(f"  {item} {item.feedback.message}")
        yield result, parts.robot
