"""The inventory in the planner's input, updated after each subtask and corrected by observations."""

from __future__ import annotations

from dataclasses import replace

from homie.kernel.actions import Action, action_of, entity_words
from homie.kernel.executor import Executor
from homie.kernel.interfaces import kind_of
from homie.kernel.types import ErrorCode, Execution


def apply_effects(
    inventory: tuple[str, ...], execution: Execution, executor: Executor
) -> tuple[Execution, tuple[str, ...]]:
    """Return the execution corrected by its real effect, and the inventory after it.

    The inventory is the held object, in the planner's words if they refer to it. The target of a Put is corrected to
    the object that was actually put down. The feedback reports deviations from what the planner would assume: another
    object in the hand, or none.
    """
    if executor.robot.inventory_by == "hand":
        return execution, in_hand(executor)
    action = action_of(execution.subtask.action, executor.skills.table)
    released = action.inventory == "gives" and execution.feedback.ok
    expected = update_inventory(inventory, execution, action)
    observation = executor.robot.observe()
    held = executor.locator.held(observation)
    is_expected = not released if inventory else held is not None and _is_taken(held, execution, action)
    after, remark = expected, ""
    if held is None and expected and not observation.body.holding:
        after, remark = (), f"{expected[-1]} is no longer in the hand"
    elif held is not None and not is_expected:
        after = (kind_of(held),)
        remark = f"what is in the hand is the {after[-1]}"
    subtask = execution.subtask
    if inventory and released and not executor.locator.names_held(subtask.target, inventory, observation):
        place = entity_words(subtask, action.arguments)
        execution = replace(execution, subtask=replace(subtask, target=inventory[-1], destination=place))
        remark = f"what was put is the {inventory[-1]}"
    return (_with_remark(execution, remark) if remark else execution), after


def _is_taken(held: str, execution: Execution, action: Action) -> bool:
    """Whether according to the feedback exactly this object has been taken into an empty hand."""
    return action.inventory == "takes" and execution.feedback.ok and execution.target in ("", held)


def _with_remark(execution: Execution, remark: str) -> Execution:
    """Append a remark to the message of the feedback. For a success the message begins with None, as in EMMOE."""
    feedback = execution.feedback
    message = feedback.message.rstrip(".")
    return replace(execution, feedback=replace(feedback, message=f"{message}, but {remark}"))


def update_inventory(inventory: tuple[str, ...], execution: Execution, action: Action) -> tuple[str, ...]:
    """Return the inventory after a subtask by its feedback (appendix D): Pick adds, Put and lost objects remove."""
    feedback = execution.feedback
    if action.inventory == "takes" and feedback.ok:
        return (*inventory, execution.subtask.target)
    if action.inventory == "gives" and (feedback.ok or feedback.code is ErrorCode.E2):
        return inventory[:-1]
    return inventory


def in_hand(executor: Executor) -> tuple[str, ...]:
    """Return the inventory according to the locator."""
    held = executor.locator.held(executor.robot.observe())
    return () if held is None else (held.replace("_", " "),)
