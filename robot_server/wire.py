"""Frames of the robot protocol: msgpack for the structure, then arrays as they lie in memory. No pickle, no code.

    b"HRS1" | bytes of the structure (u32) | bytes of all arrays (u64) | structure | arrays, one after the other

The structure is one msgpack value. An array in it is an extension 1 that holds its type and shape; its numbers, row by
row and little-endian, follow the structure in the order of the extensions. They are sent from the memory of the array
and received into that of the new one. Every size is checked before memory is allocated.
"""

from __future__ import annotations

import math
import os
import socket
import struct
import time
from typing import Any

import msgpack
import numpy as np

PROTOCOL = 1
"""Version of the messages; both sides send theirs in their first message."""
MAGIC = b"HRS1"
PREFIX = struct.Struct("<4sIQ")
STRUCTURE_BYTES = 16 * 2**20
"""Largest structure, bytes."""
ARRAY_BYTES = 2**30
"""Largest sum of all arrays of a frame, bytes: hundreds of pictures."""
MOST_DIMENSIONS = 8
TYPES = ("|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8")
"""Allowed element types of arrays, in numpy's notation."""
BUFFER = 4 * 2**20
"""Bytes buffered by the system between the two processes: pictures of a step, so that nobody waits in the middle."""
TOGETHER = 256
"""Most buffers of one call of `sendmsg`; systems take 1024."""
_ARRAY = 1
UNIX, TCP = "unix:", "tcp://"


class ConnectionClosed(Exception):
    """The other side has closed the connection, or it broke."""


class DeadlinePassed(Exception):
    """The deadline has passed in the middle of a frame, or before it."""


class MalformedFrame(ValueError):
    """A value that cannot be sent, or bytes that are not a frame."""


def pack(value: Any) -> list[Any]:
    """Return the buffers of a frame. Scalars of numpy become numbers, tuples lists; contiguous arrays are not copied.

    Raises:
        MalformedFrame: The value cannot be sent, or is too large.
    """
    arrays: list[Any] = []

    def extension(item: Any) -> Any:
        if isinstance(item, np.generic):
            return item.item()
        if not isinstance(item, np.ndarray):
            raise MalformedFrame(f"A {type(item).__name__} cannot be sent.")
        array = np.ascontiguousarray(item, item.dtype.newbyteorder("<")).reshape(item.shape)
        if array.dtype.str not in TYPES or array.ndim > MOST_DIMENSIONS:
            raise MalformedFrame(f"An array of {item.dtype} with {item.ndim} dimensions cannot be sent.")
        arrays.append(array.reshape(-1).view(np.uint8).data)
        return msgpack.ExtType(_ARRAY, msgpack.packb((array.dtype.str, array.shape)))

    try:
        structure = msgpack.packb(value, default=extension)
    except (TypeError, ValueError, OverflowError) as error:
        raise (
            error if isinstance(error, MalformedFrame) else MalformedFrame(f"This cannot be sent: {error}.")
        ) from error
    size = sum(len(array) for array in arrays)
    if len(structure) > STRUCTURE_BYTES or size > ARRAY_BYTES:
        raise MalformedFrame(f"A message of {len(structure)} bytes and {size} bytes of arrays is too large.")
    return [PREFIX.pack(MAGIC, len(structure), size), structure, *(array for array in arrays if len(array))]


def send(connection: socket.socket, value: Any, until: float) -> None:
    """Send a value.

    Args:
        until: The deadline, on the clock of `time.monotonic`.

    Raises:
        MalformedFrame: It cannot be sent, and nothing was.
        ConnectionClosed: The other side has disconnected.
        DeadlinePassed: It does not take the frame in time; the connection cannot be used again.
    """
    buffers = [memoryview(buffer) for buffer in pack(value)]
    while buffers:
        _wait_no_longer_than(connection, until)
        try:
            count = connection.sendmsg(buffers[:TOGETHER])
        except (socket.timeout, BlockingIOError) as error:  # noqa: UP041 (two classes before Python 3.10)
            raise DeadlinePassed from error
        except OSError as error:
            raise ConnectionClosed(error.strerror or str(error)) from error
        while buffers and count >= len(buffers[0]):
            count -= len(buffers.pop(0))
        if buffers:
            buffers[0] = buffers[0][count:]


