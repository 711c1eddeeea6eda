"""Training of a skill: turns recordings into lessons, trains the network, writes the results."""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from homie.data.episode import SkippedEpisode
from homie.data.recording.recorder import RECORDING
from homie.data.recording.recording_to_demonstration import is_recorded
from homie.data.recording.skill_lessons import lessons_of
from homie.data.sources.source import Entry, Source, reading_episode
from homie.data.sources.source_kinds import open_sources
from homie.data.training_examples import every
from homie.kernel import registry
from homie.kernel.errors import BadInput, MissingPart, suggestion
from homie.kernel.robot.lessons import Lesson, SkillOrder, SkillTraining
from homie.kernel.support.checksums import sha256
from homie.kernel.support.packages import missing_part
from homie.kernel.support.progress import StepOver
from homie.runtime.provenance import versions
from homie.runtime.runstore.damage import DamagedEpisode, read_finished
from homie.train.folder import finish, training_folder
from homie.train.hyperparameters import SkillOptions
from homie.train.skill_card import skill_card


class SkillTrainingFile(BaseModel):
    """`training.json` of a skill: options, data and results of a training.

    Attributes:
        data_sha256: Checksum of the recordings with lessons.
        left_out: Number of skipped episodes by reason.
        losses, held_out: Losses on training and held-out lessons by step.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    kind: Literal["skill-training"] = "skill-training"
    options: dict[str, Any]
    action: str
    file: str
    data_sha256: str
    episodes: int
    lessons: int
    held_out_lessons: int
    left_out: dict[str, int]
    parameters: int
    losses: dict[int, float]
    held_out: dict[int, float]
    more: dict[str, float]
    seconds: float
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Lessons:
    """Lessons of the sources.

    Attributes:
        left_out: Number of episodes without a lesson by reason.
    """

    train: Sequence[Lesson]
    held_out: Sequence[Lesson]
    episodes: int
    left_out: Counter[str]
    sha256: str


def train_skill(options: SkillOptions, over: StepOver) -> SkillTrainingFile:
    """Train a network of a skill set on recorded subtasks, or resume an unfinished training.

    Args:
        options: Sources, network, hyperparameters, output folder.
        over: Called after each step with its number, the number of steps and the loss.

    Raises:
        BadInput: The sources, the network or the folder cannot be used.
        MissingPart: A package is not installed.
        InfrastructureError: The disk fails.

    Example:
        ```
        options = SkillOptions.build(sources=[Path("drives")], out=Path("runs/nav"), tiny=True)
        train_skill(options, lambda step, steps, loss: None)
        ```
    """
    training, network = _training(options.network)
    lessons = _lessons(options, training, network)
    with training_folder(options.out, "skill", options, lessons.sha256):
        report = training.train(
            SkillOrder(
                network=network,
                lessons=lessons.train,
                held_out=lessons.held_out,
                start=options.model,
                **options.model_dump(include={"out", "steps", "batch", "rate", "seed", "device", "keep_every"}),
            ),
            over,
        )
        file = SkillTrainingFile(
            options=options.model_dump(mode="json"),
            action=training.actions[network],
            file=report.file,
            data_sha256=lessons.sha256,
            episodes=lessons.episodes,
            lessons=len(lessons.train),
            held_out_lessons=len(lessons.held_out),
            left_out=dict(lessons.left_out),
            parameters=report.parameters,
            losses=dict(report.losses),
            held_out=dict(report.held_out),
            more=dict(report.more),
            seconds=report.seconds,
            versions=versions(),
        )
        finish(options.out, file, (file.losses, file.held_out), skill_card(file.model_dump()))
    return file


def _training(name: str) -> tuple[SkillTraining, str]:
    """Return the trainer of a network and the network's name there. Raises BadInput, MissingPart."""
    skill_set, _, network = name.partition("/")
    try:
        training: SkillTraining = registry.load("skill_trainers", skill_set)
    except MissingPart as error:
        raise missing_part("homie train skill", str(getattr(error.__cause__, "name", "torch")), "policies") from error
    if network not in training.actions:
        hint = suggestion(network, training.actions, f"it trains {', '.join(training.actions)}.")
        raise BadInput(f"There is no network '{network}' to train for {skill_set}: {hint}")
    return training, network


def _lessons(options: SkillOptions, training: SkillTraining, network: str) -> Lessons:
    """Return the lessons of the sources. Raises BadInput if there are none."""
    by_episode: list[list[Lesson]] = []
    omissions: Counter[str] = Counter()
    digest = hashlib.sha256()
    for source, entry in every(open_sources(options.sources)):
        try:
            with reading_episode(entry):
                episode_lessons = _read_lessons(source, entry, training, network)
                digest.update(f"{entry.name}\0{sha256(entry.folder / RECORDING)}\0".encode())
            by_episode.append(episode_lessons)
        except SkippedEpisode as reason:
            omissions[str(reason)] += 1
    if not by_episode:
        most_common_reason = omissions.most_common(1)[0][0] if omissions else "there are no episodes"
        raise BadInput(f"Nothing can be learnt from {', '.join(map(str, options.sources))}: {most_common_reason}.")
    number = min(len(by_episode) - 1, math.ceil(options.held_out * len(by_episode)))
    held_out_indices = set(random.Random(options.seed).sample(range(len(by_episode)), number))
    parts: tuple[list[Lesson], list[Lesson]] = [], []
    for index, episode_lessons in enumerate(by_episode):
        parts[index in held_out_indices].extend(episode_lessons)
    return Lessons(*parts, len(by_episode), omissions, digest.hexdigest())


def _read_lessons(source: Source, entry: Entry, training: SkillTraining, network: str) -> list[Lesson]:
    """Return the lessons of an episode, at least one. Raises SkippedEpisode."""
    if not is_recorded(entry.folder):
        raise SkippedEpisode("body and commands were not recorded: drive with `homie teleop --record FOLDER`")
    source.read(entry)  # raises SkippedEpisode for a discarded or unfinished episode
    try:
        finished = read_finished(entry.folder)
    except DamagedEpisode as error:
        raise SkippedEpisode(f"damaged: {error}") from error
    records = finished[1] if finished else ()
    episode_lessons = list(
        lessons_of(entry.folder, entry.name, records, training.actions[network], training.cameras[network])
    )
    if not episode_lessons:
        raise SkippedEpisode(f"no {training.actions[network]} in it succeeded at once")
    return episode_lessons
