"""The release of Octo 1.5 into the network, its statistics and its text encoder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch

from homie.kernel.errors import BadInput
from homie.kernel.packages import missing_part
from skills.checkpoints import Checkpoint, load_strict, read_checkpoint, require
from skills.networks.device import chosen_device
from skills.octo.flax_names import LANGUAGE_MODEL, flax_view, size_of
from skills.octo.network import OctoNetwork
from skills.octo.policy import Texts

FLAGS = ("repeat_task_tokens", "use_correct_attention")
"""What the model of config.json has since 1.5."""


def read_release(path: Path) -> Checkpoint:
    """The checkpoint in the folder of a release. Raises BadInput for what is not Octo, or Octo before 1.5."""
    checkpoint = read_checkpoint(path)
    require(checkpoint, "octo")
    config = checkpoint.extras.get("config.json")
    if not isinstance(config, Mapping):
        raise BadInput(f"{path} is not the folder of a release of Octo: its config.json is not there.")
    model = config.get("model")
    if not isinstance(model, Mapping) or not all(model.get(flag) is True for flag in FLAGS):
        raise BadInput(
            f"{path} is a release of Octo before 1.5, which has another network (config.json: {' and '.join(FLAGS)} are"
            " not true): use octo-small-1.5 or octo-base-1.5."
        )
    return checkpoint


def load_network(checkpoint: Checkpoint, device: str = "auto") -> OctoNetwork:
    """The network with the weights of a release. Raises BadInput."""
    place = chosen_device(device)
    mine = {name: tensor for name, tensor in checkpoint.tensors.items() if not name.startswith(LANGUAGE_MODEL)}
    network = OctoNetwork(size_of(mine))
    load_strict(flax_view(network), mine, policy="octo", path=checkpoint.path)
    network.to(place).eval().requires_grad_(False)
    return network


def load_texts(checkpoint: Checkpoint, tokenizer: Path) -> Texts:
    """The text encoder of a release with the tokenizer in a folder. Raises BadInput, MissingPart."""
    tensors: dict[str, torch.Tensor] = {
        name.removeprefix(LANGUAGE_MODEL): tensor
        for name, tensor in checkpoint.tensors.items()
        if name.startswith(LANGUAGE_MODEL)
    }
    if not tensors:
        raise BadInput(
            f"{checkpoint.path} has no text encoder: give a table, `--skill-option octo.embeddings=FILE.npz`."
        )
    try:
        from skills.octo.text import T5Texts
    except ModuleNotFoundError as error:
        raise missing_part("Octo's text encoder", error.name, "torch") from error
    return T5Texts(tensors, tokenizer, path=checkpoint.path)
