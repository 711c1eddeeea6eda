"""The open-vocabulary detector `owl`: OWL-ViT and OWLv2 (Apache-2.0, transformers).

Source: Minderer et al., "Simple Open-Vocabulary Object Detection with Vision Transformers" (ECCV 2022) and "Scaling
Open-Vocabulary Object Detection" (NeurIPS 2023). The names are encoded once, not with every picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.types import Image
from perception.detectors.hub import HubDetector, OpenSettings, corners
from perception.detectors.picture_detector import Boxes

if TYPE_CHECKING:
    import torch


class OwlSettings(OpenSettings):
    """Settings of `owl`."""

    score: float = Field(0.15, ge=0.0, le=1.0, description="Score below which a box is left out.")
    prompt: str = Field("a photo of a {}", description="The sentence that is asked for a name, which replaces {}.")


class OwlDetector(HubDetector):
    """OWLv2 or OWL-ViT, open vocabulary: `owl:google/owlv2-base-patch16-ensemble`."""

    name = "owl"
    Settings: ClassVar[type[BaseModel] | None] = OwlSettings
    kinds = ("owlv2", "owlvit")
    auto = "AutoModelForZeroShotObjectDetection"
    example = "google/owlv2-base-patch16-ensemble"

    def __init__(self, argument: str, settings: OwlSettings) -> None:
        super().__init__(argument, settings)
        if "{}" not in settings.prompt:
            raise BadInput("The prompt of 'owl' has no {} for the name: --detector-option 'prompt=a photo of a {}'.")
        self._names = settings.queries()
        self._queries = self._read([settings.prompt.replace("{}", name) for name in self._names])

    def _read(self, sentences: Sequence[str]) -> torch.Tensor:
        """Return the text embeddings of sentences, (n, width)."""
        import torch

        model, tokenizer = self._network.model, self._network.tokenizer
        longest = model.config.text_config.max_position_embeddings
        words = tokenizer(
            list(sentences), padding="max_length", max_length=longest, truncation=True, return_tensors="pt"
        ).to(self._device)
        reader = getattr(model, model.config.model_type)
        with torch.inference_mode():
            features = reader.get_text_features(input_ids=words.input_ids, attention_mask=words.attention_mask)
        queries: torch.Tensor = features.pooler_output
        return queries

    def look(self, pictures: Sequence[Image]) -> list[Boxes]:
        import torch

        model = self._network.model
        results = []
        for picture in pictures:
            height, width = picture.shape[:2]
            if model.config.model_type == "owlv2":
                pixels = torch.from_numpy(self._squared(picture)).to(self._device)
                height = width = max(height, width)
            else:
                pixels = self.prepare([picture]).pixel_values
            with torch.inference_mode():
                features, _ = model.image_embedder(pixels)
                flat = features.reshape(1, -1, features.shape[-1])
                logits, _ = model.class_predictor(flat, self._queries[None])
                boxes = model.box_predictor(flat, features)[0]
            scores, best = torch.sigmoid(logits[0]).max(dim=-1)
            labels = tuple(self._names[index] for index in best.tolist())
            results.append(Boxes(corners(boxes, width, height), np.asarray(scores.cpu(), dtype=np.float64), labels))
        return results

    def _squared(self, picture: Image) -> NDArray[np.float32]:
        """Preprocess a picture for OWLv2, (1, 3, side, side): pad with black to a square, scale, normalise.

        The image processor of transformers needs SciPy for this. The result here is equal except for the outermost
        pixels of enlarged pictures: smoothed with a Gaussian if it is scaled down, then interpolated.
        """
        images = self._network.images
        longest, side = max(picture.shape[:2]), int(images.size["height"])
        square = np.zeros((longest, longest, 3), dtype=np.float32)
        square[: picture.shape[0], : picture.shape[1]] = picture.astype(np.float32) / 255.0
        blur = (longest / side - 1.0) / 2.0  # standard deviation in pixels, as in scikit-image's anti-aliasing
        if blur > 0.0:
            reach = 2 * int(4.0 * blur + 0.5) + 1  # the kernel is cut off at four standard deviations
            square = cv2.GaussianBlur(square, (reach, reach), blur, borderType=cv2.BORDER_REFLECT_101)
        scaled = cv2.resize(square, (side, side), interpolation=cv2.INTER_LINEAR)
        normal: NDArray[np.float64] = (scaled - np.array(images.image_mean)) / np.array(images.image_std)
        return normal.transpose(2, 0, 1)[None].astype(np.float32)
