"""Reader of rosbag2 messages in order of arrival, whatever their order in the files; also of truncated or damaged bags.

A bag may come from anywhere: an unreadable part ends the reading of its file, or is counted and skipped; it never ends
the program.
"""

from __future__ import annotations

import logging
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part
from ros_bridge.transport.interface import DEFAULT, Message, Qos

try:
    from mcap.records import Channel, Chunk, Footer, McapRecord, Schema
    from mcap.records import Message as Record
    from mcap.stream_reader import StreamReader, breakup_chunk
    from rosbags.rosbag2 import Reader

    from ros_bridge.transport.dds.cdr_messages import Definitions, MalformedMessage
except ModuleNotFoundError as missing:
    package = (missing.name or "mcap").partition(".")[0]
    raise missing_part("Reading a bag", package, "record" if package == "mcap" else "ros") from missing

log = logging.getLogger("homie.ros_bridge")

LARGEST_RECORD = 2**28
"""Largest record of an MCAP file in bytes: four 4K images, as for messages from the network. The length field of a
truncated chunk may hold any number."""
NANO = 1e9
MAGIC = 8
"""Number of magic bytes at the start of an MCAP file."""
UNPACKED = 2**28
"""Bytes of unpacked chunks kept in memory: recorders write chunks one after the other, but messages of one may be older
than the last of the previous one."""


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A recorded message: its arrival time (s since 1970) and its CDR bytes."""

    topic: str
    kind: str
    at: float
    data: bytes


class BagReading:
    """Iterable over the messages of a bag; can be iterated again.

    Args:
        path: The folder of a rosbag2 (MCAP or SQLite storage), or one `.mcap` file.

    Raises:
        BadInput: The path holds no bag.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with reading(path, "the bag"):
            self._files = [path] if path.suffix == ".mcap" and path.is_file() else _parts(path)
            self._sqlite = path if not self._files and any(path.glob("*.db3")) else None
        if not self._files and self._sqlite is None:
            raise BadInput(
                f"Cannot read the bag {path}: it has no .mcap and no .db3 file. Give the folder of a rosbag2; a file "
                "that is compressed as a whole (.mcap.zstd) must be unpacked first."
            )
        self.cut: list[str] = []
        """Files that could not be read to their end, a sentence for each; complete after an iteration."""
        self._index: _Index | None = None

    def __iter__(self) -> Iterator[RecordedMessage]:
        if self._sqlite is not None:
            self.cut = []
            yield from self._rows(self._sqlite)
            return
        if self._index is None:
            self._index = _Index(self._files)
        self.cut = list(self._index.cut)
        with reading(self.path, "the bag"):
            yield from self._index.messages()

    def _rows(self, path: Path) -> Iterator[RecordedMessage]:
        count = 0
        try:
            with Reader(path) as reader:
                for connection, at, data in reader.messages():
                    count += 1
                    yield RecordedMessage(connection.topic, connection.msgtype, at / NANO, data)
        except GeneratorExit:
            raise
        except Exception as error:  # rosbags and SQLite raise many types, also for files of other formats
            self.cut.append(f"{path} cannot be read to its end: {error}; {count} messages kept")


@dataclass(slots=True)
class _Place:
    """Positions of messages in the files, one entry of each array per message: arrival time (ns since 1970), file
    number, byte offset of its record or of its chunk, and index within that record."""

    times: array[int] = field(default_factory=lambda: array("Q"))
    files: array[int] = field(default_factory=lambda: array("i"))
    offsets: array[int] = field(default_factory=lambda: array("q"))
    numbers: array[int] = field(default_factory=lambda: array("i"))


