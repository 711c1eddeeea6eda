"""The release of Octo 1.5: its files, and loading its network and text encoder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch

from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from skills.checkpoints import (
    Checkpoint,
    CheckpointFormat,
    TensorLayout,
    load_strict,
    read_checkpoint,
    require,
    shapes_of,
)
from skills.checkpoints.device import choose_device
from skills.checkpoints.writing import random_tensors, write_flax
from skills.effector.octo_flax_names import LANGUAGE_MODEL, ROOT, flax_view, size_of
from skills.effector.octo_network import BASE, SMALL, OctoNetwork, Size
from skills.effector.octo_policy import Texts

FLAGS = ("repeat_task_tokens", "use_correct_attention")
"""Flags of the model in config.json that are true since 1.5."""

DATA_SETS = ("bridge_dataset", "fractal20220817_data")
"""Data sets for which a generated release has statistics."""
_WIDTH = f"{ROOT}/task_language_projection/bias"
"""A tensor of the transformer's width, which distinguishes Octo's two sizes."""


def _layout(size: Size) -> TensorLayout:
    return TensorLayout(shapes_of(lambda: flax_view(OctoNetwork(size))), beside=LANGUAGE_MODEL)


def _kind(tensors: Mapping[str, torch.Tensor]) -> str:
    width = tensors.get(_WIDTH)
    return "octo-base" if width is not None and width.shape[-1] == BASE.width else "octo-small"


def _write(folder: Path, size: Size, seed: int) -> None:
    """Write the folder of a release without the T5 encoder, which Octo keeps frozen: texts come from a table."""
    place = folder / "0/default"
    place.mkdir(parents=True)
    write_flax(place / "checkpoint", random_tensors(_layout(size), seed))
    model = dict.fromkeys(FLAGS, True)
    action = {"mean": [0.0] * 7, "std": [0.01] * 6 + [1.0], "mask": [True] * 6 + [False]}
    for name, content in (
        ("config.json", {"model": model, "generated": f"random weights, seed {seed}"}),
        ("dataset_statistics.json", {name: {"action": action} for name in DATA_SETS}),
    ):
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


CHECKPOINT = CheckpointFormat(
    policy="octo",
    prefixes=(f"{ROOT}/", "heads_action/"),
    layouts={"octo-small": lambda: _layout(SMALL), "octo-base": lambda: _layout(BASE)},
    kind=_kind,
    writers={
        "octo": lambda folder, seed: _write(folder, SMALL, seed),
        "octo-base": lambda folder, seed: _write(folder, BASE, seed),
    },
    use="--skills octo:{path} --skill-option octo.tokenizer=FOLDER",
)


def read_release(path: Path) -> Checkpoint:
    """Read the checkpoint in the folder of a release. Raises BadInput if it is not Octo, or Octo before 1.5."""
    checkpoint = read_checkpoint(path, CHECKPOINT)
    require(checkpoint, CHECKPOINT)
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
    """Return the network with the weights of a release. Raises BadInput."""
    place = choose_device(device)
    tensors = {name: tensor for name, tensor in checkpoint.tensors.items() if not name.startswith(LANGUAGE_MODEL)}
    network = OctoNetwork(size_of(tensors))
    load_strict(flax_view(network), tensors, policy="octo", path=checkpoint.path)
    network.to(place).eval().requires_grad_(False)
    return network


def load_texts(checkpoint: Checkpoint, tokenizer: Path) -> Texts:
    """Return the text encoder of a release with the tokenizer in a folder. Raises BadInput, MissingPart."""
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
        from skills.effector.octo_text import T5Texts
    except ModuleNotFoundError as error:
        raise missing_part("Octo's text encoder", error.name, "torch") from error
    return T5Texts(tensors, tokenizer, path=checkpoint.path)
