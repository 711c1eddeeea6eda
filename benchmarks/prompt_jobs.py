"""Jobs of the prompt reader, without locations: the expert's subtasks of a task except those that only drive."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from homie.bench.suite.suite import Suite, Task

Job = tuple[str, ...]
"""Action, target and, for a Put, destination."""
_NUMBER = re.compile(r"_\d")


def playable(suite: Suite) -> list[Task]:
    """Select the tasks whose jobs can be given in words: the expert names no object by its number in the house, and no
    other task has the same text (conditional tasks depend on the house, which a reader of the text cannot know)."""
    texts = [task.text for task in suite.tasks]
    return [
        task
        for task in suite.tasks
        if task.expert and texts.count(task.text) == 1 and not any(_NUMBER.search(step) for step in task.expert)
    ]


def jobs_by_text(tasks: Sequence[Task]) -> Mapping[str, list[Job]]:
    """Return the jobs of each task by its text, the only identification of the task in a prompt."""
    return {task.text: _jobs([_parts(step) for step in task.expert or ()]) for task in tasks}


def _parts(step: str) -> Job:
    return tuple(part.strip() for part in step.strip("[]").split(","))


def _jobs(steps: Sequence[Job]) -> list[Job]:
    """Drop each Go to whose target is also the place of the next subtask; a final Go to is kept."""
    jobs: list[Job] = []
    for step, following in zip(steps, [*steps[1:], ("End",)], strict=True):
        if step[0] == "Go to" and following[0] not in ("Go to", "End") and following[-1] == step[1]:
            continue
        if step[0] != "End":
            jobs.append(step)
    return jobs
