"""Tiny vision-language models with random weights, saved as a hub snapshot would be. Nothing is downloaded.

Each has about 200 thousand parameters; its byte-level BPE tokenizer is trained on the spot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, normalizers, trainers

from planners.llm.tiny_model import tokenizer_of

SIDE, PATCH = 28, 14
ROOM = 8192
TEXT = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": ROOM,
}
VISION = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": SIDE,
    "patch_size": PATCH,
}
CORPUS = [
    "Task: find a can and put it into the drawer. Inventory: None. Feedback: None. History: None.",
    '{"analysis": "I see a table and a fridge.", "subtasks": [{"action": "Go to", "target": "fridge"}]}',
    '{"analysis": "The can is here.", "subtasks": [{"action": "Pick", "target": "can"}], "model": "classical"}',
    "Analysis: the fridge is closed. Subtask: [Open, fridge] Model: classical. Put Close End",
] * 5

Maker = Callable[[], tuple[Any, Any, Any, Mapping[str, object]]]


def tiny_model(folder: Path, kind: str) -> Path:
    """Build the model of a kind (a key of `KINDS`) with seed 0 and save it into a folder; the folder."""
    torch.manual_seed(0)
    model, tokenizer, images, more = KINDS[kind]()
    model.generation_config = hf.GenerationConfig(eos_token_id=tokenizer.eos_token_id)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if images is not None:
        images.save_pretrained(folder)
        (folder / "processor_config.json").write_text(json.dumps(more))
    return folder


def tokenizer_with(special: Sequence[str], template: str, words: int = 500, **names: Any) -> Any:
    """A byte-level BPE tokenizer of at most `words` tokens; special ones get the ids 0, 1, 2, ... in order."""
    return tokenizer_of(CORPUS, special, template, words, **names)


def llama_tokenizer() -> Any:
    """A tokenizer of the kind that LLaMA has: blanks as `▁`, and a token for each byte that is not a letter it
    knows."""
    start = Tokenizer(models.BPE(unk_token="<unk>"))
    start.normalizer = LLAMA_BLANKS
    start.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=400, special_tokens=LLAMA_SPECIAL, show_progress=False)
    )
    learnt = json.loads(start.to_str())["model"]
    vocabulary = {**learnt["vocab"]}
    for byte in range(256):
        vocabulary[f"<0x{byte:02X}>"] = len(vocabulary)
    merges = [tuple(pair) for pair in learnt["merges"]]
    full = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    full.normalizer = LLAMA_BLANKS
    full.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    full.add_special_tokens(LLAMA_SPECIAL)
    return hf.PreTrainedTokenizerFast(tokenizer_object=full, chat_template=VICUNA, **LLAMA_NAMES)


def template(role: str, image: str, end: str, prompt: str) -> str:
    """A chat template for content in parts."""
    return (
        "{% for m in messages %}" + role + "{% for c in m['content'] %}"
        "{% if c['type'] == 'image' %}" + image + "{% else %}{{ c['text'] }}{% endif %}{% endfor %}"
        "" + end + "{% endfor %}{% if add_generation_prompt %}" + prompt + "{% endif %}"
    )


VICUNA = template(
    "{{ m['role'].upper() }}: ", "<image>\n", "{% if m['role'] == 'assistant' %}</s>{% endif %} ", "ASSISTANT:"
)
LLAMA_SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "<image>", "<video>"]
LLAMA_BLANKS = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
LLAMA_NAMES = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}


def llama(vocabulary: int, heads: int = 4, **more: Any) -> Any:
    return hf.LlamaConfig(vocab_size=vocabulary, num_key_value_heads=heads, **TEXT, **more)


def clip_images(kind: Any, **more: Any) -> Any:
    return kind(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}, **more)


def llava_processor(kind: str) -> Mapping[str, object]:
    """What tells the processors of LLaVA and its children how many tokens a picture takes."""
    return {
        "processor_class": kind,
        "patch_size": PATCH,
        "vision_feature_select_strategy": "default",
        "num_additional_image_tokens": 1,
    }


def llava() -> tuple[Any, Any, Any, Mapping[str, object]]:
    tokenizer = llama_tokenizer()
    text = llama(len(tokenizer), pad_token_id=3, eos_token_id=2, bos_token_id=1)
    config = hf.LlavaConfig(vision_config=hf.CLIPVisionConfig(**VISION), image_token_id=4, text_config=text)
    return (
        hf.LlavaForConditionalGeneration(config),
        tokenizer,
        clip_images(hf.CLIPImageProcessor),
        llava_processor("LlavaProcessor"),
    )


def llava_next() -> tuple[Any, Any, Any, Mapping[str, object]]:
    tokenizer = llama_tokenizer()
    text = llama(len(tokenizer), pad_token_id=3, eos_token_id=2, bos_token_id=1)
    grid = [[SIDE, 2 * SIDE], [2 * SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
    config = hf.LlavaNextConfig(
        vision_config=hf.CLIPVisionConfig(**VISION), image_token_id=4, text_config=text, image_grid_pinpoints=grid
    )
    images = clip_images(hf.LlavaNextImageProcessor, image_grid_pinpoints=grid)
    return hf.LlavaNextForConditionalGeneration(config), tokenizer, images, llava_processor("LlavaNextProcessor")


def llava_onevision() -> tuple[Any, Any, Any, Mapping[str, object]]:
    tokenizer = llama_tokenizer()
    text = hf.Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=2, pad_token_id=3, eos_token_id=2, **TEXT)
    grid = [[SIDE, SIDE], [2 * SIDE, 2 * SIDE]]
    config = hf.LlavaOnevisionConfig(
        vision_config=hf.SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=text,
        image_token_id=4,
        video_token_id=5,
        image_grid_pinpoints=grid,
        vision_aspect_ratio="anyres_max_9",
    )
    images = hf.LlavaOnevisionImageProcessor(size={"height": SIDE, "width": SIDE}, image_grid_pinpoints=grid)
    more = {
        "processor_class": "LlavaOnevisionProcessor",
        "num_image_tokens": (SIDE // PATCH) ** 2,
        "vision_feature_select_strategy": "full",
    }
    return hf.LlavaOnevisionForConditionalGeneration(config), tokenizer, images, more


def video_llava() -> tuple[Any, Any, Any, Mapping[str, object]]:
    """Its checkpoints have no chat template."""
    tokenizer = llama_tokenizer()
    tokenizer.chat_template = None
    text = llama(len(tokenizer), pad_token_id=3, eos_token_id=2, bos_token_id=1)
    config = hf.VideoLlavaConfig(
        vision_config=hf.CLIPVisionConfig(**VISION),
        text_config=text,
        image_token_index=4,
        video_token_index=5,
        image_seq_length=(SIDE // PATCH) ** 2,
    )
    images = clip_images(hf.VideoLlavaImageProcessor)
    return hf.VideoLlavaForConditionalGeneration(config), tokenizer, images, llava_processor("VideoLlavaProcessor")


def idefics3_tokenizer() -> Any:
    rows = [f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)]
    start, end = "<|im_start|>", "<end_of_utterance>"
    special = ["<unk>", start, end, "<pad>", "<image>", "<fake_token_around_image>", "<global-img>", *rows]
    text = template("{{ m['role'].capitalize() }}: ", "<image>", f"{end}\n", "Assistant:")
    return tokenizer_with(special, text, unk_token="<unk>", bos_token=start, eos_token=end, pad_token="<pad>")


def idefics3(model: str = "Idefics3") -> tuple[Any, Any, Any, Mapping[str, object]]:
    tokenizer = idefics3_tokenizer()
    text = llama(len(tokenizer), heads=2, pad_token_id=3)
    config = getattr(hf, f"{model}Config")(
        image_token_id=4, pad_token_id=3, scale_factor=2, vision_config=VISION, text_config=text
    )
    edge = {"longest_edge": SIDE}
    images = getattr(hf, f"{model}ImageProcessor")(size=edge, max_image_size=edge, do_image_splitting=False)
    more = {"processor_class": f"{model}Processor", "image_seq_len": (SIDE // PATCH // 2) ** 2}
    return getattr(hf, f"{model}ForConditionalGeneration")(config), tokenizer, images, more


def smolvlm() -> tuple[Any, Any, Any, Mapping[str, object]]:
    return idefics3("SmolVLM")


CHATML = (
    "<|im_start|>{{ m['role'] }}\n",
    "<|im_end|>\n",
    "<|im_start|>assistant\n",
)
QWEN_SPECIAL = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]


def qwen2_vl(
    model: str = "Qwen2VL", vision: Mapping[str, object] | None = None, **more: object
) -> tuple[Any, Any, Any, Mapping[str, object]]:
    text = template(CHATML[0], "<|vision_start|><|image_pad|><|vision_end|>", CHATML[1], CHATML[2])
    tokenizer = tokenizer_with(QWEN_SPECIAL, text, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
    language = {
        "vocab_size": len(tokenizer),
        "num_key_value_heads": 2,
        "rope_parameters": rope,
        "pad_token_id": 0,
        "eos_token_id": 2,
        "bos_token_id": None,
        **TEXT,
        **more,
    }
    config = getattr(hf, f"{model}Config")(
        image_token_id=5,
        video_token_id=6,
        vision_start_token_id=3,
        vision_end_token_id=4,
        text_config=language,
        vision_config=vision or {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "mlp_ratio": 2},
    )
    images = hf.Qwen2VLImageProcessor(size={"shortest_edge": SIDE**2, "longest_edge": (2 * SIDE) ** 2})
    built = getattr(hf, f"{model}ForConditionalGeneration")(config)
    return built, tokenizer, images, {"processor_class": f"{model}Processor"}


QWEN_VISION = {"depth": 2, "hidden_size": 32, "out_hidden_size": 64, "num_heads": 2, "intermediate_size": 64}


def qwen2_5_vl() -> tuple[Any, Any, Any, Mapping[str, object]]:
    return qwen2_vl("Qwen2_5_VL", {**QWEN_VISION, "fullatt_block_indexes": [1]})


def qwen3_vl() -> tuple[Any, Any, Any, Mapping[str, object]]:
    vision = {**QWEN_VISION, "patch_size": PATCH, "num_position_embeddings": 16, "deepstack_visual_indexes": [1]}
    return qwen2_vl("Qwen3VL", vision, head_dim=16)


def glm4v() -> tuple[Any, Any, Any, Mapping[str, object]]:
    picture = "<|begin_of_image|><|image|><|end_of_image|>"
    text = template("<|{{ m['role'] }}|>\n", picture, "", "<|assistant|>\n")
    roles = ["<|system|>", "<|user|>", "<|assistant|>"]
    marks = [
        "<|begin_of_image|>",
        "<|end_of_image|>",
        "<|begin_of_video|>",
        "<|end_of_video|>",
        "<|image|>",
        "<|video|>",
    ]
    special = ["<|endoftext|>", *roles, *marks]
    tokenizer = tokenizer_with(special, text, eos_token="<|user|>", pad_token="<|endoftext|>")
    rope = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5, "mrope_section": [1, 1, 2]}
    language = {"vocab_size": len(tokenizer), "num_key_value_heads": 2, "rope_parameters": rope, **TEXT}
    names = ("image_start", "image_end", "video_start", "video_end", "image", "video")
    config = hf.Glm4vConfig(
        text_config={**language, "pad_token_id": 0, "eos_token_id": 2},
        vision_config={**QWEN_VISION, "image_size": SIDE, "patch_size": PATCH, "spatial_merge_size": 2},
        **{f"{name}_token_id": 4 + number for number, name in enumerate(names)},
    )
    images = hf.Glm4vImageProcessor(size={"shortest_edge": SIDE**2, "longest_edge": 2 * (2 * SIDE) ** 2})
    model = hf.Glm4vForConditionalGeneration(config)
    return model, tokenizer, images, {"processor_class": "Glm4vProcessor"}


def mistral3() -> tuple[Any, Any, Any, Mapping[str, object]]:
    text = template(
        "{% if m['role'] == 'assistant' %}{% else %}[INST]{% endif %}",
        "[IMG]",
        "{% if m['role'] == 'assistant' %}</s>{% else %}[/INST]{% endif %}",
        "",
    )
    special = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[IMG]", "[IMG_BREAK]", "[IMG_END]", "<pad>"]
    tokenizer = tokenizer_with(special, text, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    language = hf.MistralConfig(
        vocab_size=len(tokenizer), num_key_value_heads=2, pad_token_id=8, eos_token_id=2, **TEXT
    )
    vision = hf.PixtralVisionConfig(**{**VISION, "image_size": 4 * SIDE}, head_dim=16)
    config = hf.Mistral3Config(text_config=language, vision_config=vision, image_token_index=5, spatial_merge_size=2)
    images = hf.PixtralImageProcessor(size={"longest_edge": 2 * SIDE}, patch_size={"height": PATCH, "width": PATCH})
    more = {"processor_class": "PixtralProcessor", "patch_size": PATCH, "spatial_merge_size": 2}
    return hf.Mistral3ForConditionalGeneration(config), tokenizer, images, more


def mllama() -> tuple[Any, Any, Any, Mapping[str, object]]:
    role = "<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    prompt = "<|start_header_id|>assistant<|end_header_id|>\n\n"
    text = template(role, "<|image|>", "<|eot_id|>", prompt)
    special = [
        "<|begin_of_text|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        "<|pad|>",
        "<|python_tag|>",
    ]
    tokenizer = tokenizer_with(
        [*special, "<|image|>"], text, bos_token="<|begin_of_text|>", eos_token="<|eot_id|>", pad_token="<|pad|>"
    )
    tiles = [[1, 1], [1, 2], [2, 1]]
    vision = {
        **{
            name: VISION[name]
            for name in ("hidden_size", "intermediate_size", "num_hidden_layers", "image_size", "patch_size")
        },
        "num_global_layers": 1,
        "attention_heads": 2,
        "max_num_tiles": 2,
        "supported_aspect_ratios": tiles,
        "intermediate_layers_indices": [0],
        "vision_output_dim": 2 * VISION["hidden_size"],
    }
    language = {
        **TEXT,
        "vocab_size": len(tokenizer),
        "num_key_value_heads": 2,
        "cross_attention_layers": [1],
        "bos_token_id": 0,
        "eos_token_id": 3,
        "pad_token_id": 4,
    }
    config = hf.MllamaConfig(vision_config=vision, text_config=language, image_token_index=6)
    images = hf.MllamaImageProcessor(size={"height": SIDE, "width": SIDE}, max_image_tiles=2)
    model = hf.MllamaForConditionalGeneration(config)
    for layer in model.model.language_model.layers:
        if hasattr(layer, "cross_attn_attn_gate"):
            layer.cross_attn_attn_gate.data.fill_(1.0)  # it begins as 0: blind
            layer.cross_attn_mlp_gate.data.fill_(1.0)
    return model, tokenizer, images, {"processor_class": "MllamaProcessor"}


def paligemma() -> tuple[Any, Any, Any, Mapping[str, object]]:
    """Its checkpoints have no chat template."""
    special = ["<pad>", "<eos>", "<bos>", "<image>"]
    tokenizer = tokenizer_with(
        special,
        "",
        bos_token="<bos>",
        eos_token="<eos>",
        pad_token="<pad>",
        extra_special_tokens={"image_token": "<image>"},
    )
    tokenizer.chat_template = None
    tokenizer.add_tokens(
        [f"<loc{number:04}>" for number in range(1024)] + [f"<seg{number:03}>" for number in range(128)]
    )
    language = hf.GemmaConfig(
        vocab_size=len(tokenizer),
        num_key_value_heads=1,
        head_dim=16,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=2,
        **TEXT,
    )
    config = hf.PaliGemmaConfig(
        text_config=language,
        vision_config=hf.SiglipVisionConfig(**VISION, vision_use_head=False),
        image_token_index=3,
        projection_dim=TEXT["hidden_size"],
        hidden_size=TEXT["hidden_size"],
        vocab_size=len(tokenizer),
    )
    images = hf.SiglipImageProcessor(size={"height": SIDE, "width": SIDE})
    images.image_seq_length = (SIDE // PATCH) ** 2
    return hf.PaliGemmaForConditionalGeneration(config), tokenizer, images, {"processor_class": "PaliGemmaProcessor"}


def gemma3() -> tuple[Any, Any, Any, Mapping[str, object]]:
    names = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
    text = template("<start_of_turn>{{ m['role'] }}\n", "<start_of_image>", "<end_of_turn>\n", "<start_of_turn>model\n")
    special = ["<pad>", "<start_of_turn>", "<end_of_turn>", *names.values()]
    tokenizer = tokenizer_with(special, text, eos_token="<end_of_turn>", pad_token="<pad>", extra_special_tokens=names)
    language = hf.Gemma3TextConfig(
        vocab_size=len(tokenizer),
        num_key_value_heads=2,
        head_dim=16,
        query_pre_attn_scalar=16,
        pad_token_id=0,
        eos_token_id=2,
        bos_token_id=None,
        sliding_window=64,
        layer_types=["sliding_attention", "full_attention"],
        **TEXT,
    )
    config = hf.Gemma3Config(
        text_config=language,
        vision_config=hf.SiglipVisionConfig(**VISION),
        mm_tokens_per_image=(SIDE // PATCH) ** 2,
        boi_token_index=3,
        eoi_token_index=4,
        image_token_index=5,
    )
    images = hf.Gemma3ImageProcessor(size={"height": SIDE, "width": SIDE})
    more = {"processor_class": "Gemma3Processor", "image_seq_length": (SIDE // PATCH) ** 2}
    model = hf.Gemma3ForConditionalGeneration(config)
    model.model.multi_modal_projector.mm_input_projection_weight.data.normal_(std=0.1)  # it begins as 0: blind
    return model, tokenizer, images, more


def internvl() -> tuple[Any, Any, Any, Mapping[str, object]]:
    names = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    text = template(CHATML[0], "<IMG_CONTEXT>\n", CHATML[1], CHATML[2])
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *names.values()]
    tokenizer = tokenizer_with(
        special, text, eos_token="<|im_end|>", pad_token="<|endoftext|>", extra_special_tokens=names
    )
    language = hf.Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=2, pad_token_id=0, eos_token_id=2, **TEXT)
    vision = {**VISION, "image_size": [SIDE, SIDE], "patch_size": [PATCH, PATCH]}
    config = hf.InternVLConfig(vision_config=vision, text_config=language, image_token_id=5, downsample_ratio=0.5)
    images = hf.GotOcr2ImageProcessor(size={"height": SIDE, "width": SIDE}, max_patches=2, crop_to_patches=False)
    more = {"processor_class": "InternVLProcessor", "image_seq_length": (SIDE // PATCH // 2) ** 2}
    return hf.InternVLForConditionalGeneration(config), tokenizer, images, more


def qwen2() -> tuple[Any, Any, Any, Mapping[str, object]]:
    """A text-only model."""
    text = (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    tokenizer = tokenizer_with(QWEN_SPECIAL[:3], text, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    config = hf.Qwen2Config(vocab_size=len(tokenizer), num_key_value_heads=2, pad_token_id=0, eos_token_id=2, **TEXT)
    return hf.Qwen2ForCausalLM(config), tokenizer, None, {}


KINDS: Mapping[str, Maker] = {
    "llava": llava,
    "llava_next": llava_next,
    "llava_onevision": llava_onevision,
    "video_llava": video_llava,
    "idefics3": idefics3,
    "smolvlm": smolvlm,
    "qwen2_vl": qwen2_vl,
    "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl,
    "gemma3": gemma3,
    "glm4v": glm4v,
    "mistral3": mistral3,
    "mllama": mllama,
    "paligemma": paligemma,
    "internvl": internvl,
    "qwen2": qwen2,
}
