"""lerobot imports torchvision. One that was built for CUDA fails beside a CPU torch unless two of its operators are
declared; nothing here uses them. For the environment that has lerobot."""

import sys

import torch

KEPT = []
"""What was declared: it ends with its library."""

try:
    import torchvision  # noqa: F401
except RuntimeError:
    for name in [name for name in sys.modules if name.startswith("torchvision")]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    KEPT.append(library)
