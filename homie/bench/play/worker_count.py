"""How many workers a bench has: as many as it asks for, else as many as this machine has cores and memory for."""

from __future__ import annotations

from homie.kernel import registry
from homie.kernel.support.cores_and_memory import cores, free_memory

GIB_EACH = 1.5
"""GiB that a worker in an embedded world may take: three times what was measured in the home with ideal skills."""


def workers_of(requested: int | None, episodes: int, robot: str, *, ray: bool = False) -> int:
    """How many workers a bench starts.

    Args:
        requested: As many as that, but never more than there are episodes; None for as many as there is room for.
        episodes: That are to be played.
        robot: As `--robot` names it. A robot that is not an embedded world exists once, and allows one worker.
        ray: Whether workers are on a cluster, whose size is unknown: then one.
    """
    if requested is None:
        embedded = robot.partition(":")[0] in registry.names("scenes")
        requested = min(cores(), int(free_memory() // GIB_EACH)) if embedded and not ray else 1
    return max(1, min(requested, episodes))
