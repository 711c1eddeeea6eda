"""What a bench tells while it runs, line by line."""

from __future__ import annotations

import io
from pathlib import Path

import bench_runs
import pytest
from bench_runs import DONE, LATE, WANDERED, write_run
from rich.console import Console

from homie.bench.folder.episode import Episode, Failure
from homie.bench.folder.ledger import read_bench
from homie.bench.play.progress import Progress, duration

WAYS = {
    ("task-0", 0): DONE,
    ("task-0", 1): "killed: by hand",
    ("task-1", 0): WANDERED,
    ("task-1", 1): LATE,
}


class Told:
    """A progress with a clock that is set by hand, and what it has said since it was last asked."""

    def __init__(self, *, terminal: bool = False) -> None:
        self._file = io.StringIO()
        self.now = 100.0
        console = Console(file=self._file, width=300, force_terminal=terminal, color_system=None)
        self.progress = Progress(console, lambda: self.now)

    def new(self) -> str:
        text = self._file.getvalue()
        self._file.seek(0)
        self._file.truncate()
        return text


@pytest.fixture
def episodes(tmp_path: Path) -> tuple[Episode, ...]:
    """Four finished episodes of a bench: done, killed, not done, done after an error; the world disagrees with one."""
    run = write_run(tmp_path / "run", WAYS, tasks=bench_runs.suite(2), held=[("task-0", 0), ("task-1", 0)])
    return read_bench(run)[2]


def test_every_episode_has_a_line_with_all_that_is_known(episodes: tuple[Episode, ...]) -> None:
    told = Told()
    done, killed, wandered, late = episodes
    told.progress.began(bench_runs.suite(2), 4, [])
    assert told.new() == "" and told.progress.summary() == "0/4 done  |  0 running, 0 failed"
    told.progress.started(done)
    told.progress.started(killed)
    assert told.progress.summary() == "0/4 done  |  2 running, 0 failed"
    told.now += 30.0
    told.progress.finished(done, 29.96)
    (line,) = told.new().splitlines()
    assert line.startswith("task-0-0  success after 2 rounds, 30.0 s  |  1/4 done, 2 min left  |  1 running, 0 failed")
    assert "  |  SR 100.00 [" in line and line.endswith("]  |  2.0 episodes/min")
    failure = Failure(cause="killed", message="by hand", attempt=2, wall_seconds=3.0)
    told.progress.failed_try(killed, failure, retry=True)
    assert told.new() == "task-0-1  killed, try 2: by hand (it is run again)\n"
    told.progress.started(killed)
    told.progress.failed_try(killed, failure, retry=False)
    assert told.new() == "task-0-1  killed, try 2: by hand (it is given up)\n"
    told.now += 30.0
    told.progress.gave_up(killed, 3.0)
    (line,) = told.new().splitlines()
    assert line.startswith(
        "task-0-1  infrastructure (killed), 3.0 s  |  2/4 done, 60 s left  |  0 running, 1 failed  |  SR 50.00 ["
    )
    assert told.progress.causes == {"killed": 1}
    told.progress.started(wandered)
    told.progress.finished(wandered, 1.0)
    assert told.new().startswith(
        "task-1-0  no success after 2 rounds, the world disagrees, 1.0 s  |  3/4 done, 20 s left"
    )
    told.progress.started(late)
    told.progress.finished(late, 1.0)
    line = told.new()
    assert line.startswith("task-1-1  success after 3 rounds, the world disagrees, 1.0 s  |  4/4 done  |  0 running")
    assert line.endswith("4.0 episodes/min\n")


def test_what_was_finished_before_counts_and_what_is_damaged_is_told(episodes: tuple[Episode, ...]) -> None:
    told = Told()
    done, killed, wandered, late = episodes
    (late.folder / "final_state.json").unlink()
    told.progress.began(bench_runs.suite(2), 4, [done, killed, wandered], [late])
    assert told.new().splitlines() == [
        "task-1-1  damaged: final_state.json (it is missing); it is run again.",
        "3 of 4 episodes were finished before.",
    ]
    summary = told.progress.summary()
    assert summary.startswith("3/4 done  |  0 running, 1 failed  |  SR 33.33 [") and "episodes/min" not in summary
    (wandered.folder / "episode.json").unlink()
    again = Told()
    again.progress.began(bench_runs.suite(2), 4, [], [wandered])
    assert again.new() == "task-1-0  damaged; it is run again.\n"


def test_on_a_terminal_the_summary_moves_and_lines_are_short(episodes: tuple[Episode, ...]) -> None:
    told = Told(terminal=True)
    told.progress.began(bench_runs.suite(2), 4, [])
    told.progress.started(episodes[0])
    told.now += 60.0
    told.progress.finished(episodes[0], 60.0)
    assert "task-0-0  success after 2 rounds, 60.0 s" in told.new()
    shown = told.progress.__rich__().plain
    assert shown == told.progress.summary() and "1/4 done, 3 min left" in shown
    told.progress.close()
    told.new()
    told.progress.close()
    assert told.new() == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89.4, "89 s"), (90, "2 min"), (149, "2 min"), (3569, "59 min"), (3570, "1 h 00 min"),
     (7260, "2 h 01 min")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
