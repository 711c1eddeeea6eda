"""Arrays in msgpack as four toolkits write them, byte for byte: no pickle, no classes, only numbers and booleans.

openpi        array {b"__ndarray__": True, b"data", b"dtype", b"shape"}, number of numpy {b"__npgeneric__", ...}
vla-eval      array {"__ndarray__": True, "data", "dtype", "shape"}, picture {"__image__": True, "format": "png", ...}
xpolicylab    as msgpack-numpy has it: {b"nd": True, b"type", b"kind": b"", b"shape", b"data"}, number {b"nd": False}
gr00t         {"__ndarray_class__": True, "as_npy": the bytes of a .npy file}
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgpack
import numpy as np
from PIL import Image

from skills.policy_codec import FRAME_BYTES, MOST_DIMENSIONS, MOST_ITEMS, CodecError

Dialect: TypeAlias = Literal["openpi", "vla-eval", "xpolicylab", "gr00t"]

KINDS = "biuf"
"""Kinds of numbers that are encoded and decoded: booleans, integers and floats."""
TYPE = re.compile(rf"[<>|=]?[{KINDS}][1248]")
"""An element type in numpy's notation."""
PICTURES = ("PNG", "JPEG")


def pack(value: object, dialect: Dialect) -> bytes:
    """Encode a message. vla-eval's images (H, W, 3 or 4) uint8 become PNG. Raises CodecError."""
    try:
        packed: bytes = msgpack.packb(value, default=_WRITERS[dialect])
    except (TypeError, ValueError, OverflowError) as error:
        raise CodecError(f"This cannot be sent: {error}.") from error
    return packed


def unpack(data: bytes | str) -> Any:
    """Decode a message of any dialect. Raises CodecError for invalid bytes and unsupported arrays."""
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


def _check_type(value: np.ndarray | np.generic) -> None:
    if value.dtype.kind not in KINDS:
        raise CodecError(f"An array of {value.dtype} cannot be sent.")


def _openpi(value: object) -> object:
    if isinstance(value, np.ndarray):
        _check_type(value)
        return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}
    if isinstance(value, np.generic):
        _check_type(value)
        return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _vla_eval(value: object) -> object:
    if isinstance(value, np.ndarray):
        _check_type(value)
        if value.dtype == np.uint8 and value.ndim == 3 and value.shape[2] in (3, 4):
            buffer = io.BytesIO()
            Image.fromarray(value).save(buffer, format="PNG")
            return {"__image__": True, "format": "png", "data": buffer.getvalue(), "shape": list(value.shape)}
        return {"__ndarray__": True, "data": value.tobytes(), "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        _check_type(value)
        return value.item()
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _xpolicylab(value: object) -> object:
    if isinstance(value, np.ndarray):
        _check_type(value)
        return {
            b"nd": True,
            b"type": value.dtype.str,
            b"kind": b"",
            b"shape": value.shape,
            b"data": value.tobytes(),
        }
    if isinstance(value, np.generic):
        _check_type(value)
        return {b"nd": False, b"type": value.dtype.str, b"data": value.tobytes()}
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


def _gr00t(value: object) -> object:
    if isinstance(value, np.ndarray):
        _check_type(value)
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        return {"__ndarray_class__": True, "as_npy": buffer.getvalue()}
    raise CodecError(f"A {type(value).__name__} cannot be sent.")


_WRITERS: Mapping[Dialect, Callable[[object], object]] = {
    "openpi": _openpi,
    "vla-eval": _vla_eval,
    "xpolicylab": _xpolicylab,
    "gr00t": _gr00t,
}
_MARKS = {"__ndarray__", "__npgeneric__", "__image__", "__ndarray_class__"}
"""Every mapping that encodes an array, a number or an image has one of these keys, or b"nd"."""


def _read(mapping: Mapping[Any, Any]) -> Any:
    """Return a mapping as it is, or the array that it encodes."""
    if b"nd" in mapping:
        return _msgpack_numpy(mapping)
    fields = {key.decode("utf-8", "replace") if isinstance(key, bytes) else key: item for key, item in mapping.items()}
    if not fields.keys() & _MARKS:
        return mapping
    if "__ndarray_class__" in fields:
        return _npy(fields.get("as_npy"))
    if "__npgeneric__" in fields:
        return _dtype(fields.get("dtype")).type(fields.get("data"))
    if "__image__" in fields and fields.get("format") != "raw":
        return _picture(fields.get("data"), fields.get("shape"))
    return _array(fields.get("data"), fields.get("dtype"), fields.get("shape"))


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


def _msgpack_numpy(mapping: Mapping[Any, Any]) -> np.ndarray | np.generic:
    """Decode an array or a number of numpy; records and objects, which would need pickle, are rejected by their
    type."""
    is_array = mapping[b"nd"] is True
    array = _array(mapping.get(b"data"), mapping.get(b"type"), mapping.get(b"shape") if is_array else [])
    return array if is_array else array[()]


def _npy(data: object) -> np.ndarray:
    """Decode the array of a .npy file; its shape is compared with its length before memory is allocated."""
    if not isinstance(data, bytes):
        raise CodecError("The bytes hold an array that is none.")
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = header(file)
    except (ValueError, SyntaxError) as error:
        raise CodecError("The bytes hold an array that is none.") from error
    numbers = _array(data[file.tell() :], dtype.str, list(shape[::-1] if by_columns else shape))
    return numbers.T if by_columns else numbers


def _picture(data: object, shape: object) -> np.ndarray:
    """Decode an image; its size is checked before it is decompressed."""
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
