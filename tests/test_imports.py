"""Imports point at the kernel, and what is asked for first imports nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("planners", "skills", "perception", "error_detection", "ros_bridge")
KERNEL = (
    "actions",
    "agent",
    "errors",
    "executor",
    "files",
    "interfaces",
    "knowledge",
    "options",
    "packages",
    "recall",
    "registry",
    "safety",
    "types",
)
ON_TOP = (
    "homie.assembly",
    "homie.bench",
    "homie.cli",
    "homie.data",
    "homie.display",
    "homie.gym",
    "homie.live",
    "homie.session",
    "homie.studio",
    "homie.training",
)
MAY_IMPORT = {
    # names and colours are words; numbered boxes are one thing in list and picture; answers are kept in files;
    # all three describe their files by a SHA-256
    "planners": (
        "homie.types",
        "homie.knowledge",
        "homie.actions",
        "homie.checksums",
        "homie.interfaces",
        "homie.errors",
        "homie.files",
        "homie.packages",
        "homie.text",
        "perception.names",
        "perception.colours",
        "perception.boxes",
    ),
    # a policy that is served elsewhere is known by its name
    "skills": (
        "homie.types",
        "homie.checksums",
        "homie.interfaces",
        "homie.errors",
        "homie.packages",
        "homie.registry",
        "perception",
    ),
    "perception": (
        "homie.types",
        "homie.knowledge",
        "homie.recall",
        "homie.checksums",
        "homie.interfaces",
        "homie.errors",
        "homie.packages",
    ),
    "error_detection": ("homie.types", "homie.actions", "homie.interfaces", "homie.errors"),
    "ros_bridge": ("homie.types", "homie.interfaces", "homie.errors", "homie.safety", "homie.options"),
}
HEAVY = ("mujoco", "cv2", "av", "torch", "numpy", "pydantic", "PIL", "yaml")


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, at the top or inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_import_only_the_contracts(folder):
    ours = ("homie", *FOLDERS)
    allowed = (folder, *MAY_IMPORT[folder])
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(folder)
        for name in imported(path)
        if inside(name, ours) and not inside(name, allowed)
    ]
    assert wrong == []


def test_the_kernel_imports_no_folder():
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files("homie")
        for name in imported(path)
        if inside(name, FOLDERS)
    ]
    assert wrong == []


def test_the_core_of_the_kernel_imports_nothing_that_sits_on_it():
    above = (*ON_TOP, "homie.envs", "homie.runstore", "homie.video", "homie.caption")
    wrong = [
        f"{name} imports {one}" for name in KERNEL for one in imported(ROOT / f"homie/{name}.py") if inside(one, above)
    ]
    assert wrong == []


def test_environments_know_nothing_of_planners_and_runs():
    above = (*ON_TOP, "homie.agent", "homie.executor", "homie.runstore", "homie.video")
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files("homie/envs")
        for name in imported(path)
        if inside(name, above)
    ]
    assert wrong == []


def loaded_by(code: str) -> list[str]:
    """The heavy packages that a fresh Python has loaded after running some code."""
    probe = f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "code",
    [
        "import homie; homie.run; homie.__version__",
        "import homie.errors, homie.registry",
        "from homie.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from homie.cli.main import main\ntry: main(['--version'])\nexcept SystemExit: pass",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    assert loaded_by(code) == []


def test_the_probe_sees_what_is_heavy():
    assert loaded_by("import homie.types") == ["numpy"]
    assert "pydantic" in loaded_by("import homie; homie.RunOptions")


def test_the_registry_knows_only_what_exists():
    import importlib

    from homie.registry import BUILT_IN

    for kind, table in BUILT_IN.items():
        for name, target in table.items():
            module, _, attribute = target.partition(":")
            assert hasattr(importlib.import_module(module), attribute), f"{kind} {name}: {target}"
