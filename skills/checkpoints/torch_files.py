"""Reader of `torch.save` files with torch's weights-only unpickler: a pickle in them can build data, not run code.

M3's files hold a pickled `habitat.config.default.Config` beside the weights. Classes of habitat and yacs are replaced
by a placeholder that creates a plain dictionary; habitat is not needed. Any other class is rejected by its name.
"""

from __future__ import annotations

import pickle
import re
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from homie.kernel.errors import BadInput
from skills.checkpoints.checkpoint import Content
from skills.checkpoints.naming import FIRST, choose, part_of, parts

STANDS_FOR = re.compile(r"(habitat|yacs)(\.\w+)+")
"""Classes of configurations, which become dictionaries."""
MOST_CLASSES = 16
"""Maximum number of different classes; no configuration has more."""
_REFUSED = re.compile(r"GLOBAL (\S+) (?:was not an allowed|whose module)")
_LEGACY = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""Header of the older files of torch.save: the pickled magic number."""
_NUMPY: list[Any] = [
    (np._core.multiarray.scalar, "numpy.core.multiarray.scalar"),  # type: ignore[attr-defined]
    (np._core.multiarray.scalar, "numpy._core.multiarray.scalar"),  # type: ignore[attr-defined]
    (np._core.multiarray._reconstruct, "numpy.core.multiarray._reconstruct"),  # type: ignore[attr-defined]
    (np._core.multiarray._reconstruct, "numpy._core.multiarray._reconstruct"),  # type: ignore[attr-defined]
    np.ndarray,
    np.dtype,
    *{type(np.dtype(code)) for code in "?bhilqBHILQefd"},
]
"""Numbers and arrays of numpy, which a configuration may hold; not its type for Python objects."""


def read_torch(path: Path, part: str = "") -> Content:
    """Read the state dict of a file: the whole content, or the part under a key. Raises BadInput.

    Args:
        part: The key, if the file has several sets of weights.
    """
    _check_container(path)
    content = _unpickle(path)
    if not isinstance(content, Mapping):
        raise BadInput(f"{path} holds a {type(content).__name__}, not a dictionary of tensors.")
    names = list(parts(content, _is_tensor))
    if not names and part:
        raise BadInput(f"{path} has no weights under '{part}': it holds {_first_keys(content)}.")
    chosen, note = choose(path, {name: _tensors(part_of(content, name)) for name in names}, part) if names else ("", "")
    state = part_of(content, chosen) if chosen else next((content[key] for key in FIRST[:2] if key in content), content)
    if not isinstance(state, Mapping) or not state:
        raise BadInput(f"{path} holds no tensors, but {_first_keys(content)}.")
    invalid = [
        name for name, value in state.items() if not isinstance(name, str) or not isinstance(value, torch.Tensor)
    ]
    if invalid:
        raise BadInput(
            f"{path} is not a state dict, of which every entry is a tensor: it holds {_first_keys(invalid)}."
        )
    for name, tensor in state.items():
        _check_tensor(path, name, tensor)
    tensors = {name: tensor.detach() for name, tensor in state.items()}
    if not chosen:
        return Content(tensors)
    config = _plain(content.get("config", {}))
    steps = _plain(content.get("num_steps_done"))
    return Content(
        tensors,
        step=int(steps) if isinstance(steps, int | float) else None,
        config=config if isinstance(config, dict) else {},
        note=note,
    )


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def _tensors(value: object) -> Mapping[str, torch.Tensor]:
    return value if isinstance(value, Mapping) else {}


def _check_container(path: Path) -> None:
    """Reject files that torch.load would unpack to more than their size, and files not written by torch.save."""
    with path.open("rb") as file:
        head = file.read(len(_LEGACY))
    if not head.startswith(b"PK"):
        if head != _LEGACY:
            raise BadInput(f"{path} is a pickle, but not one that torch.save wrote.")
        return
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except Exception as error:  # zipfile has no single exception for a damaged file
        raise BadInput(f"{path} is a damaged or truncated zip file: {error}.") from error
    if not any(entry.filename.endswith("data.pkl") for entry in entries):
        raise BadInput(f"{path} is a zip file, but not one that torch.save wrote.")
    if any(entry.filename.endswith("constants.pkl") for entry in entries):
        raise BadInput(f"{path} is a TorchScript program, not a state dict.")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise BadInput(f"{path} is a compressed zip file; torch.save never compresses. It is not read.")
    declared_size = sum(max(entry.file_size, entry.compress_size) for entry in entries)
    if declared_size > path.stat().st_size:  # entries that share bytes: each would be unpacked on its own
        raise BadInput(
            f"{path} is a zip file whose entries claim {declared_size:,} bytes, more than the file has: it is not read."
        )


def _unpickle(path: Path) -> object:
    """Load the file with torch.load, with only data allowed. Raises BadInput."""
    allowed = list(_NUMPY)
    for _ in range(MOST_CLASSES):
        try:
            with torch.serialization.safe_globals(allowed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return torch.load(path, map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:
            refusal = _REFUSED.search(str(error))
            if refusal is None:
                raise BadInput(f"{path} is damaged, or holds more than data: {_reason(error)}.") from error
            if not STANDS_FOR.fullmatch(refusal[1]):
                raise BadInput(
                    f"{path} wants to make a {refusal[1]}, which is not data: it is not read and nothing in it was run."
                ) from error
            allowed.append((_placeholder(), refusal[1]))
        except Exception as error:  # torch has no single exception for a damaged file
            raise BadInput(f"{path} is damaged or truncated: {_reason(error)}.") from error
    raise BadInput(f"{path} holds more than {MOST_CLASSES} classes: it is not a policy's checkpoint.")


def _placeholder() -> type:
    """Return a placeholder for a missing class: creating an instance creates a dictionary, which torch's unpickler then
    fills."""

    class Placeholder:
        def __new__(cls, *_: object) -> Any:
            return OrderedDict()

    return Placeholder


def _check_tensor(path: Path, name: str, tensor: torch.Tensor) -> None:
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type != "cpu":
        raise BadInput(f"Tensor {name} in {path} is sparse, quantised or without values.")
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise BadInput(f"Tensor {name} in {path} claims shape {tuple(tensor.shape)}, more than the file holds.")


def _plain(value: object) -> object:
    """Convert to data without classes: dictionaries with string keys, lists, numbers, texts; arrays become lists."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in dict.items(value)}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, torch.Tensor):
        return f"tensor {tuple(value.shape)}"
    return value


def _first_keys(keys: Any) -> str:
    names = [str(key)[:60] for key in keys]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "nothing"


def _reason(error: BaseException) -> str:
    """Return the first line of torch's error message, shortened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:160].rstrip(".")
