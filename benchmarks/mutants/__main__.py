"""`make mutants`: mutation testing, which measures how many small changes of the code the tests detect.

    python -m benchmarks.mutants                    400 mutants sampled with seed 4; resumes a stopped run
    python -m benchmarks.mutants --area guard       another area, with its own tests and its own coverage run
    python -m benchmarks.mutants --sample 100 --seed 7 --only homie/kernel/executor.py
    python -m benchmarks.mutants --again            rerun survivors, after tests were added
    python -m benchmarks.mutants --again --seconds 120      the same, with up to two minutes of tests per mutant
    python -m benchmarks.mutants --cover tests/test_agent.py    measure tests that are new or run other lines now
    python -m benchmarks.mutants --cover            measure again which tests run which lines

All files are in build/mutants/AREA: copies of the tree, covering.json, results-SEED.jsonl, report-SEED.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Queue

from benchmarks.mutants.areas import AREAS, Area
from benchmarks.mutants.covering import SECONDS, Covering, cover, read_covering
from benchmarks.mutants.mutations import Mutant, mutants
from benchmarks.mutants.report import equivalent, write_report
from benchmarks.mutants.trees import make_tree, tree_environment

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
FIRST = 30
"""Maximum number of tests that run before all others."""
UNKNOWN = "exit status 4"
"""Result of pytest if a requested test does not exist."""


class Worker:
    """Process with preloaded packages in one copy of the tree."""

    def __init__(self, work: Path, number: int, files: list[str]) -> None:
        """work: folder of the area. files: all test files."""
        self.tree = work / f"tree-{number}"
        python, pipe = make_tree(ROOT, self.tree), subprocess.PIPE
        command = [python, "-m", "benchmarks.mutants.worker", *files]
        environment = tree_environment(self.tree)
        self._process = subprocess.Popen(command, cwd=self.tree, env=environment, stdin=pipe, stdout=pipe, text=True)

    def failing(self, tests: list[str]) -> str:
        """Return the first test that fails on the unmutated code, "" if none does."""
        return str(self._ask(tests, 1e3)["by"]) if tests else ""

    def run(self, mutant: Mutant, tests: list[str], seconds: float) -> dict[str, object]:
        """Test one mutant.

        Args:
            seconds: Duration of its tests on the unmutated code.
        """
        path = self.tree / mutant.file
        first_files = list(dict.fromkeys(test.split("::")[0] for test in tests))[:2]  # collection takes longest
        source, times = path.read_bytes(), path.stat()
        try:
            path.write_bytes(mutant.apply(source))
            first = [test for test in tests if test.split("::")[0] in first_files][:FIRST]
            answer = self._ask(first, seconds)
            if answer["status"] == "survived" and len(first) < len(tests):
                answer = self._ask(tests, seconds)
            if answer["by"] == UNKNOWN:  # the mutant changed test names: run all tests of their files
                answer = self._ask(sorted({test.split("::")[0] for test in tests}), 5 * seconds)
            return answer
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _ask(self, tests: list[str], seconds: float) -> dict[str, object]:
        assert self._process.stdin is not None and self._process.stdout is not None
        # Generous: tests that are slow because the machine is busy must not count as killed.
        request = {"tests": tests, "cpu_seconds": 30 + 5 * seconds, "wall_seconds": 120 + 12 * seconds}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer: dict[str, object] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", choices=AREAS, default="core", help="which part of the code")
    parser.add_argument("--sample", type=int, default=400, help="how many mutants, 0 for all")
    parser.add_argument("--seed", type=int, default=4, help="of the sample")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after; the same command goes on")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of file names")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="what the tests of one mutant may take")
    parser.add_argument("--again", action="store_true", help="run those that survived once more")
    parser.add_argument("--cover", nargs="*", metavar="TESTS", help="measure all tests anew, or these in addition")
    arguments = parser.parse_args()
    area, work = AREAS[arguments.area], WORK / arguments.area
    covering = measure_covering(area, work, arguments.cover)
    files = area.scope(ROOT, arguments.only)
    all_mutants = [mutant for file in files for mutant in mutants(file, (ROOT / file).read_bytes())]
    population = [mutant for mutant in all_mutants if mutant.name not in equivalent()]
    order = random.Random(arguments.seed).sample(population, len(population))
    sample = order[: arguments.sample or None]
    results = work / f"results-{arguments.seed}.jsonl"
    results_by_name = read_results(results)
    remaining = [
        mutant
        for mutant in sample
        if mutant.name not in results_by_name
        or (arguments.again and results_by_name[mutant.name]["status"] == "survived")
    ]
    run_all(remaining, covering, results, work, arguments)
    results_by_name = read_results(results)
    tested = [mutant for mutant in sample if mutant.name in results_by_name]
    print(write_report(work / f"report-{arguments.seed}.md", tested, results_by_name, arguments.seed, len(population)))
    if len(tested) < len(sample):
        print(f"{len(sample) - len(tested)} of {len(sample)} are left: run the same command again.")


def measure_covering(area: Area, work: Path, again: list[str] | None) -> Covering:
    """Return which tests of an area run which line; measures it in the first run, and on request.

    Args:
        again: Tests to measure in addition; empty to measure all tests of the area again.
    """
    work.mkdir(parents=True, exist_ok=True)
    anew = again == [] or not (work / "covering.json").exists()
    if anew or again:
        cover(ROOT, work, area.scope(ROOT), [*(again or area.tests), "-m", area.marks], anew=anew)
    return read_covering(ROOT, work)


def read_results(path: Path) -> dict[str, dict[str, object]]:
    """Read the latest result of every mutant."""
    if not path.exists():
        return {}
    lines = path.read_text().split("\n")
    return {result["name"]: result for line in lines if line.endswith("}") for result in [json.loads(line)]}


def run_all(
    remaining: list[Mutant], covering: Covering, results: Path, work: Path, arguments: argparse.Namespace
) -> None:
    """Run mutants on parallel workers and append their results to a file."""
    count = arguments.workers
    if not remaining:
        return
    deadline = time.monotonic() + 60 * arguments.minutes
    idle: Queue[Worker] = Queue()
    for number in range(1, count + 1):
        idle.put(Worker(work, number, covering.files))

    def test(mutant: Mutant) -> dict[str, object] | None:
        if time.monotonic() > deadline:
            return None
        tests = covering.chosen(mutant, arguments.seconds)
        if not tests:
            return {"name": mutant.name, "status": "survived", "by": "no test runs it", "seconds": 0.0}
        worker = idle.get()
        try:
            return {"name": mutant.name, **worker.run(mutant, tests, covering.duration(tests)), "tests": len(tests)}
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(count) as pool, results.open("a") as file:
        tries = [pool.submit(test, mutant) for mutant in remaining]
        for number, result in enumerate((each.result() for each in as_completed(tries)), 1):
            if result is None:
                continue
            print(json.dumps(result), file=file, flush=True)
            if result["status"] != "killed":
                print(f"{number}/{len(remaining)} {result['status']}: {result['name']}", flush=True)
        confirm(results, idle.queue[0], covering)
    while not idle.empty():
        idle.get().close()


def confirm(results: Path, worker: Worker, covering: Covering) -> None:
    """Mark mutants as survived if the test that killed them fails on the unmutated code, too."""
    by_test: dict[str, list[str]] = {}
    for name, result in read_results(results).items():
        if result["status"] == "killed" and str(result["by"]) in covering.tests:
            by_test.setdefault(str(result["by"]), []).append(name)
    while (broken := worker.failing(list(by_test))) in by_test:
        with results.open("a") as file:
            for name in by_test.pop(broken):
                correction = {"name": name, "status": "survived", "by": f"{broken} fails without it", "seconds": 0.0}
                print(json.dumps(correction), file=file)


if __name__ == "__main__":
    main()
