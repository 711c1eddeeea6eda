"""The `homie` command: the entry point, which handles signals before anything else is imported.

This module imports only what is fast, so that Ctrl-C gives one sentence and exit code 130 from the start.
"""

from __future__ import annotations

import os
import sys

from homie.kernel import exit_codes
from homie.kernel.stop_signals import STOPPED, on_stop

TYPE_CHECKING = False  # as in `homie`: `typing` is slow to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with 0, 2 (bad input), 3 (missing part), 4 (other errors) or 130 (stopped).

    Args:
        arguments: the words after `homie`; None takes them from `sys.argv`.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    on_stop(lambda number, frame: _leave(STOPPED, exit_codes.STOPPED, json="--json" in words))
    try:
        from homie.cli.app import run  # after the signal handlers, because this import takes a fifth of a second
    except (ImportError, AttributeError) as error:
        from homie.kernel.support.hiding_files import hiding_file  # not at start-up, which needs none of it

        if sentence := hiding_file(error):
            _leave(sentence, exit_codes.BAD_INPUT, json="--json" in words)
        raise
    run(words)


def _leave(sentence: str, code: int, *, json: bool) -> NoReturn:
    """Exit at once while no resources are held: an exception during an import could be turned into another error."""
    os.write(2, f"homie: {sentence}\n".encode())
    if json:
        text = sentence.replace("\\", r"\\").replace('"', r"\"")
        os.write(1, f'{{"error": "{text}", "exit_code": {code}}}\n'.encode())
    os._exit(code)
