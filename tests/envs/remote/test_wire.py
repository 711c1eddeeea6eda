"""Frames between Homie and a robot server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("msgpack")

from robot_server.wire import (
    MAGIC,
    PREFIX,
    TYPES,
    ConnectionClosed,
    DeadlinePassed,
    MalformedFrame,
    pack,
    parse,
    receive,
    send,
)

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans() | st.none() | st.text()
TREES = st.recursive(NUMBERS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    pair = socket.socketpair()
    yield pair
    for end in pair:
        end.close()


def soon() -> float:
    return time.monotonic() + 10.0


def through(value: Any) -> Any:
    """A value that was sent and received."""
    here, there = socket.socketpair()
    with here, there:
        sender = threading.Thread(target=send, args=(here, value, soon()))
        sender.start()
        try:
            return receive(there, soon())
        finally:
            sender.join()


@given(TREES)
def test_values_come_back(value: Any) -> None:
    assert through(value) == value


def test_arrays_come_back_writable_whatever_their_order_in_memory() -> None:
    big = np.arange(24, dtype=">f8").reshape(2, 3, 4)
    arrays = [np.zeros((3, 2), np.dtype(name)) for name in TYPES] + [big[:, ::2], big.T, np.float32([]), np.array(7)]
    for before, after in zip(arrays, through(arrays), strict=True):
        assert after.shape == before.shape and after.dtype == before.dtype.newbyteorder("<")
        assert np.array_equal(before, after) and after.flags.writeable and after.flags.c_contiguous
    assert through({"a": np.float32(0.5), "b": (1, 2)}) == {"a": 0.5, "b": [1, 2]}


def test_a_large_picture_comes_whole_through_small_buffers() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (1500, 2000, 3), np.uint8)
    assert np.array_equal(through({"rgb": picture, "n": 3})["rgb"], picture)


def test_contiguous_pictures_are_sent_from_their_own_memory() -> None:
    picture = np.zeros((8, 8, 3), np.uint8)
    buffer = pack([picture])[-1]
    picture[0, 0, 0] = 9
    assert buffer[0] == 9


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, np.array([None]), np.array(["a"]), 1j, np.zeros(2, complex), 2**70]
)
def test_what_is_no_number_or_text_is_not_sent(value: Any) -> None:
    with pytest.raises(MalformedFrame):
        pack({"value": value})


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        PREFIX.pack(MAGIC, 2**31, 0),
        PREFIX.pack(MAGIC, 1, 2**40) + b"\xc0",
        PREFIX.pack(MAGIC, 1, 0) + b"\xc1",
        PREFIX.pack(MAGIC, 1, 5) + b"\xc0" + b"12345",
        PREFIX.pack(MAGIC, 3, 0) + b"\xd4\x05\x00",
        PREFIX.pack(MAGIC, 9, 0) + b"\xc7\x06\x01\x92\xa3<f8\x01",
        PREFIX.pack(MAGIC, 11, 0) + b"\xc7\x08\x01\x92\xa3<f8\x91\xce\x00\x00"[:11],
        PREFIX.pack(MAGIC, 10, 0) + b"\xc7\x07\x01\x92\xa3<f8\x91\x02",
        PREFIX.pack(MAGIC, 10, 8) + b"\xc7\x07\x01\x92\xa3|O8\x91\x01" + b"12345678",
    ],
)
def test_other_bytes_are_refused(ends: tuple[socket.socket, socket.socket], data: bytes) -> None:
    here, there = ends
    here.sendall(data)
    here.shutdown(socket.SHUT_WR)
    with pytest.raises(MalformedFrame):
        receive(there, soon())


def test_a_frame_that_ends_early_or_trickles(ends: tuple[socket.socket, socket.socket]) -> None:
    here, there = ends
    frame = b"".join(bytes(buffer) for buffer in pack({"picture": np.zeros(4)}))
    here.sendall(frame[:-1])
    with pytest.raises(DeadlinePassed):
        receive(there, time.monotonic() + 0.05)
    here.sendall(frame[:-1])
    here.close()
    with pytest.raises((ConnectionClosed, MalformedFrame)):
        receive(there, soon())


@pytest.mark.parametrize(
    "address", ["", "unix:", "tcp://", "tcp://host", "tcp://:1", "tcp://h:70000", "ws://h:1", "unix:" + "x" * 200]
)
def test_no_addresses(address: str) -> None:
    with pytest.raises(ValueError, match="address"):
        parse(address)


def test_addresses() -> None:
    assert parse("unix:/tmp/a") == parse("unix:///tmp/a") == (socket.AF_UNIX, "/tmp/a")
    assert parse("tcp://[::1]:80") == (socket.AF_INET6, ("::1", 80))
