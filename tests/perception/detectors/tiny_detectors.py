"""Tiny detectors with random weights, saved as a hub snapshot would be. Nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = ["a photo of a red mug. kitchen counter. apple. bowl. soup can. fridge. tv stand."] * 3
HIDDEN = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}


def tiny_detector(folder: Path, kind: str) -> Path:
    """Build the detector of a `model_type` (a key of `KINDS`) with seed 0 and save it into a folder; the folder."""
    torch.manual_seed(0)
    model, images, tokenizer = KINDS[kind]()
    for name, weight in model.named_parameters():
        if name.startswith(("box_head", "class_head.logit")):  # so that boxes and scores are not all the same
            weight.data *= 0.1
        if name.endswith("token_embedding.weight"):  # so that words make a difference
            weight.data *= 30.0
    model.save_pretrained(folder)
    images.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)
    return folder


def words(start: str, end: str, special: list[str], **names: str) -> Any:
    """A word-piece tokenizer that puts `start` before a text and `end` behind it; the special tokens come first."""
    trained = Tokenizer(models.WordPiece(unk_token=names["unk_token"]))
    trained.normalizer = normalizers.Lowercase()
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trained.train_from_iterator(
        CORPUS, trainers.WordPieceTrainer(vocab_size=120, special_tokens=special, show_progress=False)
    )
    trained.add_special_tokens([end])  # a new one comes last
    special_tokens = [(token, trained.token_to_id(token)) for token in (start, end)]
    trained.post_processor = processors.TemplateProcessing(single=f"{start} $A {end}", special_tokens=special_tokens)
    return hf.PreTrainedTokenizerFast(tokenizer_object=trained, **names)


def owl(kind: str) -> tuple[Any, Any, Any]:
    # A text that begins with token 0 counts as none; what a text means is read at its highest token, the end.
    tokenizer = words("<start>", "<end>", ["<unk>", "<start>"], eos_token="<end>", pad_token="<end>", unk_token="<unk>")
    end = len(tokenizer) - 1
    text = {**HIDDEN, "vocab_size": len(tokenizer), "max_position_embeddings": 16, "bos_token_id": 1}
    text |= {"eos_token_id": end, "pad_token_id": end}
    vision = {**HIDDEN, "image_size": 64, "patch_size": 16}
    names = {"owlv2": "Owlv2", "owlvit": "OwlViT"}
    config = getattr(hf, f"{names[kind]}Config")(text_config=text, vision_config=vision, projection_dim=32)
    images = getattr(hf, f"{names[kind]}ImageProcessor")(size={"height": 64, "width": 64})
    return getattr(hf, f"{names[kind]}ForObjectDetection")(config), images, tokenizer


def rt_detr() -> tuple[Any, Any, Any]:
    backbone = hf.RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1], out_features=["stage2", "stage3", "stage4"]
    )
    config = hf.RTDetrConfig(
        backbone_config=backbone,
        encoder_in_channels=[16, 24, 32],
        encoder_hidden_dim=32,
        encoder_ffn_dim=32,
        encoder_attention_heads=2,
        d_model=32,
        decoder_in_channels=[32, 32, 32],
        decoder_ffn_dim=32,
        decoder_attention_heads=2,
        decoder_layers=2,
        num_queries=20,
        num_denoising=0,
        id2label={0: "refrigerator", 1: "couch", 2: "cup"},
    )
    return hf.RTDetrForObjectDetection(config), hf.RTDetrImageProcessor(size={"height": 64, "width": 64}), None


def grounding_dino() -> tuple[Any, Any, Any]:
    tokenizer = words("[CLS]", "[SEP]", ["[CLS]", "[SEP]", "[PAD]", "[UNK]"], pad_token="[PAD]", unk_token="[UNK]")
    swin = hf.SwinConfig(
        image_size=64,
        patch_size=4,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 2, 2, 2],
        window_size=2,
        out_features=["stage2", "stage3", "stage4"],
    )
    text = hf.BertConfig(**HIDDEN, vocab_size=max(1100, len(tokenizer)), max_position_embeddings=32)
    config = hf.GroundingDinoConfig(
        backbone_config=swin,
        text_config=text,
        d_model=32,
        encoder_layers=1,
        encoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_layers=2,
        decoder_ffn_dim=32,
        decoder_attention_heads=2,
        num_queries=15,
        max_text_len=24,
        encoder_n_points=2,
        decoder_n_points=2,
        num_feature_levels=4,
    )
    images = hf.GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 96})
    return hf.GroundingDinoForObjectDetection(config), images, tokenizer


KINDS: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "owlv2": lambda: owl("owlv2"),
    "owlvit": lambda: owl("owlvit"),
    "rt_detr": rt_detr,
    "grounding-dino": grounding_dino,
}
