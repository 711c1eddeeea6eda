"""MolmoSpaces' episodes as a suite for the robot `mjcf`: `homie bench molmospaces:FOLDER`, judged as its tasks are."""

from __future__ import annotations

from pathlib import Path

from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import SceneChoice, Suite, Task
from homie.envs.mujoco.mjcf_house.episode import FILE, KINDS, read_episodes
from homie.kernel.world.predicates import Done


def molmospaces(folder: Path) -> Suite:
    """Return the episodes of a folder, by ids such as `pick-013-0000`: task, house, and place in the file, from 0.

    Args:
        folder: With a `benchmark.json`, or that file.

    Raises:
        BadInput: The file is missing, is not of the released form, or has a task that Homie cannot judge.
    """
    file = (folder / FILE if folder.is_dir() else folder).resolve()
    return Suite(
        format=1,
        name="molmospaces",
        description="Episodes of MolmoSpaces in their houses, judged by the conditions of its tasks.",
        robot="mjcf",
        protocol=Protocol(rounds=20, trials=1),
        tasks=tuple(
            Task(
                id=f"{KINDS[episode.task.name]}-{episode.house_index:03}-{number:04}",
                text=episode.language.task_description,
                scene=SceneChoice.model_validate({"file": f"{file}#{number}"}),
                goal=Done(done=True),
            )
            for number, episode in enumerate(read_episodes(file))
        ),
    )
