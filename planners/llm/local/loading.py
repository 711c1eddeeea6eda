"""Load a model of a supported family: weights, tokenizer, processor, adapter, quantization. Never runs its code."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
)

from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from planners.llm.local.adapters import add_adapter
from planners.llm.local.engine import Engine
from planners.llm.local.families import FAMILIES, make_processor, quietly
from planners.llm.local.find_model import read_json

WEIGHTS = "model.safetensors"
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Load:
    """Weights to load, with device and precision, which may be `auto`.

    Attributes:
        adapter: Folder of a PEFT adapter, or None.
    """

    folder: Path
    adapter: Path | None = None
    device: str = "auto"
    dtype: str = "auto"
    load_in_4bit: bool = False


def load_engine(load: Load) -> Engine:
    """Load a model for inference. Raises BadInput, MissingPart."""
    kind = model_type(load.folder)
    device = device_of(load.device)
    dtype = _dtype(load.dtype, device)
    device_options = {} if device.type == "cpu" else {"device_map": {"": device}}
    if load.load_in_4bit:
        device_options["quantization_config"] = _four_bits(device, dtype)
    is_multimodal = kind in FAMILIES
    auto = transformers.AutoModelForImageTextToText if is_multimodal else transformers.AutoModelForCausalLM
    with quietly(load.folder):
        tokenizer = transformers.AutoTokenizer.from_pretrained(load.folder, local_files_only=True, padding_side="left")
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        processor = make_processor(kind, load.folder, tokenizer) if is_multimodal else None
        model, report = auto.from_pretrained(
            load.folder,
            local_files_only=True,
            use_safetensors=True,
            dtype=dtype,
            output_loading_info=True,
            **device_options,
        )
        _check_complete(load.folder, report)
        end_tokens = _end_tokens(model, tokenizer)
        if load.adapter is not None:
            model = add_adapter(model, load.adapter, load.folder)
    if not is_multimodal and not tokenizer.chat_template:
        raise BadInput(f"The model {load.folder} has no chat template: put its chat_template.jinja into the folder.")
    return Engine(model.eval(), tokenizer, processor, end_tokens)


def model_type(folder: Path) -> str:
    """Return the `model_type` in the config of a model folder. Raises BadInput for one that Homie does not support."""
    kind = str(read_json(folder / "config.json").get("model_type", ""))
    if kind in FAMILIES or kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return kind
    names = ", ".join(FAMILIES)
    raise BadInput(
        f"Models of type '{kind}' are not supported ({folder}); supported are {names}, and text-only models with "
        "--set images=false."
    )


def explain_no_pictures(folder: Path) -> str:
    """Explain in a sentence why pictures cannot be sent to a model outside `FAMILIES`."""
    kind = str(read_json(folder / "config.json").get("model_type", ""))
    if kind in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES:
        families = ", ".join(FAMILIES)
        return (
            f"Models of type '{kind}' see, but Homie does not know how to show them pictures (it does for {families}): "
            "take one of these, or add --set images=false."
        )
    return f"The model {folder} only reads text: add --set images=false."


def device_of(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise BadInput(f"The device '{name}' is not there: use auto, cpu, cuda or cuda:1.") from error
    return device


def multiplies_in_bfloat16(device: str) -> bool:
    """Return whether a device is a CPU with bfloat16 instructions, which are faster than those for float32."""
    return device_of(device).type == "cpu" and bool(torch.cpu._is_avx512_bf16_supported())


def _dtype(name: str, device: torch.device) -> torch.dtype:
    """Return a dtype; `auto` is bfloat16 or else float16 on a GPU, and float32 on the CPU, where less is slow."""
    if name != "auto":
        return _DTYPES[name]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def _four_bits(device: torch.device, dtype: torch.dtype) -> Any:
    if device.type != "cuda":
        raise BadInput("load_in_4bit needs an NVIDIA GPU: leave it out, or take a smaller model.")
    if importlib.util.find_spec("bitsandbytes") is None:
        raise missing_part("load_in_4bit", "bitsandbytes", "quantized")
    return transformers.BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype, bnb_4bit_use_double_quant=True
    )


def _check_complete(folder: Path, report: dict[str, Any]) -> None:
    """Raise BadInput if weights are missing or have wrong shapes, which transformers would initialize randomly."""
    for kind in ("missing_keys", "mismatched_keys"):
        keys = sorted(str(key) for key in report.get(kind, ()))
        if keys:
            raise BadInput(
                f"The weights in {folder} do not fit its config.json: {len(keys)} {kind.replace('_', ' ')}, the first "
                f"is {keys[0]}. Models of another code base have to be converted to transformers first."
            )


def _end_tokens(model: Any, tokenizer: Any) -> tuple[int, ...]:
    """Return the tokens that end an answer, and discard all other generation settings of the checkpoint."""
    eos_ids = model.generation_config.eos_token_id
    end_tokens = eos_ids if isinstance(eos_ids, list) else [] if eos_ids is None else [eos_ids]
    if tokenizer.eos_token_id is not None:
        end_tokens = [tokenizer.eos_token_id, *end_tokens]
    if not end_tokens:
        raise BadInput("The model has no end token: write eos_token_id into its generation_config.json.")
    model.generation_config = transformers.GenerationConfig()
    return tuple(dict.fromkeys(end_tokens))
