"""The `yolo` detector: a model of Ultralytics, run by their package.

The package is under AGPL-3.0 and needs torchvision, so it is an extra and imported only when this detector is chosen.
A `.pt` file is a pickle, which can run any code; `yolo-onnx` needs neither the package nor that trust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.checksums import sha256
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Image
from perception.detectors.picture_detector import Boxes, BoxSettings, PictureDetector


class YoloSettings(BoxSettings):
    """Settings of `yolo`."""

    size: int = Field(640, ge=32, le=8192, description="Longest side in pixels to which pictures are scaled.")
    device: str = Field("", description="cpu, 0, cuda:1 ... (default: as Ultralytics chooses).")


class YoloDetector(PictureDetector):
    """An Ultralytics model (AGPL-3.0): `yolo:FILE`.

    The constructor raises BadInput for a file that Ultralytics cannot load, and MissingPart.
    """

    name = "yolo"
    extra: ClassVar[str] = "yolo"
    Settings: ClassVar[type[BaseModel] | None] = YoloSettings

    def __init__(self, argument: str, settings: YoloSettings) -> None:
        super().__init__(settings)
        if not argument:
            raise BadInput("The detector 'yolo' needs a file: --detector yolo:yolo11n.pt.")
        self._path = Path(argument).expanduser()
        self._size, self._device = settings.size, settings.device
        self._model = _open(self._path)

    def look(self, pictures: Sequence[Image]) -> list[Boxes]:
        results = self._model.predict(
            [np.ascontiguousarray(picture[..., ::-1]) for picture in pictures],  # Ultralytics takes arrays as BGR
            conf=self._settings.score,
            iou=self._settings.overlap,
            max_det=self._settings.most,
            imgsz=self._size,
            device=self._device or None,
            verbose=False,
        )
        return [_boxes(result) for result in results]

    def describe(self) -> Mapping[str, object]:
        digest = sha256(self._path)
        return {**super().describe(), "model": str(self._path), "sha256": digest}


def _open(path: Path) -> Any:
    """Load the model. Raises BadInput, InfrastructureError, MissingPart."""
    try:
        from ultralytics import YOLO
    except ModuleNotFoundError as error:
        raise missing_part("The detector 'yolo' (under AGPL-3.0; 'yolo-onnx' is not)", error.name, "yolo") from error
    except Exception as error:  # a torchvision that does not fit the installed torch raises various errors
        raise InfrastructureError(
            f"Ultralytics cannot be imported ({error}): install a torchvision that fits torch, or use 'yolo-onnx'."
        ) from error
    if not path.is_file():  # Ultralytics would download a model of that name
        raise BadInput(f"There is no file {path}: give a detection model of Ultralytics, such as yolo11n.pt.")
    try:
        model = YOLO(path)
    except Exception as error:
        raise BadInput(f"Ultralytics cannot load {path}: {error}") from error
    if model.task != "detect":
        raise BadInput(f"The model {path} was made for '{model.task}': take one for detection.")
    return model


def _boxes(result: Any) -> Boxes:
    """Return the boxes of a result of Ultralytics (`ultralytics.engine.results.Results`)."""
    boxes = result.boxes.cpu().numpy()
    labels = tuple(str(result.names[int(index)]) for index in boxes.cls)
    return Boxes(np.asarray(boxes.xyxy, dtype=np.float64), np.asarray(boxes.conf, dtype=np.float64), labels)
