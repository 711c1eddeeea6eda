"""Template analyses for steps without one: experts and rules act without giving reasons, but a model should give some.

They state only what the episode shows: the result of the previous step, and the next subtask. Their form follows the
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
"""Wording of the paper's demonstration."""


def add_analyses(episode: Episode) -> Episode:
    """Return the episode with an analysis for every step."""
    return replace(episode, steps=tuple(_explain_steps(episode)))


def _explain_steps(episode: Episode) -> Iterator[Step]:
    before: Step | None = None
    for step in episode.steps:
        yield step if step.analysis else replace(step, analysis=analysis(step, before))
        before = step


def analysis(step: Step, before: Step | None) -> str:
    """Return an analysis of a step, from the step itself and the one before it."""
    if step.ends:
        return _END
    plan = f"I should {in_words(step.subtask)}"
    if before is None:
        return f"According to my final task, {plan} first"
    if before.feedback.ok:
        return f"{_fill(_DONE, before.subtask)}, so {plan} next"
    reason = before.feedback.message.rstrip(".")
    return f"I failed to {in_words(before.subtask)} ({reason}), so {plan}"


def in_words(subtask: Subtask) -> str:
    """Return a subtask in words.

    Example:
        >>> in_words(Subtask("Put", "apple", "kitchen_counter"))
        'put the apple down at the kitchen counter'
    """
    return _fill(_NEXT, subtask)


def _fill(sentences: dict[str, str], subtask: Subtask) -> str:
    """Fill a sentence for a subtask; a plainer one for an action without a template and for a Put without
    destination."""
    template = sentences.get(subtask.action)
    if template is None or (subtask.action == "Put" and not subtask.destination):
        plain = f"do {subtask}"
        return plain if sentences is _NEXT else f"I have done {subtask}"
    return template.format(target=_readable(subtask.target), destination=_readable(subtask.destination))


def _readable(name: str) -> str:
    return name.replace("_", " ")
