"""Run a command until it says something, then stop it with Ctrl-C: `python until.py PATTERN COMMAND ...`

It ends with 0 if the command has said it and then ended as what is stopped does, or by itself with 0.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

ENDINGS = (0, 130, -signal.SIGINT)
"""Done before the signal came; how `homie` ends; how Python ends on a KeyboardInterrupt."""

MOMENT = 2.0
"""Seconds that a person takes to press Ctrl-C: what the command begins after what it has said has begun by then."""


def main() -> int:
    pattern, *command = sys.argv[1:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after the start: the command must not inherit it
    assert process.stdout is not None
    works = False
    for line in process.stdout:
        print(line, end="", flush=True)
        if not works and re.search(pattern, line):
            works = True
            time.sleep(MOMENT)
            os.killpg(0, signal.SIGINT)  # as a terminal sends it: to all that the command has started, too
    code = process.wait()
    if works and code in ENDINGS:
        return 0
    print(f"ended with {code}" if works else f"ended with {code} and never said {pattern!r}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
