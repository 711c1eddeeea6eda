"""Supported vision-language model families, by `model_type` of `config.json`, with processors without torchvision.

The processors of transformers that also accept videos require a video processor, which requires torchvision. Homie
sends pictures only: it combines image processor (the PIL one), tokenizer and chat template itself.
The processor of Mistral 3, which transformers cannot even import without torchvision, is adapted from
`transformers.models.pixtral.processing_pixtral` (Apache 2.0), 5.23.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
import transformers
from transformers.processing_utils import ProcessorMixin

from homie.kernel.errors import BadInput, HomieError, MissingPart


class PixtralProcessor(ProcessorMixin):  # type: ignore[misc]
    """Processor that writes a picture as rows of tokens, one per merged patch, separated by break tokens, and an end
    token.

    Args:
        patch_size: Pixels.
        spatial_merge_size: Side of the square of patches that are merged into one token.
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


_PARTS = ("image_processor", "tokenizer")
_GEOMETRY = ("patch_size", "vision_feature_select_strategy")
"""Parameters that determine the number of tokens of a picture."""

VICUNA = (
    "{% for message in messages %}"
    "{% if message.role == 'user' %}USER: {% elif message.role == 'assistant' %}ASSISTANT: {% endif %}"
    "{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>\n{% else %}{{ part.text }}{% endif %}"
    "{% endfor %}"
    "{% if message.role == 'assistant' %}{{ eos_token }}{% else %} {% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
"""Chat template of models fine-tuned from Vicuna 1.5, for checkpoints without a template."""


PREFIX = (
    "{% for message in messages %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% endif %}"
    "{% endfor %}{% endfor %}"
    "{% for message in messages %}{% for part in message.content %}"
    "{% if part.type != 'image' %}{{ part.text }}\n{% endif %}"
    "{% endfor %}{% endfor %}"
)
"""Template of PaliGemma, which has no turns: all pictures first, then all texts."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of models.

    Attributes:
        processor: Class that turns text and pictures into tensors, or its name in transformers.
        template: Chat template for checkpoints without one; "" if they must have one.
    """

    processor: str | type
    template: str = ""


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "gemma3": Family("Gemma3Processor"),
        "glm4v": Family("Glm4vProcessor"),
        "idefics3": Family("Idefics3Processor"),
        "internvl": Family("InternVLProcessor"),
        "llava": Family("LlavaProcessor", VICUNA),
        "llava_next": Family("LlavaNextProcessor"),
        "llava_onevision": Family("LlavaOnevisionProcessor"),
        "mistral3": Family(PixtralProcessor),
        "mllama": Family("MllamaProcessor"),
        "paligemma": Family("PaliGemmaProcessor", PREFIX),
        "qwen2_vl": Family("Qwen2VLProcessor"),
        "qwen2_5_vl": Family("Qwen2_5_VLProcessor"),
        "qwen3_vl": Family("Qwen3VLProcessor"),
        "smolvlm": Family("Idefics3Processor"),  # same format of pictures; its own needs num2words (LGPL) for videos
        "video_llava": Family("VideoLlavaProcessor", VICUNA),
    }
)


def make_processor(model_type: str, folder: Path, tokenizer: Any) -> Any:
    """Return the processor of a model: `processor(text=[...], images=[[...], ...])` gives tensors. Raises BadInput."""
    family = FAMILIES[model_type]
    saved, _ = ProcessorMixin.get_processor_dict(folder, local_files_only=True)
    template = saved.get("chat_template") or tokenizer.chat_template or family.template
    if not template:
        raise BadInput(f"The model {folder} has no chat template: put its chat_template.jinja into the folder.")
    images = transformers.AutoImageProcessor.from_pretrained(folder, local_files_only=True, backend="pil")
    base = family.processor
    base = getattr(transformers, base) if isinstance(base, str) else base
    parameters = inspect.signature(base).parameters
    saved_options = {
        name: saved[name] for name in saved if name in parameters and name not in (*_PARTS, "chat_template")
    }
    for name in _GEOMETRY:
        if name in parameters and parameters[name].default is None and saved_options.get(name) is None:
            raise BadInput(f"The model {folder} does not say its {name} in processor_config.json: take a newer copy.")
    if "video_processor" in parameters:
        saved_options["video_processor"] = None
    return _images_only(base)(image_processor=images, tokenizer=tokenizer, chat_template=template, **saved_options)


class _ImagesOnly(ProcessorMixin):  # type: ignore[misc]
    """Mixin between a processor and its base class that omits the video processor."""

    @classmethod
    def get_attributes(cls) -> list[str]:
        return list(_PARTS)

    def __init__(self, *parts: Any, chat_template: str | None = None, **named: Any) -> None:
        components = [part for part in parts if part is not None]
        named = {name: part for name, part in named.items() if name in _PARTS}
        super().__init__(*components, chat_template=chat_template, **named)


@cache
def _images_only(base: type) -> type:
    return type(base.__name__, (base, _ImagesOnly), {})


@contextmanager
def quietly(folder: Path) -> Iterator[None]:
    """Suppress log messages of the libraries, and convert their errors to Homie's.

    Args:
        folder: The model, for the messages of these.
    """
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except HomieError:
        raise
    except torch.OutOfMemoryError as error:
        raise BadInput(f"The model {folder} does not fit into memory: take a smaller one, or load_in_4bit.") from error
    except ImportError as error:
        raise MissingPart(f"The model {folder} needs a package that is not there: {_short(error)}") from error
    except Exception as error:  # the libraries raise nearly anything for a file that they do not understand
        raise BadInput(f"The model {folder} cannot be loaded: {type(error).__name__}: {_short(error)}") from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _short(error: BaseException, longest: int = 300) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= longest else f"{text[:longest]} ..."
