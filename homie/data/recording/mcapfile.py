"""An MCAP file, written so that a kill at any time loses less than a second, and repaired after a kill.

A chunk is closed at 64 kB or after half a second and handed to the operating system; it is synced to disk once a
second. A file that was never finished has no footer: `repair` keeps every complete chunk, writes the footer, and
reports what was cut.
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
from homie.kernel.support.text import format_count

CHUNK_BYTES = 2**16
CHUNK_SECONDS = 0.5
SYNC_SECONDS = 1.0
LARGEST_RECORD = 2**28
"""Maximum record size in bytes: a chunk holds little more than one picture, but a truncated chunk may claim any
length."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message: topic, wall clock at which it was written (s since 1970), robot time (s), content."""

    topic: str
    wall: float
    stamp: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Repaired:
    """Result of a repair: bytes cut off the end of the file (kept in `cut`), and what is left of it."""

    path: Path
    cut_bytes: int
    messages: int
    seconds: float
    cut: Path | None

    def __str__(self) -> str:
        verb = "is" if self.messages == 1 else "are"
        summary = f"{format_count(self.messages, 'message')} over {self.seconds:.1f} s {verb} kept"
        if self.cut is None:
            return f"{self.path} was not finished: {summary}, which is all that it held."
        return (
            f"{self.path} was not finished: {summary}, {self.cut_bytes} bytes that cannot be read were cut off its end "
            f"(they are in {self.cut.name})."
        )


def check_installed() -> None:
    """Raise MissingPart if the package of the file format is missing, because teleoperation would record nothing."""
    try:
        import mcap.stream_reader  # not at the top: help and most of `homie data` work without the package
        import mcap.writer  # noqa: F401
    except ModuleNotFoundError as missing:
        raise missing_part("A recording", missing.name, "record") from missing


class McapFile:
    """A new file, for use by one thread. Raises FileExistsError if the path exists, MissingPart without the package."""

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
        """Flush messages older than half a second to the operating system, and sync once a second. Raises OSError."""
        now = time.monotonic()
        if now - self._flushed >= CHUNK_SECONDS:
            self._flushed = now
            self._writer.flush()  # type: ignore[no-untyped-call]
            if now - self._synced >= SYNC_SECONDS:
                self._synced = now
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write the footer and close the file. Idempotent. Raises OSError."""
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
    """The readable messages of a file, in order. An iterable for a single pass.

    Afterwards `whole` tells whether the file has its footer, and `read_bytes` how many bytes could be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.whole = False
        self.read_bytes = 0

    def __iter__(self) -> Iterator[Entry]:
        """Yield the messages. Raises BadInput for a file that cannot be opened, MissingPart without the package."""
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
                except Exception:  # whatever error a truncated record causes: the file is readable up to here
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
    """Finish a file that has no footer; None if it has one. No other process may be writing it.

    Every readable message is kept; the rest is stored beside the file as `<name>.cut`. A kill during the repair is
    harmless: the next call repeats it. Raises BadInput for a file that cannot be opened, OSError.
    """
    original = Reading(path)
    count, first, last = 0, 0.0, 0.0
    for count, entry in enumerate(original, 1):
        first, last = (entry.stamp if count == 1 else first), entry.stamp
    if original.whole:
        return None
    temporary = path.with_name(f".{path.name}.repairing")
    temporary.unlink(missing_ok=True)
    second_pass = Reading(path)
    repaired = McapFile(temporary)
    for entry in second_pass:
        repaired.add(entry)
    repaired.close()
    cut_bytes = path.stat().st_size - original.read_bytes
    cut = path.with_name(f"{path.name}.cut") if cut_bytes else None
    if cut is not None:
        with path.open("rb") as file:
            file.seek(original.read_bytes)
            cut.write_bytes(file.read())
        shutil.copymode(path, cut)
    shutil.copymode(path, temporary)
    temporary.replace(path)
    sync_folder(path.parent)
    return Repaired(path, cut_bytes, count, last - first, cut)
