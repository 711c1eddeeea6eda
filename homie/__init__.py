"""Homie: a hierarchical robot agent framework.

    import homie
    summary = homie.run("put the apple in the bowl", seed=7)

    with homie.open(seed=7) as session:
        session.call("Go to", "apple")
        picture = session.views()["front"]

Both take the options of `homie.kernel.setup.options` by name. docs/python-api.md shows what they can do.
What happens is logged to `homie` and the loggers under it (standard `logging`); a program that sets up logging sees it.
"""

from __future__ import annotations

import sys

from homie.kernel.support import moved

TYPE_CHECKING = False  # not from `typing`: importing that takes longer than all else before Ctrl-C is handled
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Unpack

    from homie.kernel.interfaces import EpisodeListener
    from homie.kernel.setup.options import RunOptions
    from homie.runtime.keywords import OpenKeywords, RunKeywords
    from homie.runtime.live import Session
    from homie.runtime.session import EpisodeSummary

if sys.platform == "win32":
    raise ImportError("Homie runs on Linux and macOS, not on Windows, which lacks file locks that it needs: use WSL.")

moved.install()
__version__ = "0.1.0"
__all__ = ["EpisodeSummary", "RunOptions", "Session", "__version__", "open", "run"]


def run(
    task: str,
    *listeners: EpisodeListener,
    config: str | Path | None = None,
    progress: bool = False,
    **options: Unpack[RunKeywords],
) -> EpisodeSummary:
    """Run one task and write its run folder. Raises `homie.kernel.errors.HomieError` with one clear sentence.

    options: as on the command line; parts may also be objects (`planner=MyPlanner()`). config: a file of options, or
    the `run.json` of an earlier run. progress: tell on stderr what happens, as the command does.
    """
    from homie.runtime.live import run_task

    return run_task(task, listeners, config, progress, dict(options))


def open(config: str | Path | None = None, *, progress: bool = False, **options: Unpack[OpenKeywords]) -> Session:
    """A home (or a table, or a robot) that stays open: for notebooks. Use it as a context manager.

    The same options as `run`, but for those of a run folder. Raises `homie.kernel.errors.HomieError`.
    """
    from homie.runtime.live import open_session

    return open_session(config, progress, dict(options))


def __getattr__(name: str) -> Any:
    """The public types, imported when they are asked for: `import homie` stays light."""
    if name == "RunOptions":
        from homie.kernel.setup.options import RunOptions

        return RunOptions
    if name == "Session":
        from homie.runtime.live import Session

        return Session
    if name == "EpisodeSummary":
        from homie.runtime.session import EpisodeSummary

        return EpisodeSummary
    raise AttributeError(f"module 'homie' has no attribute '{name}'")
