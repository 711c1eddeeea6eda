"""A suite as an official evaluator plays it: episodes end at their goal, and its faults are kept."""

from __future__ import annotations

from homie.bench.suite.suite import Suite
from homie.kernel.types import Faults


def with_faults(suite: Suite, name: str, faults: Faults, **limits: None) -> Suite:
    """The suite under another name, with the faults of an evaluator (`homie.kernel.types.Telling`).

    limits: those of the suite that the evaluator does not have.
    """
    protocol = suite.protocol.model_copy(update={"end": "goal", "faults": faults, **limits})
    return suite.model_copy(update={"name": name, "protocol": protocol})
