"""Supervised fine-tuning that computes logits only at the positions of the answer.

A small model spends much of its time in the output layer: 49,000 logits for each of 230 tokens, of which 25 are
trained on.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import trl

IGNORED = -100
"""Label of a token without loss."""


def takes_logits_to_keep(model: Any) -> bool:
    """Return whether the forward pass of a model takes `logits_to_keep`."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return "logits_to_keep" in inspect.signature(inner.forward).parameters


class AnswersTrainer(trl.SFTTrainer):  # type: ignore[misc]
    """TRL's SFT trainer that computes logits only at labelled positions, for text-only models."""

    _tokens_read = 0

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Return the cross entropy of the labelled tokens: their mean, or their sum over `num_items_in_batch`."""
        labels = inputs.pop("labels")[:, 1:]
        if self.model.training:
            self._tokens_read += int(inputs["attention_mask"].sum())
        columns = (labels != IGNORED).any(dim=0).nonzero().flatten()
        scores = model(**inputs, use_cache=False, logits_to_keep=columns).logits
        labels = labels[:, columns]
        has_label = labels != IGNORED
        total = torch.nn.functional.cross_entropy(scores[has_label].float(), labels[has_label], reduction="sum")
        loss = total / (has_label.sum() if num_items_in_batch is None else num_items_in_batch)
        return (loss, {}) if return_outputs else loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Log with the number of tokens read."""
        super().log({**logs, "num_tokens": float(self._tokens_read)}, start_time)
