"""Distance errors: D1 the target is too far to be reached, D2 too close for the arm (EMMOE, appendix E.1).

D1 is a distance in the paper. Behind a wall a target is too far however few metres it is away: the arm has to go round.
"""

from __future__ import annotations

from error_detection.layers import Violation, official
from homie.kernel.interfaces import CheckQuestion
from homie.kernel.types import ErrorCode
from homie.kernel.world import thresholds


def within_reach(question: CheckQuestion) -> Violation | None:
    """D1 and D2 for actions that need their target within reach: pick, put, open and close."""
    if not question.action.near or question.entity is None:
        return None
    action = question.action.name
    if not question.world.within_reach(question.entity, question.observation):
        return official(ErrorCode.D1, action=action)
    if question.world.distance(question.entity, question.observation) < thresholds.TOO_CLOSE:
        return official(ErrorCode.D2, action=action)
    return None


RULES = (within_reach,)
