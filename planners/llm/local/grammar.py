"""Answers that cannot break their schema: which tokens may come next, by llguidance, and a close in time.

A schema says what an answer is, not how long; a budget of tokens ends it anywhere. So when just enough tokens are
left to close what is open, only what closes it is allowed: the shortest way out, string by string, list by list.

Tokens are chosen for several answers at once (`Steering`), each with its own grammar, seed and limit. The engine
decodes greedily; all choice is made here, in the scores. So an answer depends on its own request only, whatever it
shares a batch with: noise for sampling (Gumbel-max) comes from the generator of its row.
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
"""What brings an answer nearer to its end, best first: the end of a string, of an object, of a list, the next key."""
_KEY, _ITEM = ": ", ", "
"""Between a name and its value, and between parts: those of `json.dumps`, which writes all answers to learn from."""
_ESCAPE = 6
"""Bytes of the longest way to write a character: `\\u1234`."""
_SLACK = 2 * _ESCAPE
"""Bytes that may have to be finished before anything closes (a pair of escapes is one character)."""
_VALUES = ("enum", "const", "required", "default")
"""Keys of a schema that hold values, not schemas."""
_TEXT: Schema = {"pattern": r"^\S"}
_NAMES = {"target", "destination"}
_NAME: Schema = {"pattern": r"^[\p{L}\p{N}][^,，、\[\]{}\p{C}]*$", "maxLength": 64}
"""What names one thing. Commas and brackets part the names of a subtask (EMMOE, equation 5)."""


class Grammar:
    """One answer in the making. Raises PlannerError for a schema that the library or the budget cannot hold.

    Args:
        budget: Tokens that the answer may take, the end token among them.
    """

    def __init__(self, tokenizer: LLTokenizer, schema: Schema, budget: int) -> None:
        self._reserve = closing_bytes(schema, schema) + _SLACK
        if budget <= self._reserve:
            raise PlannerError(
                f"{budget} tokens may be too few for a whole answer, {2 * self._reserve} are enough: raise "
                "max_new_tokens, or shorten the prompt (examples, image_size) where it leaves the model no room."
            )
        rules = _rules(json.dumps(bounded(schema, budget)))
        is_invalid, messages = LLMatcher.validate_grammar_with_warnings(rules, tokenizer)
        if is_invalid:
            raise PlannerError(f"Answers cannot be held to the schema: {messages[0]}. Use --set constrained=false.")
        self._matcher = LLMatcher(tokenizer, rules)
        self._closers = _closers(tokenizer)
        self._ends = np.array(tokenizer.eos_tokens)
        self._pending: list[int] = []
        """Tokens that come next because nothing else may; the matcher is behind them already."""
        self._look_ahead()

    def take(self, token: int) -> None:
        """The model chose a token. Raises PlannerError if it was not an allowed one."""
        if self._pending:
            if token != self._pending.pop(0):
                raise PlannerError(f"The model left its schema with the token {token}.")
            return
        if not self._matcher.is_stopped() and not self._matcher.consume_token(token):
            raise PlannerError(f"The model left its schema: {self._matcher.get_error()}")
        self._look_ahead()

    def forced(self) -> list[int]:
        """The tokens that come next because nothing else may, taken."""
        tokens, self._pending = self._pending, []
        return tokens

    def _look_ahead(self) -> None:
        if not self._matcher.is_stopped():
            self._pending = self._matcher.compute_ff_tokens()
            self._matcher.consume_tokens(self._pending)

    def allowed(self, size: int, remaining: int) -> Allowed:
        """Which of `size` tokens may come next, (size,), when `remaining` more can be written."""
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
                only = np.zeros_like(mask)
                only[allowed_tokens] = True
                return only
        return mask


def bounded(schema: Any, longest: int) -> Any:
    """The schema with free strings held to `longest` characters, the first of them no blank, and names to names.

    So no field can take the whole budget, and none says nothing: the target "" would name no thing. Nor would a list
    without items say anything. What may be null may be left out, as in the answers to learn from.
    """
    if isinstance(schema, list):
        return [bounded(item, longest) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    if _free(schema):
        return {"maxLength": longest, **_TEXT, **schema}
    bound = {name: part if name in _VALUES else bounded(part, longest) for name, part in schema.items()}
    fields = bound.get("properties", {})
    if "required" in bound:
        bound["required"] = [name for name in bound["required"] if not _nullable(fields.get(name, {}))]
    for name in _NAMES & set(fields):
        if _free(schema["properties"][name]):
            fields[name] = {**_NAME, **schema["properties"][name]}
    return {"minItems": 1, **bound} if bound.get("type") == "array" else bound


def closing_bytes(schema: Schema, root: Schema) -> int:
    """An upper bound on the bytes of an answer that is written in the shortest way from some point on.

    Every token is at least one byte, so as many tokens are always enough. Recursive schemas are not supported.
    """
    if "$ref" in schema:
        return closing_bytes(_resolve(schema["$ref"], root), root)
    if "const" in schema:
        return _size(schema["const"])
    if "enum" in schema:
        return max(_size(value) for value in schema["enum"])
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
            return 2 + sum(_size(name) + parts + closing_bytes(field, root) for name, field in fields.items())
        case "array":
            item = closing_bytes(schema["items"], root) if "items" in schema else 4
            return 2 + max(int(schema.get("minItems", 0)), 1) * (item + len(_ITEM))
        case "string":
            return 2 + _ESCAPE * max(int(schema.get("minLength", 0)), int(_free(schema)))
    return 8  # a number, true, false, null


def _free(schema: Schema) -> bool:
    """Whether it is a string of which nothing is said but that it is one."""
    return schema.get("type") == "string" and not {"maxLength", "enum", "const", "pattern", "format"} & set(schema)


def _nullable(schema: Schema) -> bool:
    """Whether it may be null."""
    return any(choice.get("type") == "null" for choice in schema.get("anyOf", ()))


def _resolve(reference: str, root: Schema) -> Schema:
    node: Any = root
    for name in reference.removeprefix("#/").split("/"):
        node = node[name]
    return dict(node)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


@lru_cache(maxsize=64)
def _rules(schema: str) -> str:
    """JSON on one line, written as in examples and in training data: a model that has learnt those would be led astray
    where it may not write the blank that it has always seen there."""
    return str(
        LLMatcher.grammar_from_json_schema(
            schema, overrides={"whitespace_flexible": False, "key_separator": _KEY, "item_separator": _ITEM}
        )
    )


def _closers(tokenizer: LLTokenizer) -> tuple[NDArray[np.int64], ...]:
    """The tokens that are just one of `_CLOSING`, those of the best first."""
    return tuple(np.array(tokenizer.greedy_tokenize(text)) for text in _CLOSING)


@dataclass
class Row:
    """How one answer is decoded.

    Attributes:
        limit: Tokens it may take.
        temperature: 0 for the best token always.
        seed: Of this answer alone.
        grammar: None for free text.
        cancelled: Nobody waits for it any more.
        choices: The tokens so far where the grammar left a choice, each with its probability among those allowed.
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
        """Gumbel noise (size,): the largest of scores + noise is a sample of their softmax."""
        samples = torch.empty(size).exponential_(generator=self._generator)
        return -samples.clamp_min(torch.finfo(torch.float32).tiny).log()

    def noisy(self, scores: torch.Tensor) -> torch.Tensor:
        """Scores (vocabulary,) whose largest is a sample at the temperature; as they are at temperature 0."""
        if self.temperature <= 0:
            return scores
        return scores.float() / self.temperature + self.noise(scores.shape[0]).to(scores.device)

    def choose(self, scores: torch.Tensor, remaining: int, end_tokens: Collection[int]) -> int:
        """The next token, taken by the grammar.

        Args:
            scores: Of all tokens, (vocabulary,).
            remaining: Tokens that can still be written.
            end_tokens: Tokens that end the answer.
        """
        if self.grammar is not None:
            allowed = torch.from_numpy(self.grammar.allowed(scores.shape[0], remaining)).to(scores.device)
            scores = scores.masked_fill(~allowed, -torch.inf)
        token = int(self.noisy(scores).argmax())
        if self.grammar is not None:
            self.chosen(token, scores)
            if token not in end_tokens:
                self.grammar.take(token)
        return token

    def chosen(self, token: int, scores: torch.Tensor) -> None:
        """Note a token. scores: Of all tokens, (vocabulary,), minus infinity for what was not allowed."""
        if int(torch.isfinite(scores).sum()) > 1:
            self.choices.append((token, float(scores.float().log_softmax(0)[token].exp())))

    def forced(self, size: int) -> list[int]:
        """The tokens that come next because the grammar allows no other, of a vocabulary of `size`; now taken."""
        tokens = self.grammar.forced() if self.grammar is not None else []
        if self.temperature > 0:
            for _ in tokens:  # in a batch each of them takes its noise
                self.noise(size)
        return tokens


