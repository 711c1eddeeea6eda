"""Files that survive a kill at any instant: atomic writes, synced folders, JSON that every parser accepts."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG)
"""Errors of a disk that hit every file on it, not only this one."""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a whole file or nothing: temporary file, fsync, rename, fsync of the folder. Raises OSError.

    A write that fails leaves no temporary file behind; one that is killed does, and the next write replaces it.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make new names in a folder durable."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def to_json(value: object, indent: int | None = 2) -> bytes:
    """UTF-8 JSON with a newline at the end. NaN and infinities, which JSON has not, become null.

    A lone surrogate, which a model's raw text may hold and UTF-8 may not, is written as its JSON escape.
    """
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def _finite(value: object) -> object:
    if isinstance(value, float):
        # A number in disguise (numpy's float64 is a float) becomes a plain one.
        return float(value) if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def slug(text: str, length: int = 48) -> str:
    """A text as a file name: lower-case letters and digits of any script, joined by `-`."""
    words = re.findall(r"\w+", text.lower().replace("_", " "))
    name = ""
    for word in words:
        if len(name) + len(word) + 1 > length:
            break
        name = f"{name}-{word}" if name else word
    return name or "".join(words)[:length] or "task"
