"""Cache of answers on disk, one file per request, shared by all processes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from homie.kernel.support.files import reason_of, to_json, write_atomically, writing
from planners.llm.messages import Reply


class Entry(BaseModel):
    """One cache file. `key` repeats its name, so that a renamed file is not taken for the answer to another request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    key: str
    model: str
    reply: Reply


class ResponseCache:
    """A folder of answers, created if missing. Raises BadInput if that fails. API keys are never stored in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser()
        with writing(self.folder, "the cache folder"):
            self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> Reply | None:
        """Return the cached answer to a request, without tokens or cost. Warns of an unusable file and ignores it."""
        path = self._path(key)
        try:
            entry = Entry.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else "it is not a cache entry"
            warnings.warn(f"Cache entry {path} is ignored: {reason}.", stacklevel=2)
            return None
        if entry.key != key:
            warnings.warn(f"Cache entry {path} is ignored: it belongs to another request.", stacklevel=2)
            return None
        cached_reply = replace(entry.reply, cached=True, cost=0.0, input_tokens=0, output_tokens=0)
        return replace(cached_reply, cache_read_tokens=0, cache_write_tokens=0)

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store an answer. A disk error causes only a warning, as the answer itself is available."""
        entry = Entry(key=key, model=model, reply=reply)
        try:
            with self._locked():
                write_atomically(self._path(key), to_json(entry.model_dump(mode="json")))
        except OSError as error:
            warnings.warn(f"Cannot write into the cache {self.folder}: {reason_of(error)}.", stacklevel=2)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock out other threads and processes: two may write the same entry at the same time."""
        lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def has_answers(folder: Path, model: str) -> bool:
    """Return whether a cache folder, which need not exist, has any answer of a model."""
    for path in folder.expanduser().glob("*.json"):
        try:
            if Entry.model_validate_json(path.read_bytes()).model == model:
                return True
        except (OSError, ValidationError):
            continue
    return False


def request_key(url: str, seed: int, body: Mapping[str, object]) -> str:
    """Return the SHA-256 of the URL, the seed of the episode and the body with model, parameters, texts and images."""
    request_text = json.dumps({"url": url, "seed": seed, "body": body}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(request_text.encode("ascii")).hexdigest()
