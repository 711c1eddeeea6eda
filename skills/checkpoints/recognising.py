"""Whose checkpoint a file is, by the names of its tensors."""

from __future__ import annotations

from homie.kernel.errors import BadInput
from skills.checkpoints.checkpoint import Checkpoint

POLICIES: dict[str, tuple[str, ...]] = {
    "nomad": ("vision_encoder.obs_encoder.", "vision_encoder.goal_encoder.", "noise_pred_net."),
    "pixnav": ("history_backbone.", "goal_backbone.", "dt_policy."),
    "rt1x": ("params/image_tokenizer/", "params/Transformer_0/"),
    "octo": ("octo_transformer/", "heads_action/"),
    "m3": ("actor_critic.net.", "actor_critic.actor."),
}
"""For every policy, beginnings of names that its checkpoint has and no other's."""


def recognise(checkpoint: Checkpoint) -> str | None:
    """The policy whose checkpoint it is: nomad, pixnav, rt1x, octo or m3; None if of none of them."""
    for policy, beginnings in POLICIES.items():
        if all(any(name.startswith(begin) for name in checkpoint.tensors) for begin in beginnings):
            return policy
    return None


def require(checkpoint: Checkpoint, policy: str) -> None:
    """Raise BadInput, which says what the file is instead, where it is no checkpoint of the policy."""
    found = recognise(checkpoint)
    if found == policy:
        return
    if found is not None:
        raise BadInput(f"{checkpoint.path} is a checkpoint of {found}, not of {policy}.")
    names = list(checkpoint.tensors)
    shown = ", ".join(name[:60] for name in names[:3])
    raise BadInput(f"{checkpoint.path} is no checkpoint of {policy}: its {len(names)} tensors begin with {shown}.")
