"""ROS 2 networks and a folder of sockets that no other process of the tests uses, so that robots do not meet."""

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
"""Domains above 100 for which every system has ports."""
FORGOTTEN = 30.0
"""Seconds after which what a killed process had is no longer seen: Cyclone DDS needs ten, Fast DDS twenty."""
_NUMBERS = itertools.count(os.getpid() * 8)


@contextmanager
def own_domain() -> Iterator[int]:
    """A ROS domain which nobody has left just now. It is locked, since other tests may run on this machine."""
    for number in itertools.islice(_NUMBERS, 10 * DOMAINS):
        domain = 101 + number % DOMAINS
        with (Path(tempfile.gettempdir()) / f"homie-tests-domain-{domain}").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            left = os.fstat(file.fileno())
            if left.st_size and time.time() - left.st_mtime < FORGOTTEN:
                continue
            yield domain
            file.truncate(0)
            file.write("left")
            return
    raise RuntimeError(f"All {DOMAINS} ROS domains of the tests are in use.")


@cache
def own_network() -> dict[str, str]:
    """Variables of the environment for programs that a test starts: a domain and a folder until this process ends."""
    folder = tempfile.mkdtemp(prefix="homie-")  # short: the path of a Unix socket has 108 bytes at most
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    locked = ExitStack()
    atexit.register(locked.close)
    return {"ROS_DOMAIN_ID": str(locked.enter_context(own_domain())), "XDG_RUNTIME_DIR": folder}
