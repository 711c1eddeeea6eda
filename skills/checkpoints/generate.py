"""Checkpoints of random weights in the official layouts, to try everything but the quality of a trained policy."""

from __future__ import annotations

from pathlib import Path

from homie.kernel.errors import BadInput, suggestion
from homie.kernel.support.files import writing
from skills.checkpoints.formats import Writer, formats
from skills.checkpoints.read_checkpoint import need


def write_generated(policy: str, path: Path, seed: int) -> None:
    """Write a checkpoint of random weights in the layout of the policy's authors. Raises BadInput for an unknown policy
    or an existing path, MissingPart without torch or msgpack.

    Args:
        policy: A name of `writers`.
        path: The new file; for m3 and octo the new folder. The same seed gives the same numbers.
    """
    need("torch")
    need("msgpack")
    known = writers()
    if policy not in known:
        hint = suggestion(policy, known, f"choose one of: {', '.join(known)}.")
        raise BadInput(f"No weights can be generated for '{policy}': {hint}")
    if path.exists():
        raise BadInput(f"There is already something at {path}: give another name.")
    with writing(path):
        known[policy](path, seed)


def writers() -> dict[str, Writer]:
    """Return the writers of generated checkpoints, by the names that users give."""
    return {name: write for known in formats() for name, write in known.writers.items()}
