"""Suites in the tiny world, and options to run them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml

from homie.bench.options import BenchOptions

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}

WriteSuite = Callable[..., Path]
BenchOptionsOf = Callable[..., BenchOptions]


@pytest.fixture
def write_suite(tmp_path: Path) -> WriteSuite:
    """A suite file in the tiny world with a task for each instruction, named after its first word."""

    def write(texts: Sequence[str] = ("put the ball in the box",), trials: int = 1, rounds: int = 6) -> Path:
        tasks = [{"id": text.split()[0], "text": text, "goal": {"in": ["ball", "box"]}} for text in texts]
        suite = {"format": 1, "name": "tiny", "protocol": {"rounds": rounds, "trials": trials}, "tasks": tasks}
        path = tmp_path / "suite.yaml"
        path.write_text(yaml.safe_dump(suite))
        return path

    return write


@pytest.fixture
def tiny_bench(tmp_path: Path) -> BenchOptionsOf:
    """Options of a bench of a suite file in the tiny world."""

    def make(suite: Path, **options: object) -> BenchOptions:
        defaults = {**TINY, "planner": "trouble", "suite": str(suite), "out": tmp_path / "run"}
        return BenchOptions.build(**{**defaults, **options})

    return make


@pytest.fixture
def bench_arguments() -> list[str]:
    """What the command line needs for the tiny world."""
    return [word for name, value in TINY.items() for word in (f"--{name}", value)]
