"""Weights into a network, all of them or none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from homie.errors import BadInput

if TYPE_CHECKING:
    import torch

SHOWN = 10
"""Tensors that an error names; of the others it tells the number."""


def load_strict(
    module: torch.nn.Module,
    tensors: Mapping[str, torch.Tensor],
    *,
    policy: str,
    path: Path,
    unused: Collection[str] = (),
) -> None:
    """Copy the tensors into the module's parameters and buffers of the same names, which must all be there.

    Numbers with a fraction become the module's own type, usually float32; whole numbers stay whole. `unused` names
    tensors that the file may have and the module has not. Raises BadInput, and loads nothing, where a tensor is
    missing, left over, of another shape or of another sort of numbers; it names the first ten of each.
    """
    wanted = module.state_dict()
    faults = mismatches(wanted, tensors, unused)
    if faults:
        raise BadInput(f"{path} does not fit the network of {policy}: {'; '.join(faults)}.")
    module.load_state_dict({name: tensors[name] for name in wanted})


def mismatches(
    wanted: Mapping[str, torch.Tensor], tensors: Mapping[str, torch.Tensor], unused: Collection[str] = ()
) -> list[str]:
    """What keeps tensors from being loaded, in words, one entry per sort of fault; empty if nothing does."""
    missing = [name for name in wanted if name not in tensors]
    extra = [name for name in tensors if name not in wanted and name not in unused]
    both = [(name, wanted[name], tensors[name]) for name in wanted if name in tensors]
    misshapen = [
        f"{name} {tuple(have.shape)} instead of {tuple(want.shape)}"
        for name, want, have in both
        if want.shape != have.shape
    ]
    mistyped = [
        f"{name} {have.dtype} instead of {want.dtype}"
        for name, want, have in both
        if have.dtype.is_floating_point != want.dtype.is_floating_point or have.dtype.is_complex
    ]
    sorts = {"missing": missing, "not known": extra, "of another shape": misshapen, "of another type": mistyped}
    return [_told(sort, names) for sort, names in sorts.items() if names]


def _told(sort: str, names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{len(names)} {'tensor is' if len(names) == 1 else 'tensors are'} {sort}: {', '.join(names[:SHOWN])}{more}"
