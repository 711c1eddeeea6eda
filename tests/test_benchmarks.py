"""The programs in benchmarks/ and the makers of suites are run by hand and seldom: each of them still fits the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.speed.section import write_section

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
    completed = subprocess.run(
        [sys.executable, "-c", IMPORTED, *names], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert (completed.returncode, completed.stdout) == (0, ""), completed.stderr[-2000:]


def test_a_section_of_a_page_is_replaced_and_the_rest_stays(tmp_path):
    page = tmp_path / "speed.md"
    page.write_text("# Speed\n\n<!-- make bench: begin -->\nold\n<!-- make bench: end -->\n\nend\n")
    write_section(page, "make bench", "new\n")
    assert page.read_text() == "# Speed\n\n<!-- make bench: begin -->\nnew\n<!-- make bench: end -->\n\nend\n"
    with pytest.raises(ValueError, match="no section 'policies'"):
        write_section(page, "policies", "new")
    write_section(tmp_path / "made.md", "policies", "new")
    assert (tmp_path / "made.md").read_text() == "<!-- policies: begin -->\nnew\n<!-- policies: end -->\n"
