"""The `transformers` planner: `--planner transformers:FOLDER` or `--planner transformers:OWNER/MODEL`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar, Literal

from pydantic import BaseModel, Field

from homie.kernel.checksums import fingerprint
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.packages import missing_part
from planners.llm.brain import ModelPlanner, PromptSettings
from planners.llm.messages import LanguageModel

_NEEDED = ("torch", "transformers", "accelerate", "safetensors", "llguidance")


class LocalSettings(PromptSettings):
    """Settings of a local model beside those of its prompt."""

    adapter: str = Field("", description="A PEFT adapter: its folder or hub id.")
    revision: str = Field("", description="Revision of a model on the hub (default: its main one).")
    device: str = Field("auto", min_length=1, description="auto, cpu, cuda or cuda:1.")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field("auto", description="Precision of the weights.")
    load_in_4bit: bool = Field(False, description="Weights in four bits (bitsandbytes, an NVIDIA GPU).")
    max_new_tokens: int = Field(1024, ge=1, le=32768, description="Longest answer in tokens.")
    temperature: float = Field(0.0, ge=0.0, le=5.0, description="0: the best token always; else sampled by seed.")
    constrained: bool = Field(True, description="Hold answers to the decision schema, token by token.")
    batch: int = Field(8, ge=1, le=256, description="Parallel episodes whose questions may share one pass.")


class TransformersPlanner(ModelPlanner):
    """A model on this machine. Planners of the same weights share them, whatever else they are set to."""

    name = "transformers"
    extra: ClassVar[str] = "torch"
    Settings: ClassVar[type[BaseModel] | None] = LocalSettings

    def __init__(self, argument: str, settings: LocalSettings) -> None:
        if not argument:
            raise BadInput("The transformers planner needs a model: --planner transformers:FOLDER or a hub id.")
        super().__init__(_open(argument, settings), settings)
        self._local = settings
        self._files = _fingerprints(argument, settings.revision, settings.adapter)

    def describe(self) -> Mapping[str, object]:
        told = self._local.model_dump(mode="json", include={"adapter", "revision", "load_in_4bit"})
        return {**super().describe(), "weights": {**told, **self._files}}


def _open(name: str, settings: LocalSettings) -> LanguageModel:
    """The model, loaded or shared. Raises BadInput, MissingPart, PlannerError (no way to the hub)."""
    _check_packages()
    from planners.llm.local.folder import find_folder
    from planners.llm.local.loading import ADAPTER_WEIGHTS, WEIGHTS, Load, load_engine, model_type, no_pictures
    from planners.llm.local.model import LocalModel, Writing
    from planners.llm.local.server import shared

    folder = find_folder(name, WEIGHTS, revision=settings.revision)
    model_type(folder)
    adapter = find_folder(settings.adapter, ADAPTER_WEIGHTS) if settings.adapter else None
    load = Load(folder.resolve(), adapter and adapter.resolve(), settings.device, settings.dtype, settings.load_in_4bit)
    server = shared(load, lambda: load_engine(load))
    if settings.images and not server.engine.sees:
        raise BadInput(no_pictures(folder))
    writing = Writing(settings.max_new_tokens, settings.temperature, settings.constrained, settings.batch)
    return LocalModel(server, writing, name)


@lru_cache(maxsize=4)
def _fingerprints(name: str, revision: str, adapter: str) -> dict[str, str]:
    """What tells the files of the model and of its adapter from others; once per process, as they are loaded."""
    from planners.llm.local.folder import find_folder
    from planners.llm.local.loading import ADAPTER_WEIGHTS, WEIGHTS

    found = {"sha256": fingerprint(find_folder(name, WEIGHTS, revision=revision))}
    if adapter:
        found["adapter_sha256"] = fingerprint(find_folder(adapter, ADAPTER_WEIGHTS))
    return found


def _check_packages() -> None:
    """Raises MissingPart for what is not installed, InfrastructureError for a torchvision that breaks the rest."""
    for package in _NEEDED:
        if importlib.util.find_spec(package) is None:
            raise missing_part("The planner 'transformers'", package, "torch")
    if importlib.util.find_spec("torchvision") is not None:
        try:
            importlib.import_module("torchvision")
        except (ImportError, RuntimeError) as error:
            raise InfrastructureError(
                "The installed torchvision does not fit the installed torch and breaks transformers: "
                "`pip uninstall torchvision` (Homie does not need it)."
            ) from error
