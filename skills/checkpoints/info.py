"""Report of `homie skill info` on a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput
from skills.checkpoints.checkpoint import Checkpoint
from skills.checkpoints.formats import TensorLayout, recognise
from skills.checkpoints.loading import check_finite, check_strict
from skills.checkpoints.read_checkpoint import read_checkpoint

SHOWN = 10
"""Number of entries of a configuration, and of tensors, that are shown."""


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """Summary of a checkpoint for users, JSON-ready.

    Attributes:
        policy: Name in `--skills`.
        kind: The kind of network if a policy has several.
        config: The first entries of the configuration in or beside the file.
        not_finite: Tensors with NaN or infinity in them.
        problem: Reason why the file cannot be loaded, "" if there is none.
        notes: Part of the file that was read, and the prefixes removed from its names.
        use: Option of `homie run` for the file.
    """

    path: str
    policy: str
    kind: str
    form: str
    sha256: str
    tensors: int
    parameters: int
    step: int | None
    config: Mapping[str, str]
    not_finite: tuple[str, ...]
    problem: str
    use: str
    notes: tuple[str, ...] = ()


def inspect(path: Path) -> CheckpointInfo:
    """Read a file and summarize it. Raises BadInput if it is not a checkpoint of a registered policy."""
    checkpoint = read_checkpoint(path)
    checkpoint_format = recognise(checkpoint)
    if checkpoint_format is None:
        names = list(checkpoint.tensors)
        suffix = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        raise BadInput(
            f"{checkpoint.path} ({checkpoint.form}) is not a checkpoint of a policy that Homie has. It holds"
            f" {len(names)} tensors: {', '.join(name[:80] for name in names[:SHOWN])}{suffix}."
        )
    kind = checkpoint_format.kind_of(checkpoint.tensors)
    layout = checkpoint_format.layouts[kind]() if checkpoint_format.layouts else TensorLayout(checkpoint.tensors)
    unused = layout.unused(checkpoint.tensors)
    try:
        check_strict(layout.needed, checkpoint.tensors, policy=kind, path=checkpoint.path, unused=unused)
        check_finite(layout.needed, checkpoint.tensors, path=checkpoint.path)
    except BadInput as error:
        problem = str(error)
    else:
        problem = ""
    return CheckpointInfo(
        path=str(checkpoint.path),
        policy=checkpoint_format.policy,
        kind=kind,
        form=checkpoint.form,
        sha256=checkpoint.sha256,
        tensors=len(checkpoint.tensors),
        parameters=checkpoint.parameters,
        step=checkpoint.step,
        config=_summary(checkpoint),
        not_finite=tuple(
            name
            for name, tensor in checkpoint.tensors.items()
            if tensor.is_floating_point() and not tensor.isfinite().all()
        ),
        problem=problem,
        use=checkpoint_format.use.format(path=path),
        notes=checkpoint.notes,
    )


def _summary(checkpoint: Checkpoint) -> dict[str, str]:
    """Return the first entries of the configuration, with short values, and the data set names of the statistics beside
    it."""
    summary = {}
    entries = dict(checkpoint.config)
    config = checkpoint.extras.get("config.json")
    if isinstance(config, dict):
        entries |= config
    for key, value in list(entries.items())[:SHOWN]:
        summary[key] = ", ".join(value)[:80] if isinstance(value, dict) else str(value)[:80]
    statistics = checkpoint.extras.get("dataset_statistics.json")
    if isinstance(statistics, dict):
        summary["dataset_statistics"] = ", ".join(statistics)
    return summary
