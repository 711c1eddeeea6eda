"""Run a command until its output matches, then stop it with Ctrl-C: `python until.py PATTERN COMMAND ...`

The exit code is 0 if the output matched and the command then ended as interrupted programs do, or by itself with 0.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

ENDINGS = (0, 130, -signal.SIGINT)
"""Accepted exit codes: finished before the signal; `homie` interrupted; Python ended by a KeyboardInterrupt."""

MOMENT = 2.0
"""Delay (s) of Ctrl-C, as of a person, so that the command has started its work after the matching output."""


def main() -> int:
    pattern, *command = sys.argv[1:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after the start: the command must not inherit it
    assert process.stdout is not None
    matched = False
    for line in process.stdout:
        print(line, end="", flush=True)
        if not matched and re.search(pattern, line):
            matched = True
            time.sleep(MOMENT)
            os.killpg(0, signal.SIGINT)  # as a terminal sends it: to all child processes, too
    code = process.wait()
    if matched and code in ENDINGS:
        return 0
    print(f"ended with {code}" if matched else f"ended with {code} and never said {pattern!r}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
