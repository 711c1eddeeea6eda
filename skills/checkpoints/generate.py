"""Checkpoints of random numbers in the official layouts, to try everything but what a trained policy can do."""

from __future__ import annotations

from pathlib import Path

from homie.kernel.errors import BadInput, suggestion
from skills.checkpoints.checkpoint import need


def write_generated(policy: str, path: Path, seed: int) -> None:
    """Write a checkpoint of random weights as the policy's authors lay it out.

    policy: one of `writing.WRITERS`. path: the new file; of m3 and octo the new folder. The same seed gives the same
    numbers. Raises BadInput for an unknown policy and where something is in the way, MissingPart without torch or
    msgpack.
    """
    need("torch")
    need("msgpack")
    from skills.checkpoints.writing import WRITERS

    if policy not in WRITERS:
        hint = suggestion(policy, WRITERS, f"choose one of: {', '.join(WRITERS)}.")
        raise BadInput(f"No weights can be generated for '{policy}': {hint}")
    if path.exists():
        raise BadInput(f"There is already something at {path}: give another name.")
    try:
        WRITERS[policy](path, seed)
    except OSError as error:
        raise BadInput(f"Cannot write {path}: {error.strerror}.") from error
