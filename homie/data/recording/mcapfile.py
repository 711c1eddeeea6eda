"""One MCAP file: written so that a kill at any moment costs less than a second, and repaired when that has happened.

A chunk is closed at 64 kB or after half a second, and is then with the operating system; once a second the disk has it.
A file that was never finished has no end: `repair` keeps every whole chunk, writes the end, and says what was cut.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from homie.data.recording import topics
from homie.kernel.support.files import reading, sync_folder
from homie.kernel.support.packages import missing_part
from homie.kernel.support.text import counted

CHUNK_BYTES = 2**16
CHUNK_SECONDS = 0.5
SYNC_SECONDS = 1.0
LARGEST_RECORD = 2**28
"""Bytes: a chunk has little more than one picture. The length of a chunk that a kill has cut may be any number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message: its topic, when it was written (wall clock, s since 1970), robot time (s), content."""

    topic: str
    wall: float
    stamp: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was done to a damaged file: bytes that were cut off its end (kept in `cut`), and what is left of it."""

    path: Path
    cut_bytes: int
    messages: int
    seconds: float
    cut: Path | None

    def __str__(self) -> str:
        verb = "is" if self.messages == 1 else "are"
        kept = f"{counted(self.messages, 'message')} over {self.seconds:.1f} s {verb} kept"
        if self.cut is None:
            return f"{self.path} was not finished: {kept}, which is all that it held."
        return (
            f"{self.path} was not finished: {kept}, {self.cut_bytes} bytes that cannot be read were cut off its end "
            f"(they are in {self.cut.name})."
        )


def check_installed() -> None:
    """Raise MissingPart where the package of the file format is missing: teleoperation without it records nothing."""
    try:
        import mcap.stream_reader  # not at the top: help and most of `homie data` work without the package
        import mcap.writer  # noqa: F401
    except ModuleNotFoundError as missing:
        raise missing_part("A recording", missing.name, "record") from missing


class McapFile:
    """A new file. Of one thread. Raises FileExistsError for one that is there, MissingPart without the package."""

    def __init__(self, path: Path) -> None:
        check_installed()
        from mcap.writer import CompressionType, Writer

        self._file = path.open("xb")
        self._writer = Writer(self._file, chunk_size=CHUNK_BYTES, compression=CompressionType.NONE)
        self._writer.start(profile="", library="homie")
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._flushed = self._synced = time.monotonic()

    def add(self, entry: Entry) -> None:
        """Append a message. Raises OSError."""
        if entry.topic not in self._channels:
            self._channels[entry.topic] = self._channel(entry.topic)
        self._writer.add_message(
            channel_id=self._channels[entry.topic],
            log_time=round(entry.wall * topics.NANO),
            publish_time=round(entry.stamp * topics.NANO),
            data=entry.data,
        )
        self.keep()

    def keep(self) -> None:
        """Hand what is older than half a second to the system, and once a second to the disk. Raises OSError."""
        now = time.monotonic()
        if now - self._flushed >= CHUNK_SECONDS:
            self._flushed = now
            self._writer.flush()  # type: ignore[no-untyped-call]
            if now - self._synced >= SYNC_SECONDS:
                self._synced = now
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write the end. Idempotent. Raises OSError."""
        if self._file.closed:
            return
        with self._file:
            self._writer.finish()  # type: ignore[no-untyped-call]
            self._file.flush()
            os.fsync(self._file.fileno())

    def _channel(self, topic: str) -> int:
        title = topics.schema_of(topic)
        if title not in self._schemas:
            self._schemas[title] = self._writer.register_schema(title, "jsonschema", topics.schema_text(title))
        return self._writer.register_channel(topic, "json", self._schemas[title])


class Reading:
    """The messages of a file as far as they can be read, in their order. Used as an iterable, once.

    Afterwards `whole` says whether the file has its end, and `read_bytes` how much of it could be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.whole = False
        self.read_bytes = 0

    def __iter__(self) -> Iterator[Entry]:
        """Raises BadInput for a file that cannot be opened, MissingPart without the package."""
        check_installed()
        from mcap.records import Channel, Footer, Message
        from mcap.stream_reader import StreamReader

        with reading(self.path, "the recording"):
            file = self.path.open("rb")
        channels: dict[int, str] = {}
        with file:
            records = iter(StreamReader(file, validate_crcs=True, record_size_limit=LARGEST_RECORD).records)
            while True:
                try:
                    record = next(records)
                except StopIteration:
                    return
                except Exception:  # whatever a torn record is taken for: the file can be read up to here
                    return
                self.read_bytes = file.tell()
                if isinstance(record, Channel):
                    channels[record.id] = record.topic
                elif isinstance(record, Footer):
                    self.whole = True
                elif isinstance(record, Message):
                    yield Entry(
                        channels.get(record.channel_id, ""),
                        record.log_time / topics.NANO,
                        record.publish_time / topics.NANO,
                        record.data,
                    )


def repair(path: Path) -> Repaired | None:
    """Give a file that was never finished its end; None where it has one. Nobody may be writing it.

    Every message that can be read is kept, what cannot is kept beside it as `<name>.cut`. A kill meanwhile changes
    nothing: the next call does it again. Raises BadInput for a file that cannot be opened, OSError.
    """
    before = Reading(path)
    count, first, last = 0, 0.0, 0.0
    for count, entry in enumerate(before, 1):
        first, last = (entry.stamp if count == 1 else first), entry.stamp
    if before.whole:
        return None
    temporary = path.with_name(f".{path.name}.repairing")
    temporary.unlink(missing_ok=True)
    again = Reading(path)
    repaired = McapFile(temporary)
    for entry in again:
        repaired.add(entry)
    repaired.close()
    cut_bytes = path.stat().st_size - before.read_bytes
    cut = path.with_name(f"{path.name}.cut") if cut_bytes else None
    if cut is not None:
        with path.open("rb") as file:
            file.seek(before.read_bytes)
            cut.write_bytes(file.read())
        shutil.copymode(path, cut)
    shutil.copymode(path, temporary)
    temporary.replace(path)
    sync_folder(path.parent)
    return Repaired(path, cut_bytes, count, last - first, cut)
