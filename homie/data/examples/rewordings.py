"""Copies of an episode with reworded instruction and analyses, everything else unchanged (EMMOE, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from homie.data.episode import Episode

Rewrite: TypeAlias = Callable[[str, Sequence[str]], Sequence[str]]
"""Function from a text, and the names that it must keep, to rewordings of the text."""


def versions(episode: Episode, number: int, rewrite: Rewrite, *, analyses: bool = True) -> Iterator[Episode]:
    """Yield at most `number` reworded copies of the episode.

    A text with fewer rewordings than requested is left as it is in the other copies; a copy without any new text is
    skipped.

    Args:
        analyses: Whether to reword the analyses, which pairs do not contain.
    """
    names = _names(episode)
    reasons = [step.analysis for step in episode.steps if step.analysis] if analyses else []
    texts = dict.fromkeys([episode.text, *reasons])
    rewordings = {text: tuple(rewrite(text, names)) for text in texts} if number else {}
    for index in range(number):
        new = {text: texts_of[index] for text, texts_of in rewordings.items() if index < len(texts_of)}
        if new:
            yield _in_words(episode, new)


def _in_words(episode: Episode, new: dict[str, str]) -> Episode:
    text = new.get(episode.text, episode.text)
    steps = tuple(
        replace(
            step, input=step.input.model_copy(update={"task": text}), analysis=new.get(step.analysis, step.analysis)
        )
        for step in episode.steps
    )
    return replace(episode, text=text, steps=steps)


def _names(episode: Episode) -> tuple[str, ...]:
    """Return the names of the objects in the episode's subtasks, longest first."""
    subtasks = [step.subtask for step in episode.steps]
    names = {name for subtask in subtasks for name in (subtask.target, subtask.destination) if name}
    return tuple(sorted(names, key=lambda name: (-len(name), name)))
