"""Plays the suites of all protocols with one planner, by Homie's own commands, and writes one table.

    python -m suites.tables --planner expert --out runs/protocols-expert
    python -m suites.tables --planner chat --out runs/protocols-chat --share 5 --workers 2

expert plays what the suites give, rule the suites of EMMOE's actions (in homie-vigil `always` plays in its place, in
homie-questions `constant:A`: both look at nothing), random draws, and chat is Homie's chat planner with a scripted
endpoint that this program starts (suites/tables/endpoint.py).

OUT/SUITE/          run folders; the same command goes on where it was stopped, also after kill -9
OUT/SUITE.json      what the suite's command printed, and the seconds that it took, with those of stopped tries
OUT/table.md        the table, anew after each suite
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from homie.kernel.support.files import to_json, write_atomically
from suites.tables.endpoint import Script, SuiteEndpoint
from suites.tables.suites import PLANNERS, QUESTIONS, SUITES, write_truths
from suites.tables.table import head, lines, not_played, rows_of

HOMIE = (sys.executable, "-c", "from homie.cli.main import main; main()")
BEAT = 2.0
"""Seconds between updates of the elapsed time on disk: at most this much is lost when a run is killed."""
_PR_SET_PDEATHSIG = 1


def play(arguments: argparse.Namespace) -> str:
    """Run the suites that have no result yet, and return the table."""
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    _check_same(out / "asked.json", {"planner": arguments.planner, "share": arguments.share})
    suites = [played for played in SUITES if arguments.suites in (None, []) or played.suite in arguments.suites]
    questions = out / "questions"
    table = head()
    with ExitStack() as stack:
        served = None
        if arguments.planner == "chat":
            served = stack.enter_context(SuiteEndpoint(Script(questions), _port(out)))
            write_atomically(out / "port.json", to_json(served.port))
        for played in suites:
            if why := played.cannot.get(arguments.planner):
                table += not_played(played, why)
            else:
                if played.kind == "questions":
                    _make_questions(questions, arguments.share, arguments.workers)
                url = served.url(played.suite) if served else ""
                command = played.command(
                    arguments.planner, out / played.suite, arguments.share, arguments.workers, url, questions
                )
                printed = _printed(out / f"{played.suite}.json", command)
                table += lines(played, rows_of(played, printed["printed"]), printed["seconds"])
            write_atomically(out / "table.md", ("\n".join(table) + "\n").encode())
    return "\n".join(table)


def _check_same(path: Path, asked: dict[str, Any]) -> None:
    if path.exists() and json.loads(path.read_bytes()) != asked:
        raise SystemExit(f"{path.parent} is of {json.loads(path.read_bytes())}: choose another --out.")
    write_atomically(path, to_json(asked))


def _port(out: Path) -> int:
    """The port of an earlier run, since run folders depend on its address; else 0 for any."""
    path = out / "port.json"
    return json.loads(path.read_bytes()) if path.exists() else 0


def _make_questions(folder: Path, share: int, workers: int) -> None:
    if folder.exists():
        return
    partial = folder.with_name(f"questions-{os.getpid()}")
    _run(["questions", "make", str(partial), "--number", str(QUESTIONS // share), "--workers", str(workers), "--quiet"])
    write_truths(partial)
    partial.rename(folder)


def _printed(path: Path, command: Sequence[str]) -> dict[str, Any]:
    """The JSON output of a command, from its file if it is complete; and the time it took, over all attempts."""
    record: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {"printed": None, "seconds": 0.0}
    if record["printed"] is not None:
        return record
    print("homie", *command, file=sys.stderr, flush=True)
    before, began = record["seconds"], time.monotonic()

    def beat() -> None:
        write_atomically(path, to_json({"printed": None, "seconds": before + time.monotonic() - began}))

    printed = json.loads(_run(command, beat))
    record = {"printed": printed, "seconds": before + time.monotonic() - began}
    write_atomically(path, to_json(record))
    return record


def _run(command: Sequence[str], beat: Any = lambda: None) -> str:
    """The output of a Homie command, which ends with this program. Raises SystemExit if it fails."""
    process = subprocess.Popen([*HOMIE, *command], stdout=subprocess.PIPE, text=True, preexec_fn=_end_with_parent)
    while True:
        try:
            output, _ = process.communicate(timeout=BEAT)
            break
        except subprocess.TimeoutExpired:
            beat()
    if process.returncode:
        raise SystemExit(process.returncode)
    return output


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planner", choices=PLANNERS, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=int, default=1, help="every so many-th task of each subset (default: all)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--suites", nargs="*", choices=[played.suite for played in SUITES], help="only these")
    arguments = parser.parse_args()
    if arguments.share < 1 or arguments.workers < 1:
        parser.error("--share and --workers are 1 or more")
    print(play(arguments))


if __name__ == "__main__":
    main()