class Steering:
    """A logits processor of transformers for a batch of rows. `ends`: the tokens that end an answer."""

    def __init__(self, rows: Sequence[Row], end_tokens: Sequence[int]) -> None:
        self._rows = rows
        self._ends = list(end_tokens)
        self._prompt = -1
        self._done = [False] * len(rows)
        self._before = torch.empty(0)
        """Scores (batch, vocabulary) of what was allowed, from which the last tokens were chosen."""

    def __call__(self, tokens: Any, scores: torch.Tensor) -> torch.Tensor:
        """The scores (batch, vocabulary) with what is not allowed at minus infinity.

        Args:
            tokens: (batch, so far).
        """
        if self._prompt < 0:
            self._prompt = tokens.shape[1]
        written_count = tokens.shape[1] - self._prompt
        last = tokens[:, -1].tolist() if written_count else [None] * len(self._rows)
        allowed = np.stack([self._allowed(i, written_count, last[i], scores.shape[1]) for i in range(len(self._rows))])
        scores = scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), -torch.inf)
        self._before = scores.clone()
        for i, row in enumerate(self._rows):
            if not self._done[i]:
                scores[i] = row.noisy(scores[i])
        return scores

    def _allowed(self, i: int, written_count: int, last: int | None, size: int) -> Any:
        row = self._rows[i]
        self._done[i] |= last in self._ends or written_count >= row.limit or row.cancelled.is_set()
        if self._done[i]:
            mask = np.zeros(size, np.bool_)
            mask[self._ends] = True
            return mask
        if row.grammar is None:
            return np.ones(size, np.bool_)
        if last is not None:
            row.chosen(last, self._before[i])
            row.grammar.take(last)
        return row.grammar.allowed(size, row.limit - written_count)
