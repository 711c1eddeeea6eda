"""Format errors: F1 the action or the model is not in its list, F2 the target does not exist (EMMOE, appendix E)."""

from __future__ import annotations

from error_detection import further_sentences
from error_detection.layers import Violation, official, place
from error_detection.logical import is_suitable
from homie.kernel.interfaces import CheckQuestion
from homie.kernel.types import ErrorCode, model_key, no_target, unknown_action, unskilled_model


def listed_action(question: CheckQuestion) -> Violation | None:
    """F1 for an action that is not in the list, with the one that it is most like."""
    action = question.subtask.action
    if action in question.actions:
        return None
    return Violation(ErrorCode.F1, unknown_action(action, question.actions))


def listed_model(question: CheckQuestion) -> Violation | None:
    """F1 for a model that is not in the list (however it is spelt), or that has no skill for the action."""
    model, action = question.decision.model, question.subtask.action
    if model and model_key(model) not in map(model_key, question.models):
        return Violation(ErrorCode.F1, further_sentences.unknown_model(model, question.models))
    if not question.skilled:
        return Violation(ErrorCode.F1, unskilled_model(model, action))
    return None


def no_more_names(question: CheckQuestion) -> Violation | None:
    """F1 for a name that the action does not take: `[Pick, banana, bowl]`."""
    subtask, arguments = question.subtask, question.action.arguments
    names = (subtask.target, subtask.destination)[len(arguments) :]
    extra = next((words for words in names if words), "")
    return Violation(ErrorCode.F1, further_sentences.extra_name(subtask.action, arguments, extra)) if extra else None


def named_place(question: CheckQuestion) -> Violation | None:
    """F2 for an action that takes a place but has one name only. The official code takes the name for the place."""
    subtask = question.subtask
    if "destination" in question.action.arguments and subtask.target and not subtask.destination:
        return Violation(ErrorCode.F2, further_sentences.no_place(subtask.action, subtask.target))
    return None


def existing_target(question: CheckQuestion) -> Violation | None:
    """F2 for a target that is missing from the subtask or that the locator does not know.

    Of a Put only the place is checked. An action without arguments needs no target.
    """
    words = place(question)
    if not question.action.arguments:
        return None
    if not words:
        return Violation(ErrorCode.F2, no_target(question.subtask.action, declared=question.action.is_declared))
    if question.entity is None:
        objection = question.world.objection(words, question.action)
        return Violation(ErrorCode.F2, objection or ErrorCode.F2.filled(item=words))
    return None


def pickable_or_place(question: CheckQuestion) -> Violation | None:
    """The official code looks a Pick up among the objects and a Put among the receptacles; anything else "does
    not exist" (F2)."""
    if question.entity is None or question.action.target not in ("loose", "place") or is_suitable(question):
        return None
    return official(ErrorCode.F2, item=place(question))


RULES = (listed_action, no_more_names, listed_model, named_place, existing_target)
