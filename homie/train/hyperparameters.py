"""Options of `homie train`. Defaults for planners are those of the EMMOE paper, section 5.2, where it gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from homie.kernel.options import MAX_SEED, Options
from homie.kernel.support.validation_sentences import Usage


class Trainable(Options):
    """Options common to all trainings."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Defaults by the name of the flag that selects them."""

    @model_validator(mode="before")
    @classmethod
    def _apply_preset(cls, values: Any) -> Any:
        return {**cls._preset(values), **values} if isinstance(values, dict) else values

    @classmethod
    def _preset(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the defaults of the selected preset, {} without one. Raises ValueError for two."""
        chosen = [name for name in cls.presets if values.get(name)]
        if len(chosen) > 1:
            raise ValueError(f"{' and '.join(chosen)} are different presets: choose one")
        return cls.presets[chosen[0]] if chosen else {}


class TrainOptions(Trainable):
    """Options common to both trainings of planners."""

    data: Path = Field(description="The folder of a data set of `homie data`.")
    model: str = Field("", description="The model to start from: a folder or a hub id.")
    adapter: str = Field("", description="A PEFT adapter to start from: its folder or hub id.")
    out: Path = Field(description="The folder of the trained model; an unfinished training is resumed.")
    tiny: bool = Field(False, description="Settings for a small model on a CPU, and such a model if none is named.")
    small: bool = Field(False, description="Settings for a pretrained model of some 100 million weights on a CPU.")
    epochs: float = Field(1.0, gt=0.0, le=1000.0, description="Passes over the data.")
    batch: int = Field(16, ge=1, le=4096, description="Batch size: lines per step.")
    at_once: int = Field(1, ge=1, le=4096, description="Lines per forward pass (the batch is accumulated).")
    rate: float = Field(5e-4, gt=0.0, le=1.0, description="Peak learning rate.")
    rank: int = Field(128, ge=0, le=4096, description="Rank of the LoRA adapter; 0 trains all weights.")
    alpha: int = Field(256, ge=1, le=8192, description="Alpha of the LoRA adapter.")
    warmup: float = Field(0.03, ge=0.0, lt=1.0, description="Share of the steps in which the learning rate warms up.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of everything random.")
    device: str = Field("auto", min_length=1, description="Device: auto, cpu, cuda or cuda:1.")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field("auto", description="Precision of the weights.")
    load_in_4bit: bool = Field(False, description="Quantise the base model to four bits (needs an NVIDIA GPU).")
    longest: int = Field(4096, ge=16, description="Largest number of text tokens per line; longer lines are left out.")
    keep_every: int = Field(100, ge=1, description="Steps between checkpoints.")
    patience: int = Field(
        0, ge=0, description="Checkpoints without a lower held-out loss after which to stop; 0: never."
    )
    threads: int = Field(0, ge=0, le=1024, description="Threads on the CPU; 0: as many as cores, 1 for a tiny model.")

    @model_validator(mode="before")
    @classmethod
    def _split_batch(cls, values: Any) -> Any:
        """With a preset, choose the size of forward passes for a given batch so that it divides batch and preset."""
        preset = cls._preset(values) if isinstance(values, dict) else {}
        if not preset or "at_once" in values or not isinstance(values.get("batch"), int):
            return values
        return {**values, "at_once": math.gcd(values["batch"], preset["at_once"])}

    @model_validator(mode="after")
    def _check_consistency(self) -> TrainOptions:
        if self.batch % self.at_once:
            raise ValueError(f"batch ({self.batch}) has to be a multiple of at_once ({self.at_once})")
        if self.load_in_4bit and not self.rank:
            raise ValueError("weights in four bits cannot be trained: give a rank above 0")
        if self.adapter and not self.rank:
            raise ValueError("an adapter to begin with needs a rank above 0")
        return self


class SftOptions(TrainOptions):
    """Options of supervised fine-tuning, the first stage."""

    usage: ClassVar[Usage] = Usage("train sft", "data", "data/sft --out models/sft")

    presets = {  # noqa: RUF012
        "tiny": {
            "epochs": 8.0,
            "batch": 16,
            "at_once": 16,
            "rate": 2.5e-3,
            "warmup": 0.05,
            "rank": 0,
            "whole": True,
            "device": "cpu",
        },
        "small": {
            "epochs": 2.0,
            "batch": 16,
            "at_once": 16,
            "rate": 1e-3,
            "warmup": 0.05,
            "rank": 16,
            "alpha": 32,
            "longest": 512,
            "device": "cpu",
        },
    }

    whole: bool = Field(
        False, description="Also learn to write the prompts, not only the answers: for a model trained from scratch."
    )


class DpoOptions(TrainOptions):
    """Options of direct preference optimisation, the second stage."""

    usage: ClassVar[Usage] = Usage("train dpo", "data", "data/dpo --out models/dpo")

    presets = {  # noqa: RUF012
        "tiny": {"batch": 8, "at_once": 2, "rate": 2e-4, "device": "cpu"},
        "small": {"batch": 8, "at_once": 4, "rate": 2e-5, "longest": 512, "device": "cpu"},
    }

    rate: float = Field(5e-6, gt=0.0, le=1.0, description="Peak learning rate.")
    rank: int = Field(8, ge=0, le=4096, description="Rank of the LoRA adapter; 0 trains all weights.")
    alpha: int = Field(8, ge=1, le=8192, description="Alpha of the LoRA adapter.")
    beta: float = Field(
        0.1, gt=0.0, le=10.0, description="Beta of DPO: the weight of staying close to the reference model."
    )


class SkillOptions(Trainable):
    """Options of behaviour cloning of a learned skill."""

    usage: ClassVar[Usage] = Usage("train skill", "sources", "recordings --out skills/mine")

    presets = {"tiny": {"steps": 300, "batch": 4, "rate": 1e-3, "device": "cpu"}}  # noqa: RUF012

    sources: list[Path] = Field(min_length=1, description="Folders of recordings of `homie teleop`, or run folders.")
    network: str = Field("m3/navigate", min_length=1, description="What to train, as SET/NETWORK.")
    model: str = Field("", description="Weights to start from, as the skill set takes them (default: random ones).")
    out: Path = Field(description="The folder of the trained model; an unfinished training is resumed.")
    tiny: bool = Field(False, description="Settings for a few minutes on a CPU.")
    steps: int = Field(20_000, ge=1, le=10_000_000, description="Training steps.")
    batch: int = Field(16, ge=1, le=4096, description="Batch size: subtasks per step.")
    rate: float = Field(2.5e-4, gt=0.0, le=1.0, description="Peak learning rate.")
    held_out: float = Field(0.1, ge=0.0, le=0.5, description="Share of the episodes held out to measure the loss.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of everything random.")
    device: str = Field("auto", min_length=1, description="Device: auto, cpu, cuda or cuda:1.")
    keep_every: int = Field(100, ge=1, description="Steps between checkpoints.")


class DetectorOptions(Options):
    """Options of training the detector `learned`."""

    usage: ClassVar[Usage] = Usage("train detector", "data", "data/detections --out models/eyes")

    data: Path = Field(description="The folder of a data set of `homie data detections`, or another in COCO's layout.")
    model: str = Field(
        "",
        description="What to start from: the folder of an earlier training or its `detector.onnx`, or `learned`, the "
        "weights that ship (default: random weights).",
    )
    out: Path = Field(description="The folder of the trained model; an unfinished training is resumed.")
    steps: int = Field(15_000, ge=1, le=10_000_000, description="Training steps.")
    batch: int = Field(16, ge=1, le=4096, description="Batch size: pictures per step.")
    enlarge: float = Field(1.0, gt=0.0, le=16.0, description="Factor by which pictures are enlarged for the network.")
    rate: float = Field(2e-3, gt=0.0, le=1.0, description="Peak learning rate.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Seed of everything random.")
    keep_every: int = Field(500, ge=1, description="Steps between checkpoints.")
    threads: int = Field(0, ge=0, le=1024, description="Threads on the CPU; 0: as many as cores.")
