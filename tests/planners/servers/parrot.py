"""Tiny models that answer whatever they are asked with the same text, so that what comes back can be foreseen.

What stands in front of a token decides nothing: its layers add nothing, so the next token depends on the last alone.
The token that ends a question leads to the answer, which is a token of its own, and the answer to the end.
"""

from __future__ import annotations

from pathlib import Path

import torch
import transformers as hf
from tokenizers import AddedToken

from tests.planners.tiny_models import tiny_model

LOUD = 8.0
"""A weight that is far above the zeros of all other tokens."""


def parrot(folder: Path, kind: str, answer: str) -> Path:
    """Save a model of a kind of `tiny_models.KINDS` that only says `answer`; the folder."""
    tiny_model(folder, kind)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    model = hf.AutoModelForImageTextToText if (folder / "processor_config.json").exists() else hf.AutoModelForCausalLM
    bird = model.from_pretrained(folder)
    tokenizer.add_tokens([AddedToken(answer, normalized=False)])
    bird.resize_token_embeddings(len(tokenizer))
    question = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
    last = tokenizer.apply_chat_template(question, add_generation_prompt=True, tokenize=True, return_dict=False)[-1]
    with torch.no_grad():
        for name, weights in bird.named_parameters():
            if name.endswith(("self_attn.o_proj.weight", "mlp.down_proj.weight")):
                weights.zero_()
        reads, says = bird.get_input_embeddings().weight, bird.get_output_embeddings().weight
        reads.zero_(), says.zero_()
        for place, (token, following) in enumerate(
            ((last, tokenizer.convert_tokens_to_ids(answer)), (len(tokenizer) - 1, tokenizer.eos_token_id))
        ):
            reads[token, place] = says[following, place] = LOUD
    bird.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