def receive(connection: socket.socket, until: float) -> Any:
    """Receive the next value. Arrays are writable, and nothing else refers to their memory.

    Args:
        until: The deadline, on the clock of `time.monotonic`.

    Raises:
        ConnectionClosed: The other side has closed the connection.
        DeadlinePassed: The whole frame has not come in time; the connection cannot be used again.
        MalformedFrame: The bytes are not a frame; the connection cannot be used again.
    """
    prefix = bytearray(PREFIX.size)
    _fill(connection, prefix, until)
    magic, length, size = PREFIX.unpack(prefix)
    if magic != MAGIC or length > STRUCTURE_BYTES or size > ARRAY_BYTES:
        raise MalformedFrame("The bytes are not a frame of the robot protocol.")
    structure = bytearray(length)
    _fill(connection, structure, until)
    arrays: list[Any] = []
    remaining = [size]

    def array(code: int, data: bytes) -> Any:
        arrays.append(_empty(code, data, remaining[0]))
        remaining[0] -= arrays[-1].nbytes
        return arrays[-1]

    try:
        value = msgpack.unpackb(
            structure, raw=False, ext_hook=array, max_bin_len=0, max_str_len=length, max_array_len=length
        )
    except MalformedFrame:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise MalformedFrame(f"The bytes are not a message: {error or type(error).__name__}.") from error
    if remaining[0]:
        raise MalformedFrame("The arrays have not the size that the frame says.")
    for item in arrays:
        if item.nbytes:
            _fill(connection, item.reshape(-1).view(np.uint8).data, until)
    return value


def _empty(code: int, data: bytes, remaining: int) -> Any:
    """Allocate an array of the type and shape of an extension. Raises Malformed."""
    if code != _ARRAY:
        raise MalformedFrame(f"The bytes hold an extension {code}, which this protocol does not have.")
    declared = msgpack.unpackb(data, raw=False, max_array_len=MOST_DIMENSIONS, max_str_len=8)
    if not (
        isinstance(declared, list) and len(declared) == 2 and declared[0] in TYPES and isinstance(declared[1], list)
    ):
        raise MalformedFrame("The bytes hold an array of no known type.")
    dtype, shape = np.dtype(declared[0]), declared[1]
    if not all(type(side) is int and side >= 0 for side in shape) or math.prod(shape) * dtype.itemsize > remaining:
        raise MalformedFrame("The bytes hold an array that is larger than the frame.")
    return np.empty(shape, dtype)


def _fill(connection: socket.socket, buffer: Any, until: float) -> None:
    view = memoryview(buffer)
    while len(view):
        _wait_no_longer_than(connection, until)
        try:
            count = connection.recv_into(view)
        except (socket.timeout, BlockingIOError) as error:  # noqa: UP041 (two classes before Python 3.10)
            raise DeadlinePassed from error
        except OSError as error:
            raise ConnectionClosed(error.strerror or str(error)) from error
        if not count:
            raise ConnectionClosed("it has closed the connection")
        view = view[count:]


def _wait_no_longer_than(connection: socket.socket, until: float) -> None:
    remaining = until - time.monotonic()
    if remaining <= 0.0:
        raise DeadlinePassed
    connection.settimeout(remaining)


# ------------------------------------------------------------ addresses


def parse(address: str) -> tuple[int, Any]:
    """Split an address into the family of its socket, and the address for that.

    Raises:
        ValueError: It is neither `unix:PATH` nor `tcp://HOST:PORT`.

    Example:
        >>> parse("unix:/tmp/robot")[1], parse("tcp://127.0.0.1:8767")[1]
        ('/tmp/robot', ('127.0.0.1', 8767))
    """
    if address.startswith(UNIX):
        path = address[len(UNIX) :]
        path = path[2:] if path.startswith("//") else path
        if path and len(os.fsencode(path)) < 108:  # the limit of the addresses of sockets
            return socket.AF_UNIX, path
    elif address.startswith(TCP):
        host, _, port = address[len(TCP) :].rstrip("/").rpartition(":")
        if host and port.isdecimal() and int(port) < 2**16:
            bare = host.strip("[]")
            return (socket.AF_INET6 if ":" in bare else socket.AF_INET), (bare, int(port))
    raise ValueError(f"'{address}' is not an address of a robot server: give unix:PATH or tcp://HOST:PORT.")


def prepare(connection: socket.socket) -> socket.socket:
    """Configure a new connection: room for pictures, no delay of small packets."""
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        connection.setsockopt(socket.SOL_SOCKET, option, BUFFER)
    if connection.family != socket.AF_UNIX:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection
