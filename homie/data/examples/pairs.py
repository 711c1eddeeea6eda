"""Pairs for DPO: what is better said than what, in which situation (EMMOE, section 5.1 and appendix F.2).

re-plan   the subtask that failed is rejected for the one that succeeded after it, in the situation of the first
order     a subtask that succeeded is chosen over the next that did
action    ... over itself with the action by a name that is not in the list
model     ... over itself with another model of the same type
expert    in an episode that an expert has labelled: its next subtask is chosen over what the planner did there

But for the last, End is never chosen: it is better to go on for a few steps than to stop too soon.
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
"""Names of actions that are in no list; the first of each is the one of EMMOE's own code."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A subtask with the model for it."""

    subtask: Subtask
    model: str


@dataclass(frozen=True, slots=True)
class Pair:
    """In the situation before a step, one answer is better than the other.

    Attributes:
        step: By its place in the episode.
    """

    kind: Kind
    step: int
    chosen: Choice
    rejected: Choice


def pairs(episode: Episode, seed: str | None = None) -> Iterator[Pair]:
    """All pairs of an episode, re-plans first; no two answers of a pair are equal. Of a labelled episode (`teacher`)
    those between the expert and the planner.

    Args:
        episode: whose steps they are about.
        seed: of the choice among names and models; None takes the first, as EMMOE's own code does.
    """
    steps = [(place, step) for place, step in enumerate(episode.steps) if step.asked]
    if episode.labelled:
        yield from _by_expert(steps)
        return
    for (place, failed), (_, better) in pairwise(steps):
        if not failed.feedback.ok and better.feedback.ok:
            yield from _different("replan", place, _choice(better), _choice(failed))
    good = teachable(episode)
    for number, place in enumerate(good):
        step = episode.steps[place]
        choice = _choice(step)
        chance = None if seed is None else random.Random(f"{seed}/{episode.name}/{step.number}")
        if number + 1 < len(good):
            yield from _different("order", place, choice, _choice(episode.steps[good[number + 1]]))
        for name in _some(other_names(step), chance):
            yield from _different("action", place, choice, Choice(replace(step.subtask, action=name), step.model))
        for model in _some(other_models(step), chance):
            yield from _different("model", place, choice, Choice(step.subtask, model))


def _by_expert(steps: Sequence[tuple[int, Step]]) -> Iterator[Pair]:
    for place, step in steps:
        if step.replaced is not None:
            model = step.model or next(iter(step.input.models), "")
            rejected = Choice(step.replaced, "" if step.replaced.action == END.action else model)
            yield Pair("expert", place, _choice(step), rejected)


def teachable(episode: Episode) -> tuple[int, ...]:
    """The places of the steps that succeeded and that the planner was asked for: what SFT teaches."""
    return tuple(place for place, step in enumerate(episode.steps) if step.asked and step.feedback.ok)


def other_names(step: Step) -> tuple[str, ...]:
    """Names for the action of a step that its list does not have."""
    return tuple(name for name in OTHER_ACTIONS.get(step.subtask.action, ()) if name not in step.input.actions)


def other_models(step: Step) -> tuple[str, ...]:
    """Models of the same type as that of a step: others that have its action too."""
    able = [name for name, ability in step.input.abilities.items() if step.subtask.action in ability.actions]
    return tuple(name for name in able if name != step.model) if step.model in able else ()


def _some(choices: Sequence[str], chance: random.Random | None) -> Sequence[str]:
    """One of them, if there are any."""
    return [chance.choice(choices)] if chance is not None and choices else choices[:1]


def _choice(step: Step) -> Choice:
    return Choice(step.subtask, step.model)


def _different(kind: Kind, place: int, chosen: Choice, rejected: Choice) -> Iterator[Pair]:
    if chosen != rejected and chosen.subtask.action != "End":
        yield Pair(kind, place, chosen, rejected)
