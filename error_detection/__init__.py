"""Error detection: one file per layer, one table of sentences, two orders of checks.

`paper_order` is that of the EMMOE paper (appendix E.1): format, logical, distance. `code_order` is that of the
official code: F1, L1/L2, L3, L4, F2, D. Both are sequences of `homie.kernel.interfaces.ErrorCheck`; the executor stops
at the first that answers with a code. The fourth layer, `execution` (E1, E2), looks at what a skill has done.
"""

from __future__ import annotations

from error_detection import distance, execution, format, further_sentences, logical
from error_detection.layers import LayerCheck
from homie.kernel.interfaces import ErrorCheck

paper_order: tuple[ErrorCheck, ...] = (
    LayerCheck("format", format.RULES),
    LayerCheck("logical", logical.RULES),
    LayerCheck("distance", distance.RULES),
)
"""Format, logical, distance, as the paper has it."""

code_order: tuple[ErrorCheck, ...] = (
    LayerCheck("format", (format.listed_action, format.no_more_names)),
    LayerCheck("logical", (logical.hand_full, logical.hand_empty, logical.closed_for_put, logical.openable_by_name)),
    LayerCheck("format", (format.existing_target, format.pickable_or_place)),
    LayerCheck("distance", (distance.within_reach,)),
    LayerCheck("format", (format.listed_model,)),
)
"""F1, L1/L2, L3, L4, F2, D, as the official code has it. That code ignores the chosen model; Homie honours it, so a
model that cannot do the action is still refused, last."""

__all__ = ["LayerCheck", "code_order", "execution", "further_sentences", "paper_order"]
