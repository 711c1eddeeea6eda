"""Cores and memory that a process may use, by its affinity and control groups."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
MINE = Path("/proc/self/cgroup")
MEMORY = Path("/proc/meminfo")
GIB = 2**30


def cores(groups: Path = GROUPS, own_group: Path = MINE) -> int:
    """Return the number of cores that this process may use: by its affinity, or fewer if a control group has a quota.

    Args:
        groups: Mount point of control groups, version 2.
        own_group: File with the name of this process's control group.
    """
    allowed = float(len(os.sched_getaffinity(0)))
    for folder in _groups(groups, own_group):
        quota, _, period = _read_text(folder / "cpu.max").partition(" ")
        if quota.isdecimal() and period.strip().isdecimal():
            allowed = min(allowed, int(quota) / int(period))
    return max(1, int(allowed))


def free_memory(groups: Path = GROUPS, own_group: Path = MINE, memory: Path = MEMORY) -> float:
    """Return the memory (GiB) that this process and its children may still allocate; infinity if not known.

    Args:
        groups: Mount point of control groups, version 2.
        own_group: File with the name of this process's control group.
        memory: File in the format of /proc/meminfo.
    """
    free = float("inf")
    for line in _read_text(memory).splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024 / GIB
    for folder in _groups(groups, own_group):
        limit, usage = _read_text(folder / "memory.max").strip(), _read_text(folder / "memory.current").strip()
        if limit.isdecimal() and usage.isdecimal():
            free = min(free, (int(limit) - int(usage)) / GIB)
    return max(0.0, free)


def _groups(groups: Path, own_group: Path) -> Iterator[Path]:
    """Yield the control group of this process and its ancestors."""
    names = [line.removeprefix("0::") for line in _read_text(own_group).splitlines() if line.startswith("0::")]
    for name in names:
        folder = groups / name.lstrip("/")
        yield from (folder, *(parent for parent in folder.parents if parent.is_relative_to(groups)))


def _read_text(file: Path) -> str:
    """Return the text of a file, "" if it does not exist or cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
