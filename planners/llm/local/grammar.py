"""Constrained decoding: allowed next tokens by llguidance, and closing an answer before its token budget ends.

A schema does not limit the length of an answer, and the token budget may end it anywhere. So when just enough tokens
are left to close all open strings, lists and objects, only tokens that close them are allowed.

Tokens are chosen for several answers at once (`Steering`), each with its own grammar, seed and limit. The engine
decodes greedily; masking and sampling act on the logits here. An answer depends only on its own request, whatever
shares its batch: noise for sampling (Gumbel-max) comes from the generator of its row.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import torch
from llguidance import LLMatcher, LLTokenizer
from numpy.typing import NDArray

from homie.kernel.errors import PlannerError

Allowed: TypeAlias = NDArray[np.bool_]
Schema: TypeAlias = Mapping[str, Any]

_CLOSING = ('"', "}", "]", ",")
"""Tokens that bring an answer nearer to its end, best first: end of a string, of an object, of a list, the next key."""
_KEY, _ITEM = ": ", ", "
"""Separators of key and value, and of items: those of `json.dumps`, which writes all training answers."""
_ESCAPE = 6
"""Bytes of the longest encoding of a character: `\\u1234`."""
_SLACK = 2 * _ESCAPE
"""Bytes that may have to be completed before anything can close (a surrogate pair of escapes is one character)."""
_VALUES = ("enum", "const", "required", "default")
"""Keys of a schema that hold values, not schemas."""
_TEXT: Schema = {"pattern": r"^\S"}
_NAMES = {"target", "destination"}
_NAME: Schema = {"pattern": r"^[\p{L}\p{N}][^,，、\[\]{}\p{C}]*$", "maxLength": 64}
"""Form of one object name. Commas and brackets separate the names of a subtask (EMMOE, equation 5)."""


class Grammar:
    """Grammar state of one answer. Raises PlannerError for a schema that the library does not support or that does not
    fit into the budget.

    Args:
        budget: Maximum tokens of the answer, including the end token.
    """

    def __init__(self, tokenizer: LLTokenizer, schema: Schema, budget: int) -> None:
        self._reserve = closing_bytes(schema, schema) + _SLACK
        if budget <= self._reserve:
            raise PlannerError(
                f"{budget} tokens may be too few for a whole answer, {2 * self._reserve} are enough: raise "
                "max_new_tokens, or shorten the prompt (examples, image_size) where it leaves the model no room."
            )
        rules = _rules(json.dumps(bound_schema(schema, budget)))
        is_invalid, messages = LLMatcher.validate_grammar_with_warnings(rules, tokenizer)
        if is_invalid:
            raise PlannerError(f"Answers cannot be held to the schema: {messages[0]}. Use --set constrained=false.")
        self._matcher = LLMatcher(tokenizer, rules)
        self._closers = _closers(tokenizer)
        self._ends = np.array(tokenizer.eos_tokens)
        self._pending: list[int] = []
        """Forced next tokens, which the matcher has consumed already."""
        self._take_forced()

    def take(self, token: int) -> None:
        """Advance by a token that the model chose. Raises PlannerError if it was not allowed."""
        if self._pending:
            if token != self._pending.pop(0):
                raise PlannerError(f"The model left its schema with the token {token}.")
            return
        if not self._matcher.is_stopped() and not self._matcher.consume_token(token):
            raise PlannerError(f"The model left its schema: {self._matcher.get_error()}")
        self._take_forced()

    def take_forced(self) -> list[int]:
        """Take and return the tokens that must come next, as the grammar allows no others."""
        tokens, self._pending = self._pending, []
        return tokens

    def _take_forced(self) -> None:
        if not self._matcher.is_stopped():
            self._pending = self._matcher.compute_ff_tokens()
            self._matcher.consume_tokens(self._pending)

    def allowed_tokens(self, size: int, remaining: int) -> Allowed:
        """Return a mask (size,) of the allowed next tokens if `remaining` more can be written."""
        mask = np.zeros(size, np.bool_)
        if self._pending:
            mask[self._pending[0]] = True
            return mask
        if self._matcher.is_stopped():
            mask[self._ends] = True
            return mask
        bits = np.unpackbits(np.frombuffer(self._matcher.compute_bitmask(), np.uint8), bitorder="little")[:size]
        mask[: len(bits)] = bits
        return self._closing(mask) if remaining <= self._reserve else mask

    def _closing(self, mask: Allowed) -> Allowed:
        for tokens in (self._ends, *self._closers):
            allowed_tokens = tokens[mask[tokens]]
            if allowed_tokens.size:
                restricted_mask = np.zeros_like(mask)
                restricted_mask[allowed_tokens] = True
                return restricted_mask
        return mask


def bound_schema(schema: Any, longest: int) -> Any:
    """Return the schema with free strings limited to `longest` characters without a leading blank, and a pattern for
    object names.

    So no field can use up the budget, and neither a field (the target "" names no object) nor a list can be empty.
    Nullable fields become optional, as in the training answers.
    """
    if isinstance(schema, list):
        return [bound_schema(item, longest) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if _is_unconstrained(schema):
        return {"maxLength": longest, **_TEXT, **schema}
    bound = {name: part if name in _VALUES else bound_schema(part, longest) for name, part in schema.items()}
    fields = bound.get("properties", {})
    if "required" in bound:
        bound["required"] = [name for name in bound["required"] if not _nullable(fields.get(name, {}))]
    for name in _NAMES & set(fields):
        if _is_unconstrained(schema["properties"][name]):
            fields[name] = {**_NAME, **schema["properties"][name]}
    return {"minItems": 1, **bound} if bound.get("type") == "array" else bound


def closing_bytes(schema: Schema, root: Schema) -> int:
    """Return an upper bound on the bytes that complete an answer in the shortest way, from any point of it.

    Every token has at least one byte, so as many tokens always suffice. Recursive schemas are not supported.
    """
    if "$ref" in schema:
        return closing_bytes(_resolve(schema["$ref"], root), root)
    if "const" in schema:
        return _json_length(schema["const"])
    if "enum" in schema:
        return max(_json_length(value) for value in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return max(closing_bytes(option, root) for option in schema[choice])
    kinds = schema.get("type", "object")
    return max(_closing_of(kind, schema, root) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _closing_of(kind: str, schema: Schema, root: Schema) -> int:
    match kind:
        case "object":
            fields: Mapping[str, Schema] = schema.get("properties", {})
            parts = len(_KEY) + len(_ITEM)
            return 2 + sum(_json_length(name) + parts + closing_bytes(field, root) for name, field in fields.items())
        case "array":
            item = closing_bytes(schema["items"], root) if "items" in schema else 4
            return 2 + max(int(schema.get("minItems", 0)), 1) * (item + len(_ITEM))
        case "string":
            return 2 + _ESCAPE * max(int(schema.get("minLength", 0)), int(_is_unconstrained(schema)))
    return 8  # a number, true, false, null


def _is_unconstrained(schema: Schema) -> bool:
    """Return whether a schema is a string without further constraints."""
    return schema.get("type") == "string" and not {"maxLength", "enum", "const", "pattern", "format"} & set(schema)


def _nullable(schema: Schema) -> bool:
    """Return whether a schema allows null."""
    return any(choice.get("type") == "null" for choice in schema.get("anyOf", ()))


def _resolve(reference: str, root: Schema) -> Schema:
    node: Any = root
    for name in reference.removeprefix("#/").split("/"):
        node = node[name]
    return dict(node)


def _json_length(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


@lru_cache(maxsize=64)
def _rules(schema: str) -> str:
    """Return the grammar of JSON on one line with the separators of examples and training data: a model trained on
    these writes worse answers if it must omit the blanks that it has always seen."""
    return str(
        LLMatcher.grammar_from_json_schema(
            schema, overrides={"whitespace_flexible": False, "key_separator": _KEY, "item_separator": _ITEM}
        )
    )


def _closers(tokenizer: LLTokenizer) -> tuple[NDArray[np.int64], ...]:
    """Return the tokens of each text in `_CLOSING`, in its order."""
    return tuple(np.array(tokenizer.greedy_tokenize(text)) for text in _CLOSING)


@dataclass
class Row:
    """Decoding state of one answer.

    Attributes:
        limit: Maximum number of tokens.
        temperature: 0 for greedy decoding.
        seed: For sampling this answer.
        grammar: None for free text.
        cancelled: Set when nobody waits for the answer any more.
        choices: The tokens so far at which the grammar allowed several, each with its probability among these.
    """

    limit: int
    temperature: float = 0.0
    seed: int = 0
    grammar: Grammar | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    choices: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._generator = torch.Generator().manual_seed(self.seed)

    def noise(self, size: int) -> torch.Tensor:
        """Return Gumbel noise (size,): the argmax of logits + noise is a sample of their softmax."""
        samples = torch.empty(size).exponential_(generator=self._generator)
        return -samples.clamp_min(torch.finfo(torch.float32).tiny).log()

    def noisy(self, scores: torch.Tensor) -> torch.Tensor:
        """Return logits (vocabulary,) whose argmax is a sample at the temperature; unchanged at temperature 0."""
        if self.temperature <= 0:
            return scores
        return scores.float() / self.temperature + self.noise(scores.shape[0]).to(scores.device)

    def choose(self, scores: torch.Tensor, remaining: int, end_tokens: Collection[int]) -> int:
        """Choose the next token and advance the grammar by it.

        Args:
            scores: Logits, (vocabulary,).
            remaining: Number of tokens that can still be written.
            end_tokens: Tokens that end the answer.
        """
        if self.grammar is not None:
            allowed = torch.from_numpy(self.grammar.allowed_tokens(scores.shape[0], remaining)).to(scores.device)
            scores = scores.masked_fill(~allowed, -torch.inf)
        token = int(self.noisy(scores).argmax())
        if self.grammar is not None:
            self.record_choice(token, scores)
            if token not in end_tokens:
                self.grammar.take(token)
        return token

    def record_choice(self, token: int, scores: torch.Tensor) -> None:
        """Record a choice with its probability. scores: Logits, (vocabulary,), minus infinity where not allowed."""
        if int(torch.isfinite(scores).sum()) > 1:
            self.choices.append((token, float(scores.float().log_softmax(0)[token].exp())))

    def take_forced(self, size: int) -> list[int]:
        """Take and return the tokens that the grammar forces next, of a vocabulary of `size`."""
        tokens = self.grammar.take_forced() if self.grammar is not None else []
        if self.temperature > 0:
            for _ in tokens:  # advance the generator as in a batch, where each token draws noise
                self.noise(size)
        return tokens


class Steering:
    """A transformers logits processor for a batch of rows. `end_tokens` end an answer."""

    def __init__(self, rows: Sequence[Row], end_tokens: Sequence[int]) -> None:
        self._rows = rows
        self._ends = list(end_tokens)
        self._prompt = -1
        self._finished = [False] * len(rows)
        self._last_scores = torch.empty(0)
        """Masked logits (batch, vocabulary) from which the last tokens were chosen."""

    def __call__(self, tokens: Any, scores: torch.Tensor) -> torch.Tensor:
        """Return the logits (batch, vocabulary) with minus infinity for tokens that are not allowed.

        Args:
            tokens: Token ids so far, (batch, length).
            scores: Logits, (batch, vocabulary).
        """
        if self._prompt < 0:
            self._prompt = tokens.shape[1]
        written_count = tokens.shape[1] - self._prompt
        last = tokens[:, -1].tolist() if written_count else [None] * len(self._rows)
        allowed = np.stack([self._allowed(i, written_count, last[i], scores.shape[1]) for i in range(len(self._rows))])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
        self._last_scores = scores.clone()
        for i, row in enumerate(self._rows):
            if not self._finished[i]:
                scores[i] = row.noisy(scores[i])
        return scores

    def _allowed(self, i: int, written_count: int, last: int | None, size: int) -> Any:
        row = self._rows[i]
        self._finished[i] |= last in self._ends or written_count >= row.limit or row.cancelled.is_set()
        if self._finished[i]:
            mask = np.zeros(size, np.bool_)
            mask[self._ends] = True
            return mask
        if row.grammar is None:
            return np.ones(size, np.bool_)
        if last is not None:
            row.record_choice(last, self._last_scores[i])
            row.grammar.take(last)
        return row.grammar.allowed_tokens(size, row.limit - written_count)
