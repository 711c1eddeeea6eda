"""No process of Homie goes on working when the one that started it is gone."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from multiprocessing.connection import wait
from multiprocessing.process import parent_process

from homie.kernel.errors import InfrastructureError

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """End this process at once when its parent ends, however it ends: an orphan must not go on writing or waiting."""
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(InfrastructureError.exit_code)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
