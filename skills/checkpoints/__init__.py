"""Checkpoint files of policies: read without running code, recognised, and loaded strictly.

Three formats are read: the zip and the older files of `torch.save`, and flax's msgpack. Only reading needs torch; flax
and JAX are never needed. The layout of a policy's files is described by the policy's own package (`formats`).
"""

from skills.checkpoints.checkpoint import Checkpoint
from skills.checkpoints.formats import CheckpointFormat, TensorLayout, formats, recognise, require
from skills.checkpoints.loading import check_strict, load_frozen, load_strict, shapes_of
from skills.checkpoints.read_checkpoint import read_checkpoint

__all__ = [
    "Checkpoint",
    "CheckpointFormat",
    "TensorLayout",
    "check_strict",
    "formats",
    "load_frozen",
    "load_strict",
    "read_checkpoint",
    "recognise",
    "require",
    "shapes_of",
]
