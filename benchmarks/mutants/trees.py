"""Make copies of the working tree in which files are mutated, each with a Python environment that imports from it.

Tests start real processes, so a mutant must be in a file that these import too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

STARTUP = "import os; os.environ.get('COVERAGE_PROCESS_START') and __import__('coverage').process_startup()\n"
"""Code that every Python process of a copy runs at startup, so that processes started by tests are measured too."""


def make_tree(source: Path, tree: Path) -> Path:
    """Copy tracked and unignored files, or update an existing copy, and make its environment. Returns its Python."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source,
        capture_output=True,
        check=True,
    ).stdout.decode()
    names = {name for name in listed.split("\0") if name and (source / name).is_file()}
    for old in [path for path in tree.rglob("*") if path.is_file() and ".venv" not in path.parts]:
        if old.suffix != ".pyc" and str(old.relative_to(tree)) not in names:
            old.unlink()
    for name in names:
        target = tree / name
        if not target.exists() or target.stat().st_mtime_ns != (source / name).stat().st_mtime_ns:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target)
    environment = tree / ".venv"
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    packages = next((environment / "lib").glob("python*/site-packages"))
    outer = [entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))]
    (packages / "tree.pth").write_text("\n".join([str(tree), *outer, STARTUP]))
    # Compiled here: mutated files are never compiled to disk, or a mutant could remain in __pycache__.
    subprocess.run([python, "-m", "compileall", "-q", "-x", r"\.venv", "."], cwd=tree, check=False)
    return python


def tree_environment(tree: Path) -> dict[str, str]:
    """Return the environment variables of processes in a copy."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COVERAGE"))}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONDONTWRITEBYTECODE": "1", "MUTANTS_TREE": str(tree), "VIRTUAL_ENV": ""}
