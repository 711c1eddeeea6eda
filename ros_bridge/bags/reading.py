"""The messages of a rosbag2, also of one that was cut or damaged: all that can be read, in the order of the files.

A bag is a file from anywhere: what cannot be read of it ends the reading of that file, or is counted and left out; it
never ends the program.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part
from ros_bridge.transport.interface import DEFAULT, Message, Qos

try:
    from mcap.records import Channel, Chunk, Footer, McapRecord, Schema
    from mcap.records import Message as Record
    from mcap.stream_reader import StreamReader, breakup_chunk
    from rosbags.rosbag2 import Reader

    from ros_bridge.transport.dds.definitions import Definitions, Malformed
except ModuleNotFoundError as missing:
    package = (missing.name or "mcap").partition(".")[0]
    raise missing_part("Reading a bag", package, "record" if package == "mcap" else "ros") from missing

log = logging.getLogger("homie.ros_bridge")

LARGEST_RECORD = 2**28
"""Bytes of a record of an MCAP file, as for messages from the network four pictures of 4K; the length of a chunk that a
kill has cut may be any number."""
NANO = 1e9


@dataclass(frozen=True, slots=True)
class Recorded:
    """A message as it is in a bag: when it came (s since 1970), its CDR bytes."""

    topic: str
    kind: str
    at: float
    data: bytes


class BagReading:
    """The messages of a bag, as an iterable that may be gone through again.

    Args:
        path: The folder of a rosbag2 (MCAP or SQLite storage), or one `.mcap` file.

    Raises:
        BadInput: There is no bag.
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
        """What could not be read to its end, a sentence for each file."""

    def __iter__(self) -> Iterator[Recorded]:
        self.cut = []
        if self._sqlite is not None:
            yield from self._rows(self._sqlite)
        for file in self._files:
            yield from self._records(file)

    def _records(self, path: Path) -> Iterator[Recorded]:
        kinds: dict[int, str] = {}
        channels: dict[int, tuple[str, str]] = {}
        whole, count = False, 0
        with reading(path, "the bag"), path.open("rb") as file:
            chunks = StreamReader(file, emit_chunks=True, validate_crcs=True, record_size_limit=LARGEST_RECORD).records
            records = _unpacked(chunks)
            while True:
                try:
                    record = next(records)
                except StopIteration:
                    break
                except Exception as error:  # whatever a torn record is taken for: the file can be read up to here
                    log.info("%s ends in %s: %s", path, type(error).__name__, error)
                    break
                if isinstance(record, Schema):
                    kinds[record.id] = record.name
                elif isinstance(record, Channel) and record.message_encoding == "cdr":
                    channels[record.id] = (record.topic, kinds.get(record.schema_id, ""))
                elif isinstance(record, Footer):
                    whole = True
                elif isinstance(record, Record) and record.channel_id in channels:
                    count += 1
                    yield Recorded(*channels[record.channel_id], record.log_time / NANO, record.data)
        if not whole:
            self.cut.append(f"{path.name} has no end: a recorder was killed or the file damaged; {count} messages kept")

    def _rows(self, path: Path) -> Iterator[Recorded]:
        count = 0
        try:
            with Reader(path) as reader:
                for connection, at, data in reader.messages():
                    count += 1
                    yield Recorded(connection.topic, connection.msgtype, at / NANO, data)
        except GeneratorExit:
            raise
        except Exception as error:  # rosbags and SQLite have many, also for files that are none of theirs
            self.cut.append(f"{path} cannot be read to its end: {error}; {count} messages kept")


class BagTopics:
    """Calls back with the messages of a bag as a node does with those of a network.

    Args:
        definitions: The kinds of messages; what the bag itself says of them is not asked.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self._listeners: dict[str, list[tuple[str, Callable[[Message], None]]]] = {}
        self.refused: dict[str, int] = {}
        """How many messages of a topic could not be read."""

    def subscription(
        self, kind: str, topic: str, callback: Callable[[Message], None], qos: Qos = DEFAULT
    ) -> _Listening:
        """Call back with every message of a topic; see `ros_bridge.transport.interface.Hears`."""
        self._listeners.setdefault(topic, []).append((kind, callback))
        return _Listening()

    def play(self, recorded: Recorded) -> None:
        """Hand a message to those who listen to its topic. Raises BadInput for a topic of another kind than theirs."""
        for kind, callback in self._listeners.get(recorded.topic, ()):
            if recorded.kind != kind:
                raise BadInput(
                    f"The topic {recorded.topic} of the bag is a {recorded.kind}, and the profile has it as a {kind}: "
                    "give the profile of the robot that was recorded."
                )
            try:
                callback(self._definitions.read(kind, recorded.data))
            except Malformed as error:
                self.refused[recorded.topic] = self.refused.get(recorded.topic, 0) + 1
                log.info("A message of %s in the bag is malformed: %s", recorded.topic, error)


class _Listening:
    """A subscription to a bag."""

    def publishers(self) -> int:
        return 1

    def close(self) -> None:
        """Nothing holds a bag open."""


def _unpacked(records: Iterator[McapRecord]) -> Iterator[McapRecord]:
    """Records of a file with those of its chunks in their place. Raises ValueError for a chunk that would fill the
    memory, and whatever `mcap` raises."""
    for record in records:
        if not isinstance(record, Chunk):
            yield record
        elif record.uncompressed_size > LARGEST_RECORD:
            raise ValueError(f"a chunk of {record.uncompressed_size} bytes")
        else:
            yield from breakup_chunk(record, validate_crc=True)


def _parts(folder: Path) -> list[Path]:
    """The MCAP files of a folder in their order: rosbag2 numbers them, `_9` before `_10`."""
    return sorted(folder.glob("*.mcap"), key=lambda path: [int(part) for part in re.findall(r"\d+", path.stem)][-1:])
