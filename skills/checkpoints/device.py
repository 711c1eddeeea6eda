"""The device on which a network runs."""

from __future__ import annotations

import torch

from homie.kernel.errors import BadInput


def choose_device(name: str) -> torch.device:
    """Return the torch device of a name.

    Args:
        name: `auto` for a CUDA GPU if there is one, otherwise the CPU; or a name of torch, such as `cuda:1`.

    Raises:
        BadInput: there is no such device.

    Example:
        >>> choose_device("cpu")
        device(type='cpu')
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise BadInput(f"Networks cannot run on '{name}': give auto, cpu, or cuda where there is a GPU.") from error
    return device
