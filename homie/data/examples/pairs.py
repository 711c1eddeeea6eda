"""Preference pairs for DPO (EMMOE, section 5.1 and appendix F.2).

re-plan   a failed subtask is rejected in favour of the one that succeeded right after it, in the situation of the first
order     a successful subtask is chosen over the next successful one
action    ... over itself with a name of the action that is not in the list
model     ... over itself with another model of the same type
expert    in an episode labelled by an expert: the expert's next subtask is chosen over the planner's

Except in `expert`, End is never the chosen answer: a few steps too many are better than stopping too early.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, TypeAlias

from homie.data.episode import Episode, Step
from homie.kernel.types import END, Subtask

Kind: TypeAlias = Literal["replan", "order", "action", "model", "expert"]
OTHER_ACTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Go to": ("Move", "Navigate to", "Walk to", "Find"),
        "Pick": ("Fetch", "Grab", "Take", "Lift"),
        "Put": ("Place", "Drop", "Insert", "Leave"),
        "Open": ("Pull", "Unlock", "Uncover", "Slide"),
        "Close": ("Push", "Shut", "Lock", "Cover"),
    }
)
"""Action names that are in no list; the first of each is the one in EMMOE's own code."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A subtask with its model."""

    subtask: Subtask
    model: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Preference between two answers in the situation before a step.

    Attributes:
        step: Index of the step in the episode.
    """

    kind: Kind
    step: int
    chosen: Choice
    rejected: Choice


def pairs(episode: Episode, seed: str | None = None) -> Iterator[Pair]:
    """Yield all pairs of an episode, re-plans first; the two answers of a pair always differ. A labelled episode yields
    the pairs between expert and planner.

    Args:
        episode: The episode.
        seed: Seed for sampling names and models; None takes the first of each, as EMMOE's own code does.
    """
    steps = [(index, step) for index, step in enumerate(episode.steps) if step.asked]
    if episode.labelled:
        yield from _expert_pairs(steps)
        return
    for (index, failed), (_, replacement) in pairwise(steps):
        if not failed.feedback.ok and replacement.feedback.ok:
            yield from _pair_if_different("replan", index, _choice(replacement), _choice(failed))
    successes = teachable(episode)
    for number, index in enumerate(successes):
        step = episode.steps[index]
        choice = _choice(step)
        rng = None if seed is None else random.Random(f"{seed}/{episode.name}/{step.number}")
        if number + 1 < len(successes):
            yield from _pair_if_different("order", index, choice, _choice(episode.steps[successes[number + 1]]))
        for name in _at_most_one(other_names(step), rng):
            yield from _pair_if_different(
                "action", index, choice, Choice(replace(step.subtask, action=name), step.model)
            )
        for model in _at_most_one(other_models(step), rng):
            yield from _pair_if_different("model", index, choice, Choice(step.subtask, model))


def _expert_pairs(steps: Sequence[tuple[int, Step]]) -> Iterator[Pair]:
    for index, step in steps:
        if step.replaced is not None:
            model = step.model or next(iter(step.input.models), "")
            rejected = Choice(step.replaced, "" if step.replaced.action == END.action else model)
            yield Pair("expert", index, _choice(step), rejected)


def teachable(episode: Episode) -> tuple[int, ...]:
    """Return the indices of the successful steps for which the planner was queried: the training examples of SFT."""
    return tuple(index for index, step in enumerate(episode.steps) if step.asked and step.feedback.ok)


def other_names(step: Step) -> tuple[str, ...]:
    """Return names for the action of a step that are not in its list of actions."""
    return tuple(name for name in OTHER_ACTIONS.get(step.subtask.action, ()) if name not in step.input.actions)


def other_models(step: Step) -> tuple[str, ...]:
    """Return the other models that support the action of a step."""
    capable = [name for name, ability in step.input.abilities.items() if step.subtask.action in ability.actions]
    return tuple(name for name in capable if name != step.model) if step.model in capable else ()


def _at_most_one(choices: Sequence[str], rng: random.Random | None) -> Sequence[str]:
    """Return at most one of the choices."""
    return [rng.choice(choices)] if rng is not None and choices else choices[:1]


def _choice(step: Step) -> Choice:
    return Choice(step.subtask, step.model)


def _pair_if_different(kind: Kind, index: int, chosen: Choice, rejected: Choice) -> Iterator[Pair]:
    if chosen != rejected and chosen.subtask.action != "End":
        yield Pair(kind, index, chosen, rejected)
