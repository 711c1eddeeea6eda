"""Detection of damaged or edited files: marks of files, and JSON with a checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import check_regular, reason_of, to_json

CHECKSUM = "checksum"
"""Last key of a sealed file: SHA-256 of the file without this key."""
BLOCK = 2**20
"""Bytes read at once."""
WHOLE = 64
"""Blocks up to which a model file is hashed completely for its fingerprint; of a longer file every 64th block is
hashed, so as not to read many GB of weights twice. Training changes all weights."""


class FileMark(BaseModel):
    """Length of a file when it was written, and its SHA-256 ("" if only the length is compared)."""

    model_config = ConfigDict(frozen=True)

    bytes: int
    sha256: str = ""


def mark(path: Path, *, content: bool = True) -> FileMark:
    """Create the mark of a file, without `content` only of its length. Raises OSError."""
    check_regular(path)
    size = path.stat().st_size
    return FileMark(bytes=size, sha256=sha256(path) if content else "")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, as 64 hex digits. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path: Path) -> str:
    """Return the SHA-256 of the names, lengths and contents in a folder (or of a file); long files are sampled.

    Links, as in the cache of a hub, are followed. Raises OSError.
    """
    digest = hashlib.sha256()
    files = sorted(file_path for file_path in path.rglob("*") if file_path.is_file()) if path.is_dir() else [path]
    for file_path in files:
        name = file_path.relative_to(path).as_posix() if path.is_dir() else ""
        size = file_path.stat().st_size
        digest.update(f"{name}\0{size}\0".encode())
        step = 1 if size <= WHOLE * BLOCK else WHOLE
        with file_path.open("rb") as file:
            for start in range(0, size, step * BLOCK):
                file.seek(start)
                digest.update(file.read(BLOCK))
    return digest.hexdigest()


def seal(value: Mapping[str, Any]) -> bytes:
    """Serialize a JSON object with its checksum as the last key."""
    restored = json.loads(to_json(value))  # as it will be read: writing replaces NaN, reading joins surrogate pairs
    return to_json({**value, CHECKSUM: hashlib.sha256(to_json(restored)).hexdigest()})


def unseal(data: bytes) -> dict[str, Any]:
    """Parse a sealed file, verify its checksum and remove it. Raises ValueError that says what is wrong.

    Files of format 1 have no checksum.
    """
    try:
        document = parse_json(data)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(reason_of(error)) from None
    if not isinstance(document, dict):
        raise ValueError("it holds no JSON object")
    checksum = document.pop(CHECKSUM, None)
    if checksum is None and document.get("format", 1) != 1:
        raise ValueError("its checksum is missing")
    if checksum is not None and hashlib.sha256(to_json(document)).hexdigest() != checksum:
        raise ValueError("its content is not what was written: the checksum differs")
    return document
