"""The processor of Mistral 3: that of transformers cannot even be imported without torchvision, though it needs none.

After `transformers.models.pixtral.processing_pixtral` (Apache 2.0), 5.23.
"""

from __future__ import annotations

from typing import Any

from transformers.processing_utils import ProcessorMixin


class PixtralProcessor(ProcessorMixin):  # type: ignore[misc]
    """A picture is a row of tokens for each row of its merged patches, with a break after each and an end at last.

    Args:
        patch_size: Pixels.
        spatial_merge_size: Patches by side that make one token.
    """

    def __init__(
        self,
        image_processor: Any,
        tokenizer: Any,
        patch_size: int = 16,
        spatial_merge_size: int = 1,
        chat_template: str | None = None,
        image_token: str = "[IMG]",
        image_break_token: str = "[IMG_BREAK]",
        image_end_token: str = "[IMG_END]",
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template)
        self.cell = patch_size * spatial_merge_size
        self.image_token, self.image_break_token, self.image_end_token = image_token, image_break_token, image_end_token
        tokens = (image_token, image_break_token, image_end_token)
        self.image_token_id, self.image_break_token_id, self.image_end_token_id = (
            tokenizer.convert_tokens_to_ids(token) for token in tokens
        )

    @property
    def image_token_ids(self) -> list[int]:
        return [self.image_token_id, self.image_break_token_id, self.image_end_token_id]

    def _process_images(self, images: Any, **named: Any) -> Any:
        return super()._process_images(images, **{**named, "patch_size": self.cell})

    def replace_image_token(self, image_inputs: Any, image_idx: int, **_: Any) -> str:
        height, width = image_inputs["image_sizes"][image_idx]
        row = self.image_token * (width // self.cell)
        return self.image_break_token.join([row] * (height // self.cell)) + self.image_end_token

    @property
    def model_input_names(self) -> list[str]:
        return [*self.tokenizer.model_input_names, *self.image_processor.model_input_names, "image_sizes"]