class _Index:
    """Index of the messages of MCAP files and of their order of arrival. Reads the files once.

    Raises:
        BadInput: A file cannot be opened.
    """

    def __init__(self, files: list[Path]) -> None:
        self._files = files
        self._channels: list[dict[int, tuple[str, str]]] = []
        self._places = _Place()
        self.cut: list[str] = []
        for file in files:
            with reading(file, "the bag"):
                self._add(file)
        self._order = np.argsort(np.array(self._places.times, dtype=np.uint64), kind="stable")

    def messages(self) -> Iterator[RecordedMessage]:
        """Yield the messages by arrival time; those of equal times in the order of the files."""
        chunks: OrderedDict[tuple[int, int], list[Record]] = OrderedDict()
        cached_bytes = 0
        places, files = self._places, dict[int, BinaryIO]()
        try:
            for place in self._order.tolist():
                number, offset = places.files[place], places.offsets[place]
                if (number, offset) not in chunks:
                    if number not in files:
                        files[number] = self._files[number].open("rb")
                    chunks[number, offset] = _messages_at(files[number], offset)
                    cached_bytes += sum(len(record.data) for record in chunks[number, offset])
                    while cached_bytes > UNPACKED and len(chunks) > 1:
                        cached_bytes -= sum(len(record.data) for record in chunks.popitem(last=False)[1])
                chunks.move_to_end((number, offset))
                record = chunks[number, offset][places.numbers[place]]
                topic, kind = self._channels[number][record.channel_id]
                yield RecordedMessage(topic, kind, record.log_time / NANO, record.data)
        finally:
            for file in files.values():
                file.close()

    def _add(self, path: Path) -> None:
        kinds: dict[int, str] = {}
        channels: dict[int, tuple[str, str]] = {}
        self._channels.append(channels)
        is_complete, count, offset = False, 0, MAGIC
        with path.open("rb") as file:
            records = StreamReader(file, emit_chunks=True, validate_crcs=True, record_size_limit=LARGEST_RECORD).records
            while True:
                try:
                    record = next(records)
                    parts = _parts_of(record)
                except StopIteration:
                    break
                except Exception as error:  # a truncated record may raise anything: the file is readable up to here
                    log.info("%s ends in %s: %s", path, type(error).__name__, error)
                    break
                number = 0  # index within this record, skipped messages included
                for part in parts:
                    if isinstance(part, Schema):
                        kinds[part.id] = part.name
                    elif isinstance(part, Channel) and part.message_encoding == "cdr":
                        channels[part.id] = (part.topic, kinds.get(part.schema_id, ""))
                    elif isinstance(part, Footer):
                        is_complete = True
                    elif isinstance(part, Record):
                        if part.channel_id in channels:
                            count += 1
                            self._places.times.append(part.log_time)
                            self._places.files.append(len(self._channels) - 1)
                            self._places.offsets.append(offset)
                            self._places.numbers.append(number)
                        number += 1
                offset = file.tell()
        if not is_complete:
            self.cut.append(f"{path.name} has no end: a recorder was killed or the file damaged; {count} messages kept")


def _messages_at(file: BinaryIO, offset: int) -> list[Record]:
    """Read the messages of the record at a byte offset of a file that has been indexed."""
    file.seek(offset)
    record = next(StreamReader(file, skip_magic=True, emit_chunks=True, record_size_limit=LARGEST_RECORD).records)
    return [part for part in _parts_of(record) if isinstance(part, Record)]


class BagTopics:
    """Dispatches the messages of a bag to callbacks, as a node does with those of a network.

    Args:
        definitions: The message types; definitions stored in the bag are ignored.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._listeners: dict[str, list[tuple[str, Callable[[Message], None]]]] = {}
        self.refused: dict[str, int] = {}
        """Number of unreadable messages by topic."""

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> _Listening:
        """Call back with every message of a topic; see `ros_bridge.transport.interface.MessageSource`."""
        self._listeners.setdefault(topic, []).append((kind, callback))
        return _Listening()

    def play(self, recorded: RecordedMessage) -> None:
        """Pass a message to the callbacks of its topic. Raises BadInput for a topic of a type other than theirs."""
        for kind, callback in self._listeners.get(recorded.topic, ()):
            if recorded.kind != kind:
                raise BadInput(
                    f"The topic {recorded.topic} of the bag is a {recorded.kind}, and the profile has it as a {kind}: "
                    "give the profile of the robot that was recorded."
                )
            try:
                callback(self._definitions.read(kind, recorded.data))
            except MalformedMessage as error:
                self.refused[recorded.topic] = self.refused.get(recorded.topic, 0) + 1
                log.info("A message of %s in the bag is malformed: %s", recorded.topic, error)


class _Listening:
    """A subscription to a bag."""

    def publishers(self) -> int:
        return 1

    def close(self) -> None:
        """Do nothing: the subscription holds no resources."""


def _parts_of(record: McapRecord) -> list[McapRecord]:
    """Return a record, or the records of its chunk. Raises ValueError for a chunk that would exhaust memory, and
    whatever `mcap` raises."""
    if not isinstance(record, Chunk):
        return [record]
    if record.uncompressed_size > LARGEST_RECORD:
        raise ValueError(f"a chunk of {record.uncompressed_size} bytes")
    return list(breakup_chunk(record, validate_crc=True))


def _parts(folder: Path) -> list[Path]:
    """Return the MCAP files of a folder in order: rosbag2 numbers them, `_9` before `_10`."""
    return sorted(folder.glob("*.mcap"), key=lambda path: [int(part) for part in re.findall(r"\d+", path.stem)][-1:])
