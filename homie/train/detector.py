"""Training of a detector: checks the data set, trains the network, writes the results."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.kernel import registry
from homie.kernel.errors import MissingPart
from homie.kernel.interfaces.training import DetectorOrder, DetectorScores, DetectorTrainer
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part
from homie.kernel.support.progress import StepOver
from homie.runtime.provenance import versions
from homie.train.detector_card import detector_card
from homie.train.folder import finish, training_folder
from homie.train.hyperparameters import DetectorOptions

SPLITS = ("train", "validation", "test")


class DetectorTrainingFile(BaseModel):
    """`training.json` of a detector: options, data, losses and scores.

    Attributes:
        data_sha256: Checksum of the annotations.
        losses, held_out: Losses on training and validation pictures by step.
        scores: Scores on the split `test`.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["detector-training"] = "detector-training"
    options: dict[str, Any]
    file: str
    classes: tuple[str, ...]
    data_sha256: str
    parameters: int
    losses: dict[int, float]
    held_out: dict[int, float]
    scores: DetectorScores
    seconds: float
    versions: dict[str, str]


def train_detector(options: DetectorOptions, over: StepOver) -> DetectorTrainingFile:
    """Train the detector `learned`, or resume an unfinished training.

    Args:
        options: Data set, hyperparameters, output folder.
        over: Called after each step with its number, the number of steps and the loss.

    Raises:
        BadInput: The data set or the folder cannot be used.
        MissingPart: A package is not installed.
        InfrastructureError: The disk fails.
    """
    digest = hashlib.sha256()
    for split in SPLITS:
        path = options.data / "annotations" / f"{split}.json"
        with reading(path, advice="Make a data set in the layout of COCO: homie data detections FOLDER."):
            digest.update(path.read_bytes())
    try:
        trainer: DetectorTrainer = registry.load("detector_trainers", "learned")
    except MissingPart as error:
        package = str(getattr(error.__cause__, "name", "torch"))
        raise missing_part("homie train detector", package, "train-detector") from error
    sha256 = digest.hexdigest()
    with training_folder(options.out, "detector", options, sha256):
        order = options.model_dump(exclude={"model"})
        report = trainer(DetectorOrder(data_sha256=sha256, start=options.model, **order), over)
        file = DetectorTrainingFile(
            options=options.model_dump(mode="json"),
            file=report.file,
            classes=tuple(report.classes),
            data_sha256=sha256,
            parameters=report.parameters,
            losses=dict(report.losses),
            held_out=dict(report.held_out),
            scores=report.scores,
            seconds=report.seconds,
            versions=versions(),
        )
        finish(options.out, file, (file.losses, file.held_out), detector_card(file.model_dump()))
    return file
