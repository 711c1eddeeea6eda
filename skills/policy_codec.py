"""Encoding of messages: msgpack for the structure, raw arrays inside. No pickle, no classes, no code.

An array is a msgpack extension: one byte with the length of a packed (type, shape), that pair, and the numbers,
little-endian and row by row. Only numbers and booleans are allowed: objects, records, strings, dates and complex
numbers are refused on both sides. Every size is checked against the available bytes before memory is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgpack
import numpy as np

Tree: TypeAlias = Any
"""None, bool, int, float, str, an array, or a list or a mapping with string keys of these."""

FRAME_BYTES = 16 * 2**20
"""Maximum message size in bytes: eighty images of 256 x 256."""

MOST_ITEMS = 10_000
"""Maximum length of a list or a mapping."""

MOST_DIMENSIONS = 8
DEEPEST = 16
"""Maximum number of dimensions of an array, and maximum nesting depth of lists and mappings."""

TYPES = ("|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f2", "<f4", "<f8")
"""Allowed element types of arrays, in numpy's notation."""

_ARRAY = 1


class CodecError(ValueError):
    """A value that cannot be sent, or bytes that are not a message. The text names the kind of value, not the value."""


def encode(value: Tree) -> bytes:
    """Encode a value. Scalars of numpy become Python numbers, tuples become lists.

    Raises:
        CodecError: the value cannot be sent, or is too large.

    Example:
        >>> decode(encode({"picture": np.zeros((2, 3), np.uint8)}))["picture"].shape
        (2, 3)
    """
    try:
        packed: bytes = msgpack.packb(_plain(value, 0), use_bin_type=True)
    except CodecError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"This cannot be sent: {error}.") from error
    if len(packed) > FRAME_BYTES:
        raise CodecError(f"A message of {len(packed)} bytes is too large; {FRAME_BYTES} are allowed.")
    return packed


def decode(data: bytes) -> Tree:
    """Decode a value. Arrays are writable copies.

    Raises:
        CodecError: the bytes are not a message.
    """
    if len(data) > FRAME_BYTES:
        raise CodecError(f"A message of {len(data)} bytes is too large; {FRAME_BYTES} are allowed.")
    try:
        value = msgpack.unpackb(
            data,
            raw=False,
            strict_map_key=True,
            ext_hook=_array,
            max_str_len=len(data),
            max_bin_len=len(data),
            max_ext_len=len(data),
            max_array_len=MOST_ITEMS,
            max_map_len=MOST_ITEMS,
        )
    except CodecError:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise CodecError(f"The bytes are not a message: {error or type(error).__name__}.") from error
    _check(value, 0)
    return value


def _plain(value: Tree, depth: int) -> Tree:
    if depth > DEEPEST:
        raise CodecError(f"Lists and mappings go deeper than {DEEPEST} levels.")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise CodecError("A mapping has a key that is not a string.")
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, np.ndarray):
        return _extension(value)
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _extension(array: np.ndarray) -> msgpack.ExtType:
    dtype = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    if dtype.str not in TYPES:
        raise CodecError(f"An array of {array.dtype} cannot be sent.")
    if array.ndim > MOST_DIMENSIONS:
        raise CodecError(f"An array of {array.ndim} dimensions cannot be sent; {MOST_DIMENSIONS} are allowed.")
    header = msgpack.packb((dtype.str, array.shape))
    content = np.ascontiguousarray(array, dtype).reshape(-1).view(np.uint8).data
    return msgpack.ExtType(_ARRAY, b"".join((bytes([len(header)]), header, content)))


def _array(code: int, data: bytes) -> np.ndarray:
    if code != _ARRAY:
        raise CodecError(f"The bytes hold an extension {code}, which this protocol does not have.")
    start = 1 + data[0] if data else 0
    array_header = msgpack.unpackb(data[1:start], raw=False, max_array_len=MOST_DIMENSIONS, max_str_len=8)
    match array_header:
        case [str(name), list(shape)] if name in TYPES:
            pass
        case _:
            raise CodecError("The bytes hold an array of no known type.")
    if not all(isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= FRAME_BYTES for size in shape):
        raise CodecError("The bytes hold an array of an impossible shape.")
    dtype = np.dtype(name)
    if math.prod(shape) * dtype.itemsize != len(data) - start:
        raise CodecError(f"The bytes hold an array of shape {tuple(shape)} in {len(data) - start} bytes.")
    return (
        np.frombuffer(data, dtype, offset=start).reshape(shape).copy() if len(data) > start else np.zeros(shape, dtype)
    )


def _check(value: Tree, depth: int) -> None:
    """Raise CodecError for values that `encode` never produces."""
    if depth > DEEPEST:
        raise CodecError(f"Lists and mappings go deeper than {DEEPEST} levels.")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise CodecError("A mapping has a key that is not a string.")
            _check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    elif not (value is None or isinstance(value, bool | int | float | str | np.ndarray)):
        raise CodecError(f"The bytes hold a {type(value).__name__}.")
