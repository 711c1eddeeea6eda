"""Number of workers of a bench: the requested one, else as many as cores and memory allow."""

from __future__ import annotations

from homie.kernel import registry
from homie.kernel.support.cores_and_memory import cores, free_memory

GIB_EACH = 1.5
"""Memory in GiB reserved per worker in an embedded world: three times the measured use in the home with ideal
skills."""


def workers_of(requested: int | None, episodes: int, robot: str, *, ray: bool = False) -> int:
    """Return the number of workers to start.

    Args:
        requested: Requested number, limited to the number of episodes; None for as many as the machine has room for.
        episodes: Number of episodes to play.
        robot: Robot as given to `--robot`. A robot outside of embedded worlds exists once and allows one worker.
        ray: Whether workers run on a cluster, whose size is unknown: then one by default.
    """
    if requested is None:
        embedded = robot.partition(":")[0] in registry.names("scenes")
        requested = min(cores(), int(free_memory() // GIB_EACH)) if embedded and not ray else 1
    return max(1, min(requested, episodes))
