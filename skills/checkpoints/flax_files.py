"""Reader of flax's msgpack files, with msgpack alone.

The layout is that of `flax.serialization` (Apache-2.0): extension 1 is an array as (shape, type name, bytes), extension
3 one number in the same form; an array over 1 GiB is cut into pieces of the flat array.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgpack
import torch

from homie.kernel.errors import BadInput
from homie.kernel.support.files import reason_of
from skills.checkpoints.checkpoint import Content
from skills.checkpoints.checkpoint_folders import CONVERT

ARRAY, NUMBER = 1, 3
CHUNKED = "__msgpack_chunked_array__"
MOST_ITEMS = 2**16
"""Maximum number of entries of one list or one branch; no network has more."""
DEEPEST = 64
"""Maximum nesting depth of branches; those of the policies go ten deep, and Python itself gives up near a thousand."""
BRANCHES = ("params", "batch_stats")
"""Branches of a training state that inference needs; the state of its optimiser is left out."""
TYPES = {
    "bool": torch.bool,
    "uint8": torch.uint8,
    "uint16": torch.uint16,
    "uint32": torch.uint32,
    "uint64": torch.uint64,
    "int8": torch.int8,
    "int16": torch.int16,
    "int32": torch.int32,
    "int64": torch.int64,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
}


def read_flax(path: Path) -> Content:
    """Read the tensors of a tree: all of it, or `params` and `batch_stats` of a training state. Raises BadInput."""
    tree = _tree(path)
    step = tree.get("step")
    if "params" in tree:
        tree = {branch: tree[branch] for branch in BRANCHES if branch in tree}
    tensors: dict[str, torch.Tensor] = {}
    for name, leaf in _leaves(tree, path):
        if isinstance(leaf, str) and leaf.startswith("PLACEHOLDER://"):
            raise BadInput(
                f"{path} only names its arrays; they are in other files that orbax wrote beside it: {CONVERT}."
            )
        if not isinstance(leaf, torch.Tensor):
            raise BadInput(f"{path} is not a tree of arrays: '{name[:80]}' is a {type(leaf).__name__}.")
        if name in tensors:
            raise BadInput(f"{path} holds '{name[:80]}' twice.")
        tensors[name] = leaf
    if not tensors:
        raise BadInput(f"{path} holds no tensors.")
    if isinstance(step, torch.Tensor):
        step = step.item() if step.numel() == 1 else None
    return Content(tensors, step=step if isinstance(step, int) else None)


def _tree(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            tree = _unpack(data)
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {reason_of(error)}.") from error
    except _InvalidArray as error:
        raise BadInput(f"{path} is damaged: {error}.") from error
    except Exception as error:  # msgpack has no single exception for invalid data
        reason = str(error)[:120].rstrip(".") or type(error).__name__
        raise BadInput(
            f"{path} is not a checkpoint (neither of torch.save nor flax's msgpack), or is truncated: {reason}."
        ) from error
    if not isinstance(tree, dict):
        raise BadInput(f"{path} is not a checkpoint: neither a file of torch.save nor a tree of flax's msgpack.")
    return tree


class _InvalidArray(Exception):
    """An array whose description does not fit its bytes."""


def _unpack(data: bytes | mmap.mmap) -> object:
    return msgpack.unpackb(
        data,
        raw=False,
        ext_hook=_extension,
        max_array_len=MOST_ITEMS,
        max_map_len=MOST_ITEMS,
    )


def _extension(code: int, data: bytes) -> torch.Tensor:
    """Decode the array or number in an extension; a number has shape ()."""
    if code not in (ARRAY, NUMBER):
        raise _InvalidArray(f"extension {code} is not an array")
    match msgpack.unpackb(data, raw=False, max_array_len=64, max_map_len=0, max_ext_len=0):
        case [[*shape], str(kind), bytes(values)] if all(type(size) is int and size >= 0 for size in shape):
            pass
        case _:
            raise _InvalidArray("an array is not (shape, type, bytes)")
    dtype = TYPES.get(kind)
    if dtype is None:
        raise _InvalidArray(f"an array has type '{kind[:40]}', which is not a number type that policies use")
    expected = math.prod(shape) * dtype.itemsize
    if expected != len(values):
        raise _InvalidArray(f"an array of shape {tuple(shape)} and type {kind} has {len(values)} bytes, not {expected}")
    if not values:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(values), dtype=dtype).reshape(shape)


def _leaves(tree: Mapping[str, object], path: Path) -> Iterator[tuple[str, object]]:
    """Yield the leaves of the tree, by names joined by "/", in the order of the file."""
    branches = [("", iter(tree.items()))]
    while branches:
        prefix, items = branches[-1]
        for key, value in items:
            name = f"{prefix}{key}"
            if not isinstance(value, dict):
                yield name, value
            elif CHUNKED in value:
                yield name, _join_chunks(name, value)
            elif len(branches) == DEEPEST:
                raise BadInput(
                    f"{path} is not a checkpoint of a policy: its tree is more than {DEEPEST} branches deep."
                )
            else:
                branches.append((f"{name}/", iter(value.items())))
                break
        else:
            branches.pop()


def _join_chunks(name: str, value: Mapping[str, object]) -> torch.Tensor:
    """Join the pieces of an array: {CHUNKED: True, "shape": {"0": n, ...}, "chunks": {"0": array, ...}}."""
    shape, chunks = value.get("shape"), value.get("chunks")
    if isinstance(shape, dict) and isinstance(chunks, dict) and chunks:
        sizes = [size for index in range(len(shape)) if isinstance(size := shape.get(str(index)), int)]
        pieces = [chunk for index in range(len(chunks)) if isinstance(chunk := chunks.get(str(index)), torch.Tensor)]
        is_complete = len(sizes) == len(shape) and len(pieces) == len(chunks)
        if is_complete and math.prod(sizes) == sum(chunk.numel() for chunk in pieces):
            return torch.cat([chunk.reshape(-1) for chunk in pieces]).reshape(sizes)
    raise BadInput(f"The pieces of the array '{name[:80]}' do not make an array: the file is damaged.")
