"""The thread of a node: it waits for data on all readers and for timers, and runs their callbacks.

Whatever comes from the network ends here or in a callback: a message that is malformed, too large or of another type is
counted, logged and dropped.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cyclonedds.core import DDSException, GuardCondition, InstanceState, ReadCondition, SampleState, ViewState, WaitSet
from cyclonedds.domain import DomainParticipant
from cyclonedds.sub import DataReader
from cyclonedds.util import duration

from ros_bridge.transport.dds.cdr_messages import MalformedMessage
from ros_bridge.transport.dds.cdr_topic_types import RawSample
from ros_bridge.transport.refusals import Refusals

log = logging.getLogger("homie.ros_bridge")

LARGEST = 1 << 26
"""Largest accepted message in bytes: a 4K image in RGB has 25 MB."""
LONGEST_WAIT = 1.0


@dataclass(slots=True)
class _Source:
    reader: DataReader[Any]
    condition: ReadCondition
    place: str
    take: Callable[[bytes], None]


@dataclass(slots=True, order=True)
class Timer:
    """Calls back every `period` seconds until it is closed. Missed calls are not repeated."""

    due: float
    number: int
    period: float = field(compare=False)
    callback: Callable[[], None] = field(compare=False)
    closed: bool = field(default=False, compare=False)

    def close(self) -> None:
        self.closed = True


class Receiver:
    """Waits on the readers of a participant in its own thread."""

    def __init__(self, participant: DomainParticipant, name: str) -> None:
        self.refusals = Refusals()
        self._waitset = WaitSet(participant)
        self._wake = GuardCondition(participant)
        self._waitset.attach(self._wake)
        self._lock = threading.Lock()
        self._sources: dict[int, _Source] = {}
        self._timers: list[Timer] = []
        self._numbers = itertools.count()
        self._alive = True
        self._thread = threading.Thread(target=self._run, name=f"ros {name}", daemon=True)
        self._thread.start()

    def add(self, reader: DataReader[Any], place: str, take: Callable[[bytes], None]) -> int:
        """Pass every sample of a reader to `take`. Returns the number with which to remove it."""
        condition = ReadCondition(reader, SampleState.Any | ViewState.Any | InstanceState.Any)
        with self._lock:
            number = next(self._numbers)
            self._sources[number] = _Source(reader, condition, place, take)
            self._waitset.attach(condition)
        self._wake.set(True)
        return number

    def remove(self, number: int) -> None:
        """Stop reading: samples taken already may still reach the callback."""
        with self._lock:
            source = self._sources.pop(number, None)
            if source is not None:
                self._waitset.detach(source.condition)
        self._wake.set(True)

    def timer(self, period: float, callback: Callable[[], None]) -> Timer:
        """Call back every `period` seconds."""
        with self._lock:
            timer = Timer(time.monotonic() + period, next(self._numbers), period, callback)
            heapq.heappush(self._timers, timer)
        self._wake.set(True)
        return timer

    def inside(self) -> bool:
        """Return whether this is the thread of the node, which must not wait for what only it can deliver."""
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """End the thread and release the readers."""
        self._alive = False
        self._wake.set(True)
        if not self.inside():
            self._thread.join()
        with self._lock:
            for source in self._sources.values():
                self._waitset.detach(source.condition)
            self._sources.clear()

    def _run(self) -> None:
        while self._alive:
            with self._lock:
                soonest = self._timers[0].due - time.monotonic() if self._timers else LONGEST_WAIT
            self._waitset.wait(duration(seconds=min(max(soonest, 0.0), LONGEST_WAIT)))
            self._wake.take()
            self._drain_all()
            self._ring()

    def _drain_all(self) -> None:
        """Drain all readers. A separate method: its variables would keep a closed reader on the network during the
        wait."""
        with self._lock:
            sources = list(self._sources.values())
        for source in sources:
            self._drain(source)

    def _drain(self, source: _Source) -> None:
        """Read the available samples, once: a flooded topic must not delay the others."""
        try:
            samples = source.reader.take(64)
        except DDSException as error:
            self.refusals.add(source.place, error)
            return
        for sample in samples:
            if not isinstance(sample, RawSample):  # an instance that ended: ROS 2 has none
                continue
            if len(sample.data) > LARGEST:
                self.refusals.add(source.place, f"{len(sample.data)} bytes are more than {LARGEST}")
                continue
            self._guarded(source.place, functools.partial(source.take, sample.data))

    def _ring(self) -> None:
        while True:
            with self._lock:
                if not self._timers or self._timers[0].due > time.monotonic():
                    return
                timer = heapq.heappop(self._timers)
            if timer.closed:
                continue
            self._guarded("a timer", timer.callback)
            timer.due = max(timer.due + timer.period, time.monotonic())
            with self._lock:
                heapq.heappush(self._timers, timer)

    def _guarded(self, place: str, call: Callable[[], None]) -> None:
        """Run a callback, whose failure must not end the thread that receives the stop of a robot."""
        try:
            call()
        except MalformedMessage as error:
            self.refusals.add(place, f"malformed: {error}")
        except Exception:
            log.exception("A callback of %s failed", place)
