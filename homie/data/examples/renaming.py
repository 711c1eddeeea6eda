"""The same episode with other names: what is learnt of it is to repeat a name, not which names there are.

Names are made up of syllables at random, so no name that was held out of training comes in by them. What the task names
and the objects that were seen are renamed, everywhere in the episode alike: objects that are never taken, since they
are held out as targets, would be learnt as such, and a task such as "clear the shelf" names none of those it is about.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from homie.data.episode import Episode, Step
from homie.kernel.types import Feedback, Subtask
from homie.runtime.planner_inputs import RoundInput

SHARE = 0.75
"""Of the names of an episode. Those that stay are learnt beside names that they were never beside."""
KNOWN, SPELT = 150, 0.25
"""Words that come again and again in a data set, so that the tokenizer of a small model learns them whole; and the
share of words that are made up for one name, from which it learns to repeat the pieces of a word that is new to it."""
WORDS = (1, 1, 2)
"""Words of a name, at random: `apple`, `white table`."""
SYLLABLES = (1, 2, 2)
"""Of a word, at random."""
STARTS = ("", *"bcdfghjklmnpqrstvwyz", "bl", "ch", "cr", "dr", "fl", "pl", "sh", "sp", "st", "str", "th", "tr")
VOWELS = ("a", "e", "i", "o", "u", "ee", "oo", "ou", "ea")
ENDS = ("", "", "", *"bdgklmnprstx", "ck", "nd", "ng", "ss", "st")
_LISTS = (
    "actions",
    "models",
    "arguments",
    "words",
    "abilities",
    "explanations",
    "pictures",
    "telling",
    "round",
    "rounds",
)
"""Fields of what a planner sees that have no names of things."""


def renamed(episode: Episode, number: int, seed: int) -> Iterator[Episode]:
    """The episode with other names, so many times; nothing where no object was seen and the task names none.

    Args:
        episode: Of which only words are changed; its pictures still show what was there.
        number: How many.
        seed: Of what is renamed, and of the names.
    """
    names, known = _named(episode), _known(seed)
    for version in range(number if names else 0):
        rng = random.Random(f"{seed}/{episode.name}/{version}")
        others = {name: made_up(rng, known) for name in names if rng.random() < SHARE}
        if others:
            yield _under(episode, others)


def made_up(rng: random.Random, known: Sequence[str]) -> str:
    """A name that nothing has.

    Args:
        known: Words that come again.
    """
    words = rng.choice(WORDS)
    return " ".join(_word(rng) if rng.random() < SPELT else rng.choice(known) for _ in range(words))


@cache
def _known(seed: int) -> tuple[str, ...]:
    """The words that come again in a data set of a seed."""
    rng = random.Random(seed)
    return tuple(_word(rng) for _ in range(KNOWN))


def _word(rng: random.Random) -> str:
    syllables = rng.choice(SYLLABLES)
    return "".join(rng.choice(STARTS) + rng.choice(VOWELS) + rng.choice(ENDS) for _ in range(syllables))


def _named(episode: Episode) -> tuple[str, ...]:
    """What subtasks are about and the task names, and what was seen in or on something, the longest first: `white
    table` before `table`."""
    subtasks = [step.subtask for step in episode.steps]
    names = {name for subtask in subtasks for name in (subtask.target, subtask.destination) if name}
    named = {name for name in names if _pattern((name,)).search(episode.text)}
    seen = {item.name for step in episode.steps for item in step.input.knowledge.remembered if item.place}
    return tuple(sorted(named | seen, key=lambda name: (-len(name), name)))


def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")


def _under(episode: Episode, others: Mapping[str, str]) -> Episode:
    """The episode with these names; longer ones come first."""
    words = _Words(others)
    return replace(
        episode, text=words.in_text(episode.text), steps=tuple(words.in_step(step) for step in episode.steps)
    )


class _Words:
    def __init__(self, others: Mapping[str, str]) -> None:
        self._others, self._pattern = others, _pattern(tuple(others))

    def in_text(self, text: str) -> str:
        return self._pattern.sub(lambda match: self._others[match[0]], text)

    def in_step(self, step: Step) -> Step:
        dumped = step.input.model_dump(mode="json")
        dumped = {name: value if name in _LISTS else self._in_value(value) for name, value in dumped.items()}
        return replace(
            step,
            input=RoundInput.model_validate(dumped),
            history=tuple(
                replace(item, subtask=self._in_subtask(item.subtask), feedback=self._in_feedback(item.feedback))
                for item in step.history
            ),
            subtask=self._in_subtask(step.subtask),
            replaced=None if step.replaced is None else self._in_subtask(step.replaced),
            feedback=self._in_feedback(step.feedback),
            analysis=self.in_text(step.analysis),
            answer=self.in_text(step.answer),
            inventory=tuple(map(self.in_text, step.inventory)),
        )

    def _in_value(self, value: Any) -> Any:
        match value:
            case str():
                return self.in_text(value)
            case list():
                return [self._in_value(item) for item in value]
            case dict():
                return {name: self._in_value(item) for name, item in value.items()}
        return value

    def _in_subtask(self, subtask: Subtask) -> Subtask:
        return replace(subtask, target=self.in_text(subtask.target), destination=self.in_text(subtask.destination))

    def _in_feedback(self, feedback: Feedback) -> Feedback:
        return replace(feedback, message=self.in_text(feedback.message), about=tuple(map(self.in_text, feedback.about)))
