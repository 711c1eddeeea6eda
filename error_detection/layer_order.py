"""The two orders of checks: that of the EMMOE paper and that of its code."""

from __future__ import annotations

from error_detection import distance, format, logical
from error_detection.layers import LayerCheck
from homie.kernel.interfaces import ErrorCheck

paper_order: tuple[ErrorCheck, ...] = (
    LayerCheck("format", format.RULES),
    LayerCheck("logical", logical.RULES),
    LayerCheck("distance", distance.RULES),
)
"""Format, logical, distance, as in the paper."""

code_order: tuple[ErrorCheck, ...] = (
    LayerCheck("format", (format.listed_action, format.no_more_names)),
    LayerCheck("logical", (logical.hand_full, logical.hand_empty, logical.closed_for_put, logical.openable_by_name)),
    LayerCheck("format", (format.existing_target, format.pickable_or_place)),
    LayerCheck("distance", (distance.within_reach,)),
    LayerCheck("format", (format.listed_model,)),
)
"""F1, L1/L2, L3, L4, F2, D, as in the official code. That code ignores the chosen model; Homie does not, so a model
that cannot do the action is still refused, last."""
