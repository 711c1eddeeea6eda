"""Checked loading of PEFT adapters: only onto a model that they fit, and with finite weights.

peft itself loads the weights that fit and silently ignores the rest.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file

from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.support.text import one_line
from planners.llm.local.find_model import read_json

ADAPTER_WEIGHTS, ADAPTER_CONFIG = "adapter_model.safetensors", "adapter_config.json"
SHOWN = 3


def add_adapter(model: Any, folder: Path, base: Path) -> Any:
    """Add an adapter to a model; warn if it fits but names another base model.

    Args:
        model: A loaded transformers model.
        folder: Folder of the adapter.
        base: Folder of the model.

    Raises:
        BadInput: The adapter does not fit, has unexpected or non-finite weights, or would have no effect.
        MissingPart: peft is not installed.
    """
    if importlib.util.find_spec("peft") is None:
        raise missing_part("adapter", "peft", "peft")
    import peft

    config = _checked_config(folder)
    _check_weights(folder)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*missing adapter keys.*")
        try:
            adapted_model = peft.PeftModel.from_pretrained(model, folder)
            # Load it again, as the first time unexpected weights are not reported.
            unexpected = adapted_model.load_adapter(folder, adapted_model.active_adapter).unexpected_keys
        except (ValueError, RuntimeError, KeyError, TypeError, UserWarning) as error:
            raise BadInput(f"The adapter {folder} does not fit the model: {one_line(error)}") from error
    if unexpected:
        names = ", ".join(sorted(unexpected)[:SHOWN]) + (
            f" and {len(unexpected) - SHOWN} more" if len(unexpected) > SHOWN else ""
        )
        raise BadInput(
            f"The adapter {folder} does not fit the model {base}, which has no place for {len(unexpected)} of its "
            f"weights ({names}): give the model that it was trained on{_base_clause(config)}."
        )
    base_name, trained_name = _model_name(str(base)), _model_name(str(config.get("base_model_name_or_path") or ""))
    if trained_name and base_name.lower() != trained_name.lower():
        warnings.warn(
            f"The adapter {folder} was trained on '{config['base_model_name_or_path']}', and the model is {base}: its"
            " weights fit, but if these are not the same model its answers are worth little.",
            stacklevel=2,
        )
    return adapted_model


def _checked_config(folder: Path) -> Mapping[str, Any]:
    """Return the configuration of an adapter. Raises BadInput if it is invalid or the adapter would have no effect."""
    path = folder / ADAPTER_CONFIG
    config = read_json(path)
    if "peft_type" not in config:
        raise BadInput(f"{path} is not a configuration of a PEFT adapter: it has no peft_type.")
    if config["peft_type"] == "LORA":
        ranks = {"r": config.get("r", 8), **_pattern(config, "rank_pattern")}
        scales = {"lora_alpha": config.get("lora_alpha", 8), **_pattern(config, "alpha_pattern")}
        for name, rank in ranks.items():
            if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
                raise BadInput(f"{path}: '{name}' is {rank!r}, and a rank is a whole number from 1 on.")
        for name, scale in scales.items():
            number = isinstance(scale, int | float) and not isinstance(scale, bool) and math.isfinite(scale)
            if not number or not scale:
                raise BadInput(f"{path}: '{name}' is {scale!r}: with such a scale the adapter does nothing.")
    return config


def _pattern(config: Mapping[str, Any], name: str) -> dict[str, Any]:
    pattern = config.get(name) or {}
    return {f"{name} of {layer}": value for layer, value in pattern.items()} if isinstance(pattern, Mapping) else {}


def _check_weights(folder: Path) -> None:
    """Raise BadInput if the weights are not present as safetensors, or not all finite."""
    path = folder / ADAPTER_WEIGHTS
    if not path.is_file():
        raise BadInput(
            f"The adapter {folder} has no {ADAPTER_WEIGHTS}: other files of weights, as pickles, are not read."
        )
    try:
        bad = sorted(_nonfinite_weights(load_file(path)))
    except (SafetensorError, OSError) as error:
        raise BadInput(f"The adapter {path} is damaged: {one_line(error)}.") from error
    if bad:
        more_clause = f" and {len(bad) - SHOWN} more" if len(bad) > SHOWN else ""
        raise BadInput(
            f"The adapter {folder} has weights that are not finite: {', '.join(bad[:SHOWN])}{more_clause}. Its training"
            " failed; take one of before."
        )


def _nonfinite_weights(weights: Mapping[str, Any]) -> Iterator[str]:
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            yield name


def _base_clause(config: Mapping[str, Any]) -> str:
    base = config.get("base_model_name_or_path")
    return f", {base}" if base else ""


def _model_name(path: str) -> str:
    """Return the last part of a path or a hub id; for a folder in the hub's cache, that of its repository."""
    parts = Path(path).parts
    if len(parts) > 2 and parts[-2] == "snapshots":
        parts = parts[:-2]
    return parts[-1].rpartition("--")[2] if parts else ""
