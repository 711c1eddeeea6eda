"""Homie without the package `suites`: all of its own works, and what is not there is one clear sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from homie.kernel.support.packages import OURS

ROOT = Path(__file__).parents[2]
MAIN = """
import sys
from pathlib import Path

sys.path[:] = [sys.argv[1], *(place for place in sys.path if not (Path(place) / "suites/__init__.py").exists())]
from homie.cli.main import main
main(sys.argv[2:])
"""
NOT_HERE = "needs Homie's package 'suites', which is not here: install Homie again with it."
Homie = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Homie's packages, and what is installed of them, without `suites`."""
    folder = tmp_path_factory.mktemp("core")
    for path in (*(ROOT / name for name in OURS if name != "suites"), *ROOT.glob("*.egg-info")):
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture
def homie(core: Path, tmp_path: Path) -> Homie:
    """The command `homie` of that folder, in an empty one."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", MAIN, str(core), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_the_help_has_every_command_of_the_core_and_no_other(homie: Homie) -> None:
    ran = homie("--help")
    listed = {line.split()[0] for line in ran.stdout.splitlines() if line.startswith("  ")}
    assert ran.returncode == 0 and {"run", "bench", "compare", "doctor"} <= listed
    assert not listed & {"vigil", "questions"}


@pytest.mark.parametrize("command", ["vigil", "questions"])
def test_a_command_of_the_package_says_what_it_needs(homie: Homie, command: str) -> None:
    ran = homie(command, "--help")
    assert (ran.returncode, ran.stderr.strip()) == (3, f"homie: The command '{command}' {NOT_HERE}")


@pytest.mark.slow
def test_a_run_a_bench_and_their_comparison(homie: Homie) -> None:
    ran = homie("run", "go to the kitchen", "--seed", "7", "--skills", "ideal", "--no-video", "--out", "run")
    assert ran.returncode == 0, ran.stderr
    task = ("bench", "homie-100", "--tasks", "wait-bedroom", "--trials", "1", "--skills", "ideal")
    for planner in ("rule", "random"):
        ran = homie(*task, "--planner", planner, "--out", planner)
        assert ran.returncode == 0, ran.stderr
    ran = homie("compare", "rule", "random", "--json")
    assert ran.returncode == 0 and json.loads(ran.stdout)["tables"], ran.stderr
    ran = homie("compare", "rule", "random", "--protocols", "page.html")
    assert ran.returncode == 3 and NOT_HERE in ran.stderr and len(ran.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("suite", ["homie-menu", "eb-alfred:files"])
def test_a_suite_of_the_package_says_what_it_needs(homie: Homie, suite: str) -> None:
    ran = homie("bench", suite, "--planner", "random", "--out", "run")
    name = suite.partition(":")[0]
    assert (ran.returncode, ran.stderr.strip()) == (3, f"homie: The suite '{name}' {NOT_HERE}")


def test_the_list_of_suites_has_those_of_the_core_and_says_what_the_others_need(homie: Homie) -> None:
    listed = json.loads(homie("list", "suites", "--json").stdout)
    assert {"homie-100", "table-pick"} <= set(listed["suites"]) and "homie-menu" not in listed["suites"]
    assert listed["missing"]["homie-menu"] == NOT_HERE
    assert homie("list", "suites").stdout.count(NOT_HERE) == 1
