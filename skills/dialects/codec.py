"""Arrays in msgpack as openpi and vla-eval write them, byte for byte: no pickle, no classes, only numbers and booleans.

openpi      array {b"__ndarray__": True, b"data", b"dtype", b"shape"}, number of numpy {b"__npgeneric__", ...}
vla-eval    array {"__ndarray__": True, "data", "dtype", "shape"}, picture {"__image__": True, "format": "png", ...}
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgpack
import numpy as np
from PIL import Image

from skills.policy_codec import FRAME_BYTES, MOST_DIMENSIONS, MOST_ITEMS, CodecError

Dialect: TypeAlias = Literal["openpi", "vla-eval"]

KINDS = "biuf"
"""Kinds of numbers that are read and written: booleans, integers and floats."""
TYPE = re.compile(rf"[<>|=]?[{KINDS}][1248]")
"""An element type in numpy's notation."""
PICTURES = ("PNG", "JPEG")


def pack(value: object, dialect: Dialect) -> bytes:
    """The bytes of a message. vla-eval's pictures (H, W, 3 or 4) uint8 become PNG. Raises CodecError."""
    hook = _openpi if dialect == "openpi" else _vla_eval
    try:
        packed: bytes = msgpack.packb(value, default=hook)
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"This cannot be sent: {error}.") from error
    return packed


def unpack(data: bytes | str) -> Any:
    """What a message of either dialect holds. Raises CodecError for bytes that are none, and for other arrays."""
    if isinstance(data, str) or len(data) > FRAME_BYTES:
        raise CodecError(f"A message is at most {FRAME_BYTES} bytes, and no text.")
    try:
        return msgpack.unpackb(
            data, raw=False, object_hook=_read, max_array_len=MOST_ITEMS, max_map_len=MOST_ITEMS, max_ext_len=0
        )
    except CodecError:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise CodecError(f"The bytes are not a message: {error or type(error).__name__}.") from error


def _checked(value: np.ndarray | np.generic) -> None:
    if value.dtype.kind not in KINDS:
        raise CodecError(f"An array of {value.dtype} cannot be sent.")


def _openpi(value: object) -> object:
    if isinstance(value, np.ndarray):
        _checked(value)
        return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}
    if isinstance(value, np.generic):
        _checked(value)
        return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _vla_eval(value: object) -> object:
    if isinstance(value, np.ndarray):
        _checked(value)
        if value.dtype == np.uint8 and value.ndim == 3 and value.shape[2] in (3, 4):
            buffer = io.BytesIO()
            Image.fromarray(value).save(buffer, format="PNG")
            return {"__image__": True, "format": "png", "data": buffer.getvalue(), "shape": list(value.shape)}
        return {"__ndarray__": True, "data": value.tobytes(), "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        _checked(value)
        return value.item()
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _read(mapping: Mapping[Any, Any]) -> Any:
    """A mapping as it is, or the array in it."""
    named = {key.decode("utf-8", "replace") if isinstance(key, bytes) else key: item for key, item in mapping.items()}
    if not named.keys() & {"__ndarray__", "__npgeneric__", "__image__"}:
        return mapping
    if "__npgeneric__" in named:
        return _dtype(named.get("dtype")).type(named.get("data"))
    if "__image__" in named and named.get("format") != "raw":
        return _picture(named.get("data"), named.get("shape"))
    return _array(named.get("data"), named.get("dtype"), named.get("shape"))


def _dtype(name: object) -> np.dtype[Any]:
    if isinstance(name, str) and TYPE.fullmatch(name):
        return np.dtype(name)
    raise CodecError("The bytes hold an array of no known type.")


def _array(data: object, name: object, shape: object) -> np.ndarray:
    dtype = _dtype(name)
    if (
        not isinstance(data, bytes)
        or not isinstance(shape, list)
        or len(shape) > MOST_DIMENSIONS
        or not all(type(size) is int and 0 <= size <= FRAME_BYTES for size in shape)
        or math.prod(shape) * dtype.itemsize != len(data)
    ):
        raise CodecError("The bytes hold an array whose shape is not that of its numbers.")
    return np.frombuffer(data, dtype).reshape(shape).copy() if data else np.zeros(shape, dtype)


def _picture(data: object, shape: object) -> np.ndarray:
    """A picture, whose size is compared before it is decompressed."""
    if not isinstance(data, bytes) or not isinstance(shape, list):
        raise CodecError("The bytes hold a picture that is none.")
    try:
        with Image.open(io.BytesIO(data), formats=PICTURES) as image:
            if list(image.size[::-1]) != shape[:2] or math.prod(image.size) > FRAME_BYTES:
                raise CodecError(f"The bytes hold a picture that is not of the size {shape} or too large.")
            return np.array(image)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, CodecError):
            raise
        raise CodecError(f"The bytes hold a picture that cannot be read: {error}.") from error
