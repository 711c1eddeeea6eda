"""Suites, the runner that plays them, and reports and comparisons of their run folders.

The package is callable: `homie.bench("homie-100", planner="rule")` runs a suite as `homie bench` does.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # not from `typing`, as in `homie`
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from homie.bench.keywords import BenchKeywords
    from homie.bench.play.runner import BenchSummary


class _Bench(ModuleType):
    """Callable module, because a function `homie.bench` would be replaced by this package once a module of it is
    imported."""

    def __call__(
        self,
        suite: str | Path,
        *,
        config: str | Path | None = None,
        progress: bool = False,
        **options: Unpack[BenchKeywords],
    ) -> BenchSummary:
        """Run a suite of tasks and summarise it, as `homie bench` does; the same call resumes an unfinished run.

        Worker processes import the calling script: call it under `if __name__ == "__main__":`.

        Args:
            suite: The name of a suite, a suite file, or a folder of EMMOE-100.
            config: A file of options, or the `run.json` of an earlier bench.
            progress: Print progress on stderr, as the command does.
            options: As on the command line. Parts are given by name: `planner="my_planner:Greedy"`.

        Raises:
            HomieError: With one clear sentence.
        """
        from homie.bench.play.bench_call import run_bench

        return run_bench(suite, config, progress, dict(options))


sys.modules[__name__].__class__ = _Bench
