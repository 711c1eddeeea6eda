"""The `rtdetr` detector: RT-DETR and other networks with a fixed list of classes (Apache-2.0, transformers)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import BaseModel, Field

from homie.kernel.types import Image
from perception.detectors.hub import HubDetector, HubSettings
from perception.detectors.picture_detector import Boxes


class RtDetrSettings(HubSettings):
    """Settings of `rtdetr`."""

    score: float = Field(0.5, ge=0.0, le=1.0, description="Score below which a box is left out.")


class RtDetrDetector(HubDetector):
    """RT-DETR, D-FINE, DETR or YOLOS, fixed classes: `rtdetr:PekingU/rtdetr_r50vd`."""

    name = "rtdetr"
    Settings: ClassVar[type[BaseModel] | None] = RtDetrSettings
    kinds = ("rt_detr", "rt_detr_v2", "d_fine", "detr", "conditional_detr", "deformable_detr", "yolos")
    auto = "AutoModelForObjectDetection"
    example = "PekingU/rtdetr_r50vd"

    def look(self, pictures: Sequence[Image]) -> list[Boxes]:
        import torch

        network = self._network
        names = network.model.config.id2label
        results = []
        for picture in pictures:
            inputs = self.prepare([picture])
            with torch.inference_mode():
                outputs = network.model(**inputs)
            (result,) = network.images.post_process_object_detection(
                outputs, threshold=self._settings.score, target_sizes=[picture.shape[:2]]
            )
            labels = tuple(str(names[int(index)]) for index in result["labels"])
            boxes = result["boxes"].cpu().double().numpy()
            results.append(Boxes(boxes, np.asarray(result["scores"].cpu(), dtype=np.float64), labels))
        return results
