"""The examples run, and print what docs/examples.md shows."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.own_network import own_network

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"```console\npython examples/(\w+)\.py\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LONGEST = 60
"""Lines of an example."""
NEEDS = {
    "bench_with_an_endpoint": ("openai",),
    "record_and_export_lerobot": ("mcap", "pyarrow"),
    "train_a_small_planner": ("torch", "transformers", "trl"),
    "drive_a_ros_robot": ("cyclonedds", "rosbags"),
}
"""Packages of extras."""
SLOW = ("compare_two_planners", "bench_with_an_endpoint", "train_a_small_planner", "drive_a_ros_robot")
ROUNDED = {"train_a_small_planner": 0.1}
"""Largest difference of decimals that depend on the processor, by example."""


def run(name: str, folder: Path) -> str:
    """What an example prints, run as the page says."""
    (folder / "examples").symlink_to(ROOT / "examples")
    completed = subprocess.run(
        [sys.executable, f"examples/{name}.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **own_network()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def decimals(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in SHOWN]
)
def test_an_example_prints_what_its_page_shows(name: str, tmp_path: Path) -> None:
    if missing := [package for package in NEEDS.get(name, ()) if importlib.util.find_spec(package) is None]:
        pytest.skip(f"{', '.join(missing)} is not installed")
    printed, expected = run(name, tmp_path).strip(), SHOWN[name].strip()
    if name in ROUNDED:
        assert decimals(printed) == pytest.approx(decimals(expected), abs=ROUNDED[name])
        printed, expected = (re.sub(r"\d+\.\d+", "", text) for text in (printed, expected))
    assert printed == expected


def test_every_example_is_on_the_page() -> None:
    assert sorted(SHOWN) == [path.stem for path in EXAMPLES] and len(SHOWN) == 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_how_to_run_it(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGEST
    assert any(line.strip().startswith(f"python examples/{path.name}") for line in lines)
