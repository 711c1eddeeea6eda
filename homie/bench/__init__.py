"""Suites, the runner that plays them, and what is made of their run folders.

The package can be called: `homie.bench("homie-100", planner="rule")` runs a suite as `homie bench` does.
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
    """A function `homie.bench` would be replaced by this package as soon as a module of it is imported."""

    def __call__(
        self,
        suite: str | Path,
        *,
        config: str | Path | None = None,
        progress: bool = False,
        **options: Unpack[BenchKeywords],
    ) -> BenchSummary:
        """Run a suite of tasks and sum it up, as `homie bench` does; the same call goes on with an unfinished one.

        Worker processes import the script that calls this: call it under `if __name__ == "__main__":`.

        Args:
            suite: The name of a suite, a suite file, or a folder of EMMOE-100.
            config: A file of options, or the `run.json` of an earlier bench.
            progress: Tell on stderr what happens, as the command does.
            options: As on the command line. Parts have names: `planner="my_planner:Greedy"`.

        Raises:
            HomieError: With one clear sentence.
        """
        from homie.bench.play.bench_call import run_bench

        return run_bench(suite, config, progress, dict(options))


sys.modules[__name__].__class__ = _Bench
