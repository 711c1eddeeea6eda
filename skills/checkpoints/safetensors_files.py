"""Reader of safetensors files: a JSON header with the offset of each tensor, then the tensors. They contain no code."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import torch

from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading
from skills.checkpoints.checkpoint import Content

TYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "U16": torch.uint16,
    "I32": torch.int32,
    "U32": torch.uint32,
    "I64": torch.int64,
    "U64": torch.uint64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}


def read_safetensors(path: Path) -> Content:
    """Read the tensors of a file. Raises BadInput."""
    with reading(path):
        data = bytearray(path.read_bytes())  # torch has no tensors that cannot be written to
        (length,) = struct.unpack_from("<Q", data)
        content = parse_json(bytes(data[8 : 8 + length]))
        if not isinstance(content, dict):
            raise ValueError("its head is not a JSON object")
        entries = sorted(
            ((name, _entry(name, value)) for name, value in content.items() if name != "__metadata__"),
            key=lambda pair: pair[1][2],
        )
        start, end = 8 + length, 0
        tensors = {}
        for name, (kind, shape, first, last) in entries:
            if first != end or start + last > len(data):
                raise ValueError(f"the tensor '{name[:80]}' does not begin where the one before it ends, or is cut off")
            if last - first != math.prod(shape) * kind.itemsize:
                raise ValueError(f"the tensor '{name[:80]}' has {last - first} bytes for {shape} of {kind}")
            end = last
            if last == first:
                tensors[name] = torch.empty(shape, dtype=kind)
            else:
                flat = torch.frombuffer(data, dtype=torch.uint8, count=last - first, offset=start + first)
                tensors[name] = flat.clone().view(kind).reshape(shape)
        if start + end != len(data):
            raise ValueError("it has more bytes than its tensors")
    if not tensors:
        raise BadInput(f"{path} holds no tensors.")
    return Content(tensors)


def _entry(name: str, value: Any) -> tuple[torch.dtype, tuple[int, ...], int, int]:
    """Parse type, shape and offsets of a tensor. Raises ValueError."""
    fields = value if isinstance(value, dict) else {}
    kind, shape, place = TYPES.get(str(fields.get("dtype"))), fields.get("shape"), fields.get("data_offsets")
    numbers = [*(shape if isinstance(shape, list) else [-1]), *(place if isinstance(place, list) else [-1])]
    are_counts = all(isinstance(number, int) and not isinstance(number, bool) and number >= 0 for number in numbers)
    if kind is None or not are_counts or not isinstance(shape, list) or not isinstance(place, list) or len(place) != 2:
        raise ValueError(f"the tensor '{name[:80]}' has no known type, shape and place")
    return kind, tuple(shape), place[0], place[1]
