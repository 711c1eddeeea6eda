"""Resolve a path or a hub id to a folder of model files. Weights are safetensors only; pickles are never read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from planners.llm.local.gguf_conversion import ENDING, convert_gguf, gguf_file

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_PATTERNS = ("*.json", "*.jinja", "*.txt", "*.model", "*.safetensors")


def find_folder(name: str, weights: str, *, revision: str = "") -> Path:
    """Return the folder of a model or adapter. `weights` names its weight file (`model.safetensors`), maybe in shards.

    A folder on disk is used as is, without the network; a GGUF file is converted into a folder. A hub id is looked up
    in the cache, then downloaded.

    Raises:
        BadInput: There is no such model, or it cannot be read.
        MissingPart: A GGUF file needs the package gguf.
        PlannerError: The hub cannot be reached.
    """
    path = Path(name).expanduser()
    if weights.startswith("model") and (file := gguf_file(path)) is not None:
        return convert_gguf(file)
    if path.is_dir():
        missing = missing_files(path, weights)
        if missing:
            raise BadInput(f"The folder {path} has no {missing}: it must hold a model saved as safetensors.")
        return path
    if path.suffix == ENDING and not path.exists():
        raise BadInput(f"There is no file {path}: check the path of the GGUF file.")
    if not _HUB_ID.fullmatch(name) or path.exists():
        raise BadInput(f"There is no model {path}: give a folder, a GGUF file or a hub id such as owner/model.")
    cached = _snapshot(name, revision, cached=True)
    if cached is not None and not missing_files(cached, weights):
        return cached
    loaded = _snapshot(name, revision, cached=False)
    assert loaded is not None
    missing = missing_files(loaded, weights)
    if missing:
        raise BadInput(
            f"The model {name} has no {missing}: only models saved as safetensors are loaded, and one that was not "
            "downloaded whole needs the network."
        )
    return loaded


def missing_files(folder: Path, weights: str) -> str:
    """Return the first missing file of a folder, "" if it is complete."""
    config = "adapter_config.json" if weights.startswith("adapter") else "config.json"
    if not (folder / config).is_file():
        return config
    index = folder / f"{weights}.index.json"
    if index.is_file():
        shards = sorted(set(read_json(index).get("weight_map", {}).values()))
        return next((shard for shard in shards if not (folder / shard).is_file()), "")
    return "" if (folder / weights).is_file() else weights


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file. Raises BadInput."""
    with reading(path):
        loaded = load_json(path, lax=True)
    if not isinstance(loaded, dict):
        raise BadInput(f"The file {path} must hold a JSON object.")
    return loaded


def _snapshot(name: str, revision: str, *, cached: bool) -> Path | None:
    """Return the folder of a hub id, downloaded if necessary; with `cached` None if it is not in the cache."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        snapshot = snapshot_download(
            name, revision=revision or None, allow_patterns=list(_PATTERNS), local_files_only=cached
        )
    except GatedRepoError as error:
        raise BadInput(
            f"The hub gives {name} only to those who asked for it: accept its terms there, then set HF_TOKEN."
        ) from error
    except RevisionNotFoundError as error:
        raise BadInput(f"The hub has no revision '{revision}' of {name}.") from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise BadInput(
            f"There is neither a folder nor a model on the hub named {name} (a private one needs HF_TOKEN)."
        ) from error
    except Exception as error:  # including those of the hub client's HTTP library, which has changed twice
        if cached:
            return None
        raise PlannerError(
            f"There is no folder {name}, no model of that name in the cache, and the hub cannot be reached: "
            "download it where there is a network, or give the folder of a model."
        ) from error
    return Path(snapshot)
