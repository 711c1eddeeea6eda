"""The rows of README's table, from run folders."""

from __future__ import annotations

from pathlib import Path

from bench_runs import DONE, WANDERED, suite, write_run

from benchmarks.episodes.headline import attempted, row, table
from homie.bench.score.results import load_run
from homie.bench.suite.suite import Suite


def test_a_row_has_the_rates_of_all_and_of_each_split(tmp_path: Path) -> None:
    fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
    for number, task in enumerate(fields["tasks"]):
        task["split"] = "test" if number == 0 else "train"
    names = [task["id"] for task in fields["tasks"]]
    ways = {(name, 0): WANDERED if name == names[0] else DONE for name in names}
    run = write_run(tmp_path / "rule", ways, tasks=Suite.model_validate(fields), trials=1)
    text = row("rule", load_run(run))
    share = f"{100 * (len(names) - 1) / len(names):.0f} %"
    assert text.startswith(f"| `rule`, no weights, reads the instruction | {share} [")
    assert text.endswith("| 100 % | 0 % |")
    assert table([text]).splitlines()[2] == text and attempted(run) == len(names)
