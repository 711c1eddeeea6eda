"""The same episode in other words: instruction and analyses rewritten, all else as it was (EMMOE, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from homie.data.episode import Episode

Rewrite: TypeAlias = Callable[[str, Sequence[str]], Sequence[str]]
"""From a text, and the names that it has to keep, to other versions of it."""


def versions(episode: Episode, number: int, rewrite: Rewrite, *, analyses: bool = True) -> Iterator[Episode]:
    """The episode in other words, at most `number` times.

    Where there are fewer versions of a text than wanted, the text stays as it is; a version in which no text is new is
    none.

    Args:
        analyses: Whether they are rewritten too, which pairs do not show.
    """
    names = _names(episode)
    reasons = [step.analysis for step in episode.steps if step.analysis] if analyses else []
    texts = dict.fromkeys([episode.text, *reasons])
    others = {text: tuple(rewrite(text, names)) for text in texts} if number else {}
    for place in range(number):
        new = {text: some[place] for text, some in others.items() if place < len(some)}
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
    """The names of the things that the episode is about, the longest first."""
    subtasks = [step.subtask for step in episode.steps]
    names = {name for subtask in subtasks for name in (subtask.target, subtask.destination) if name}
    return tuple(sorted(names, key=lambda name: (-len(name), name)))
