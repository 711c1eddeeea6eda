"""Answers on disk, one file per request: the same request is answered again without asking, in any process."""

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
    """One file. `key` is its name: a file that was moved or cut is not an answer to the request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    key: str
    model: str
    reply: Reply


class ResponseCache:
    """A folder of answers, made where it is missing. Raises BadInput if it cannot be. Keys to APIs never get here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.expanduser()
        with writing(self.folder, "the cache folder"):
            self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> Reply | None:
        """The cached answer to a request, without tokens or cost. An unusable file gives a warning and is ignored."""
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
        """Keep an answer. A failing disk causes a warning: the answer itself is there."""
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
        """One writer at a time, over threads and processes: two may have the same answer at the same moment."""
        lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def remembers(folder: Path, model: str) -> bool:
    """Whether a cache folder, which need not exist, has any answer of a model."""
    for path in folder.expanduser().glob("*.json"):
        try:
            if Entry.model_validate_json(path.read_bytes()).model == model:
                return True
        except (OSError, ValidationError):
            continue
    return False


def request_key(url: str, seed: int, body: Mapping[str, object]) -> str:
    """SHA-256 over the address, the seed of the episode and all that is sent: model, parameters, texts, images."""
    request_text = json.dumps({"url": url, "seed": seed, "body": body}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(request_text.encode("ascii")).hexdigest()
