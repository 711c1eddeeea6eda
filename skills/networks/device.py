"""Where a network runs."""

from __future__ import annotations

import torch

from homie.kernel.errors import BadInput


def chosen_device(name: str) -> torch.device:
    """`auto`: a CUDA GPU where there is one, else the CPU; any other name as torch has it. Raises BadInput."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise BadInput(f"Networks cannot run on '{name}': give auto, cpu, or cuda where there is a GPU.") from error
    return device
