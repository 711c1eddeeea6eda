"""Supervised fine-tuning that computes the scores of the next token only where an answer is learnt.

A small model spends much of its time in its head: 49,000 scores for each of 230 tokens, of which 25 are learnt.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import trl

IGNORED = -100
"""The label of a token that is not learnt."""


def computes_where_asked(model: Any) -> bool:
    """Whether the forward pass of a model takes `logits_to_keep`."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return "logits_to_keep" in inspect.signature(inner.forward).parameters


class AnswersTrainer(trl.SFTTrainer):  # type: ignore[misc]
    """TRL's trainer with a loss from the learnt positions only, for models that only read text."""

    _read = 0

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The cross entropy of the learnt tokens: their mean, or their sum over `num_items_in_batch`."""
        labels = inputs.pop("labels")[:, 1:]
        if self.model.training:
            self._read += int(inputs["attention_mask"].sum())
        columns = (labels != IGNORED).any(dim=0).nonzero().flatten()
        scores = model(**inputs, use_cache=False, logits_to_keep=columns).logits
        labels = labels[:, columns]
        learnt = labels != IGNORED
        total = torch.nn.functional.cross_entropy(scores[learnt].float(), labels[learnt], reduction="sum")
        loss = total / (learnt.sum() if num_items_in_batch is None else num_items_in_batch)
        return (loss, {}) if return_outputs else loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Log, with the number of tokens read."""
        super().log({**logs, "num_tokens": float(self._read)}, start_time)
