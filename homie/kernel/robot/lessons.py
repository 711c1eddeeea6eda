"""Input and output of trainers of skills: recorded subtasks in, weights out.

Trainers are registered under `skill_trainers`, by the name of the skill set that loads the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from homie.kernel.support.progress import StepOver
from homie.kernel.types import Array, Depth, Intrinsics


@dataclass(frozen=True, slots=True)
class Distances:
    """A depth picture (H, W) float32 in metres, 0 for no return, and the camera intrinsics (`lens`)."""

    depth: Depth
    lens: Intrinsics


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Demonstration of a subtask that succeeded, sampled at n moments. Odometry frame, metres and radians.

    Args:
        name: Name of the episode and number of the subtask in it: `drive-0/3`.
        action: Action of the subtask.
        target: Position (3,) of the target at the end.
        poses: Poses of the base, (n, 3): x, y, yaw.
        depths: n depth pictures for each camera.
    """

    name: str
    action: str
    target: Array
    poses: Array
    depths: Mapping[str, Sequence[Distances]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOrder:
    """Configuration of a training run of a skill's network.

    Args:
        network: Network of the skill set, such as `navigate`.
        lessons: Training set.
        held_out: Validation set.
        start: Initial weights, given like the argument of the skill set; "" for random weights.
        out: Output folder; an unfinished training in it is resumed.
        steps: Number of training steps.
        batch: Lessons per step.
        rate: Peak learning rate, with cosine decay.
        seed: Seed of everything random.
        device: `auto`, `cpu`, `cuda`.
        keep_every: Steps between checkpoints, and between measurements of the held-out loss.
    """

    network: str
    lessons: Sequence[Lesson]
    held_out: Sequence[Lesson]
    start: str
    out: Path
    steps: int
    batch: int
    rate: float
    seed: int
    device: str
    keep_every: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillReport:
    """Result of a training run of a skill's network.

    Args:
        file: File of the weights in `out`, as loaded by the skill set.
        losses: Training loss by step.
        held_out: Loss on held-out lessons, by step.
        parameters: Number of trained parameters.
        seconds: Wall time of this process.
        more: Further metrics at the end, such as the fraction of decisions that agree with the teacher.
    """

    file: str
    losses: Mapping[int, float]
    held_out: Mapping[int, float]
    parameters: int
    seconds: float
    more: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTraining:
    """How to train the networks of a skill set.

    Args:
        actions: By network, the action whose lessons it is trained on.
        cameras: By network, the cameras whose depth pictures it needs.
        train: Trains, and writes to `out` what the skill set loads. Raises BadInput, MissingPart.
    """

    actions: Mapping[str, str]
    cameras: Mapping[str, tuple[str, ...]]
    train: SkillTrainer


SkillTrainer: TypeAlias = Callable[[SkillOrder, StepOver], SkillReport]
