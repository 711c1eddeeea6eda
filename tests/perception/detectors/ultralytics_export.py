"""Write a YOLO of random weights as Ultralytics itself exports it: python ultralytics_export.py FOLDER SIZE NAME ...

For an environment that has Ultralytics. Nothing is downloaded: the network is made from the description in the package.
"""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parents[2] / "data"))
import cpu_torchvision  # noqa: F401  (before Ultralytics, which imports torchvision)
import torch
import ultralytics

folder, size, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
described = yaml.safe_load((Path(ultralytics.__file__).parent / "cfg/models/11/yolo11.yaml").read_text())
path = folder / "yolo11n.yaml"  # the n at its end is the scale
path.write_text(yaml.safe_dump({**described, "nc": len(names)}))
torch.manual_seed(0)
network = ultralytics.YOLO(path)
network.model.names = dict(enumerate(names))
print(network.export(format="onnx", imgsz=size, simplify=False, device="cpu"))
