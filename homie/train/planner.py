"""Training of a planner: checks the data, trains the weights, writes the results."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.data.examples.data_json import DataFile, read_data_file
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.interfaces.training import Trainer, TrainingOrder
from homie.kernel.support.packages import lacking, missing_part
from homie.kernel.support.progress import StepOver
from homie.runtime.provenance import versions
from homie.runtime.runstore.damage import describe_change
from homie.train.folder import finish, training_folder
from homie.train.hyperparameters import DpoOptions, SftOptions, TrainOptions
from homie.train.planner_card import card


class TrainingFile(BaseModel):
    """`training.json`: options, data and results of a training.

    Attributes:
        data_sha256: Checksum of the data set.
        prompt: Description of the prompts for the model.
        losses, held_out: Losses on training and held-out lines by step.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["training"] = "training"
    purpose: Literal["sft", "dpo"]
    options: dict[str, Any]
    data_sha256: str
    prompt: dict[str, Any]
    lines: int
    too_long: int
    steps: int
    trained: int
    parameters: int
    losses: dict[int, float]
    held_out: dict[int, float]
    more: dict[str, float]
    seconds: float
    versions: dict[str, str]


def _silent(step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
    """Report nothing."""


def train(options: TrainOptions, over: StepOver = _silent) -> TrainingFile:
    """Train a planner, or resume an unfinished training.

    Args:
        options: `SftOptions` or `DpoOptions`.
        over: Called after each step with its number, the number of steps and the loss.

    Raises:
        BadInput: The data, the model or the folder cannot be used.
        MissingPart: A package is not installed.
        InfrastructureError: The disk fails.
    """
    purpose: Literal["sft", "dpo"] = "dpo" if isinstance(options, DpoOptions) else "sft"
    data = _data(options, purpose)
    if options.patience and not {"validation", "test"} & set(data.splits):
        raise BadInput("--patience needs held-out lines: make the data set with --split.")
    if not options.model and (purpose == "dpo" or not options.tiny):
        raise BadInput("Say which model to begin with: --model FOLDER or a hub id (--tiny of sft makes a small one).")
    if absent := lacking("train"):
        raise missing_part("homie train", absent[0].name, "train")
    try:
        trainer: Trainer = registry.load("trainers", "transformers")
    except MissingPart as error:
        raise missing_part("homie train", str(getattr(error.__cause__, "name", "trl")), "train") from error
    with training_folder(options.out, purpose, options, data.sha256):
        report = trainer(_order(options, purpose, data), over)
        file = TrainingFile(
            purpose=purpose,
            options=options.model_dump(mode="json"),
            data_sha256=data.sha256,
            prompt=data.recipe.prompt,
            lines=report.lines,
            too_long=report.too_long,
            steps=report.steps,
            trained=report.trained,
            parameters=report.parameters,
            losses=dict(report.losses),
            held_out=dict(report.held_out),
            more=dict(report.more),
            seconds=report.seconds,
            versions=versions(),
        )
        finish(options.out, file, (file.losses, file.held_out), card(file.model_dump(), data))
    return file


def _data(options: TrainOptions, purpose: str) -> DataFile:
    """Read the data set. Raises BadInput if it is damaged or not for this training."""
    data = read_data_file(options.data)
    if data.recipe.purpose != purpose or data.recipe.form != "chat":
        raise BadInput(
            f"The data set {options.data} is of `homie data {data.recipe.purpose}` in the form {data.recipe.form}, and "
            f"`homie train {purpose}` needs one of `homie data {purpose}` in the form chat."
        )
    for name, mark in data.files.items():
        if difference := describe_change(options.data / name, mark):
            raise BadInput(f"The data set {options.data} is damaged: {name} ({difference}). Make it again.")
    if "train" not in data.splits:
        raise BadInput(f"The data set {options.data} has no lines for training: make it with another --split.")
    return data


def _order(options: TrainOptions, purpose: Literal["sft", "dpo"], data: DataFile) -> TrainingOrder:
    held_out = next((split for split in ("validation", "test") if split in data.splits), None)
    return TrainingOrder(
        purpose=purpose,
        lines=options.data / "train/metadata.jsonl",
        held_out=options.data / held_out / "metadata.jsonl" if held_out else None,
        beta=options.beta if isinstance(options, DpoOptions) else 0.0,
        whole=options.whole if isinstance(options, SftOptions) else False,
        **options.model_dump(exclude={"data", "tiny", "small", "beta", "whole"}),
    )
