"""Homie: a hierarchical robot agent framework.

    import homie
    summary = homie.run("put the apple in the bowl", seed=7)

`homie.run` takes the options of `homie.options.RunOptions` by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from homie.agent import EpisodeListener
    from homie.options import RunOptions
    from homie.session import EpisodeSummary

__version__ = "0.1.0"
__all__ = ["EpisodeSummary", "RunOptions", "__version__", "run"]


def run(task: str, *listeners: EpisodeListener, **options: Any) -> EpisodeSummary:
    """Run one task and write its run folder. Raises `homie.errors.HomieError` with one clear sentence."""
    from homie import session
    from homie.options import RunOptions

    return session.run(RunOptions.build(task=task, **options), listeners)


def __getattr__(name: str) -> Any:
    """The public types, imported when they are asked for: `import homie` stays light."""
    if name == "RunOptions":
        from homie.options import RunOptions

        return RunOptions
    if name == "EpisodeSummary":
        from homie.session import EpisodeSummary

        return EpisodeSummary
    raise AttributeError(f"module 'homie' has no attribute '{name}'")
