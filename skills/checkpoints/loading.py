"""Weights into a network, all of them or none."""

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
"""Tensors that an error names; of the others it tells the number."""


class Loadable(Protocol):
    """A torch module, or a view of one under the names of another library (`skills.policies.flax`)."""

    def state_dict(self) -> Mapping[str, torch.Tensor]: ...
    def load_state_dict(self, tensors: Mapping[str, torch.Tensor]) -> Any: ...


def shapes_of(factory: Callable[[], Loadable]) -> Mapping[str, torch.Tensor]:
    """Names, shapes and types of a network's tensors, without numbers: made on torch's `meta` device, which costs
    neither time nor memory."""
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
    """Copy the tensors into the module's parameters and buffers of the same names, which must all be there.

    Numbers with a fraction become the module's own type, usually float32; whole numbers stay whole. `unused` names
    tensors that the file may have and the module has not. Where `check_strict` or `check_finite` raises BadInput
    nothing is loaded.
    """
    expected = module.state_dict()
    check_strict(expected, tensors, policy=policy, path=path, unused=unused)
    check_finite(expected, tensors, path=path)
    module.load_state_dict({name: tensors[name] for name in expected})


def load_frozen(
    network: ModuleT, path: Path, form: CheckpointFormat, unused: Collection[str] = ()
) -> tuple[ModuleT, str]:
    """A network with the weights of a checkpoint, for inference, and the file's SHA-256.

    Args:
        network: A torch module.
        path: The checkpoint.
        form: What such a checkpoint holds.
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
    """Raise BadInput where a tensor is missing, left over, of another shape or of another sort of numbers.

    It names the first ten of each. Of `expected` only names, shapes and types matter: its tensors may be on `meta`.
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
    """Raise BadInput where weights that are needed are NaN or infinite: whatever goes through them is, too."""
    bad = [name for name in expected if tensors[name].is_floating_point() and not bool(tensors[name].isfinite().all())]
    if bad:
        raise BadInput(
            f"{path} has weights that are not finite: {_tensor_sentence('such', bad)}. The training failed; "
            "take a checkpoint of before."
        )


def _tensor_sentence(sort: str, names: list[str]) -> str:
    suffix = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (
        f"{len(names)} {'tensor is' if len(names) == 1 else 'tensors are'} {sort}: {', '.join(names[:SHOWN])}{suffix}"
    )
