"""The `transformers` planner: `--planner transformers:FOLDER` or `--planner transformers:OWNER/MODEL`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from homie.kernel.errors import BadInput
from homie.kernel.support.validation_sentences import explain
from planners.llm.local.find_model import read_json
from planners.llm.local.model import GenerationOptions, LocalModel
from planners.llm.local.own_or_shared_model import OwnModel, Source, Weights, find_weights, open_weights
from planners.llm.local.process import ModelProcess
from planners.llm.local.process_client import HostedModel, announced_host
from planners.llm.model_planner import ModelPlanner, PromptSettings
from planners.llm.prompting.templates import built_in

TRAINING = "training.json"
"""File that `homie train` writes next to the weights."""
OF_ANSWERS = frozenset({"targets", "reasks", "reading", "leniencies"})
"""Prompt settings that concern answers only: the text of a prompt does not depend on them."""
SettingsT = TypeVar("SettingsT", bound=PromptSettings)
SMALL = 1_000_000_000
"""Number of parameters below which a model invents names: 37 of 39 decisions of an untrained one with 135 million
named an object that does not exist."""
HELP: Mapping[str, object] = {"targets": "known", "repeats": False}
"""Default settings of such small models."""


class LocalSettings(PromptSettings):
    """Settings of a local model in addition to those of its prompt."""

    adapter: str = Field("", description="A PEFT adapter: its folder or hub id.")
    revision: str = Field("", description="Revision of a model on the hub (default: its main one).")
    device: str = Field("auto", min_length=1, description="auto, cpu, cuda or cuda:1.")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field("auto", description="Precision of the weights.")
    load_in_4bit: bool = Field(False, description="Weights in four bits (bitsandbytes, an NVIDIA GPU).")
    max_new_tokens: int = Field(1024, ge=1, le=32768, description="Longest answer in tokens.")
    temperature: float = Field(0.0, ge=0.0, le=5.0, description="0: the best token always; else sampled by seed.")
    constrained: bool = Field(True, description="Hold answers to the decision schema, token by token.")
    end_probability: float = Field(
        0.0, ge=0.0, lt=1.0, description="End less probable than this is not taken: the model chooses another step."
    )
    repeats: bool = Field(
        True,
        description="Take subtasks that change nothing: what succeeded last, and what a check has refused since (else, "
        "where a template has no analysis, the model chooses another).",
    )
    batch: int = Field(8, ge=1, le=256, description="Parallel episodes whose questions may share one pass.")

    def weights(self, name: str) -> Weights:
        """Return the weights to load. Raises BadInput without a name."""
        if not name:
            raise BadInput("The transformers planner needs a model: --planner transformers:FOLDER or a hub id.")
        return Weights(
            name=name,
            adapter=self.adapter,
            revision=self.revision,
            device=self.device,
            dtype=self.dtype,
            load_in_4bit=self.load_in_4bit,
        )


class TransformersPlanner(ModelPlanner):
    """A model on this machine. Planners of the same weights share them, whatever their other settings.

    A model or adapter of `homie train` gets the prompt settings of its training. A small model chooses targets only
    among known names (`targets=known`), and no subtask without an effect (`repeats=false`). Settings of the user take
    precedence.
    """

    name = "transformers"
    extra: ClassVar[str] = "torch"
    Settings: ClassVar[type[BaseModel] | None] = LocalSettings

    def __init__(self, argument: str, settings: LocalSettings) -> None:
        argument, settings = self.completed(argument, settings)
        weights = settings.weights(argument)
        source = _source(weights)
        settings = as_trained(settings, weights)
        if _is_small(source):
            update = {name: value for name, value in HELP.items() if name not in settings.model_fields_set}
            settings = settings.model_copy(update=update)
        if settings.images and not source.facts.sees:
            raise BadInput(source.facts.blind)
        writing = GenerationOptions(
            limit=settings.max_new_tokens,
            temperature=settings.temperature,
            constrained=settings.constrained,
            batch=settings.batch,
            end_probability=settings.end_probability,
            repeats=settings.repeats,
        )
        super().__init__(LocalModel(source, writing, argument), settings)
        self._local = settings
        self._files = source.facts.files

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        if isinstance(settings, LocalSettings):
            argument, settings = cls.completed(argument, settings)
            find_weights(settings.weights(argument))

    @classmethod
    def share(cls, argument: str, settings: BaseModel | None, log: Path) -> ModelProcess | None:
        if not isinstance(settings, LocalSettings):
            return None
        argument, settings = cls.completed(argument, settings)
        return ModelProcess(settings.weights(argument), log)

    @classmethod
    def completed(cls, argument: str, settings: LocalSettings) -> tuple[str, LocalSettings]:
        """Return the argument and settings with the defaults of a subclass filled in."""
        return argument, settings

    def describe(self) -> Mapping[str, object]:
        weight_settings = self._local.model_dump(mode="json", include={"adapter", "revision", "load_in_4bit"})
        return {**super().describe(), "weights": {**weight_settings, **self._files}}


def _is_small(source: Source) -> bool:
    parameters = source.facts.engine.get("parameters")
    return isinstance(parameters, int) and parameters < SMALL


def _source(weights: Weights) -> Source:
    """Return the source of the planner's answers. Raises as `open_weights`, and InfrastructureError for a lost host."""
    host = announced_host(weights)
    return OwnModel(*open_weights(weights)) if host is None else HostedModel(host)


def as_trained(settings: SettingsT, weights: Weights) -> SettingsT:
    """Return the settings with those of the training as defaults.

    Args:
        settings: Of the planner.
        weights: The model and its adapter; the training settings are those of the adapter if there is one.

    Raises:
        BadInput: The training has settings that this version does not know, or a template that is missing.
    """
    model, adapter = find_weights(weights)
    file = (adapter or model) / TRAINING
    if not file.is_file():
        return settings
    prompt = read_json(file).get("prompt")
    training_settings = prompt.get("settings") if isinstance(prompt, dict) else None
    if not isinstance(training_settings, dict):
        return settings
    training_values = {
        name: value for name, value in training_settings.items() if name not in settings.model_fields_set | OF_ANSWERS
    }
    template = training_values.get("template", settings.template)
    if template not in built_in() and not Path(str(template)).expanduser().is_file():
        raise BadInput(
            f"The model was trained with the template {template}, which is not there: give it with --template FILE."
        )
    values = {**settings.model_dump(exclude_unset=True), **training_values}
    try:
        return type(settings).model_validate(values)
    except ValidationError as error:
        raise BadInput(f"{file}: {explain(error, type(settings))}") from error
