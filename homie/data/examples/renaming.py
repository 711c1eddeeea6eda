"""Copies of an episode with other names, so that a model learns to copy a name rather than to memorise names.

Names are made of random syllables, so they cannot reveal names held out of training. Names in the task and of detected
objects are replaced consistently in the whole episode. Otherwise a model would learn never to take objects that are
held out as targets, also because a task such as "clear the shelf" does not name the objects it is about.
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
"""Share of an episode's names that are replaced. The others are learnt next to names that they never occur with."""
KNOWN, SPELT = 150, 0.25
"""Number of recurring words in a data set, which a small model's tokenizer learns as whole tokens; and share of words
made up for a single name, from which the model learns to copy a new word piece by piece."""
WORDS = (1, 1, 2)
"""Numbers of words of a name, to sample from: `apple`, `white table`."""
SYLLABLES = (1, 2, 2)
"""Numbers of syllables of a word, to sample from."""
STARTS = ("", *"bcdfghjklmnpqrstvwyz", "bl", "ch", "cr", "dr", "fl", "pl", "sh", "sp", "st", "str", "th", "tr")
VOWELS = ("a", "e", "i", "o", "u", "ee", "oo", "ou", "ea")
ENDS = ("", "", "", *"bdgklmnprstx", "ck", "nd", "ng", "ss", "st")
_FIELDS_WITHOUT_NAMES = (
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
"""Fields of the planner input that contain no object names."""


def renamed_copies(episode: Episode, number: int, seed: int) -> Iterator[Episode]:
    """Yield copies of the episode with other names; none if no object was detected and the task names none.

    Args:
        episode: Episode, of which only words are changed; its pictures still show the original objects.
        number: Number of copies.
        seed: Seed of the choice of names to replace and of the new names.
    """
    names, known = _names_to_replace(episode), _recurring_words(seed)
    for version in range(number if names else 0):
        rng = random.Random(f"{seed}/{episode.name}/{version}")
        new_names = {name: random_name(rng, known) for name in names if rng.random() < SHARE}
        if new_names:
            yield _replace_names(episode, new_names)


def random_name(rng: random.Random, known: Sequence[str]) -> str:
    """Return a random name that no object has.

    Args:
        known: Recurring words of the data set.
    """
    words = rng.choice(WORDS)
    return " ".join(_word(rng) if rng.random() < SPELT else rng.choice(known) for _ in range(words))


@cache
def _recurring_words(seed: int) -> tuple[str, ...]:
    """Return the recurring words of a data set with this seed."""
    rng = random.Random(seed)
    return tuple(_word(rng) for _ in range(KNOWN))


def _word(rng: random.Random) -> str:
    syllables = rng.choice(SYLLABLES)
    return "".join(rng.choice(STARTS) + rng.choice(VOWELS) + rng.choice(ENDS) for _ in range(syllables))


def _names_to_replace(episode: Episode) -> tuple[str, ...]:
    """Return the names of subtasks that occur in the task, and of objects detected on or in something; longest first,
    so that `white table` comes before `table`."""
    subtasks = [step.subtask for step in episode.steps]
    names = {name for subtask in subtasks for name in (subtask.target, subtask.destination) if name}
    task_names = {name for name in names if _pattern((name,)).search(episode.text)}
    detected = {item.name for step in episode.steps for item in step.input.knowledge.remembered if item.place}
    return tuple(sorted(task_names | detected, key=lambda name: (-len(name), name)))


def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")


def _replace_names(episode: Episode, new_names: Mapping[str, str]) -> Episode:
    """Return the episode with replaced names; longer names take precedence."""
    words = _Replacer(new_names)
    return replace(
        episode, text=words.in_text(episode.text), steps=tuple(words.in_step(step) for step in episode.steps)
    )


class _Replacer:
    def __init__(self, new_names: Mapping[str, str]) -> None:
        self._new_names, self._pattern = new_names, _pattern(tuple(new_names))

    def in_text(self, text: str) -> str:
        return self._pattern.sub(lambda match: self._new_names[match[0]], text)

    def in_step(self, step: Step) -> Step:
        dumped = step.input.model_dump(mode="json")
        dumped = {
            name: value if name in _FIELDS_WITHOUT_NAMES else self._in_value(value) for name, value in dumped.items()
        }
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
