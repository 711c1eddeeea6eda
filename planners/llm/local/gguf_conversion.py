"""GGUF files, the format of llama.cpp, converted once into a model folder that transformers loads, in a cache.

FILE.gguf --dequantized--> CACHE/homie/models/NAME-SHA/ (model.safetensors, config, tokenizer, chat template)
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.checksums import fingerprint
from homie.kernel.support.files import user_cache
from homie.kernel.support.packages import missing_part

ENDING = ".gguf"
EXACT_BELOW = 1_000_000_000
"""Number of parameters up to which the dequantized weights are saved as float32, which is exact; larger models use
bfloat16, whose rounding error is below that of four-bit weights, and half the disk space."""
_QUANTIZATION_KEYS = ("quantization_config", "is_quantized", "quantization_method")


def gguf_file(path: Path) -> Path | None:
    """Return the GGUF file of a path: the file itself, or the only one in a folder without `config.json`; else None.

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


def convert_gguf(file: Path) -> Path:
    """Return the model folder of a GGUF file, converting it at the first call. Every call reads the whole file for its
    checksum.

    Args:
        file: A text model, in any quantization that the package gguf reads.

    Raises:
        BadInput: The file cannot be read as a model.
        MissingPart: The package gguf is not installed.
        InfrastructureError: The cache folder cannot be written.
    """
    folder = user_cache("models") / f"{file.stem}-{fingerprint(file)[:16]}"
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


def _convert(file: Path, out: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    from planners.llm.local.families import quietly

    source = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name, "local_files_only": True}
    with _cache_parsing(), quietly(file):
        _check_complete(file)
        tokenizer = AutoTokenizer.from_pretrained(**source)
        if not tokenizer.chat_template:
            raise BadInput(f"The model {file} has no chat template: Homie needs one that was trained to chat.")
        gguf_config = GgufConfig(gguf_file=file.name, dequantize=True)
        model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32, quantization_config=gguf_config)
        if model.num_parameters() > EXACT_BELOW:
            model = model.to(torch.bfloat16)
        _remove_quantization(model)
        model.save_pretrained(out)
        tokenizer.save_pretrained(out)
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    config.pop("quantization_config", None)
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


@contextmanager
def _cache_parsing() -> Iterator[None]:
    """Let transformers parse a GGUF file once, which takes seconds, instead of for each of its parts.

    The table of tensor names is also built once, instead of for each module of the model.
    """
    import gguf

    originals = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    reader = cache(originals["GGUFReader"])
    cached_functions = {
        "GGUFReader": lambda path, *mode: reader(str(path), *mode),
        "get_tensor_name_map": cache(originals["get_tensor_name_map"]),
    }
    try:
        for name, value in cached_functions.items():
            setattr(gguf, name, value)
        yield
    finally:
        for name, value in originals.items():
            setattr(gguf, name, value)


def _check_complete(file: Path) -> None:
    """Raise BadInput for a file without a GGUF header, or shorter than its header says."""
    from gguf import GGUFReader

    try:
        GGUFReader(file)
    except OSError:
        raise
    except Exception as error:  # struct.error, ValueError, IndexError, UnicodeDecodeError: it checks no lengths
        raise BadInput(
            f"The model {file} cannot be loaded: it is not a GGUF file, or not all of it: download it again."
        ) from error


def _remove_quantization(model: Any) -> None:
    """Remove the quantization config, as transformers refuses to save a model from GGUF although it is dequantized."""
    model.hf_quantizer = None
    for owner in (model, model.config):
        for name in _QUANTIZATION_KEYS:
            if hasattr(owner, name):
                try:
                    delattr(owner, name)
                except AttributeError:
                    setattr(owner, name, None)
