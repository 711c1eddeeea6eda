"""Analyses for steps that have none: experts and rules act without giving reasons, and a model is to give some.

They say no more than the episode tells: what came of the step before, and what comes next. Their form is that of the
demonstration in the EMMOE paper (appendix B.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from homie.data.episode import Episode, Step
from homie.kernel.types import Subtask

_DONE = {
    "Go to": "I successfully arrived at the {target}",
    "Pick": "I successfully picked the {target}",
    "Put": "I successfully put the {target} down at the {destination}",
    "Open": "I successfully opened the {target}",
    "Close": "I successfully closed the {target}",
}
_NEXT = {
    "Go to": "go to the {target}",
    "Pick": "pick the {target}",
    "Put": "put the {target} down at the {destination}",
    "Open": "open the {target}",
    "Close": "close the {target}",
}
_END = "According to the historical execution and final task, I have finally finished the task and it's time to end"
"""That of the paper's demonstration."""


def explained(episode: Episode) -> Episode:
    """The episode with an analysis for every step."""
    return replace(episode, steps=tuple(_explained(episode)))


def _explained(episode: Episode) -> Iterator[Step]:
    before: Step | None = None
    for step in episode.steps:
        yield step if step.analysis else replace(step, analysis=analysis(step, before))
        before = step


def analysis(step: Step, before: Step | None) -> str:
    """Why a step is taken, from itself and the step before it."""
    if step.ends:
        return _END
    plan = f"I should {in_words(step.subtask)}"
    if before is None:
        return f"According to my final task, {plan} first"
    if before.feedback.ok:
        return f"{_filled(_DONE, before.subtask)}, so {plan} next"
    reason = before.feedback.message.rstrip(".")
    return f"I failed to {in_words(before.subtask)} ({reason}), so {plan}"


def in_words(subtask: Subtask) -> str:
    """What a subtask asks for.

    Example:
        >>> in_words(Subtask("Put", "apple", "kitchen_counter"))
        'put the apple down at the kitchen counter'
    """
    return _filled(_NEXT, subtask)


def _filled(sentences: dict[str, str], subtask: Subtask) -> str:
    """A sentence about a subtask; of an action that is in no table, and of a Put without a place, a plainer one."""
    known = sentences.get(subtask.action)
    if known is None or (subtask.action == "Put" and not subtask.destination):
        plain = f"do {subtask}"
        return plain if sentences is _NEXT else f"I have done {subtask}"
    return known.format(target=_said(subtask.target), destination=_said(subtask.destination))


def _said(name: str) -> str:
    return name.replace("_", " ")
