"""Checkpoint files of policies: read without running code, recognised, and loaded strictly.

Three forms are read: the zip and the older files of `torch.save`, and flax's msgpack. Only reading needs torch;
flax and JAX are never needed.
"""

from skills.checkpoints.checkpoint import Checkpoint, read_checkpoint
from skills.checkpoints.loading import check_strict, load_strict
from skills.checkpoints.recognising import POLICIES, recognise, require

__all__ = ["POLICIES", "Checkpoint", "check_strict", "load_strict", "read_checkpoint", "recognise", "require"]
