"""From a path or a hub id to a folder of model files. Weights are safetensors only; pickled ones are never touched.

GGUF files, the format of llama.cpp, are converted once into a model folder that transformers loads, in a cache:
FILE.gguf --dequantized--> CACHE/homie/models/NAME-SHA/ (model.safetensors, config, tokenizer, chat template)
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput, InfrastructureError, PlannerError
from homie.kernel.support.checksums import fingerprint
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.support.packages import missing_part

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_PATTERNS = ("*.json", "*.jinja", "*.txt", "*.model", "*.safetensors")


def find_folder(name: str, weights: str, *, revision: str = "") -> Path:
    """The folder of a model or an adapter. `weights`: its file of weights (`model.safetensors`), maybe in shards.

    A folder on disk is used as it is, without the network; a GGUF file is converted into one. A hub id is looked for in
    the cache, then downloaded.

    Raises:
        BadInput: There is no such model, or it cannot be read.
        MissingPart: A GGUF file needs the package gguf.
        PlannerError: The hub cannot be reached.
    """
    path = Path(name).expanduser()
    if weights.startswith("model") and (file := gguf_file(path)) is not None:
        return converted(file)
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
    """The first file that a folder lacks, "" if it is complete."""
    config = "adapter_config.json" if weights.startswith("adapter") else "config.json"
    if not (folder / config).is_file():
        return config
    index = folder / f"{weights}.index.json"
    if index.is_file():
        shards = sorted(set(read_json(index).get("weight_map", {}).values()))
        return next((shard for shard in shards if not (folder / shard).is_file()), "")
    return "" if (folder / weights).is_file() else weights


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file. Raises BadInput."""
    with reading(path):
        loaded = load_json(path, lax=True)
    if not isinstance(loaded, dict):
        raise BadInput(f"The file {path} must hold a JSON object.")
    return loaded


def _snapshot(name: str, revision: str, *, cached: bool) -> Path | None:
    """The files of a hub id; None if they are wanted from the cache and are not there."""
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
    except Exception as error:  # among others those of the HTTP library of the hub's client, which has changed it twice
        if cached:
            return None
        raise PlannerError(
            f"There is no folder {name}, no model of that name in the cache, and the hub cannot be reached: "
            "download it where there is a network, or give the folder of a model."
        ) from error
    return Path(snapshot)


ENDING = ".gguf"
EXACT_BELOW = 1_000_000_000
"""Parameters up to which the dequantized weights are kept in float32, which is exact; larger models take bfloat16,
whose rounding is below that of four-bit weights, and half of the disk."""
_QUANTIZED = ("quantization_config", "is_quantized", "quantization_method")


def gguf_file(path: Path) -> Path | None:
    """The GGUF file that a path means: the file itself, or the only one in a folder that has no `config.json`.

    Raises:
        BadInput: The folder has several.
    """
    if path.suffix == ENDING and path.is_file():
        return path
    if not path.is_dir() or (path / "config.json").exists():
        return None
    files = sorted(path.glob(f"*{ENDING}"))
    if len(files) > 1:
        raise BadInput(f"The folder {path} has {len(files)} GGUF files: give one of them, such as {files[0]}.")
    return files[0] if files else None


def converted(file: Path) -> Path:
    """The model folder of a GGUF file, made at the first call. The file is read in full for its checksum every time.

    Args:
        file: Of a text model, in any quantization that the package gguf reads.

    Raises:
        BadInput: The file cannot be read as a model.
        MissingPart: The package gguf is not installed.
        InfrastructureError: The cache folder cannot be written.
    """
    folder = cache_folder() / f"{file.stem}-{fingerprint(file)[:16]}"
    if folder.is_dir():
        return folder
    if importlib.util.find_spec("gguf") is None:
        raise missing_part(f"The model {file.name}", "gguf", "gguf")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InfrastructureError(f"The model {file} cannot be converted into {folder.parent}: {error}.") from error
    try:
        _convert(file, unfinished)
        unfinished.rename(folder)
    except OSError as error:
        if folder.is_dir():  # another process was faster
            return folder
        raise InfrastructureError(f"The model {file} cannot be converted into {folder.parent}: {error}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def cache_folder() -> Path:
    """Where converted models are: `$XDG_CACHE_HOME/homie/models`, by default in `~/.cache`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "homie" / "models"


def _convert(file: Path, out: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    from planners.llm.local.families import quietly

    where = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name, "local_files_only": True}
    with _parsed_once(), quietly(file):
        _check_whole(file)
        tokenizer = AutoTokenizer.from_pretrained(**where)
        if not tokenizer.chat_template:
            raise BadInput(f"The model {file} has no chat template: Homie needs one that was trained to chat.")
        plain = GgufConfig(gguf_file=file.name, dequantize=True)
        model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32, quantization_config=plain)
        if model.num_parameters() > EXACT_BELOW:
            model = model.to(torch.bfloat16)
        _forget_quantization(model)
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    config.pop("quantization_config", None)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _parsed_once() -> Iterator[None]:
    """Let transformers parse a GGUF file once, which takes seconds, instead of for each of its parts.

    The table of names is made once, too, instead of for each module of the model.
    """
    import gguf

    kept = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    reader = cache(kept["GGUFReader"])
    once = {
        "GGUFReader": lambda path, *mode: reader(str(path), *mode),
        "get_tensor_name_map": cache(kept["get_tensor_name_map"]),
    }
    try:
        for name, value in once.items():
            setattr(gguf, name, value)
        yield
    finally:
        for name, value in kept.items():
            setattr(gguf, name, value)


def _check_whole(file: Path) -> None:
    """Raises BadInput for a file without the header of GGUF, or shorter than its header says."""
    from gguf import GGUFReader

    try:
        GGUFReader(file)
    except OSError:
        raise
    except Exception as error:  # struct.error, ValueError, IndexError, UnicodeDecodeError: it checks no lengths
        raise BadInput(
            f"The model {file} cannot be loaded: it is not a GGUF file, or not all of it: download it again."
        ) from error


def _forget_quantization(model: Any) -> None:
    """transformers refuses to save what was read from a GGUF file, though its weights are plain by now."""
    model.hf_quantizer = None
    for owner in (model, model.config):
        for name in _QUANTIZED:
            if hasattr(owner, name):
                try:
                    delattr(owner, name)
                except AttributeError:
                    setattr(owner, name, None)
