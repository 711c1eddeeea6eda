"""Install third-party packages that Homie is tested against, from the Python package index or npm.

A package that the test environment lacks is installed once into its own folder in the user's cache, which comes last on
the import path. If no index is reachable, the tests are skipped with a message.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from homie.kernel.support.packages import OURS

PATIENCE = 600.0


def caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "homie" / "test-packages"


@functools.cache
def folder_of(module: str, *requirements: str, dependencies: bool = True) -> str:
    """Return the folder of a module that this environment lacks, "" if it has it. Skips the test if unavailable."""
    if _is_installed(module):
        return ""
    with _own_folder(module, sys.version, *requirements) as folder:
        _install(folder, requirements if dependencies else ("--no-deps", *requirements))
    return str(folder)


@functools.cache
def npm_folder(package: str) -> Path:
    """Return the folder with the files of an npm package, `NAME@VERSION`. Skips the test if it is unavailable."""
    if shutil.which("npm") is None:
        pytest.skip(f"{package} is a package of npm, which is not installed")
    with _own_folder(package.strip("@").replace("/", "-"), package) as folder:
        if not (folder / "installed").exists():
            _run(["npm", "pack", "--loglevel=error", "--pack-destination", str(folder), package], package)
            (packed,) = folder.glob("*.tgz")
            with tarfile.open(packed) as archive:
                archive.extractall(folder, filter="data")
            packed.unlink()
            (folder / "installed").touch()
    return folder / "package"


@contextlib.contextmanager
def _own_folder(name: str, *requirements: str) -> Iterator[Path]:
    """Lock and yield the folder of a package, so that no other test process writes to it."""
    folder = caches() / f"{name}-{hashlib.sha256('|'.join(requirements).encode()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _is_installed(module: str) -> bool:
    """Whether a module is installed in this environment, not merely importable because of an earlier `use`."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        return False
    places = [*(spec.submodule_search_locations or ()), spec.origin or ""]
    return not any(Path(place).is_relative_to(caches()) for place in places)


def _install(folder: Path, requirements: tuple[str, ...]) -> None:
    marker = folder / "installed"
    if not marker.exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(folder)]
        _run([*install, *requirements], " ".join(requirements))
        marker.touch()


def _run(command: list[str], name: str) -> None:
    """Run an installation command. Skips the test if it fails."""
    try:
        completed = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{name} could not be installed in {PATIENCE:g} s", allow_module_level=True)
    if completed.returncode:
        last_line = completed.stderr.strip().splitlines()[-1:]
        pytest.skip(f"{name} cannot be installed here: {last_line}", allow_module_level=True)


def use(module: str, *requirements: str, dependencies: bool = True) -> None:
    """Make a third-party module importable, here and in the processes started from here."""
    folder = folder_of(module, *requirements, dependencies=dependencies)
    if folder and folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    importlib.import_module(module)


def environment(module: str, *requirements: str) -> dict[str, str]:
    """Return environment variables for a process that can import a third-party module."""
    folder = folder_of(module, *requirements)
    root = str(Path(__file__).parents[1])
    places = [root, str(Path(root) / "tests" / "plugin"), *([folder] if folder else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


def installed_homie(folder: Path) -> Path:
    """Make a `site-packages` with Homie and its entry points, as if installed from a package index."""
    site, root = folder / "site-packages", Path(__file__).parents[1]
    about = site / "homie_robot-0.dist-info"
    about.mkdir(parents=True)
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: homie-robot\nVersion: 0\n")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in table.items())
        for group, table in groups.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    for name in OURS:
        (site / name).symlink_to(root / name)
    return site
