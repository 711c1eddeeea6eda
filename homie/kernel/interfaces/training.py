"""Input and output of a trainer of planners: data sets are made on one side of it, weights on the other.

The registry has trainers under `trainers`; `transformers` trains what `--planner transformers:...` runs.
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

LEAST_SCORE = 0.02
"""Score of a box from which a detector is measured: precision is averaged over all recalls."""


@contextmanager
def resuming(path: Path) -> Iterator[None]:
    """Take up a training from a checkpoint. Raises BadInput for one that cannot be read or is damaged."""
    with reading(path, "the checkpoint", advice="Restore it from a copy, or delete it to begin the training anew."):
        try:
            yield
        except (EOFError, RuntimeError, LookupError, TypeError, AttributeError, UnpicklingError) as error:
            raise ValueError("it is damaged") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOrder:
    """What to train, on which lines, how.

    Args:
        purpose: `sft` learns the answers of conversations, `dpo` to prefer one answer to another.
        lines: The file of the training lines, in TRL's conversational form; pictures are named beside it.
        held_out: That of the lines to measure the loss on, None for none.
        model: The folder or hub id of the model; "" makes a small one from nothing, out of the words of the data.
        adapter: A PEFT adapter to begin with, "" for none.
        out: The folder for what is trained; an unfinished training goes on.
        epochs: Times that every line is seen.
        batch: Lines in one step, as many at once as `at_once` says.
        at_once: Lines in the memory at once.
        rate: Largest learning rate.
        rank: Of the LoRA adapter; 0 trains all weights.
        alpha: Of the LoRA adapter: its weights count alpha / rank.
        warmup: Share of the steps in which the learning rate rises; then it falls as a cosine.
        beta: Of DPO: how dear it is to move away from the reference.
        seed: Of everything random.
        device: `auto`, `cpu`, `cuda`.
        dtype: `auto`, `float32`, `bfloat16`, `float16`.
        load_in_4bit: Whether the weights below the adapter are held in four bits.
        whole: Whether the questions of conversations are learnt as well; else only the answers.
        longest: Tokens of a line; longer ones are left out.
        keep_every: Steps after which a checkpoint is kept.
        patience: Checkpoints without a lower held-out loss after which the training ends with the best; 0: never.
        threads: On the CPU; 0 leaves it to the trainer.
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
    """What came of it.

    Args:
        losses: By step, as the mean since the one before.
        held_out: The loss on held-out lines, by step.
        steps: Of the whole training.
        lines: How many were learnt from.
        too_long: How many were left out.
        trained: Numbers that were trained, of `parameters`.
        parameters: Numbers in the model.
        seconds: Wall time of this process.
        more: What else is known at the end, as the accuracy of DPO.
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
"""Trains, and leaves in `out` what `--planner transformers:` or its `--adapter` loads. Raises BadInput, MissingPart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorOrder:
    """What a detector is to be trained on, and how.

    Args:
        data: The folder of a data set in the layout of COCO, with the splits train, validation and test.
        data_sha256: Of its annotations.
        start: A folder of an earlier training to begin with, "" for random weights.
        out: The folder for what is trained; an unfinished training goes on.
        steps: Of the training.
        batch: Pictures in one step.
        rate: Largest learning rate; it falls as a cosine.
        seed: Of everything random.
        keep_every: Steps after which a checkpoint is kept, and the held-out loss measured.
        threads: On the CPU; 0 for as many as cores.
    """

    data: Path
    data_sha256: str
    start: str
    out: Path
    steps: int
    batch: int
    rate: float
    seed: int
    keep_every: int
    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorScores:
    """How good a detector is on labelled pictures.

    Args:
        every: Mean over the classes of the average precision at an overlap (IoU) of 0.5.
        large: The same for boxes of at least 16 x 16 pixels in a picture of 256 x 256.
        by_class: Average precision of large boxes by class.
        confusions: True class ("" for nothing), class of the box, how often; most frequent first.
        calibration: Mean score, share of boxes that are right and their number, by tenths of the score.
    """

    every: float
    large: float
    by_class: Mapping[str, float]
    confusions: Sequence[tuple[str, str, int]]
    calibration: Sequence[tuple[float, float, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorMeasurement:
    """A detector on the labelled pictures of a split.

    Args:
        scores: How good it is.
        pictures: How many there are.
        boxes: How many it reported.
        others: Those of them of classes that the data set has not; they do not count.
        milliseconds: Median for one picture.
    """

    scores: DetectorScores
    pictures: int
    boxes: int
    others: int
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorReport:
    """A trained detector.

    Args:
        file: The network, in `out`, as `--detector learned:` loads it.
        classes: That it knows.
        losses: By step.
        held_out: The loss on the split `validation`, by step.
        scores: On the split `test`.
        parameters: Numbers that were trained.
        seconds: Wall time, all processes together.
    """

    file: str
    classes: Sequence[str]
    losses: Mapping[int, float]
    held_out: Mapping[int, float]
    scores: DetectorScores
    parameters: int
    seconds: float


DetectorTrainer: TypeAlias = Callable[[DetectorOrder, StepOver], DetectorReport]
"""Trains, and leaves in `out` what a detector loads. Raises BadInput, MissingPart."""
