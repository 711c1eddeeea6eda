"""Execution errors, checked after a skill: E1 it did not work, E2 the object is gone (EMMOE, appendix E.4).

The observed effect decides; where it cannot be observed, the report of the skill does. This module is a
`homie.kernel.interfaces.ExecutionCheck`.
"""

from __future__ import annotations

from dataclasses import replace

from error_detection import further_sentences, names_for_planners
from error_detection.disturbance import disturbances
from error_detection.failure_advice import lasting
from homie.kernel.interfaces import Trial
from homie.kernel.types import Attempt, Check, ErrorCode, Failure, FailureReason, Outcome


def effect(trial: Trial) -> bool | None:
    """Return whether the result of the action (`Action.result`) has been reached; None if that is unknown."""
    world, entity, observation = trial.world, trial.entity, trial.observation
    match trial.action.result if entity else "":
        case "":
            return None
        case "reached":
            return world.arrived(entity, observation)
        case "held":
            return world.holds(entity, observation)
        case "placed":
            return world.placed(trial.held, entity, observation)
        case state:
            return world.state(entity, state, observation)


def judged(trial: Trial) -> Attempt:
    """Return the attempt with the outcome that its effect shows.

    Args:
        trial: The attempt as the skill reports it, and the world after it.

    Returns:
        FAILED for a success without effect and for a hand that still holds a handle; SUCCEEDED for a failure whose
        effect has been reached nevertheless, with how the skill ended after `done, then:` in the reason.
    """
    attempt, action = trial.attempt, trial.action
    is_reached = effect(trial)
    succeeded = attempt.outcome is Outcome.SUCCEEDED
    if action.ends_empty_handed and trial.observation.body.holding:
        failure = Failure(FailureReason.HAND_KEPT, and_then=f"; {attempt.reason}" if attempt.reason else "")
        return replace(attempt, outcome=Outcome.FAILED, reason=failure)
    if is_reached is False and succeeded:
        return replace(attempt, outcome=Outcome.FAILED, reason=Failure(FailureReason.WITHOUT_EFFECT))
    # For a drive that failed, being near is not an effect.
    if is_reached and not succeeded and action.result != "reached":
        return replace(attempt, outcome=Outcome.SUCCEEDED, reason=f"done, then: {attempt.reason}")
    return attempt


def _shut_in(trial: Trial) -> str:
    """Describe, after a Go to, the closed container that the target is in; "" if there is none."""
    container = (
        trial.world.closed_container(trial.entity) if trial.action.result == "reached" and trial.entity else None
    )
    if container is None or container == trial.entity:
        return ""
    return further_sentences.in_closed_container(names_for_planners.name_of(container, trial.world, trial.observation))


def check(trial: Trial) -> Check:
    """Return the error of a judged attempt, with the unexpected changes: E2 for a Put after which the hand is empty, E1
    for every other failure."""
    result, disturbance = _check_target(trial), disturbances(trial)
    return replace(result, message="; ".join(filter(None, (result.message, disturbance)))) if disturbance else result


def _check_target(trial: Trial) -> Check:
    attempt, name = trial.attempt, trial.action.name
    if attempt.outcome is Outcome.SUCCEEDED:
        return Check("execution", message=_shut_in(trial))
    if trial.action.inventory == "gives" and trial.world.held(trial.observation) is None:
        location = trial.world.whereabouts(trial.held, trial.observation) if trial.held else ""
        return Check("execution", ErrorCode.E2, further_sentences.missing(name, location))
    names = tuple(names_for_planners.name_of(entity, trial.world, trial.observation) for entity in attempt.about)
    if trial.feedback_message:
        return Check("execution", ErrorCode.E1, trial.feedback_message, names, lasting=True)
    reason = attempt.reason.naming(names) if isinstance(attempt.reason, Failure) and names else attempt.reason
    sentence = further_sentences.too_difficult(name, reason)
    return Check("execution", ErrorCode.E1, sentence, names, lasting(attempt.reason))
