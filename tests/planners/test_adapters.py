"""Adapters of PEFT: what does not belong to the model, or is not a number, is refused or said."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import peft
import pytest
import safetensors.torch
import torch
import transformers

from homie.kernel.errors import BadInput
from planners.llm.local.adapters import _model_name
from planners.llm.local.loading import Load, load_engine

pytestmark = pytest.mark.usefixtures("no_network")
Weights = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def train_adapter(tiny, tmp_path_factory) -> Callable[..., Path]:
    """A LoRA adapter of a tiny text-only model, of some kind, made once."""
    folder = tmp_path_factory.mktemp("adapters")

    def make(**kind: object) -> Path:
        path = folder / ("_".join(kind) or "plain")
        if not path.exists():
            model = transformers.AutoModelForCausalLM.from_pretrained(tiny("qwen2"))
            config = peft.LoraConfig(r=4, target_modules=["q_proj"], init_lora_weights=False, **kind)
            peft.get_peft_model(model, config).save_pretrained(path)
        return path

    return make


def copy_changed(folder: Path, out: Path, change: Callable[[Weights], Weights] = dict, **config: object) -> Path:
    shutil.copytree(folder, out)
    weights = out / "adapter_model.safetensors"
    safetensors.torch.save_file(change(safetensors.torch.load_file(weights)), weights, {"format": "pt"})
    described = out / "adapter_config.json"
    described.write_text(json.dumps(json.loads(described.read_text()) | config))
    return out


def more_layers(weights: Weights) -> Weights:
    return weights | {name.replace("layers.0.", "layers.70."): value.clone() for name, value in weights.items()}


@contextmanager
def capture_warnings() -> Iterator[list[str]]:
    """What is warned of adapters; the libraries warn of their own functions, too."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    messages += [str(warning.message) for warning in caught if "adapter" in str(warning.message).lower()]


@pytest.mark.parametrize("kind", [{}, {"use_rslora": True}, {"use_dora": True}, {"bias": "lora_only"}])
def test_an_adapter_of_the_model_is_taken_without_a_word(tiny, train_adapter, kind):
    with capture_warnings() as messages:
        engine = load_engine(Load(tiny("qwen2"), train_adapter(**kind)))
    assert not messages
    assert any("lora_A" in name for name, _ in engine.model.named_parameters())


@pytest.mark.parametrize(
    ("change", "config", "sentence"),
    [
        (more_layers, {}, r"no place for \d+ of its weights \(.*layers\.70.*give the model that it was trained on, "),
        (
            lambda w: w | {"base_model.model.score.weight": torch.ones(2)},
            {},
            r"no place for 1 of its weights \(.*score",
        ),
        (lambda w: {name: value * float("nan") for name, value in w.items()}, {}, "not finite: .* and 1 more"),
        (lambda w: {name: value + float("inf") for name, value in w.items()}, {}, "weights that are not finite"),
        (dict, {"r": 0}, "'r' is 0, and a rank is a whole number from 1 on"),
        (dict, {"r": -4}, "'r' is -4"),
        (dict, {"rank_pattern": {"q_proj": 0}}, "'rank_pattern of q_proj' is 0"),
        (dict, {"lora_alpha": 0}, "'lora_alpha' is 0: with such a scale the adapter does nothing"),
        (dict, {"lora_alpha": None}, "'lora_alpha' is None"),
        (dict, {"alpha_pattern": {"q_proj": 0}}, "'alpha_pattern of q_proj' is 0"),
        (dict, {"r": 8}, "does not fit the model"),
        (dict, {"peft_type": "MAGIC"}, "does not fit the model"),
    ],
)
def test_what_does_not_belong_to_the_model_is_refused(tiny, train_adapter, tmp_path, change, config, sentence):
    adapter = copy_changed(train_adapter(), tmp_path / "adapter", change, **config)
    with pytest.raises(BadInput, match=sentence) as excinfo:
        load_engine(Load(tiny("qwen2"), adapter))
    assert str(adapter) in str(excinfo.value) and "\n" not in str(excinfo.value)


def test_a_model_of_another_name_that_fits_is_warned_of(tiny, train_adapter, tmp_path):
    adapter = copy_changed(train_adapter(), tmp_path / "adapter", base_model_name_or_path="somebody/another-model")
    with pytest.warns(UserWarning, match="was trained on 'somebody/another-model', and the model is"):
        load_engine(Load(tiny("qwen2"), adapter))


@pytest.mark.parametrize("base", ["/home/me/models/qwen2", "Someone/Qwen2", None, ""])
def test_the_same_name_elsewhere_is_the_same_model(tiny, train_adapter, tmp_path, base):
    adapter = copy_changed(train_adapter(), tmp_path / "adapter", base_model_name_or_path=base)
    with capture_warnings() as messages:
        load_engine(Load(tiny("qwen2"), adapter))
    assert not messages


def test_the_name_of_a_model_in_the_cache_is_that_of_its_repository():
    assert _model_name("/c/hub/models--Qwen--Qwen2.5-VL-3B/snapshots/0a1b") == "Qwen2.5-VL-3B"
    assert _model_name("Qwen/Qwen2.5-VL-3B") == _model_name("models/Qwen2.5-VL-3B/") == "Qwen2.5-VL-3B"


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            lambda a: (a / "adapter_model.safetensors").rename(a / "adapter_model.bin"),
            "has no adapter_model.safetensors",
        ),
        (lambda a: (a / "adapter_model.safetensors").write_bytes(b"x" * 40), "is damaged"),
        (lambda a: (a / "adapter_config.json").unlink(), r"Cannot read .*adapter_config\.json: No such file"),
        (lambda a: (a / "adapter_config.json").write_text("[1]"), "must hold a JSON object"),
        (lambda a: (a / "adapter_config.json").write_text("{}"), "it has no peft_type"),
        (lambda a: (a / "adapter_config.json").write_text("[" * 60_000), "nested too deeply"),
    ],
)
def test_files_that_are_no_adapter_are_a_sentence(tiny, train_adapter, tmp_path, spoil, sentence):
    adapter = copy_changed(train_adapter(), tmp_path / "adapter")
    spoil(adapter)
    with pytest.raises(BadInput, match=sentence):
        load_engine(Load(tiny("qwen2"), adapter))
