"""Input and output of a trainer of skills: recorded subtasks on one side of it, weights on the other.

The registry has trainers under `skill_trainers`, by the name of the skill set that loads what they train.
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
    """A depth picture (H, W) float32 in metres, 0 for no return, and its lens."""

    depth: Depth
    lens: Intrinsics


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A subtask that succeeded, at n moments from its beginning to its end. Frames are the odometry's, metres, radians.

    Args:
        name: Of its episode, and which of its subtasks it was: `drive-0/3`.
        action: As subtasks name it.
        target: Where the target was in the end, (3,).
        poses: Of the base, (n, 3): x, y, yaw.
        depths: By camera, n pictures each.
    """

    name: str
    action: str
    target: Array
    poses: Array
    depths: Mapping[str, Sequence[Distances]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillOrder:
    """What to train, on what, how.

    Args:
        network: Of the skill set, such as `navigate`.
        lessons: To learn from.
        held_out: To measure the loss on.
        start: The files of the skill set to begin with, as its argument says where they are; "" for random weights.
        out: The folder for what is trained; an unfinished training goes on.
        steps: Of the training.
        batch: Lessons in one step.
        rate: Largest learning rate; it falls as a cosine.
        seed: Of everything random.
        device: `auto`, `cpu`, `cuda`.
        keep_every: Steps after which a checkpoint is kept, and the held-out loss measured.
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
    """What came of it.

    Args:
        file: The weights, in `out`, as the skill set loads them.
        losses: By step.
        held_out: The loss on held-out lessons, by step.
        parameters: Numbers that were trained.
        seconds: Wall time of this process.
        more: What else is known at the end, such as the share of decisions that are the teacher's.
    """

    file: str
    losses: Mapping[int, float]
    held_out: Mapping[int, float]
    parameters: int
    seconds: float
    more: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillTraining:
    """What a skill set has to be trained with.

    Args:
        actions: By network: the action whose lessons it learns from.
        cameras: By network: those whose depth it needs.
        train: Trains, and leaves in `out` what the skill set loads. Raises BadInput, MissingPart.
    """

    actions: Mapping[str, str]
    cameras: Mapping[str, tuple[str, ...]]
    train: SkillTrainer


SkillTrainer: TypeAlias = Callable[[SkillOrder, StepOver], SkillReport]
