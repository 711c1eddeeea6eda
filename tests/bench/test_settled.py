"""A bench with ideal skills: a worker plays all that there is in a house; what it has played before changes nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from homie.bench.episode_plan import plan
from homie.bench.options import BenchOptions
from homie.bench.play.runner import bench, episode_options
from homie.bench.play.worker import Job, Report, perform
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.suite.suite import find_suite

OPEN, BRING = "open-fridge", "bring-apple"
FILES = ("inputs.jsonl", "commands.jsonl", "scene.json", "final_state.json")


def options(out: Path, tasks: str) -> BenchOptions:
    return BenchOptions.build(
        suite="homie-100", planner="expert", skills="ideal", tasks=tasks, trials=2, out=out, picture_size="96"
    )


def play_tasks(folder: Path, tasks: list[str]) -> dict[str, dict[str, bytes]]:
    """What the first trials of tasks leave that one worker plays in this order, by task; of a repetition the last."""
    files: dict[str, dict[str, bytes]] = {}
    suite = find_suite("homie-100")
    (folder / "episodes").mkdir(parents=True)
    with closing(WorkerParts()) as parts:
        for number, task in enumerate(tasks):
            bench_options = options(folder, task)
            episode = plan(folder, bench_options, suite)[0]
            place = folder / "episodes" / f"{number}"
            place.mkdir()
            job = Job(
                suite=suite.name,
                task=episode.task,
                trial=0,
                seed=episode.seed,
                folder=place,
                options=episode_options(bench_options, suite, episode),
            )
            assert perform(job, parts) == Report()
            files[task] = {name: (place / name).read_bytes() for name in FILES}
    return files


def test_equal_seeds_are_equal_episodes_whatever_was_played_before(tmp_path):
    alone = play_tasks(tmp_path / "alone", [OPEN])
    after = play_tasks(tmp_path / "after", [OPEN, OPEN, BRING, OPEN])
    assert after[OPEN] == alone[OPEN], "in a house that was played in, and in one that was built anew"


def test_a_worker_plays_all_trials_in_a_house_before_the_next(tmp_path):
    bench_options = options(tmp_path / "run", f"{OPEN},{BRING}").model_copy(update={"workers": 1})
    summary = bench(bench_options)
    assert (summary.successes, summary.infrastructure) == (4, 0)
    log = (tmp_path / "run/workers/worker-0.log").read_text().splitlines()
    order = [line.partition(":")[0] for line in log]
    assert sorted(order) == sorted([f"{task}-{trial}" for task in (OPEN, BRING) for trial in (0, 1)])
    assert order[0].rpartition("-")[0] == order[1].rpartition("-")[0]
