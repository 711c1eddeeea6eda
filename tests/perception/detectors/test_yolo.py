"""The `yolo` detector: what is asked of Ultralytics and what is made of its answers.

The package cannot be installed beside a torch without CUDA, so a fake takes its place here: a module with the few
names of the documented interface that are used. It finds red as `predict` expects: in BGR.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from painting import observation_of, painted

from homie.kernel.errors import BadInput, InfrastructureError, MissingPart
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.support.packages import install_command

FAKE = """
import numpy as np

class Boxes:
    def __init__(self, rows):
        table = np.array(rows, dtype=np.float32).reshape(-1, 6)
        self.xyxy, self.conf, self.cls = table[:, :4], table[:, 4], table[:, 5]
    def cpu(self): return self
    def numpy(self): return self

class Result:
    names = {0: "cup", 1: "refrigerator"}
    def __init__(self, boxes): self.boxes = boxes

class YOLO:
    def __init__(self, path):
        text = path.read_text()
        if "broken" in text:
            raise RuntimeError("PytorchStreamReader failed")
        self.task = text
    def predict(self, source, conf, iou, max_det, imgsz, device, verbose):
        self.asked = dict(conf=conf, iou=iou, max_det=max_det, imgsz=imgsz, device=device, verbose=verbose)
        found = []
        for picture in source:
            rows, columns = np.nonzero(picture[..., 2] > 200)
            box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1, 0.8, 1] if len(rows) else []
            found.append(Result(Boxes(box)))
        return found
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ultralytics.py").write_text(FAKE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "ultralytics", raising=False)
    path = tmp_path / "yolo11n.pt"
    path.write_text("detect")
    return path


def test_pictures_go_as_bgr_and_boxes_come_back_by_our_names(model: Path) -> None:
    detector = make_part(DETECTOR, f"yolo:{model}", {"score": 0.3, "size": 320, "device": "cpu"})
    red, none = painted(64, 48, red=(10, 20, 30, 40)), painted(32, 32, green=(0, 0, 8, 8))
    (detection,) = detector.detect(observation_of(red, none))
    assert (detection.name, detection.view, detection.box) == ("fridge", "0", (10, 20, 30, 40))
    assert detection.score == pytest.approx(0.8)
    arguments = detector._model.asked  # type: ignore[attr-defined]
    assert arguments == {"conf": 0.3, "iou": 0.5, "max_det": 100, "imgsz": 320, "device": "cpu", "verbose": False}
    assert len(str(detector.describe()["sha256"])) == 64


@pytest.mark.parametrize(("text", "message"), [("segment", "made for 'segment'"), ("broken", "PytorchStreamReader")])
def test_other_models_are_refused(model: Path, text: str, message: str) -> None:
    model.write_text(text)
    with pytest.raises(BadInput, match=message):
        make_part(DETECTOR, f"yolo:{model}")
    with pytest.raises(BadInput, match="There is no file"):  # nothing is downloaded
        make_part(DETECTOR, "yolo:yolo11n.pt")
    with pytest.raises(BadInput, match="needs a file"):
        make_part(DETECTOR, "yolo")


def test_without_the_package_the_command_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    with pytest.raises(MissingPart, match=re.escape(install_command("yolo"))):
        make_part(DETECTOR, f"yolo:{model}")


def test_a_torchvision_that_breaks_it_is_reported(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (model.parent / "ultralytics.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')")
    with pytest.raises(InfrastructureError, match="install a torchvision that fits torch"):
        make_part(DETECTOR, f"yolo:{model}")
