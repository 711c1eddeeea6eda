"""Strict loading of weights into a network: all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from homie.kernel.errors import BadInput
from skills.checkpoints.formats import CheckpointFormat, require
from skills.checkpoints.read_checkpoint import read_checkpoint

if TYPE_CHECKING:
    import torch

    ModuleT = TypeVar("ModuleT", bound=torch.nn.Module)

SHOWN = 10
"""Number of tensors that an error names; the others are only counted."""


class Loadable(Protocol):
    """A torch module, or a view of one under the names of another library (`skills.policies.flax`)."""

    def state_dict(self) -> Mapping[str, torch.Tensor]: ...
    def load_state_dict(self, tensors: Mapping[str, torch.Tensor]) -> Any: ...


def shapes_of(factory: Callable[[], Loadable]) -> Mapping[str, torch.Tensor]:
    """Return names, shapes and types of a network's tensors, without values: created on torch's `meta` device, which
    costs neither time nor memory."""
    import torch

    with torch.device("meta"):
        return factory().state_dict()


def load_strict(
    module: Loadable,
    tensors: Mapping[str, torch.Tensor],
    *,
    policy: str,
    path: Path,
    unused: Collection[str] = (),
) -> None:
    """Copy the tensors into the module's parameters and buffers of the same names, all of which are required.

    Floating-point tensors take the module's own type, usually float32; integers stay integers. `unused` names tensors
    that the file may have and the module has not. If `check_strict` or `check_finite` raises BadInput nothing is
    loaded.
    """
    expected = module.state_dict()
    check_strict(expected, tensors, policy=policy, path=path, unused=unused)
    check_finite(expected, tensors, path=path)
    module.load_state_dict({name: tensors[name] for name in expected})


def load_frozen(
    network: ModuleT, path: Path, form: CheckpointFormat, unused: Collection[str] = ()
) -> tuple[ModuleT, str]:
    """Load the weights of a checkpoint into a network for inference; return it with the file's SHA-256.

    Args:
        network: A torch module.
        path: The checkpoint.
        form: Format of such a checkpoint.
        unused: Tensors that the file may have and the network has not.

    Raises:
        BadInput: The file does not fit.
        MissingPart: Reading it needs a package.
    """
    checkpoint = read_checkpoint(path, form)
    require(checkpoint, form)
    load_strict(network, checkpoint.tensors, policy=form.policy, path=checkpoint.path, unused=unused)
    return network.eval().requires_grad_(False), checkpoint.sha256


def check_strict(
    expected: Mapping[str, torch.Tensor],
    tensors: Mapping[str, torch.Tensor],
    *,
    policy: str,
    path: Path,
    unused: Collection[str] = (),
) -> None:
    """Raise BadInput if a tensor is missing, left over, of another shape or of another number type.

    It names the first ten of each. Only names, shapes and types of `expected` matter: its tensors may be on `meta`.
    """
    shared = [(name, expected[name], tensors[name]) for name in expected if name in tensors]
    faults = {
        "missing": [name for name in expected if name not in tensors],
        "not known": [name for name in tensors if name not in expected and name not in unused],
        "of another shape": [
            f"{name} {tuple(actual_tensor.shape)} instead of {tuple(expected_tensor.shape)}"
            for name, expected_tensor, actual_tensor in shared
            if expected_tensor.shape != actual_tensor.shape
        ],
        "of another type": [
            f"{name} {actual_tensor.dtype} instead of {expected_tensor.dtype}"
            for name, expected_tensor, actual_tensor in shared
            if actual_tensor.dtype.is_floating_point != expected_tensor.dtype.is_floating_point
            or actual_tensor.dtype.is_complex
        ],
    }
    problems = "; ".join(_tensor_sentence(sort, names) for sort, names in faults.items() if names)
    if problems:
        raise BadInput(f"{path} does not fit the network of {policy}: {problems}.")


def check_finite(expected: Collection[str], tensors: Mapping[str, torch.Tensor], *, path: Path) -> None:
    """Raise BadInput if required weights are NaN or infinite: they make every output so."""
    non_finite = [
        name for name in expected if tensors[name].is_floating_point() and not bool(tensors[name].isfinite().all())
    ]
    if non_finite:
        raise BadInput(
            f"{path} has weights that are not finite: {_tensor_sentence('such', non_finite)}. The training failed; "
            "take a checkpoint of before."
        )


def _tensor_sentence(sort: str, names: list[str]) -> str:
    suffix = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (
        f"{len(names)} {'tensor is' if len(names) == 1 else 'tensors are'} {sort}: {', '.join(names[:SHOWN])}{suffix}"
    )
