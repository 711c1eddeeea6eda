"""ROS 2 domains and socket folders used by one test process only, so that robots of different tests do not interact."""

from __future__ import annotations

import atexit
import fcntl
import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

DOMAINS = 120
"""Number of domains above 100 for which every system has ports."""
FORGOTTEN = 30.0
"""Seconds after which the endpoints of a killed process have expired: Cyclone DDS needs ten, Fast DDS twenty."""
_NUMBERS = itertools.count(os.getpid() * 8)


@contextmanager
def own_domain() -> Iterator[int]:
    """Yield a ROS domain that was not used recently. It is locked, since other tests may run on this machine."""
    for number in itertools.islice(_NUMBERS, 10 * DOMAINS):
        domain = 101 + number % DOMAINS
        with (Path(tempfile.gettempdir()) / f"homie-tests-domain-{domain}").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            status = os.fstat(file.fileno())
            if status.st_size and time.time() - status.st_mtime < FORGOTTEN:
                continue
            yield domain
            file.truncate(0)
            file.write("left")
            return
    raise RuntimeError(f"All {DOMAINS} ROS domains of the tests are in use.")


@cache
def own_network() -> dict[str, str]:
    """Return environment variables for programs that a test starts: domain and folder, reserved by this process."""
    folder = tempfile.mkdtemp(prefix="homie-")  # short: the path of a Unix socket is limited to 108 bytes
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    lock_stack = ExitStack()
    atexit.register(lock_stack.close)
    return {"ROS_DOMAIN_ID": str(lock_stack.enter_context(own_domain())), "XDG_RUNTIME_DIR": folder}
