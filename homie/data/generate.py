"""Generates thousands of episodes: samples tasks and plays the suite's expert on them, optionally with mistakes.

TasksOptions --draw_tasks--> suite file --generate--> run folder, a source of `homie data`
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

from homie.bench.authoring.errand_drawing import SampledSuite, draw_suite
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import BenchSummary, bench
from homie.bench.play.worker import EXPERT
from homie.bench.suite.suite import find_suite
from homie.data.options import GenerateOptions, TasksOptions
from homie.kernel.errors import BadInput
from homie.kernel.scenes import scenes_of
from homie.kernel.support.files import to_json, write_atomically, writing
from homie.kernel.support.text import split_commas
from homie.kernel.world.snapshot import WorldSnapshot

MOST_TRIALS = 1000
"""Maximum number of trials of a bench."""


def draw_tasks(options: TasksOptions) -> SampledSuite:
    """Sample a suite of errands and write its file. Raises BadInput if the file cannot be written, or the houses do not
    provide enough errands."""
    scenes = scenes_of(options.robot)
    with writing(options.out, "the suite"):
        options.out.parent.mkdir(parents=True, exist_ok=True)

    def world(seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot:
        initial_state = scenes.begin(seed, chosen)
        if initial_state is None:
            raise BadInput(
                f"Nobody can tell how the scenes of '{options.robot}' begin: errands are for the robot mujoco."
            )
        return initial_state

    drawn = draw_suite(
        options.number,
        world,
        seed=options.seed,
        test=options.test,
        validation=options.validation,
        held_out=options.held_out,
        templates=None if options.held_out_templates is None else split_commas(options.held_out_templates),
        kinds=None if options.held_out_objects is None else split_commas(options.held_out_objects),
    )
    with writing(options.out, "the suite"):
        write_atomically(options.out, to_json(drawn.to_json()))
    return drawn


def generate(options: GenerateOptions, progress: Progress | None = None) -> BenchSummary:
    """Play the expert of a suite for the requested number of episodes. Resumes an unfinished folder; raises as
    `bench`."""
    return bench(bench_options(options), progress)


def bench_options(options: GenerateOptions) -> BenchOptions:
    """Return the options of the bench that plays the episodes: all tasks equally often or, with fewer episodes than
    tasks, a random sample of the tasks. Raises BadInput."""
    tasks = [task.id for task in find_suite(options.suite).select(None, options.split)]
    count = options.episodes or len(tasks)
    trials = math.ceil(count / len(tasks))
    if trials > MOST_TRIALS:
        raise BadInput(
            f"{count} episodes of {len(tasks)} tasks are {trials} trials of each, and {MOST_TRIALS} is the most: draw "
            "more tasks (homie data tasks)."
        )
    values: dict[str, Any] = options.model_dump(
        include={"suite", "split", "workers", "seed", "rounds", "frames", "skills", "targets", "picture_size"},
        exclude_none=True,
    )
    if count < len(tasks):
        values["tasks"] = ",".join(random.Random(options.seed).sample(tasks, count))
    error_rates = {"mistakes": options.failures, "detours": options.detours}
    if options.failures or options.detours:
        values["planner_settings"] = {name: share for name, share in error_rates.items() if share or name == "mistakes"}
    return BenchOptions.build(**values, out=options.out, planner=EXPERT, trials=trials, video=False)
