"""The public names: `import homie` has them, and the docs need no others."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import homie
import homie.testing
from homie.bench.keywords import BenchKeywords
from homie.bench.options import BenchOptions
from homie.kernel.errors import BadInput

ROOT = Path(__file__).parent.parent
OURS = ("homie", "planners", "skills", "perception", "error_detection", "ros_bridge", "suites", "benchmarks")
PAGES = [ROOT / "README.md", ROOT / "PACKAGE.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "examples").rglob("*.ipynb"))]


def imports(source: str) -> Iterator[str]:
    """The full names that Python code imports from Homie, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] in OURS)


def deep(source: str) -> list[str]:
    """Those that are neither public nor of the kits for tests."""
    public = {"homie", "homie.testing"}
    public |= {f"{module.__name__}.{name}" for module in (homie, homie.testing) for name in module.__all__}
    return [name for name in imports(source) if name not in public]


def python_of(page: Path) -> list[str]:
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    if page.suffix == ".py":
        return [page.read_text(encoding="utf-8")]
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_docs_and_examples_import_public_names_only(page: Path) -> None:
    assert [name for source in python_of(page) for name in deep(source)] == []


def test_deep_imports_are_seen() -> None:
    source = "import homie\nfrom homie import Planner, Nothing\ndef f():\n    from homie.kernel.types import END"
    assert deep(source) == ["homie.Nothing", "homie.kernel.types.END"]
    assert deep("import homie.testing, suites.vigil, homie.gym") == ["suites.vigil", "homie.gym"]
    assert deep("from homie.testing import check_planner, named") == ["homie.testing.named"]


@pytest.mark.parametrize("name", homie.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(homie, name)
    assert name in dir(homie) and getattr(homie, name) is value
    if inspect.isroutine(value) or inspect.isclass(value):
        assert inspect.getdoc(value), name


def test_every_public_name_is_in_the_reference() -> None:
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    documented = set(re.findall(r"^::: (\S+)", pages, re.MULTILINE)) - {"homie"}
    missing = []
    for name in set(homie.__all__) - {"__version__", "bench", "open", "run"}:
        module, attribute = homie._SOURCES[name]
        value = getattr(homie, name)
        modules = {module, getattr(value, "__module__", module)}
        if not documented & {
            place for there in modules for place in (there, there.rpartition(".")[0], f"{there}.{attribute}")
        }:
            missing.append(name)
    for name in set(homie.testing.__all__) - {"ChatMessages", "episodes"}:
        if not any(place.startswith("homie.testing.") and place.endswith(f".{name}") for place in documented):
            missing.append(name)
    assert sorted(missing) == []


def test_every_place_of_the_reference_is_there() -> None:
    for page in (ROOT / "docs/reference").glob("*.md"):
        for place in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert pkgutil.resolve_name(place) is not None


def test_editors_and_type_checkers_see_the_names_that_are_there() -> None:
    """The imports for type checkers, `__all__` and the table of lazy imports say the same."""
    tree = ast.parse((ROOT / "homie/__init__.py").read_text(encoding="utf-8"))
    checked = {
        alias.asname or alias.name: (node.module, alias.name)
        for branch in tree.body
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in branch.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("homie.")
        for alias in node.names
        if not alias.name.endswith("Keywords")
    }
    assert set(checked) | {"__version__", "bench", "open", "run"} == set(homie.__all__)
    assert len(homie.__all__) == len(set(homie.__all__))
    for name, (module, attribute) in checked.items():
        assert getattr(importlib.import_module(str(module)), attribute) is getattr(homie, name)


def test_a_name_that_is_not_public() -> None:
    with pytest.raises(AttributeError, match="module 'homie' has no attribute 'Plannner'"):
        _ = homie.Plannner  # type: ignore[attr-defined]


@pytest.mark.parametrize("before", ["", "import homie.bench.options", "from homie import BenchOptions"])
def test_a_bench_can_be_called_whatever_was_imported_before(before: str) -> None:
    imported = f"{before}\nfrom homie import bench\nimport homie\nassert bench is homie.bench\n"
    called = "try: homie.bench('no-suite')\nexcept homie.BadInput as error: print(error)"
    completed = subprocess.run([sys.executable, "-c", imported + called], capture_output=True, text=True)
    assert completed.returncode == 0 and "no-suite" in completed.stdout, completed.stderr


def test_the_keywords_of_a_bench_are_its_options() -> None:
    assert BenchKeywords.__optional_keys__ == set(BenchOptions.model_fields) - {"suite", "sweep"}


def test_a_bench_says_what_its_workers_cannot_make() -> None:
    class Mine(homie.Planner):
        name = "mine"

    with pytest.raises(BadInput, match=r'cannot make test_public\..*Mine: put .* into a module.*"my_module:'):
        homie.bench("homie-100", planner=Mine)


def test_a_bench_is_played(tmp_path: Path) -> None:
    suite = ROOT / "examples/suites/first-six.yaml"
    summary = homie.bench(
        *(suite,), tasks="orange-to-desk", planner="expert", trials=1, skills="ideal", out=tmp_path / "run", workers=1
    )
    assert isinstance(summary, homie.BenchSummary) and summary.successes == summary.episodes == 1
    assert [line.task for line in summary.lines] == ["orange-to-desk"]
    assert homie.load_run(tmp_path / "run").suite.name == "first-six"


def test_a_script_whose_workers_would_start_the_bench_again_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    suite = ROOT / "examples/suites/first-six.yaml"
    call = f"homie.bench({str(suite)!r}, tasks='orange-to-desk', skills='ideal', workers=1, out='run')"
    script.write_text(f"import homie\ntry: {call}\nexcept homie.BadInput as error: print(error)")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    completed = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert 'do so under `if __name__ == "__main__":`' in completed.stdout, completed.stderr
    assert not (tmp_path / "run").exists()


PATHS = {
    "compare": lambda path: homie.compare([path]),
    "episode_folders": homie.episode_folders,
    "list_takes": homie.list_takes,
    "load_run": homie.load_run,
    "load_runs": lambda path: homie.load_runs([path]),
    "read_bench": homie.read_bench,
    "read_episode": homie.read_episode,
    "read_parts": lambda path: homie.read_parts(path, "0" * 64),
    "read_recording": homie.read_recording,
    "read_run": homie.read_run,
    "read_steps": homie.read_steps,
    "read_suite": homie.read_suite,
}


@pytest.mark.parametrize("name", PATHS)
def test_folders_and_files_may_be_texts(name: str, tmp_path: Path) -> None:
    def outcome(path: str | Path) -> object:
        try:
            return PATHS[name](path)  # type: ignore[no-untyped-call]
        except BadInput as error:
            return str(error)

    place = tmp_path / "run"
    place.mkdir()
    assert outcome(str(place)) == outcome(place)


def test_one_folder_in_the_place_of_several() -> None:
    with pytest.raises(BadInput, match=r"Give run folders as a list, as in \['runs/rule'\]"):
        homie.load_runs("runs/rule")
