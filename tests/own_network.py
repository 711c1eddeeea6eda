"""A ROS 2 network and a folder of sockets for each process of the tests, so that it meets no robot of another."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache


@cache
def own_network() -> dict[str, str]:
    """Variables of the environment for programs that a test starts."""
    folder = tempfile.mkdtemp(prefix="homie-")  # short: the path of a Unix socket has 108 bytes at most
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {"ROS_DOMAIN_ID": str(101 + os.getpid() % 120), "XDG_RUNTIME_DIR": folder}
