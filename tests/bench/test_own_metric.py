"""A metric of another package: one function, found by its entry point, is a column of every table and of the report."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from bench_runs import DONE, LATE, write_run

ALL_DONE = {(f"task-{number}", trial): DONE for number in range(4) for trial in range(2)}
MODULE = """
from homie import Metric


def replanned(score):
    return float(score.replans > 0), 1.0


REPLANNED = Metric(
    name="RPE",
    meaning="the share of episodes in which a failure was followed by another try",
    added=replanned,
    share=True,
)
NAMESAKE = Metric(name="SR", meaning="mine", added=replanned)
"""


def package(folder: Path, *entries: str) -> Path:
    """A folder with the module `shares` and its entry points, as an installer writes them."""
    info = folder / "shares-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "shares.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shares\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(("[homie.metrics]", *entries)))
    return folder


def beside(folder: Path, environment: dict[str, str]) -> str:
    return os.pathsep.join((str(folder), environment.get("PYTHONPATH", "")))


def test_it_is_a_column_of_every_table_and_explained_in_the_report(homie, environment, tmp_path: Path) -> None:
    path = beside(package(tmp_path / "site", "RPE = shares:REPLANNED"), environment)
    runs = [str(write_run(tmp_path / "a", {**ALL_DONE, ("task-0", 0): LATE}))]
    runs.append(str(write_run(tmp_path / "b", ALL_DONE, planner="chat")))
    with_it, without = (
        homie("compare", *runs, "--form", "csv", "--resamples", "200", PYTHONPATH=place)
        for place in (path, beside(tmp_path, environment))
    )
    assert (with_it.returncode, without.returncode) == (0, 0), with_it.stderr
    first, *_ = csv.DictReader(io.StringIO(with_it.stdout))
    assert float(first["RPE"]) == 1 / 8 and first["RPE low"] != ""
    assert with_it.stdout.count("RPE") > without.stdout.count("RPE") == 0
    assert homie("report", runs[0], "--out", "page.html", PYTHONPATH=path).returncode == 0
    assert (
        "the share of episodes in which a failure was followed by another try" in (tmp_path / "page.html").read_text()
    )


def test_what_is_no_metric_or_has_a_name_of_ours_is_refused(homie, environment, tmp_path: Path) -> None:
    run = str(write_run(tmp_path / "a", ALL_DONE))
    namesake = package(tmp_path / "one", "SR2 = shares:NAMESAKE")
    function = package(tmp_path / "two", "RPE = shares:replanned")
    completed = homie("compare", run, PYTHONPATH=beside(namesake, environment))
    assert completed.returncode == 2 and "is called SR, as another is: rename it." in completed.stderr
    completed = homie("compare", run, PYTHONPATH=beside(function, environment))
    assert (
        completed.returncode == 2 and "The metric 'RPE' of another package has to be a homie.Metric" in completed.stderr
    )
