"""What a whole checkpoint of each policy holds, taken from our networks: nothing is listed twice.

The networks are made without numbers (on torch's `meta` device), which costs neither time nor memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from skills.checkpoints.checkpoint import Checkpoint
from skills.checkpoints.recognising import recognise

Tensors = Mapping[str, torch.Tensor]
WIDE, BASE_WIDTH = "octo_transformer/task_language_projection/bias", 768
"""A tensor whose length tells Octo's two sizes apart, and its length in the larger one."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Names, shapes and types, as tensors without numbers: those that the network needs, those that have no effect.

    beside: how the names of tensors begin that belong to another network in the same file, "" if there is none.
    """

    needed: Tensors
    spare: Tensors = field(default_factory=dict)
    beside: str = ""

    def unused(self, names: Iterable[str]) -> set[str]:
        """Those of a file's names that the network does without."""
        return {name for name in names if name in self.spare or (self.beside and name.startswith(self.beside))}


def layout(kind: str) -> Layout:
    """The layout of one of KINDS."""
    with torch.device("meta"):
        return KINDS[kind]()


def kind_of(checkpoint: Checkpoint) -> str | None:
    """Which of KINDS a checkpoint is, by its names and by the width of its tensors; None for none."""
    policy = recognise(checkpoint)
    if policy == "m3":
        return "m3-navigation" if any("actor.linear" in name for name in checkpoint.tensors) else "m3-manipulation"
    if policy == "octo":
        width = checkpoint.tensors.get(WIDE)
        return "octo-base" if width is not None and width.shape[-1] == BASE_WIDTH else "octo-small"
    return policy


def _nomad() -> Layout:
    from skills.nomad.network import NomadNetwork

    needed = NomadNetwork().state_dict()
    first = "vision_encoder.sa_encoder.layers.0."
    spare = {
        name.replace(first, "vision_encoder.sa_layer."): tensor
        for name, tensor in needed.items()
        if name.startswith(first)
    }
    for encoder in ("obs_encoder", "goal_encoder"):
        for name, shape in (("weight", (1000, 1280)), ("bias", (1000,))):
            spare[f"vision_encoder.{encoder}._fc.{name}"] = torch.empty(shape)
    return Layout(needed, spare)


def _pixnav() -> Layout:
    from skills.pixnav.network import PixNavNetwork

    return Layout(PixNavNetwork().state_dict())


def _rt1x() -> Layout:
    from skills.rt1x.flax_names import flax_view
    from skills.rt1x.network import Rt1xNetwork

    return Layout(flax_view(Rt1xNetwork()).state_dict())


def _octo(size: str) -> Layout:
    from skills.octo import network
    from skills.octo.flax_names import LANGUAGE_MODEL, flax_view

    made = network.OctoNetwork({"small": network.SMALL, "base": network.BASE}[size])
    return Layout(flax_view(made).state_dict(), beside=LANGUAGE_MODEL)


def _m3(skill: str) -> Layout:
    from skills.m3.layout import LAYOUTS
    from skills.m3.network import Network

    return Layout(nn.ModuleDict({"actor_critic": Network(LAYOUTS[skill])}).state_dict())


KINDS: Mapping[str, Callable[[], Layout]] = {
    "nomad": _nomad,
    "pixnav": _pixnav,
    "rt1x": _rt1x,
    "octo-small": lambda: _octo("small"),
    "octo-base": lambda: _octo("base"),
    "m3-navigation": lambda: _m3("navigate"),
    "m3-manipulation": lambda: _m3("pick"),
}
"""Policies, and their sorts where checkpoints differ."""
