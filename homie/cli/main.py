"""The `homie` command: what has to be right before anything else is imported.

Nothing is imported here that takes time, so that Ctrl-C is a sentence and exit code 130 from the first instant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from homie.cli.signals import STOPPED, STOPPED_CODE, on_stop


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line. Exits with 0, 2 (bad input), 3 (missing part), 4 (anything else) or 130 (stopped)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    on_stop(lambda number, frame: _leave(json="--json" in given))
    from homie.cli.app import run  # after the handlers: it imports for a fifth of a second

    run(given)


def _leave(*, json: bool) -> NoReturn:
    """The end while there is nothing to let go: an exception in the middle of an import would become another one."""
    os.write(2, f"homie: {STOPPED}\n".encode())
    if json:
        os.write(1, f'{{"error": "{STOPPED}", "exit_code": {STOPPED_CODE}}}\n'.encode())
    os._exit(STOPPED_CODE)
