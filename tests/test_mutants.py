"""`make mutants` changes what it says, one thing at a time, and chooses the tests that run the line."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import yaml

from benchmarks.mutants.areas import AREAS
from benchmarks.mutants.covering import SECONDS, Covering, read_covering
from benchmarks.mutants.mutations import mutants
from benchmarks.mutants.report import EQUIVALENT, write_report

ROOT = Path(__file__).parents[1]
SOURCE = '''
"""A sentence."""
from typing import Literal
log = logging.getLogger("homie")
LIMIT = 3
def f(a: int | None = 2, *, b: Literal["x"] = "x") -> int | None:
    """A docstring."""
    if not a and b in ("left", "a sentence of words"):
        raise ValueError(f"{a + 1} is wrong")
    self.known = max(a, b)
    total = 0
    for each in a:
        total += each
    pairs = zip(a, b, strict=True)
    assert total > 1
    log.info('%s', total + 1)
    return total * 2 if a >= LIMIT else g(a, b)
'''


def changes(source: str) -> list[str]:
    return [mutant.name.rpartition(" | ")[2] for mutant in mutants("file.py", source.encode())]


def test_every_kind_of_change_and_nothing_else() -> None:
    assert changes(SOURCE) == [
        "3 -> 4",
        "2 -> 3",
        "\"x\" -> 'XXx'",
        "not a -> (a)",
        "and -> or",
        "in -> not in",
        "\"left\" -> 'XXleft'",
        'raise ValueError(f"{a + 1} is wrong") -> pass',
        "self.known = max(a, b) -> pass",
        "max -> min",
        "0 -> 1",
        "+= -> -=",
        "a, b -> b, a",
        "return total * 2 if a >= LIMIT else g(a, b) -> return None",
        "* -> /",
        "2 -> 3",
        ">= -> >",
        "a, b -> b, a",
    ]


@pytest.mark.parametrize(
    "file", ["homie/kernel/executor.py", "homie/kernel/types/geometry.py", "error_detection/logical.py"]
)
def test_mutants_of_real_files_are_programs_that_differ_in_one_place(file: str) -> None:
    source = (ROOT / file).read_bytes()
    all_of_them = mutants(file, source)
    assert len({mutant.name for mutant in all_of_them}) == len(all_of_them) > 50
    before = ast.dump(ast.parse(source))
    for mutant in all_of_them:
        changed = mutant.apply(source)
        assert ast.dump(ast.parse(changed)) != before, mutant.name
        assert changed.startswith(source[: mutant.start]) and changed.endswith(source[mutant.end :])


def test_a_constant_is_tested_where_it_is_used() -> None:
    (limit, *_, inside) = mutants("file.py", SOURCE.encode())
    covering = Covering(
        tests=["a.py::slow", "a.py::quick", "b.py::other", "c.py::imports_it"],
        seconds=[0.9 * SECONDS, 0.2 * SECONDS, 0.1 * SECONDS, 0.05 * SECONDS],
        lines={"file.py": {5: [3], 17: [0, 1], 8: [2]}},
        mentions={"LIMIT": {("file.py", 5), ("file.py", 17)}},
    )
    assert (limit.line, limit.targets, inside.line) == (5, ("LIMIT",), 17)
    assert covering.chosen(inside) == ["a.py::quick"], "the slow one does not fit beside it"
    assert covering.chosen(limit) == ["a.py::quick", "c.py::imports_it", "b.py::other"]


def test_a_test_that_was_removed_is_not_asked_any_more(tmp_path: Path) -> None:
    """pytest would end with an error, and every mutant of the line would count as killed."""
    (tmp_path / "tree-0").mkdir()
    for folder in (tmp_path, tmp_path / "tree-0"):
        (folder / "file.py").write_text("def f():\n    return 3 + 4\n")
    (tmp_path / "test_a.py").write_text("def test_it(case):\n    pass\n")
    tests = ["test_a.py::test_it[one]", "test_a.py::test_gone", "test_b.py::test_it"]
    content = {"tests": tests, "seconds": [0.1] * 3, "lines": {"file.py": {"2": [0, 1, 2]}}}
    (tmp_path / "covering.json").write_text(json.dumps(content))
    covering = read_covering(tmp_path, tmp_path)
    (mutant, *_) = mutants("file.py", (tmp_path / "file.py").read_bytes())
    assert covering.chosen(mutant) == ["test_a.py::test_it[one]"] and covering.files == ["test_a.py"]


def test_what_gives_the_same_in_either_order_is_left_as_it_is() -> None:
    """np.clip(x, low, high) is the least of high and the greatest of x and low."""
    assert changes("x = np.clip(low, high, 1)\ny = isinstance(x, y)\nz = f(x, y)") == ["1 -> 2", "x, y -> y, x"]


def test_the_tests_that_are_named_after_a_file_or_its_folder_come_first() -> None:
    (limit, *_) = mutants("homie/store/models.py", b"def f():\n    return 3 + 4\n")
    covering = Covering(
        tests=["tests/test_agent.py::a", "tests/test_store.py::b", "tests/x/test_models.py::c"],
        seconds=[0.01, 0.02, 0.03],
        lines={"homie/store/models.py": {2: [0, 1, 2]}},
        mentions={},
    )
    assert covering.chosen(limit) == ["tests/test_store.py::b", "tests/x/test_models.py::c", "tests/test_agent.py::a"]


def test_every_file_of_the_kernel_the_runtime_error_detection_and_the_bench_is_in_scope() -> None:
    rooms = [ROOT / name for name in ("homie/kernel", "homie/runtime", "homie/bench", "error_detection")]
    assert set(AREAS["core"].scope(ROOT)) == {
        str(path.relative_to(ROOT)) for room in rooms for path in room.rglob("*.py")
    }


@pytest.mark.parametrize(
    ("area", "folders"),
    [
        ("guard", ["ros_bridge/guard"]),
        ("data", ["homie/data"]),
        ("classical", ["skills/classical", "skills/motion"]),
    ],
)
def test_an_area_has_every_file_of_its_folders_and_tests_of_its_own(area: str, folders: list[str]) -> None:
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert set(AREAS[area].scope(ROOT)) == {str(path.relative_to(ROOT)) for path in files}
    assert AREAS[area].tests != AREAS["core"].tests
    assert all((ROOT / tests).is_dir() for tests in AREAS[area].tests)


def test_only_some_files_of_an_area() -> None:
    files = AREAS["guard"].scope(ROOT, ["ros_bridge/guard/aim", "ros_bridge/guard/command_checks.py"])
    assert files == ["ros_bridge/guard/aiming.py", "ros_bridge/guard/command_checks.py"]


def test_the_report_counts_and_names(tmp_path: Path) -> None:
    tested = mutants("homie/file.py", SOURCE.encode())[:10]
    results = {mutant.name: {"status": "killed"} for mutant in tested}
    results[tested[3].name] = {"status": "survived"}
    results[tested[4].name] = {"status": "timeout"}
    head = write_report(tmp_path / "report.md", tested, results, 5, 100)
    assert head == "9 of 10 mutants killed (1 by a time limit): 90.0 % [59.6, 98.2], sample of 100 with seed 5"
    text = (tmp_path / "report.md").read_text()
    assert "| homie | 9 | 10 |" in text and "| homie/file.py | 9 | 10 |" in text
    assert text.count("- line") == 1 and tested[3].name in text


def test_equivalent_mutants_are_there_and_have_a_reason() -> None:
    for group in yaml.safe_load(EQUIVALENT.read_text()) or []:
        assert len(group["reason"].split()) > 3
        for name in group["mutants"]:
            file = name.split(" | ")[0]
            assert name in {mutant.name for mutant in mutants(file, (ROOT / file).read_bytes())}, name
