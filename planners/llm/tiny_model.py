"""A small language model that knows nothing, made out of the words of a data set: for learning and for tests.

It reads text only. Its answers are held to the decision schema like those of any local model, so that even before
training each of them can be read; what they say is what training is for.
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
"""Tokens at most. Names of things are one token each then, and learning to repeat one is learning to repeat a token."""
WORD = r"\w+|\W+"
"""Words without the blank before them: a name is the same tokens in a task, in a history and in quotation marks, and to
repeat it is to repeat them. What stands between two words is a token as well."""
ROOM = 4096
"""Tokens that a question and its answer may have together."""
SIZE = {"hidden_size": 96, "intermediate_size": 288, "num_hidden_layers": 4, "num_attention_heads": 4}
"""About 580 thousand numbers. Two layers are the least that can look up what followed a word, and a name of two words
has a blank between them, so that what followed is to be looked up by more than the token before."""


def make_tiny(folder: Path, texts: Iterable[str], seed: int) -> None:
    """Save a model with random weights and a tokenizer of the words of some texts. Raises OSError.

    Args:
        folder: Where to.
        texts: What it is to read and write.
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
    """A byte-level BPE tokenizer, trained on some texts.

    Args:
        texts: What it learns its words of.
        special: Special tokens, which get the ids 0, 1, 2, ... in this order.
        template: Of a chat.
        words: Tokens at most, but never fewer than there are special ones and bytes.
        names: What the special tokens are for: `eos_token="<|end|>"`.
    """
    trained = Tokenizer(models.BPE(unk_token=None))
    trained.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=words, special_tokens=list(special), show_progress=False, initial_alphabet=alphabet
    )
    trained.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=trained, chat_template=template, **names)
