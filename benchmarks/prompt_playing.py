"""Play an episode with scripted answers, for pages and in-context examples."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from homie.kernel.agent import run_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.interfaces import Listeners, Planner, Robot
from homie.kernel.options import RunOptions
from homie.kernel.types import EpisodeResult
from homie.runtime.assembly import assemble


@contextmanager
def play_episode(options: RunOptions, planner: Planner, rules: EpisodeRules) -> Iterator[tuple[EpisodeResult, Robot]]:
    """Play an episode, print its subtasks to stderr, and yield its result and its robot, which is open in the block."""
    with assemble(options) as parts:
        parts.reset(options.seed)
        result = run_episode(
            options.task,
            planner,
            parts.executor,
            rules,
            seed=options.seed,
            listener=Listeners(),
        )
        for item in result.history:
            print(f"  {item} {item.feedback.message}", file=sys.stderr)
        yield result, parts.robot
