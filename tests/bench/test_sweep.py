"""Sweeps: one bench per value, all of them checked before the first."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from homie.bench.finished_episodes import SweepFile, read_bench
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.sweep import sweep, variants
from homie.bench.score.results import load_runs
from homie.kernel.errors import BadInput
from homie.runtime.runstore import read_model


def run(options):
    return sweep(options, lambda: Progress(Console(file=io.StringIO())))


def test_every_value_has_a_run_of_its_own(write_suite, tiny_bench, tmp_path):
    options = tiny_bench(write_suite(), sweep=["rounds=2,5"])
    summary = run(options)
    assert {name: run.successes for name, run in summary.runs.items()} == {"rounds-2": 0, "rounds-5": 1}
    for rounds in (2, 5):
        file, _, (episode,) = read_bench(tmp_path / "run" / f"rounds-{rounds}")
        assert file.options.rounds == rounds and file.options.sweep == [] and episode.ending.rounds == rounds
    file = read_model(tmp_path / "run" / "sweep.json", SweepFile)
    assert file.runs == {"rounds-2": {"rounds": 2}, "rounds-5": {"rounds": 5}}
    folders = [tmp_path / "run" / name for name in file.runs]
    assert [run.label for run in load_runs(folders)] == ["rounds=2", "rounds=5"]
    assert [run.label for run in load_runs(folders[:1])] == [options.planner]
    other = tmp_path / "other"
    shutil.copytree(folders[0], other)
    labels = [run.label for run in load_runs([*folders, other])]
    assert labels == [f"{options.planner} ({name})" for name in ("rounds=2", "rounds=5", "other")]


def test_a_sweep_goes_on_and_takes_more_values(write_suite, tiny_bench, tmp_path):
    suite = write_suite()
    run(tiny_bench(suite, sweep=["rounds=2"]))
    before = (tmp_path / "run/rounds-2/episodes/put-0/episode.json").stat().st_mtime_ns
    summary = run(tiny_bench(suite, sweep=["rounds=2,3"]))
    assert list(summary.runs) == ["rounds-2", "rounds-3"]
    assert (tmp_path / "run/rounds-2/episodes/put-0/episode.json").stat().st_mtime_ns == before


def test_settings_of_the_planner_and_products():
    options = BenchOptions(suite="s", planner_settings={"budget": 1}, sweep=["planner.examples=0,5", "targets=a,b"])
    listed = [
        (variant.name, variant.options.planner_settings, variant.options.targets) for variant in variants(options)
    ]
    assert listed == [
        ("examples-0-targets-a", {"budget": 1, "examples": 0}, "a"),
        ("examples-0-targets-b", {"budget": 1, "examples": 0}, "b"),
        ("examples-5-targets-a", {"budget": 1, "examples": 5}, "a"),
        ("examples-5-targets-b", {"budget": 1, "examples": 5}, "b"),
    ]


def test_numbers_with_points_make_names_that_differ():
    names = [variant.name for variant in variants(BenchOptions(suite="s", sweep=["planner.temperature=0.2,0.25,2"]))]
    assert names == ["temperature-0_2", "temperature-0_25", "temperature-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds", "needs NAME=A,B"),
        ("rounds=", "needs NAME=A,B"),
        ("workers=1,2", "cannot vary 'workers'"),
        ("planner.=1", "cannot vary 'planner.'"),
        ("rounds=2,2", "has a value twice"),
        ("rounds=2,x", "--rounds must be a whole number"),
        ("planner.x=1,2", "has no settings"),
        ("planner=trouble,nobody", "Unknown planner 'nobody'"),
    ],
)
def test_every_value_is_checked_before_the_first_begins(write_suite, tiny_bench, tmp_path, text, message):
    with pytest.raises(BadInput, match=message):
        run(tiny_bench(write_suite(), sweep=[text]))
    assert not (tmp_path / "run").exists()


def test_values_are_read_as_yaml_and_names_as_on_the_command_line():
    (first, second) = variants(BenchOptions(suite="s", sweep=["check-order=code, paper,"], out=Path("out")))
    assert (first.name, first.values, first.options.check_order) == (
        "check-order-code",
        {"check_order": "code"},
        "code",
    )
    assert (
        first.options.out == Path("out/check-order-code")
        and second.options.sweep == []
        and second.values != first.values
    )
    (only,) = variants(BenchOptions(suite="s", sweep=["planner.names=true"]))
    assert only.options.planner_settings == {"names": True} and only.options.out is None
    assert only.name == "names-True"
    with pytest.raises(BadInput, match=r"^--sweep planner\.x: the values cannot be read \(got '\[1'\)\.$"):
        variants(BenchOptions(suite="s", sweep=["planner.x=[1"]))
    with pytest.raises(BadInput, match=r"^--sweep planner\.x: the values cannot be read"):
        variants(BenchOptions(suite="s", sweep=[f"planner.x={'[' * 100}"]))
    for name in ("out", "suite", "sweep", "clean", "mixed", "skill_settings", "detector_settings", "robot_settings"):
        with pytest.raises(
            BadInput, match=rf"cannot vary '{name}': name a setting as planner\.SETTING, or one of planner, "
        ):
            variants(BenchOptions(suite="s", sweep=[f"{name}=1"]))


def test_where_a_sweep_cannot_be_kept(write_suite, tiny_bench, tmp_path):
    options = tiny_bench(write_suite(), sweep=["rounds=2"])
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").touch()
    for _ in range(2):  # the second time it is not in use
        with pytest.raises(BadInput, match=r"^The folder .*run holds a run, not a sweep: choose another --out\.$"):
            run(options)
    (tmp_path / "run" / "run.json").unlink()
    (tmp_path / "run" / "sweep.json").mkdir()
    with pytest.raises(BadInput, match=r"^Cannot write into the folder .*run: Is a directory\.$"):
        run(options)


def test_on_the_command_line(homie, write_suite, bench_arguments):
    arguments = [str(write_suite()), *bench_arguments, "--planner", "trouble", "--out", "out", "--sweep", "rounds=2,5"]
    completed = homie("bench", *arguments, "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    assert printed["runs"]["rounds-5"]["success"] == 1.0 and "\nrounds-2\n" in completed.stderr
