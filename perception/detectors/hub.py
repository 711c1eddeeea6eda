"""Detectors from the Hugging Face hub, through transformers: loading, preprocessing, devices. torch is imported on use.

torchvision is not needed: without it transformers prepares pictures with Pillow.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field

from homie.kernel.errors import BadInput, HomieError, InfrastructureError
from homie.kernel.support.checksums import fingerprint
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Array, Image
from perception.detectors.picture_detector import BoxSettings, PictureDetector
from perception.names import vocabulary

if TYPE_CHECKING:
    import torch

log = logging.getLogger("homie.perception")

_NEEDED = ("torch", "transformers", "safetensors")


class HubSettings(BoxSettings):
    """Settings of every detector from the hub."""

    revision: str = Field("", description="Revision of a model on the hub (default: its main one).")
    device: str = Field("auto", min_length=1, description="auto, cpu, cuda or cuda:1.")


class OpenSettings(HubSettings):
    """Settings of open-vocabulary detectors."""

    names: str = Field("", description="What to look for, with commas between (default: what homes hold).")

    def queries(self) -> tuple[str, ...]:
        """Return the names to detect: those of the settings, by default contents of homes (`Vocabulary.kinds`)."""
        named = dict.fromkeys(" ".join(name.split()) for name in self.names.split(","))
        return tuple(name for name in named if name) or vocabulary().kinds


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded model: transformers' model, image processor and tokenizer (None if it has none).

    Attributes:
        sha256: Fingerprint of its folder, or its commit on the hub.
    """

    model: Any
    images: Any
    tokenizer: Any
    sha256: str


class HubDetector(PictureDetector):
    """A detector whose argument is a folder of weights or the id of a model on the hub.

    Raises:
        BadInput: the argument is not a model that this detector can run.
        MissingPart: torch, transformers or safetensors is not installed.
        InfrastructureError: the hub cannot be reached.
    """

    extra: ClassVar[str] = "torch"
    kinds: ClassVar[Collection[str]] = ()
    """Values of transformers' `model_type` that it can run."""
    auto: ClassVar[str] = ""
    """The class of transformers that loads these models."""
    example: ClassVar[str] = ""

    def __init__(self, argument: str, settings: HubSettings) -> None:
        super().__init__(settings)
        if not argument:
            raise BadInput(
                f"The detector '{self.name}' needs a model: --detector {self.name}:{self.example} or its folder."
            )
        _check_packages(self.name)
        self._weights = argument
        self._device = _device(settings.device)
        self._network = _load(self.name, argument, settings.revision, self._device, self.auto, tuple(self.kinds))

    def describe(self) -> Mapping[str, object]:
        description = {
            "model": self._weights,
            "type": self._network.model.config.model_type,
            "sha256": self._network.sha256,
        }
        return {**super().describe(), **description}

    def prepare(self, pictures: Sequence[Image]) -> Any:
        """Preprocess pictures with the model's own image processor, and move them to the model's device."""
        return self._network.images(images=list(pictures), return_tensors="pt").to(self._device)


def _check_packages(name: str) -> None:
    for package in _NEEDED:
        if importlib.util.find_spec(package) is None:
            raise missing_part(f"The detector '{name}'", package, "torch")


def _device(name: str) -> str:
    """Return the device of a setting, a CUDA device for `auto` if available. Raises BadInput."""
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        raise BadInput(f"There is no device '{name}' here: use cpu, cuda or cuda:1.") from error
    return name


@contextmanager
def _silence_retries() -> Iterator[None]:
    """Silence the hub's client, which warns at every retry; the final error is reported once, here."""
    client = logging.getLogger("huggingface_hub")
    level = client.level
    client.setLevel(logging.ERROR)
    try:
        yield
    finally:
        client.setLevel(level)


@lru_cache(maxsize=1)
def _load(name: str, weights: str, revision: str, device: str, auto: str, kinds: tuple[str, ...]) -> Network:
    """Load a model. The last one stays in memory, because every episode of a bench creates its detector again."""
    import transformers

    folder = Path(weights).expanduser()
    if not folder.is_dir() and (folder.exists() or weights.startswith((".", "/", "~"))):
        raise BadInput(f"There is no folder {folder}: give a folder of weights or a hub id such as owner/model.")
    source = str(folder) if folder.is_dir() else weights
    options = {"local_files_only": True} if folder.is_dir() else {"revision": revision or None}
    log.info("loading %s", source)
    try:
        with _silence_retries():
            config = transformers.AutoConfig.from_pretrained(source, **options)
        if config.model_type not in kinds:
            raise BadInput(
                f"The model {weights} is a '{config.model_type}'; the detector '{name}' runs: {', '.join(kinds)}."
            )
        loader = getattr(transformers, auto)
        model, report = loader.from_pretrained(source, **options, use_safetensors=True, output_loading_info=True)
        images = transformers.AutoImageProcessor.from_pretrained(source, **options, backend="pil")
        reads = hasattr(config, "text_config")
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, **options) if reads else None
    except HomieError:
        raise
    except Exception as error:  # transformers and the hub's client raise a dozen types
        raise _load_error(weights, error, local=folder.is_dir()) from error
    lacking = sorted({*report["missing_keys"]} & {key for key, _ in model.named_parameters()})
    if lacking:
        raise BadInput(f"The weights of {weights} lack {len(lacking)} tensors, the first is {lacking[0]}.")
    digest = fingerprint(folder) if folder.is_dir() else str(getattr(config, "_commit_hash", None) or "unknown")
    return Network(model.to(device).eval(), images, tokenizer, digest)


def _load_error(weights: str, error: Exception, *, local: bool) -> HomieError:
    """Convert an error of transformers to one with a single sentence of advice."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    if "Could not import module" in str(error) and importlib.util.find_spec("torchvision") is not None:
        return InfrastructureError(
            "The installed torchvision does not fit the installed torch and breaks transformers: `pip uninstall "
            "torchvision` (Homie does not need it)."
        )
    if local:
        return BadInput(f"The folder {weights} has no model that can be loaded: {reason}")
    if "couldn't connect" in str(error) or "offline" in str(error):
        return InfrastructureError(
            f"The hub cannot be reached and {weights} is not in its cache: download it where there is a network, or "
            f"give the folder of a model ({reason})"
        )
    return BadInput(f"There is no model {weights} that can be loaded, neither a folder nor on the hub: {reason}")


def corners(boxes: torch.Tensor, width: float, height: float) -> Array:
    """Convert boxes (n, 4) of centre and size (x, y, width, height), as shares of a picture, to corners in pixels
    (n, 4)."""
    table = boxes.detach().cpu().double().numpy()
    half = table[:, 2:] / 2
    scale = np.array([width, height, width, height])
    in_pixels: Array = np.concatenate([table[:, :2] - half, table[:, :2] + half], axis=1) * scale
    return in_pixels
