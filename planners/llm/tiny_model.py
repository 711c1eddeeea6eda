"""A small text-only language model with random weights and a tokenizer from a data set, for training and tests.

As with any local model its answers are constrained to the decision schema, so that they can be parsed even before
training.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WORDS = 1000
"""Maximum vocabulary. With it object names are one token each, so that copying a name means copying one token."""
WORD = r"\w+|\W+"
"""Words without the blank before them, so that a name has the same tokens in a task, in a history and in quotation
marks, and copying it means copying these. The text between two words is a token as well."""
ROOM = 4096
"""Context length: tokens of a prompt and its answer."""
SIZE = {"hidden_size": 96, "intermediate_size": 288, "num_hidden_layers": 4, "num_attention_heads": 4}
"""About 580 thousand parameters. At least two layers are needed to look up the successor of a word, and as a name of
two words has a blank between them, the look-up must use more than the previous token."""


def make_tiny(folder: Path, texts: Iterable[str], seed: int) -> None:
    """Save a model with random weights and a tokenizer trained on some texts. Raises OSError.

    Args:
        folder: Output folder.
        texts: Prompts and answers for the tokenizer.
        seed: Of the weights.
    """
    tokenizer = tokenizer_of(texts, SPECIAL, TEMPLATE, WORDS, pad_token=SPECIAL[0], eos_token=SPECIAL[1])
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        num_key_value_heads=SIZE["num_attention_heads"],
        max_position_embeddings=ROOM,
        tie_word_embeddings=True,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        initializer_range=SIZE["hidden_size"] ** -0.5,
        **SIZE,
    )
    model = transformers.LlamaForCausalLM(config)
    model.generation_config = transformers.GenerationConfig(eos_token_id=1, pad_token_id=0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def tokenizer_of(texts: Iterable[str], special: Sequence[str], template: str, words: int, **names: Any) -> Any:
    """Train a byte-level BPE tokenizer.

    Args:
        texts: The training texts.
        special: Special tokens, which get the ids 0, 1, 2, ... in this order.
        template: Chat template.
        words: Maximum vocabulary, but never less than the special tokens and bytes.
        names: Roles of the special tokens: `eos_token="<|end|>"`.
    """
    bpe = Tokenizer(models.BPE(unk_token=None))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=words, special_tokens=list(special), show_progress=False, initial_alphabet=alphabet
    )
    bpe.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=bpe, chat_template=template, **names)
