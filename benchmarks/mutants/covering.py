"""Record which tests run which line in one run with coverage, and select the tests for a mutant."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from benchmarks.mutants.mutations import Mutant
from benchmarks.mutants.plugin import CONTEXT
from benchmarks.mutants.trees import make_tree, tree_environment

SECONDS = 20.0
"""Time budget (s) of the tests for one mutant, by their durations in the coverage run."""
QUICK = 0.5
"""Duration (s) below which a test runs before others that are more likely to detect the mutant."""
SETTINGS = """[run]
data_file = {folder}/coverage
parallel = true
source = {source}
context = ${{{context}-}}
disable_warnings = no-data-collected, module-not-imported
"""


@dataclass(frozen=True)
class Covering:
    """lines: indices into `tests` by file and line. seconds: duration of each test. mentions: occurrences of words in
    code and tests, as file and line. there: indices of the tests that still exist; None for all."""

    tests: list[str]
    seconds: list[float]
    lines: dict[str, dict[int, list[int]]]
    mentions: dict[str, set[tuple[str, int]]]
    there: frozenset[int] | None = None

    def chosen(self, mutant: Mutant, budget: float = SECONDS) -> list[str]:
        """Select the tests for a mutant, the most likely to detect it first: those that run its line, and first among
        them those in test files named after its file or its folder.

        Lines that run at import cannot be attributed to a test: every test that starts a process runs them. The order
        is then: tests of other lines that mention the names that the line defines, tests in files that mention them,
        tests of the line, tests of the whole file.

        Args:
            budget: Total duration of the tests (s).
        """
        own_tests = self.lines.get(mutant.file, {}).get(mutant.line, [])
        groups = [own_tests]
        if mutant.targets or not own_tests:
            mentioned = {place for name in mutant.targets for place in self.mentions.get(name, ())}
            places = sorted(mentioned - {(mutant.file, mutant.line)})
            files = {file for file, _ in places}
            groups = [
                [test for file, line in places for test in self.lines.get(file, {}).get(line, [])],
                [number for number, test in enumerate(self.tests) if test.split("::")[0] in files],
                own_tests,
                [test for tests in self.lines.get(mutant.file, {}).values() for test in tests],
            ]
        ordered = list(dict.fromkeys(test for group in groups for test in self._order_by_duration(group)))
        ordered = [test for test in ordered if self.there is None or test in self.there]
        path = Path(mutant.file)
        namesakes = (f"test_{path.stem}", f"test_{path.parent.name}")
        ordered.sort(key=lambda test: Path(self.tests[test].split("::")[0]).stem not in namesakes)
        spent, kept = 0.0, []
        for test in ordered:
            if spent + self.seconds[test] <= budget or not kept:
                kept.append(self.tests[test])
                spent += self.seconds[test]
        return kept

    def _order_by_duration(self, tests: list[int]) -> list[int]:
        """Order tests: a few quick ones of every file, the other quick ones, the slow ones."""
        by_file: defaultdict[str, list[int]] = defaultdict(list)
        ordered = sorted(set(tests), key=lambda test: self.seconds[test])
        quick = [test for test in ordered if self.seconds[test] < QUICK]
        for test in quick:
            by_file[self.tests[test].split("::")[0]].append(test)
        # A test file with many tests that run the line is more likely to be about it than one that happens to run it.
        groups = sorted(by_file.values(), key=len, reverse=True)
        return [*(test for group in groups for test in group[:3]), *quick, *ordered]

    @property
    def files(self) -> list[str]:
        """Files of the tests that still exist."""
        kept = range(len(self.tests)) if self.there is None else self.there
        return sorted({self.tests[number].split("::")[0] for number in kept})

    def duration(self, tests: list[str]) -> float:
        """Return the total duration (s) of tests in the coverage run."""
        seconds = dict(zip(self.tests, self.seconds, strict=True))
        return sum(seconds[test] for test in tests)


def cover(root: Path, work: Path, scope: list[str], tests: list[str], *, anew: bool) -> None:
    """Run tests with coverage and write covering.json. Failing tests are excluded from then on.

    Args:
        anew: Discard earlier measurements; else these tests are added, or measured again.
    """
    previous = None if anew else read_covering(root, work)
    tree = work / "tree-0"
    python = make_tree(root, tree)
    for old in work.glob("coverage*"):
        old.unlink()
    settings, durations = work / "coveragerc", work / "durations.json"
    source = ",".join(sorted({str(tree / file.split("/")[0]) for file in scope}))
    settings.write_text(SETTINGS.format(folder=work, source=source, context=CONTEXT))
    environment = {
        **tree_environment(tree),
        "COVERAGE_PROCESS_START": str(settings),
        "MUTANTS_DURATIONS": str(durations),
    }
    command = [python, "-m", "pytest", "-p", "benchmarks.mutants.plugin", "-p", "no:cacheprovider", "-q", *tests]
    subprocess.run(command, cwd=tree, env=environment, check=False)
    _write(tree, work, scope, json.loads(durations.read_text()), previous)


def _write(
    tree: Path, work: Path, scope: list[str], durations: dict[str, float], previous: Covering | None = None
) -> None:
    from coverage import CoverageData
    from coverage.exceptions import CoverageException

    data = CoverageData(basename=str(work / "combined"), no_disk=True)
    for part in sorted(work.glob("coverage.*")):
        piece = CoverageData(basename=str(part))
        with contextlib.suppress(CoverageException):  # incomplete file: some tests kill processes
            piece.read()
            data.update(piece)
    if previous is not None:
        durations = {**dict(zip(previous.tests, previous.seconds, strict=True)), **durations}
    tests = sorted(durations)
    number = {test: place for place, test in enumerate(tests)}
    by_file: defaultdict[str, list[int]] = defaultdict(list)
    for test, place in number.items():
        by_file[test.split("::")[0]].append(place)
    before = {} if previous is None else previous.lines
    lines: dict[str, dict[int, list[int]]] = {}
    for file in scope:
        contexts = data.contexts_by_lineno(str(tree / file))
        lines[file] = {}
        earlier = before.get(file, {})
        for line in {*contexts, *earlier}:
            names = contexts.get(line, [])
            covered = (
                {number[previous.tests[test]] for test in earlier.get(line, ())} if previous is not None else set()
            )
            covered.update(number[name] for name in names if name in number)
            covered.update(place for name in names for place in by_file.get(name, ()))  # shared fixtures
            if covered:
                lines[file][line] = sorted(covered)
    content = {"tests": tests, "seconds": [durations[test] for test in tests], "lines": lines}
    (work / "covering.json").write_text(json.dumps(content))


def read_covering(root: Path, work: Path) -> Covering:
    """Read the last coverage run, mapped to the current lines of the files and the tests that still exist.

    Lines of `root` that have changed since count as lines that run at import.
    """
    tree = work / "tree-0"
    content = json.loads((work / "covering.json").read_text())
    texts = {file: _text(root / file) for file in {test.split("::")[0] for test in content["tests"]}}
    # pytest fails if a requested test no longer exists, and every mutant would count as killed.
    there = {number for number, test in enumerate(content["tests"]) if _definition(test) in texts[test.split("::")[0]]}
    lines: dict[str, dict[int, list[int]]] = {}
    mentions: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for file, measured in content["lines"].items():
        if not (root / file).exists():
            continue
        before, now = ((folder / file).read_text().splitlines() for folder in (tree, root))
        lines[file] = {}
        for block in SequenceMatcher(a=before, b=now, autojunk=False).get_matching_blocks():
            for step in range(block.size):
                if tests := [test for test in measured.get(str(block.a + step + 1), ()) if test in there]:
                    lines[file][block.b + step + 1] = tests
        for number, text in enumerate(now, 1):
            for word in re.findall(r"[A-Za-z_]\w*", text):
                mentions[word].add((file, number))
    for file, text in texts.items():
        for word in set(re.findall(r"[A-Za-z_]\w*", text)):
            mentions[word].add((file, 0))
    return Covering(content["tests"], content["seconds"], lines, dict(mentions), frozenset(there))


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _definition(test: str) -> str:
    """Return the source text that defines a test: `def test_it(` for `tests/test_a.py::test_it[case]`."""
    return f"def {test.rpartition('::')[2].partition('[')[0]}("
