"""Progress of a bench on stderr: a live line on a terminal, one plain line per episode elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from homie.bench.episode import Episode, FailedTry, describe_loss
from homie.bench.score.metric_profiles import make_profile
from homie.bench.score.metrics import estimate
from homie.bench.score.results import trajectory
from homie.bench.score.scores import Results, Score, score_run
from homie.bench.suite.suite import Suite
from homie.bench.table_formats import format_cell
from homie.kernel.support.text import format_count, printable
from homie.runtime.runstore.damage import DAMAGED


class Progress:
    """Counts episodes and prints progress. `total`: episodes of the bench, including those finished before."""

    def __init__(self, console: Console | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._clock = clock
        self._live: Live | None = None
        self.total = self.running = self.done = self.failed = 0
        self.causes: Counter[str] = Counter()
        self._scores: list[Score] = []
        self._finished_before = 0

    def began(self, suite: Suite, total: int, finished: Sequence[Episode], damaged: Sequence[Episode] = ()) -> None:
        """Start or resume a bench; damaged episodes are run again."""
        self._profile = make_profile("homie", suite)
        self.total, self._start = total, self._clock()
        for episode in damaged:
            ending = episode.ending
            self._line(f"{episode.name}  {ending.cause if ending else DAMAGED}; it is run again.")
        for episode in finished:
            self._count(episode)
        self._finished_before = self.done
        if self._finished_before:
            self._line(f"{self._finished_before} of {format_count(total, 'episode')} finished before.")
        if self._console.is_terminal:
            self._live = Live(self, console=self._console, refresh_per_second=4, transient=True)
            self._live.start()

    def given(self, complete: Sequence[str], incomplete: Sequence[str]) -> None:
        """Warn of tasks whose goals hold before the first subtask, completely or partially."""
        if complete:
            single = len(complete) == 1
            self._line(
                f"warning: the goal of {format_count(len(complete), 'task')} holds before the first subtask "
                f"({', '.join(complete)}): success there says nothing about the planner. Change the "
                f"{'goal or the scene of the task' if single else 'goals or the scenes of these tasks'}."
            )
        if incomplete:
            self._line(
                f"note: a part of the goal of {format_count(len(incomplete), 'task')} holds before the first subtask "
                f"({', '.join(incomplete)})."
            )

    def side_by_side(self, workers: int) -> None:
        """Print the number of workers, if it was chosen automatically."""
        self._line(
            f"{format_count(workers, 'worker')} play side by side, one for each core (another number: --workers)."
        )

    def started(self, episode: Episode) -> None:
        """Count the start of an episode."""
        self.running += 1

    def failed_try(self, episode: Episode, failure: FailedTry, *, retry: bool) -> None:
        """Print that infrastructure ended a try of an episode."""
        self.running -= 1
        consequence = "it is run again" if retry else "it is given up"
        self._line(f"{episode.name}  {failure.cause}, try {failure.attempt}: {failure.message} ({consequence})")

    def finished(self, episode: Episode, seconds: float) -> None:
        """Count and print a finished episode."""
        self.running -= 1
        self._report(episode, seconds)

    def gave_up(self, episode: Episode, seconds: float) -> None:
        """Count and print an episode ended by infrastructure, after `failed_try`."""
        self._report(episode, seconds)

    def close(self) -> None:
        """Remove the live line. Idempotent."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __rich__(self) -> Text:
        return Text(self.summary(), style="bold", no_wrap=True, overflow="ellipsis")

    def summary(self) -> str:
        """Return the current counts and rates on one line."""
        played, elapsed = self.done - self._finished_before, self._clock() - self._start
        remaining = self.total - self.done
        # A narrow terminal truncates the end of the line.
        estimate_text = (
            f", {duration(remaining * elapsed / played)} left" if played and elapsed > 0 and remaining else ""
        )
        parts = [f"{self.done}/{self.total} done{estimate_text}", f"{self.running} running, {self.failed} failed"]
        if self._scores:
            rate = estimate(Results(self._profile.name, tuple(self._scores)), "SR")
            parts.append(f"SR {format_cell(rate, 'percent')}")
        if played and elapsed > 0:
            parts.append(f"{60 * played / elapsed:.1f} episodes/min")
        return "  |  ".join(parts)

    def _count(self, episode: Episode) -> str:
        """Count a finished episode and return a short description of its ending."""
        finished = episode.finished
        assert finished is not None, "only finished episodes are counted"
        ending = finished.ending
        results = score_run(self._profile, [trajectory(episode, finished)])
        self._scores += results.scores
        self.done += 1
        if ending.ended_by == "infrastructure":
            self.failed += 1
            self.causes[ending.cause.partition(":")[0]] += 1
            return describe_loss(ending.cause)
        (score,) = results.scores
        world = ", the world disagrees" if score.disagrees else ""
        world += ", but the goal held before the first subtask" if score.given and score.success else ""
        return f"{'success' if score.success else 'no success'} after {format_count(ending.rounds, 'round')}{world}"

    def _report(self, episode: Episode, seconds: float) -> None:
        text = self._count(episode)
        suffix = "" if self._console.is_terminal else f"  |  {self.summary()}"
        self._line(f"{episode.name}  {text}, {seconds:.1f} s{suffix}")

    def _line(self, text: str) -> None:
        self._console.print(Text(printable(text)), soft_wrap=True)


def duration(seconds: float) -> str:
    """Format a duration: `45 s`, `12 min`, `3 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"
