"""The registered checkpoint formats, and recognition of a file's format by the names of its tensors.

A policy's package exports one `CheckpointFormat`, registered under the policy's name (`homie.kernel.registry`, kind
`checkpoints`; entry points `homie.checkpoints` in other packages). This package knows no policy.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from homie.kernel import registry
from homie.kernel.errors import BadInput, HomieError
from skills.checkpoints.checkpoint import Checkpoint

if TYPE_CHECKING:
    import torch

KIND = "checkpoints"
"""The kind of the registry."""
Tensors: TypeAlias = "Mapping[str, torch.Tensor]"
Writer: TypeAlias = Callable[[Path, int], None]
"""Writes random weights of a seed to a path, in the layout of the policy's authors."""


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """Content of a whole checkpoint: names, shapes and types, as tensors without values (on torch's `meta` device).

    Attributes:
        needed: Tensors of the network (`skills.checkpoints.loading.shapes_of`).
        spare: Additional tensors of the authors' file, without effect.
        beside: Prefix of the tensors that belong to another network in the same file, "" if there is none.
    """

    needed: Tensors
    spare: Tensors = field(default_factory=dict)
    beside: str = ""

    def unused(self, names: Iterable[str]) -> set[str]:
        """Return the names in a file that the network does not need."""
        return {name for name in names if name in self.spare or (self.beside and name.startswith(self.beside))}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFormat:
    """Layout and use of the checkpoints of one policy.

    Args:
        policy: the name of the skill set.
        prefixes: prefixes of tensor names. A file is of this format if each of them occurs.
        layouts: factory of the layout of every kind of network of the policy; most policies have one kind, of their
            name. Empty if only the package that runs the policy knows it.
        kind: returns the key of `layouts` for a file's tensors; by default the first one.
        writers: writers of random weights, by the name that `homie skill generate` takes.
        use: how a file is given to `homie run`; `{path}` stands for it.

    Example:
        >>> from skills.checkpoints.formats import CheckpointFormat
        >>> CheckpointFormat(
        ...     policy="tiny",
        ...     prefixes=("tiny_encoder.", "tiny_head."),
        ...     layouts={"tiny": lambda: TensorLayout({})},
        ...     writers={},
        ...     use="--skills tiny:{path}",
        ... ).fits(["tiny_encoder.weight", "tiny_head.weight"])
        True
    """

    policy: str
    prefixes: tuple[str, ...]
    layouts: Mapping[str, Callable[[], TensorLayout]]
    writers: Mapping[str, Writer]
    use: str
    kind: Callable[[Tensors], str] | None = None

    def fits(self, names: Iterable[str]) -> bool:
        """Whether tensors of these names are of this format."""
        tensor_names = tuple(names)
        return all(any(name.startswith(prefix) for name in tensor_names) for prefix in self.prefixes)

    def kind_of(self, tensors: Tensors) -> str:
        """Return the key of `layouts` for the tensors of a file of this format."""
        return self.kind(tensors) if self.kind is not None else next(iter(self.layouts), self.policy)


def formats() -> Iterator[CheckpointFormat]:
    """Yield the registered formats, built-in ones first. One that cannot be loaded is left out with a warning."""
    for name in registry.names(KIND):
        try:
            registered = registry.load(KIND, name)
        except (HomieError, ImportError) as error:
            warnings.warn(f"The checkpoint format '{name}' cannot be loaded: {error}", stacklevel=2)
            continue
        if isinstance(registered, CheckpointFormat):
            yield registered
        else:
            warnings.warn(f"The checkpoint format '{name}' is not a CheckpointFormat.", stacklevel=2)


def recognise(checkpoint: Checkpoint) -> CheckpointFormat | None:
    """Return the format of a checkpoint, or None if it is not registered."""
    return next(
        (checkpoint_format for checkpoint_format in formats() if checkpoint_format.fits(checkpoint.tensors)), None
    )


def require(checkpoint: Checkpoint, expected: CheckpointFormat) -> None:
    """Raise BadInput, naming the file's actual format, if it is not a checkpoint of the expected format."""
    if expected.fits(checkpoint.tensors):
        return
    other = recognise(checkpoint)
    if other is not None:
        raise BadInput(f"{checkpoint.path} is a checkpoint of {other.policy}, not of {expected.policy}.")
    names = list(checkpoint.tensors)
    examples = ", ".join(name[:60] for name in names[:3])
    raise BadInput(
        f"{checkpoint.path} is not a checkpoint of {expected.policy}: its {len(names)} tensors begin with {examples}."
    )
