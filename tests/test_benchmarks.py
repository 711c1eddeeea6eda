"""The programs in benchmarks/ and the makers of suites are run by hand and seldom: each of them still fits the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORTED = """
import importlib, sys, traceback
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception:
        print(name, traceback.format_exc(limit=-1))
"""


def test_every_benchmark_can_be_imported():
    folders = (ROOT / "benchmarks", ROOT / "suites/authoring", ROOT / "suites/tables")
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    assert len(names) > 50
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *names], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]
