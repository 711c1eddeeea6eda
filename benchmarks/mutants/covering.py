"""Which tests run which line: one run of the tests with coverage, and the choice of tests for a mutant."""

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
"""What the tests chosen for one mutant may take together, by their durations in the coverage run."""
QUICK = 0.5
"""Seconds under which a test is tried before others that may be likelier to notice."""
SETTINGS = """[run]
data_file = {folder}/coverage
parallel = true
source = {source}
context = ${{{context}-}}
disable_warnings = no-data-collected, module-not-imported
"""


@dataclass(frozen=True)
class Covering:
    """lines: tests by file and line, as places in `tests`. seconds: how long each took. mentions: where words stand,
    in the code and in the tests, as file and line. there: the tests that were not removed since; None: all."""

    tests: list[str]
    seconds: list[float]
    lines: dict[str, dict[int, list[int]]]
    mentions: dict[str, set[tuple[str, int]]]
    there: frozenset[int] | None = None

    def chosen(self, mutant: Mutant, budget: float = SECONDS) -> list[str]:
        """The tests for a mutant, the likeliest first: those that run its line, before all those in the files of tests
        that are named after its file or its folder.

        What runs at import is run by nobody in particular, and by every test that starts a process. Then they are, in
        this order, the tests of other lines that mention what it defines, tests in files that do, those of the line,
        those of the whole file.

        Args:
            budget: Seconds that they may take together.
        """
        itself = self.lines.get(mutant.file, {}).get(mutant.line, [])
        groups = [itself]
        if mutant.targets or not itself:
            mentioned = {place for name in mutant.targets for place in self.mentions.get(name, ())}
            places = sorted(mentioned - {(mutant.file, mutant.line)})
            files = {file for file, _ in places}
            groups = [
                [test for file, line in places for test in self.lines.get(file, {}).get(line, [])],
                [number for number, test in enumerate(self.tests) if test.split("::")[0] in files],
                itself,
                [test for tests in self.lines.get(mutant.file, {}).values() for test in tests],
            ]
        ordered = list(dict.fromkeys(test for group in groups for test in self._quickest(group)))
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

    def _quickest(self, tests: list[int]) -> list[int]:
        """Some quick ones of every file, the other quick ones, the slow ones."""
        by_file: defaultdict[str, list[int]] = defaultdict(list)
        ordered = sorted(set(tests), key=lambda test: self.seconds[test])
        quick = [test for test in ordered if self.seconds[test] < QUICK]
        for test in quick:
            by_file[self.tests[test].split("::")[0]].append(test)
        # A file of many tests of the line is likelier to be about it than one that happens to run it.
        groups = sorted(by_file.values(), key=len, reverse=True)
        return [*(test for group in groups for test in group[:3]), *quick, *ordered]

    @property
    def files(self) -> list[str]:
        """The files that the tests are in."""
        kept = range(len(self.tests)) if self.there is None else self.there
        return sorted({self.tests[number].split("::")[0] for number in kept})

    def duration(self, tests: list[str]) -> float:
        """What tests took in the coverage run."""
        seconds = dict(zip(self.tests, self.seconds, strict=True))
        return sum(seconds[test] for test in tests)


def cover(root: Path, work: Path, scope: list[str], tests: list[str], *, anew: bool) -> None:
    """Run some tests with coverage; writes covering.json. Failing tests are left out of everything after.

    Args:
        anew: Forget what was measured before; else these tests are added, or measured again.
    """
    known = None if anew else read_covering(root, work)
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
    _write(tree, work, scope, json.loads(durations.read_text()), known)


def _write(
    tree: Path, work: Path, scope: list[str], durations: dict[str, float], known: Covering | None = None
) -> None:
    from coverage import CoverageData
    from coverage.exceptions import CoverageException

    data = CoverageData(basename=str(work / "combined"), no_disk=True)
    for part in sorted(work.glob("coverage.*")):
        piece = CoverageData(basename=str(part))
        with contextlib.suppress(CoverageException):  # torn: some tests kill processes
            piece.read()
            data.update(piece)
    if known is not None:
        durations = {**dict(zip(known.tests, known.seconds, strict=True)), **durations}
    tests = sorted(durations)
    number = {test: place for place, test in enumerate(tests)}
    by_file: defaultdict[str, list[int]] = defaultdict(list)
    for test, place in number.items():
        by_file[test.split("::")[0]].append(place)
    before = {} if known is None else known.lines
    lines: dict[str, dict[int, list[int]]] = {}
    for file in scope:
        contexts = data.contexts_by_lineno(str(tree / file))
        lines[file] = {}
        earlier = before.get(file, {})
        for line in {*contexts, *earlier}:
            names = contexts.get(line, [])
            covered = {number[known.tests[test]] for test in earlier.get(line, ())} if known is not None else set()
            covered.update(number[name] for name in names if name in number)
            covered.update(place for name in names for place in by_file.get(name, ()))  # shared fixtures
            if covered:
                lines[file][line] = sorted(covered)
    content = {"tests": tests, "seconds": [durations[test] for test in tests], "lines": lines}
    (work / "covering.json").write_text(json.dumps(content))


def read_covering(root: Path, work: Path) -> Covering:
    """The coverage run of before, of the lines that files have now and the tests that are there now.

    Lines of `root` that were changed since they were measured are as those that run at import.
    """
    tree = work / "tree-0"
    content = json.loads((work / "covering.json").read_text())
    texts = {file: _text(root / file) for file in {test.split("::")[0] for test in content["tests"]}}
    # pytest ends with an error where it is given a test that is gone, and every mutant would count as killed.
    there = {number for number, test in enumerate(content["tests"]) if _name(test) in texts[test.split("::")[0]]}
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


def _name(test: str) -> str:
    """How the function of a test stands in its file: `def test_it(` of `tests/test_a.py::test_it[case]`."""
    return f"def {test.rpartition('::')[2].partition('[')[0]}("
