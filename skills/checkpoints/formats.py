"""The formats of checkpoints that are registered, and which of them a file has, by the names of its tensors.

A policy's package exports one `CheckpointFormat`, registered under the policy's name (`homie.kernel.registry`,
kind `checkpoints`; entry points `homie.checkpoints` in other packages). Nothing here knows any policy.
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
"""Writes random weights of a seed to a path as the authors lay theirs out."""


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """What a whole checkpoint holds: names, shapes and types, as tensors without numbers (on torch's `meta` device).

    Attributes:
        needed: Those of the network (`skills.checkpoints.loading.shapes_of`).
        spare: Those that the authors' file has too, without effect.
        beside: How the names of tensors begin that belong to another network in the same file, "" if there is none.
    """

    needed: Tensors
    spare: Tensors = field(default_factory=dict)
    beside: str = ""

    def unused(self, names: Iterable[str]) -> set[str]:
        """Those of a file's names that the network does without."""
        return {name for name in names if name in self.spare or (self.beside and name.startswith(self.beside))}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFormat:
    """What the checkpoints of one policy look like and how they are used.

    Args:
        policy: the name of the skill set.
        prefixes: beginnings of names of tensors. A file is of this format if it has names with all of them.
        layouts: makes the layout of every kind of network of the policy; most policies have one kind, of their name.
        kind: which of `layouts` a file's tensors are; the first one where it is left out.
        writers: what writes random weights, by the name that `homie skill generate` takes.
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
        name_tuple = tuple(names)
        return all(any(name.startswith(prefix) for name in name_tuple) for prefix in self.prefixes)

    def kind_of(self, tensors: Tensors) -> str:
        """Which of `layouts` the tensors of a file of this format have."""
        return self.kind(tensors) if self.kind is not None else next(iter(self.layouts))


def formats() -> Iterator[CheckpointFormat]:
    """The registered formats, built-in ones first. One that cannot be loaded is left out with a warning."""
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
    """The format that a checkpoint has, None if none that is registered."""
    return next((known for known in formats() if known.fits(checkpoint.tensors)), None)


def require(checkpoint: Checkpoint, expected: CheckpointFormat) -> None:
    """Raise BadInput, which says what the file is instead, where it is not a checkpoint of the format."""
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
