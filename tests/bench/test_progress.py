"""What a bench tells while it runs, line by line."""

from __future__ import annotations

import io
from pathlib import Path

import bench_runs
import pytest
from bench_runs import DONE, LATE, WANDERED, write_run
from rich.console import Console

from homie.bench.episode import Episode, FailedTry
from homie.bench.finished_episodes import read_bench
from homie.bench.play.progress import Progress, duration

WAYS = {
    ("task-0", 0): DONE,
    ("task-0", 1): "killed: by hand",
    ("task-1", 0): WANDERED,
    ("task-1", 1): LATE,
}


class Shown:
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
    watched = Shown()
    finished, killed, wandered, late = episodes
    watched.progress.began(bench_runs.suite(2), 4, [])
    assert watched.new() == "" and watched.progress.summary() == "0/4 done  |  0 running, 0 failed"
    watched.progress.started(finished)
    watched.progress.started(killed)
    assert watched.progress.summary() == "0/4 done  |  2 running, 0 failed"
    watched.now += 30.0
    watched.progress.finished(finished, 29.96)
    (line,) = watched.new().splitlines()
    assert line.startswith("task-0-0  success after 2 rounds, 30.0 s  |  1/4 done, 2 min left  |  1 running, 0 failed")
    assert "  |  SR 100.00 [" in line and line.endswith("]  |  2.0 episodes/min")
    failure = FailedTry(cause="killed", message="by hand", attempt=2, wall_seconds=3.0)
    watched.progress.failed_try(killed, failure, retry=True)
    assert watched.new() == "task-0-1  killed, try 2: by hand (it is run again)\n"
    watched.progress.started(killed)
    watched.progress.failed_try(killed, failure, retry=False)
    assert watched.new() == "task-0-1  killed, try 2: by hand (it is given up)\n"
    watched.now += 30.0
    watched.progress.gave_up(killed, 3.0)
    (line,) = watched.new().splitlines()
    assert line.startswith(
        "task-0-1  infrastructure (killed), 3.0 s  |  2/4 done, 60 s left  |  0 running, 1 failed  |  SR 50.00 ["
    )
    assert watched.progress.causes == {"killed": 1}
    watched.progress.started(wandered)
    watched.progress.finished(wandered, 1.0)
    assert watched.new().startswith(
        "task-1-0  no success after 2 rounds, the world disagrees, 1.0 s  |  3/4 done, 20 s left"
    )
    watched.progress.started(late)
    watched.progress.finished(late, 1.0)
    line = watched.new()
    assert line.startswith("task-1-1  success after 3 rounds, the world disagrees, 1.0 s  |  4/4 done  |  0 running")
    assert line.endswith("4.0 episodes/min\n")


def test_what_was_finished_before_counts_and_what_is_damaged_is_reported(episodes: tuple[Episode, ...]) -> None:
    watched = Shown()
    finished, killed, wandered, late = episodes
    (late.folder / "final_state.json").unlink()
    watched.progress.began(bench_runs.suite(2), 4, [finished, killed, wandered], [late])
    assert watched.new().splitlines() == [
        "task-1-1  damaged: final_state.json (it is missing); it is run again.",
        "3 of 4 episodes finished before.",
    ]
    summary = watched.progress.summary()
    assert summary.startswith("3/4 done  |  0 running, 1 failed  |  SR 33.33 [") and "episodes/min" not in summary
    (wandered.folder / "episode.json").unlink()
    again = Shown()
    again.progress.began(bench_runs.suite(2), 4, [], [wandered])
    assert again.new() == "task-1-0  damaged; it is run again.\n"


def test_on_a_terminal_the_summary_moves_and_lines_are_short(episodes: tuple[Episode, ...]) -> None:
    watched = Shown(terminal=True)
    watched.progress.began(bench_runs.suite(2), 4, [])
    watched.progress.started(episodes[0])
    watched.now += 60.0
    watched.progress.finished(episodes[0], 60.0)
    assert "task-0-0  success after 2 rounds, 60.0 s" in watched.new()
    text = watched.progress.__rich__().plain
    assert text == watched.progress.summary() and "1/4 done, 3 min left" in text
    watched.progress.close()
    watched.new()
    watched.progress.close()
    assert watched.new() == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (89.4, "89 s"), (90, "2 min"), (149, "2 min"), (3569, "59 min"), (3570, "1 h 00 min"),
     (7260, "2 h 01 min")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
