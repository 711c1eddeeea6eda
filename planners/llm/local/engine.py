"""Inference with a loaded model: questions to tensors, tokens and answers, several at a time.

The KV cache of the last prompt is kept (`Prefix`) so that the prefill of the next starts where the prompts differ: from
round to round most of a prompt stays the same, and on a CPU the prefill takes most of the time of a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from typing import Any

import jinja2
import llguidance.hf
import torch
import transformers
from PIL import Image as Pictures
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from planners.llm.local.grammar import Grammar, Row, Steering
from planners.llm.local.question import Completion, Question

SHORTEST = 32
"""Common tokens below which the cache is not reused: cropping would take as long as a full prefill."""


class Prefix:
    """Prefix cache: the KV cache of the last prompt and answer, for one thread at a time. Two alternating conversations
    share only their common prefix."""

    def __init__(self, config: Any) -> None:
        """Create an empty cache.

        Args:
            config: Configuration of the text model.
        """
        self._config = config
        self._tokens: Sequence[int] = ()
        self._cache: DynamicCache | None = None

    def take(self, tokens: Sequence[int]) -> tuple[DynamicCache, int]:
        """Return a KV cache for a prompt, and the number of prompt tokens in it: at most all but the last.

        Args:
            tokens: Token ids of the whole prompt.
        """
        cache, cached_tokens = self._cache, self._tokens
        self._cache, self._tokens = None, ()  # a failure before `keep` must not leave an inconsistent cache
        pairs = zip(cached_tokens, tokens[:-1], strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if cache is None or common < SHORTEST:
            return DynamicCache(config=self._config), 0
        if surplus := cache.get_seq_length() - common:
            cache.crop(-surplus)
        return cache, common

    def keep(self, cache: DynamicCache, tokens: Sequence[int]) -> None:
        """Store the cache for the next prompt.

        Args:
            cache: From `take`, after `generate`.
            tokens: Token ids of the prompt and the answer.
        """
        if _keeps_all(cache):
            self._cache, self._tokens = cache, tokens[: cache.get_seq_length()]


def _keeps_all(cache: DynamicCache) -> bool:
    """Return whether a cache keeps all tokens; others, such as sliding windows, cannot be cropped."""
    return all(type(layer) is DynamicLayer for layer in cache.layers)


LEAST = 16
"""Minimum number of tokens left for an answer."""


class Engine:
    """A model, its tokenizer, and its processor (None for a text-only model). For one thread at a time."""

    def __init__(self, model: Any, tokenizer: Any, processor: Any, end_tokens: Sequence[int]) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.processor = processor
        self.ends = tuple(end_tokens)
        self._prefix = Prefix(model.config.get_text_config())
        self._size = int(model.config.get_text_config().vocab_size)
        self._reserved = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]

    @property
    def sees(self) -> bool:
        """Whether the model accepts pictures."""
        return self.processor is not None

    def describe(self) -> dict[str, object]:
        """Return the model's type, size, device and precision, and library versions."""
        return {
            "model_type": self.model.config.model_type,
            "parameters": int(self.model.num_parameters()),
            "device": str(self.model.device),
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "transformers": transformers.__version__,
            "torch": torch.__version__,
        }

    def answer(self, questions: Sequence[Question]) -> list[Completion]:
        """Return the answers, in order. All questions have pictures of the same shapes. Raises PlannerError."""
        inputs = self._inputs(questions)
        prompt = int(inputs["input_ids"].shape[1])
        prompt_tokens = [int(count) for count in inputs["attention_mask"].sum(dim=1).tolist()]
        rows = [
            self._row(question, self._limit(question, count))
            for question, count in zip(questions, prompt_tokens, strict=True)
        ]
        config = transformers.GenerationConfig(
            max_new_tokens=max(row.limit for row in rows),
            do_sample=False,
            eos_token_id=list(self.ends),
            pad_token_id=self.tokenizer.pad_token_id,
        )
        is_single = len(questions) == 1 and not self.sees
        cache, reused = self._prefix.take(inputs["input_ids"][0].tolist()) if is_single else (None, 0)
        with torch.inference_mode():
            if cache is not None and rows[0].grammar is not None and _keeps_all(cache):
                answer_tokens = [self._generate_single(inputs["input_ids"], rows[0], cache, reused)]
            else:
                tokens = self.model.generate(
                    **inputs,
                    generation_config=config,
                    logits_processor=[Steering(rows, self.ends)],
                    past_key_values=cache,
                )
                answer_tokens = tokens[:, prompt:].tolist()
        if cache is not None:
            self._prefix.keep(cache, [*inputs["input_ids"][0].tolist(), *answer_tokens[0]])
        return [self._to_answer(*answer, reused) for answer in zip(rows, prompt_tokens, answer_tokens, strict=True)]

    def _generate_single(self, prompt: torch.Tensor, row: Row, cache: DynamicCache, reused: int) -> list[int]:
        """Return the tokens of one answer. Tokens forced by its grammar are fed in one pass instead of decoded one by
        one: more than half of a JSON answer.

        Args:
            prompt: Token ids, (1, length).
            row: Decoding state.
            cache: Contains the first `reused` tokens of the prompt.
            reused: From `Prefix.take`.
        """
        answer_tokens = row.take_forced(self._size)
        tokens = torch.cat(
            [prompt[:, reused:], torch.tensor([answer_tokens], dtype=prompt.dtype, device=prompt.device)], 1
        )
        while len(answer_tokens) < row.limit and not row.cancelled.is_set():
            scores = self.model(input_ids=tokens, past_key_values=cache, use_cache=True).logits[0, -1]
            token = row.choose(scores, row.limit - len(answer_tokens), self.ends)
            answer_tokens.append(token)
            if token in self.ends:
                break
            forced = row.take_forced(self._size)
            answer_tokens += forced
            tokens = torch.tensor([[token, *forced]], device=prompt.device)
        return answer_tokens

    def _to_answer(self, row: Row, prompt_tokens: int, tokens: list[int], reused: int) -> Completion:
        limited_tokens = tokens[: row.limit]
        end = next((i for i, token in enumerate(limited_tokens) if token in self.ends), None)
        text = self.tokenizer.decode(limited_tokens[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        length = len(limited_tokens) if end is None else end + 1
        choices = tuple((self.tokenizer.decode([token]), probability) for token, probability in row.choices)
        return Completion(text.strip(), "length" if end is None else "stop", prompt_tokens, length, reused, choices)

    def _limit(self, question: Question, prompt_tokens: int) -> int:
        """Return the token limit of an answer: the question's, or the context left by the prompt's tokens."""
        room: int | None = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if room is None:
            return question.limit
        if room - prompt_tokens < LEAST:
            raise PlannerError(
                f"The prompt takes {prompt_tokens} tokens, the model has room for {room}: show fewer examples "
                "(--set examples=0), fewer or smaller images (image_size)."
            )
        return min(question.limit, room - prompt_tokens)

    def _row(self, question: Question, limit: int) -> Row:
        grammar = Grammar(self._grammar_tokens, question.schema, limit) if question.schema else None
        return Row(limit, question.temperature, question.seed, grammar, question.cancelled)

    @cached_property
    def _grammar_tokens(self) -> llguidance.LLTokenizer:
        try:
            return llguidance.hf.from_tokenizer(self.tokenizer, eos_token=list(self.ends))
        except ValueError as error:
            raise PlannerError(
                f"Answers cannot be held to a schema with this tokenizer ({error}): use --set constrained=false."
            ) from error

    def _inputs(self, questions: Sequence[Question]) -> Any:
        """Return the input tensors on the model's device, padded on the left."""
        texts = [self._text(question.messages) for question in questions]
        pictures = [[Pictures.fromarray(picture) for picture in question.pictures] for question in questions]
        if self.processor is None and any(pictures):
            raise PlannerError("This model only reads text: use --set images=false.")
        start = self.tokenizer.bos_token
        special = self.processor is not None and not (start and texts[0].startswith(start))
        tokenizer_options = {"padding": True, "return_tensors": "pt", "add_special_tokens": special}
        if not any(pictures):  # some processors refuse a text without pictures
            return self.tokenizer(texts, **tokenizer_options).to(self.model.device)
        inputs = self.processor(text=texts, images=pictures, **tokenizer_options)
        inputs.pop("labels", None)  # only for training, but PaliGemma's processor always adds them
        return inputs.to(self.model.device, self.model.dtype)

    def _text(self, messages: Sequence[Message]) -> str:
        """Render the conversation with the model's template. If that has no system role, the user's message gets it."""
        try:
            return self._apply_template(messages)
        except jinja2.TemplateError as error:
            if messages[0].role != "system" or len(messages) < 2:
                raise PlannerError(f"The chat template of the model refuses the conversation: {error}.") from error
        system, first, *others = messages
        return self._text([Message("user", (*system.parts, "\n\n", *first.parts)), *others])

    def _apply_template(self, messages: Sequence[Message]) -> str:
        renderer = self.processor or self.tokenizer
        rendered = [{"role": message.role, "content": self._content(message)} for message in messages]
        return str(renderer.apply_chat_template(rendered, add_generation_prompt=True, tokenize=False))

    def _content(self, message: Message) -> str | list[dict[str, str]]:
        if self.processor is None:
            return "\n".join(self._strip_special_words(part) for part in message.parts if isinstance(part, str))
        return [
            {"type": "text", "text": self._strip_special_words(part)} if isinstance(part, str) else {"type": "image"}
            for part in message.parts
        ]

    def _strip_special_words(self, text: str) -> str:
        """Remove the model's special tokens from a text, so that for example a task cannot end the user's turn."""
        previous = ""
        while text != previous:  # a removal may join the parts of another special token
            previous = text
            for word in self._reserved:
                text = text.replace(word, "")
        return text
