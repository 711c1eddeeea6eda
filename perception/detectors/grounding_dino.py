"""The open-vocabulary detector `grounding-dino` (Apache-2.0, transformers).

Source: Liu et al., "Grounding DINO" (ECCV 2024). The names are one text, `apple. bowl. mug.`, and every box has a score
for each of its tokens. The score of a name is the mean over its tokens, as in the authors' evaluation on COCO
(`demo/test_ap_on_coco.py`, PostProcessCocoGrounding). So a box gets one of the names, never a mixture of their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.types import Image
from perception.detectors.hub import HubDetector, OpenSettings, corners
from perception.detectors.picture_detector import Boxes

if TYPE_CHECKING:
    import torch


class GroundingDinoSettings(OpenSettings):
    """Settings of `grounding-dino`."""

    score: float = Field(0.25, ge=0.0, le=1.0, description="Score below which a box is left out.")


@dataclass(frozen=True, slots=True)
class _Text:
    """Text with as many names as fit into it.

    Attributes:
        parts: (names, tokens), the weight of each token in the score of a name.
    """

    names: tuple[str, ...]
    inputs: dict[str, torch.Tensor]
    parts: torch.Tensor


class GroundingDinoDetector(HubDetector):
    """Grounding DINO, open vocabulary: `grounding-dino:IDEA-Research/grounding-dino-tiny`.

    Names that do not fit into one text need more passes.
    """

    name = "grounding-dino"
    Settings: ClassVar[type[BaseModel] | None] = GroundingDinoSettings
    kinds = ("grounding-dino", "mm-grounding-dino")
    auto = "AutoModelForZeroShotObjectDetection"
    example = "IDEA-Research/grounding-dino-tiny"

    def __init__(self, argument: str, settings: GroundingDinoSettings) -> None:
        super().__init__(argument, settings)
        self._texts = self._texts_of(settings.queries())

    def _texts_of(self, names: Sequence[str]) -> list[_Text]:
        """Group the names into as few texts as the model's text length allows."""
        room = self._network.model.config.max_text_len
        texts: list[_Text] = []
        group: list[str] = []
        for name in names:
            if len(self._tokens([name])["input_ids"]) > room:
                raise BadInput(f"The name '{name[:60]}' is too long for the detector 'grounding-dino'.")
            if group and len(self._tokens([*group, name])["input_ids"]) > room:
                texts.append(self._text(group))
                group = []
            group.append(name)
        return [*texts, self._text(group)]

    def _tokens(self, names: Sequence[str]) -> dict[str, list[object]]:
        tokens: dict[str, list[object]] = dict(
            self._network.tokenizer(_sentence(names), return_offsets_mapping=True, return_token_type_ids=True)
        )
        return tokens

    def _text(self, names: Sequence[str]) -> _Text:
        import torch

        tokens = self._tokens(names)
        offsets = np.array(tokens.pop("offset_mapping")).reshape(-1, 2)
        parts = torch.zeros(len(names), len(offsets))
        at = 0
        for row, name in enumerate(names):
            end = at + len(name)
            inside = (offsets[:, 0] < end) & (offsets[:, 1] > at) & (offsets[:, 1] > offsets[:, 0])
            parts[row, inside] = 1.0 / max(1, int(inside.sum()))
            at = end + len(". ")
        inputs = {key: torch.tensor([value], device=self._device) for key, value in tokens.items()}
        return _Text(tuple(names), inputs, parts.to(self._device))

    def look(self, pictures: Sequence[Image]) -> list[Boxes]:
        return [self._detect_boxes(picture) for picture in pictures]

    def _detect_boxes(self, picture: Image) -> Boxes:
        import torch

        images = self.prepare([picture])
        boxes, scores, labels = [], [], []
        for text in self._texts:
            with torch.inference_mode():
                outputs = self._network.model(**images, **text.inputs)
            class_scores = torch.sigmoid(outputs.logits[0, :, : text.parts.shape[1]]) @ text.parts.T
            best, index = class_scores.max(dim=-1)
            boxes.append(corners(outputs.pred_boxes[0], picture.shape[1], picture.shape[0]))
            scores.append(np.asarray(best.cpu(), dtype=np.float64))
            labels += [text.names[number] for number in index.tolist()]
        return Boxes(np.concatenate(boxes), np.concatenate(scores), tuple(labels))


def _sentence(names: Sequence[str]) -> str:
    """Return the text in the form of the training data: `apple. bowl.`"""
    return ". ".join(name.lower() for name in names) + "."
