"""Normalization of weights saved by training code: several parts in one file, names with the prefixes of wrappers.

Only prefixes in front of the names of a registered format are removed, so a policy whose own names begin with `model.`
keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from homie.kernel.errors import BadInput

if TYPE_CHECKING:
    import torch

Tensors: TypeAlias = "Mapping[str, torch.Tensor]"
PARALLEL = "module."
"""Prefix that torch's DataParallel adds to every name; the network inside is the same."""
COMPILED = "_orig_mod."
"""Prefix that torch.compile adds to the names of a network, or of a part of one."""
WRAPPERS = (PARALLEL, COMPILED, "averaged_model.", "ema_model.", "model.", "net.", "network.", "policy.", "state_dict.")
"""Prefixes that training code adds to names, in any order and number."""
COUNTERS = ("n_averaged",)
"""Numbers that torch's AveragedModel keeps beside the weights."""
FIRST = ("state_dict", "model_state_dict", "model", "net", "network", "module", "params")
"""Keys under which training code keeps the weights; of equal ones the first is read."""
NO_WEIGHTS = ("optim", "sched", "scaler", "rng")
"""Words in the keys of tensors that are not a network."""
DEEPEST = 3
"""Maximum nesting depth of dictionaries in which weights are searched."""
SHOWN = 5


def parts(held: Mapping[object, object], is_tensor: Callable[[object], bool], inside: str = "") -> Iterator[str]:
    """Yield the keys, joined by `/`, under which a dictionary holds only tensors by their names."""
    for key, value in held.items():
        name = f"{inside}{key}"
        if not isinstance(value, Mapping) or not value or any(word in name.lower() for word in NO_WEIGHTS):
            continue
        if all(isinstance(inner, str) and is_tensor(tensor) for inner, tensor in value.items()):
            yield name
        elif name.count("/") + 1 < DEEPEST:
            yield from parts(value, is_tensor, f"{name}/")


def part_of(held: Mapping[object, object], name: str) -> object:
    """Return the value under a key from `parts`."""
    value: object = held
    for key in name.split("/"):
        value = (
            next((inner for key_name, inner in value.items() if str(key_name) == key), None)
            if isinstance(value, Mapping)
            else None
        )
    return value


def choose(path: Path, sets: Mapping[str, Tensors], requested: str) -> tuple[str, str]:
    """Return the part to read, and a note about it. Raises BadInput if the choice is ambiguous."""
    if requested:
        if requested not in sets:
            known = f"it has {', '.join(sets)}" if sets else "it has no such parts"
            raise BadInput(f"{path} has no weights under '{requested}': {known}.")
        return requested, f"the weights under '{requested}'"
    ordered = sorted(sets, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    first, remaining = ordered[0], ordered[1:]
    differing = [name for name in remaining if not _equal(sets[first], sets[name])]
    if differing:
        names = ", ".join(f"'{name}'" for name in ordered)
        raise BadInput(
            f"{path} holds several sets of weights, under {names}: give one of them, such as {path}#{ordered[-1]}."
        )
    equal = f", which are those under {', '.join(repr(name) for name in remaining)}, too" if remaining else ""
    return first, f"the weights under '{first}'{equal}"


def _equal(first: Tensors, other: Tensors) -> bool:
    return set(first) == set(other) and all(
        tensor.shape == other[name].shape
        and tensor.dtype == other[name].dtype
        and bool((tensor == other[name]).logical_or(tensor.isnan() & other[name].isnan()).all())
        for name, tensor in first.items()
    )


def match_known_names(tensors: Tensors, known: Callable[[Iterable[str]], bool]) -> tuple[Tensors, str]:
    """Return the tensors under the names that a format knows, and a note on the removed prefixes, "" for none.

    Args:
        known: Whether some format has these names. If none has them in any form, only the prefix of training on several
            GPUs is removed.
    """
    if known(tensors) and not any(COMPILED in name for name in tensors):
        return tensors, ""
    weights = {name: tensor for name, tensor in tensors.items() if not (name in COUNTERS and tensor.numel() == 1)}
    for shorten in (_strip_wrappers, _strip_common_prefix(weights)):
        names = {name: shorten(name) for name in weights}
        if len(set(names.values())) == len(names) and known(names.values()):
            return {names[name]: tensor for name, tensor in weights.items()}, _removed_prefixes(tensors, names)
    if all(name.startswith(PARALLEL) for name in tensors):
        short = {name.removeprefix(PARALLEL): tensor for name, tensor in tensors.items()}
        return short, f"'{PARALLEL}' before all names"
    return tensors, ""


def _strip_wrappers(name: str) -> str:
    name = name.replace(f".{COMPILED}", ".")
    while wrapper := next((known_wrapper for known_wrapper in WRAPPERS if name.startswith(known_wrapper)), ""):
        name = name.removeprefix(wrapper)
    return name


def _strip_common_prefix(tensors: Tensors) -> Callable[[str], str]:
    """Return a function that removes the common prefix of all names: custom training code may use a prefix of its
    own."""
    steps = [name.split(".")[:-1] for name in tensors]
    common = 0
    while (
        steps
        and all(len(name_parts) > common for name_parts in steps)
        and len({name_parts[common] for name_parts in steps}) == 1
    ):
        common += 1
    return lambda name: ".".join(name.split(".")[common:])


def _removed_prefixes(tensors: Tensors, names: Mapping[str, str]) -> str:
    prefixes = dict.fromkeys(
        name.removesuffix(short) if name.endswith(short) else COMPILED for name, short in names.items()
    )
    words = [f"'{prefix}'" for prefix in prefixes if prefix]
    summary = ", ".join(words[:SHOWN]) + (" and others" if len(words) > SHOWN else "")
    everywhere = "all" if "" not in prefixes else "some"
    counters = [name for name in tensors if name not in names]
    return f"{summary} before {everywhere} names" + (f", and {', '.join(counters)}" if counters else "")
