"""Input and output of trainers of planners and detectors: data sets in, weights out.

Trainers are registered under `trainers`; `transformers` trains the models that `--planner transformers:...` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from typing import Literal, TypeAlias

from homie.kernel.support.files import reading
from homie.kernel.support.progress import StepOver

LEAST_SCORE = 0.001
"""Lowest score of a box in detector evaluation: low, because precision is averaged over all recalls."""


@contextmanager
def resuming(path: Path) -> Iterator[None]:
    """Context for resuming training from a checkpoint. Raises BadInput for an unreadable or damaged one."""
    with reading(path, "the checkpoint", advice="Restore it from a copy, or delete it to begin the training anew."):
        try:
            yield
        except (EOFError, RuntimeError, LookupError, TypeError, AttributeError, UnpicklingError) as error:
            raise ValueError("it is damaged") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOrder:
    """Configuration of a training run of a planner model.

    Args:
        purpose: `sft` for supervised fine-tuning on the answers of conversations, `dpo` for preference optimization.
        lines: File of training lines (examples), in TRL's conversational format; picture paths are relative to it.
        held_out: File of lines for the validation loss, None for none.
        model: Folder or hub id of the model; "" creates a small one from scratch with the vocabulary of the data.
        adapter: PEFT adapter to start from, "" for none.
        out: Output folder; an unfinished training in it is resumed.
        epochs: Number of passes over the lines.
        batch: Lines per optimizer step, accumulated in micro-batches of `at_once`.
        at_once: Lines in memory at once (micro-batch size).
        rate: Peak learning rate.
        rank: Rank of the LoRA adapter; 0 trains all weights.
        alpha: Alpha of the LoRA adapter: its weights are scaled by alpha / rank.
        warmup: Fraction of the steps in which the learning rate rises; then cosine decay.
        beta: Beta of DPO: penalty for deviating from the reference model.
        seed: Seed of everything random.
        device: `auto`, `cpu`, `cuda`.
        dtype: `auto`, `float32`, `bfloat16`, `float16`.
        load_in_4bit: Whether the base weights below the adapter are quantized to four bits.
        whole: Whether the loss includes the questions of conversations; else only the answers.
        longest: Maximum tokens of a line; longer lines are left out.
        keep_every: Steps between checkpoints.
        patience: Early stopping: checkpoints without a lower held-out loss after which training ends with the best
            one; 0: never.
        threads: CPU threads; 0 leaves it to the trainer.
    """

    purpose: Literal["sft", "dpo"]
    lines: Path
    held_out: Path | None
    model: str
    adapter: str
    out: Path
    epochs: float
    batch: int
    at_once: int
    rate: float
    rank: int
    alpha: int
    warmup: float
    beta: float
    whole: bool
    seed: int
    device: str
    dtype: str
    load_in_4bit: bool
    longest: int
    keep_every: int
    patience: int = 0
    threads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport:
    """Result of a training run of a planner model.

    Args:
        losses: Training loss by step, as the mean since the previous entry.
        held_out: Loss on held-out lines, by step.
        steps: Number of steps of the whole training.
        lines: Number of lines trained on.
        too_long: Number of lines left out because of their length.
        trained: Number of trained parameters, of `parameters`.
        parameters: Number of parameters of the model.
        seconds: Wall time of this process.
        more: Further metrics at the end, such as the accuracy of DPO.
    """

    losses: Mapping[int, float]
    held_out: Mapping[int, float]
    steps: int
    lines: int
    too_long: int
    trained: int
    parameters: int
    seconds: float
    more: Mapping[str, float] = field(default_factory=dict)


Trainer: TypeAlias = Callable[[TrainingOrder, StepOver], TrainingReport]
"""Trains, and writes to `out` what `--planner transformers:` or its `--adapter` loads. Raises BadInput, MissingPart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorOrder:
    """Configuration of a training run of a detector.

    Args:
        data: Folder of a data set in COCO layout, with the splits train, validation and test.
        data_sha256: SHA-256 of its annotations.
        start: Folder of an earlier training to start from, "" for random weights.
        out: Output folder; an unfinished training in it is resumed.
        steps: Number of training steps.
        batch: Pictures per step.
        enlarge: Factor by which pictures are enlarged for the network.
        rate: Peak learning rate, with cosine decay.
        seed: Seed of everything random.
        keep_every: Steps between checkpoints, and between measurements of the held-out loss.
        threads: CPU threads; 0 for as many as cores.
    """

    data: Path
    data_sha256: str
    start: str
    out: Path
    steps: int
    batch: int
    enlarge: float
    rate: float
    seed: int
    keep_every: int
    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorScores:
    """Metrics of a detector on labelled pictures.

    Args:
        every: Mean average precision (over classes) at an IoU of 0.5.
        large: The same for boxes of at least 16 x 16 pixels in a picture of 256 x 256.
        by_class: Average precision of large boxes by class.
        confusions: True class ("" for background), predicted class, count; most frequent first.
        calibration: Mean score, fraction of correct boxes and number of boxes, by tenths of the score.
    """

    every: float
    large: float
    by_class: Mapping[str, float]
    confusions: Sequence[tuple[str, str, int]]
    calibration: Sequence[tuple[float, float, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorMeasurement:
    """Evaluation of a detector on the labelled pictures of a split.

    Args:
        scores: Its metrics.
        pictures: Number of pictures.
        boxes: Number of reported boxes.
        others: Number of them with classes that are not in the data set; they are ignored.
        milliseconds: Median time per picture.
    """

    scores: DetectorScores
    pictures: int
    boxes: int
    others: int
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorReport:
    """Result of a training run of a detector.

    Args:
        file: File of the network in `out`, as loaded by `--detector learned:`.
        classes: Its classes.
        losses: Training loss by step.
        held_out: Loss on the split `validation`, by step.
        scores: Metrics on the split `test`.
        parameters: Number of trained parameters.
        seconds: Wall time, summed over all processes.
    """

    file: str
    classes: Sequence[str]
    losses: Mapping[int, float]
    held_out: Mapping[int, float]
    scores: DetectorScores
    parameters: int
    seconds: float


DetectorTrainer: TypeAlias = Callable[[DetectorOrder, StepOver], DetectorReport]
"""Trains, and writes to `out` what a detector loads. Raises BadInput, MissingPart."""
