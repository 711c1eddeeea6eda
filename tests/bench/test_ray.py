"""The same bench on a Ray cluster of this machine."""

from __future__ import annotations

import io
import re
import sys

import pytest
from rich.console import Console

from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.repeatable import repeatable
from homie.kernel.errors import MissingPart
from homie.kernel.support.packages import install_command


def run(options):
    return runner.bench(options, Progress(Console(file=io.StringIO())))


@pytest.mark.slow
def test_a_local_cluster_gives_the_same_results_and_names_the_same_trouble(write_suite, tiny_bench, tmp_path):
    pytest.importorskip("ray")
    suite = write_suite([f"t{number} the ball" for number in range(3)], trials=2, rounds=8)
    here = run(tiny_bench(suite, planner="sampled", out=tmp_path / "here"))
    there = run(tiny_bench(suite, planner="sampled", out=tmp_path / "there", ray="local", workers=2, recycle=2))
    assert repeatable(tmp_path / "here") == repeatable(tmp_path / "there") and here.lines == there.lines
    suite = write_suite(["put the ball in the box", "crash please", "hang please", "silent please"])
    trouble = run(tiny_bench(suite, out=tmp_path / "trouble", ray="local", workers=2, timeout=15, retries=0))
    assert trouble.causes == {"crash": 1, "deadline": 1, "planner": 1} and trouble.successes == 1


def test_without_ray_the_command_that_installs_it_is_reported(write_suite, tiny_bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPart, match=re.escape(install_command("ray"))):
        run(tiny_bench(write_suite(), ray="local"))
