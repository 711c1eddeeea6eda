"""Models in GGUF files: written here by the library of llama.cpp, converted once, and the same model as before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from homie.kernel.errors import BadInput, InfrastructureError
from planners.llm.local.find_model import find_folder
from planners.llm.local.loading import WEIGHTS
from planners.llm.tiny_model import make_tiny

gguf = pytest.importorskip("gguf")
pytestmark = pytest.mark.usefixtures("no_network")

CHATML = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
"""A template that joins strings, as SmolLM2's does: content as a list of parts breaks it."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "homie" / "models"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    make_tiny(folder, ["Task: put the apple in the bowl", '{"subtask": {"action": "Pick", "target": "apple"}}'] * 3, 0)
    return folder


@pytest.fixture(scope="module")
def file(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    write(original, path, CHATML)
    return path


def write(folder: Path, path: Path, template: str) -> None:
    """A llama of transformers as a GGUF file."""
    model = transformers.LlamaForCausalLM.from_pretrained(folder)
    config, tokenizer = model.config, json.loads((folder / "tokenizer.json").read_text())["model"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    tokens = sorted(tokenizer["vocab"], key=tokenizer["vocab"].get)
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token.startswith("<|") else 1 for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer["merges"]])
    writer.add_eos_token_id(1)
    writer.add_bos_token_id(1)
    writer.add_pad_token_id(0)
    if template:
        writer.add_chat_template(template)
    for name, tensor in model.state_dict().items():
        if (called := gguf_name(name)) is not None:
            heads = config.num_attention_heads if "attn_q" in called or "attn_k" in called else 0
            writer.add_tensor(called, permute(tensor.numpy(), heads))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def gguf_name(name: str) -> str | None:
    stem = name.removesuffix(".weight")
    if stem in NAMES:
        return f"{NAMES[stem]}.weight"
    if not stem.startswith("model.layers."):
        return None  # the output is tied to the embedding
    number, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{number}.{NAMES[part]}.weight"


def permute(weight: np.ndarray, heads: int) -> np.ndarray:
    """Rows of queries and keys in the order of llama.cpp's rotary embedding."""
    if not heads:
        return weight
    rows, columns = weight.shape
    return np.ascontiguousarray(
        weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
    )


def test_a_file_is_the_model_that_it_was_made_of(file: Path, original: Path, cache: Path) -> None:
    folder = find_folder(str(file), WEIGHTS)
    assert folder.parent == cache
    before = transformers.LlamaForCausalLM.from_pretrained(original)
    after = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokens = torch.arange(3, 40)[None]
    torch.testing.assert_close(after(tokens).logits, before(tokens).logits, atol=1e-4, rtol=1e-3)
    assert "quantization_config" not in (folder / "config.json").read_text()


def test_it_is_converted_once_and_again_when_it_changes(file: Path, tmp_path: Path, cache: Path) -> None:
    copy = tmp_path / "models" / "tiny.gguf"
    copy.parent.mkdir()
    shutil.copyfile(file, copy)
    first = find_folder(str(copy.parent), WEIGHTS)  # a folder with one GGUF file is as good as the file
    (first / "mark").touch()
    assert find_folder(str(copy), WEIGHTS) == first and (first / "mark").exists()
    write_other(copy)
    assert find_folder(str(copy), WEIGHTS) != first
    assert len(list(cache.iterdir())) == 2


def write_other(path: Path) -> None:
    folder = path.parent / "other"
    make_tiny(folder, ["Task: put the pear in the bowl"] * 3, 1)
    path.unlink()
    write(folder, path, CHATML)
    shutil.rmtree(folder)


def test_it_plans_and_the_next_prompt_is_read_from_where_it_differs(file: Path) -> None:
    from homie.kernel.interfaces.prompts import Message
    from planners.llm.local.loading import Load, load_engine
    from planners.llm.local.question import Question

    engine = load_engine(Load(find_folder(str(file), WEIGHTS)))

    def question(last: str) -> Question:
        system = "Choose the next step of a household robot. " * 12
        return Question((Message("system", (system,)), Message("user", (last,))), None, 8)

    alone = [
        load_engine(Load(find_folder(str(file), WEIGHTS))).answer([question(text)])[0] for text in ("pear", "apple")
    ]
    in_turn = [engine.answer([question(text)])[0] for text in ("pear", "apple", "apple")]
    assert [answer.text for answer in in_turn] == [alone[0].text, alone[1].text, alone[1].text]
    assert in_turn[0].reused_tokens == 0
    assert 0.8 * in_turn[1].input_tokens < in_turn[1].reused_tokens < in_turn[1].input_tokens
    assert in_turn[2].reused_tokens == in_turn[2].input_tokens - 1
    both = engine.answer([question("pear"), question("apple")])
    assert [answer.text for answer in both] == [alone[0].text, alone[1].text]


def test_several_files_in_a_folder_have_to_be_distinguished(file: Path, tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        shutil.copyfile(file, tmp_path / name)
    with pytest.raises(BadInput, match=r"has 2 GGUF files: give one of them, such as .*a\.gguf"):
        find_folder(str(tmp_path), WEIGHTS)


def test_what_is_not_a_chat_model_is_refused_and_leaves_nothing(
    file: Path, original: Path, tmp_path: Path, cache: Path
) -> None:
    broken, intact = tmp_path / "broken.gguf", file.read_bytes()
    for damaged in (intact[:2000], intact[:-1000], b"<html>" * 100):
        broken.write_bytes(damaged)
        with pytest.raises(BadInput, match=r"broken\.gguf cannot be loaded: .*download it again\.$"):
            find_folder(str(broken), WEIGHTS)
    plain = tmp_path / "plain.gguf"
    write(original, plain, "")
    with pytest.raises(BadInput, match="has no chat template"):
        find_folder(str(plain), WEIGHTS)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_named(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "occupied").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "occupied"))
    with pytest.raises(InfrastructureError, match="cannot be converted into"):
        find_folder(str(file), WEIGHTS)
