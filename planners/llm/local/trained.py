"""How a model that Homie has trained is asked: with the prompt settings of its training."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.problems import explain
from planners.llm.local.folder import read_json
from planners.llm.local.source import Weights, find_weights
from planners.llm.prompting.settings import PromptSettings
from planners.llm.prompting.templates import built_in

TRAINING = "training.json"
"""The file that `homie train` writes beside the weights."""
OF_ANSWERS = frozenset({"targets", "reasks", "reading", "leniencies"})
"""Prompt settings that are about answers: the text of a prompt does not depend on them."""
SettingsT = TypeVar("SettingsT", bound=PromptSettings)


def as_trained(settings: SettingsT, weights: Weights) -> SettingsT:
    """The settings with those of the training where the user has set nothing.

    Args:
        settings: Of the planner.
        weights: The model and its adapter; what was trained is the adapter where there is one.

    Raises:
        BadInput: The training has settings that this version does not know, or used a template that is not there.
    """
    model, adapter = find_weights(weights)
    file = (adapter or model) / TRAINING
    if not file.is_file():
        return settings
    prompt = read_json(file).get("prompt")
    trained = prompt.get("settings") if isinstance(prompt, dict) else None
    if not isinstance(trained, dict):
        return settings
    kept = {name: value for name, value in trained.items() if name not in settings.model_fields_set | OF_ANSWERS}
    template = kept.get("template", settings.template)
    if template not in built_in() and not Path(str(template)).expanduser().is_file():
        raise BadInput(
            f"The model was trained with the template {template}, which is not there: give it with --template FILE."
        )
    values = {**settings.model_dump(exclude_unset=True), **kept}
    try:
        return type(settings).model_validate(values)
    except ValidationError as error:
        raise BadInput(f"{file}: {explain(error, type(settings))}") from error
