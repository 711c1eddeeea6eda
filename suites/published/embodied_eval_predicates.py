"""The goal predicates of EmbodiedEval.

A predicate depends on the reset state and all steps since, so nothing has to be kept between two evaluations. Distances
are on the floor (x and z) unless noted, all inequalities strict, as released.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from homie.kernel.errors import BadInput
from suites.published.embodied_eval_state import ANSWER, Point, State, Step

NEAR = 1.5
AT = 0.3
CLOSER = 2.0
FURTHER = 1.0
ON = 0.3
APART = 1.0
"""The released thresholds, metres."""


class Value(IntEnum):
    """The value of a predicate."""

    FAILED = -1
    OPEN = 0
    DONE = 1


History = Sequence[Step]
_OPTIONS = ("choose", "special_action_success")
"""The words that are followed by the text of an option."""
Numbers = tuple[int, ...]
Holds = Callable[[State, History, Numbers], bool]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate: its word, its objects, and the option text of `choose` and `special_action_success`."""

    word: str
    objects: Numbers = ()
    option: str = ""

    def value(self, start: State, steps: History) -> Value:
        """Return its value after the last of at least one steps.

        Args:
            start: the reset state.
            steps: all steps since, in order.

        Raises:
            BadInput: an object is not in the world.
        """
        if self.word == "choose":
            return self._chosen(steps[-1].option)
        if self.word == "special_action_success":
            done = any(step.option == self.option and step.after.feedback == "success" for step in steps)
            return Value(done)
        return Value(_HOLDS[self.word](start, steps, self.objects))

    def _chosen(self, option: str) -> Value:
        if option == self.option:
            return Value.DONE
        return Value.FAILED if option.startswith(ANSWER) else Value.OPEN


def parse_predicate(text: str) -> Predicate:
    """Parse a predicate. Runs of blanks count as one, and words after the objects are ignored, as released.

    Args:
        text: for example `agent_near 12`, `at 3 7`, `choose answer "B"`.

    Raises:
        BadInput: the word is unknown, or objects are missing or no numbers.

    Example:
        >>> parse_predicate("closer  3 12")
        Predicate(word='closer', objects=(3, 12), option='')
    """
    word, _, rest = " ".join(text.split()).partition(" ")
    if word in _OPTIONS:
        if not rest:
            raise BadInput(f"{text!r} needs the text of an option behind it.")
        return Predicate(word, option=rest)
    arguments = rest.split()
    if word == "near" and len(arguments) == 1:
        word = "agent_near"  # the older vocabulary
    if word not in _HOLDS:
        words = sorted([*_HOLDS, *_OPTIONS])
        raise BadInput(
            f"{text!r} is not a predicate of EmbodiedEval. They are {', '.join(words)}, each with what it needs."
        )
    count = _OBJECTS.get(word, len(arguments))
    numbers = [argument for argument in arguments[:count] if argument.isdecimal()]
    if len(numbers) < max(count, 1):
        needed = "the number of an object" if count == 1 else "the numbers of its objects"
        raise BadInput(f"{text!r} needs {needed} behind it.")
    return Predicate(word, tuple(map(int, numbers)))


def _floor(first: Point, second: Point) -> float:
    return math.sqrt((first[0] - second[0]) ** 2 + (first[2] - second[2]) ** 2)


def _between(state: State, numbers: Numbers) -> float:
    return _floor(state.position(numbers[0]), state.position(numbers[1]))


def _to_agent(state: State, numbers: Numbers) -> float:
    return _floor(state.agent, state.position(numbers[0]))


def _approach(start: State, steps: History, numbers: Numbers) -> float:
    """Return by how many metres two objects came closer since the start."""
    return _between(start, numbers) - _between(steps[-1].after, numbers)


def _swapped(start: State, steps: History, numbers: Numbers) -> bool:
    now = steps[-1].after
    first, second = numbers
    return (
        _floor(now.position(first), start.position(second)) < APART
        and _floor(now.position(second), start.position(first)) < APART
    )


def _distances(steps: History, numbers: Numbers) -> list[float]:
    """Return the distances of all objects but the last to the last."""
    *others, place = numbers
    return [_between(steps[-1].after, (other, place)) for other in others]


_HOLDS: dict[str, Holds] = {
    "agent_near": lambda start, steps, ids: _to_agent(steps[-1].after, ids) < NEAR,
    "agent_at": lambda start, steps, ids: _to_agent(steps[-1].after, ids) < AT,
    "agent_pass": lambda start, steps, ids: any(_to_agent(step.after, ids) < AT for step in steps),
    "near": lambda start, steps, ids: _between(steps[-1].after, ids) < NEAR,
    "not_near": lambda start, steps, ids: _between(steps[-1].after, ids) > NEAR,
    "at": lambda start, steps, ids: _between(steps[-1].after, ids) < AT,
    # the only distance that includes height
    "not_at": lambda start, steps, ids: math.dist(*(steps[-1].after.position(i) for i in ids)) > AT,
    "closer": lambda start, steps, ids: _approach(start, steps, ids) > CLOSER,
    "further": lambda start, steps, ids: -_approach(start, steps, ids) > FURTHER,
    "grab": lambda start, steps, ids: steps[-1].after.grabbed == ids[0],
    "grab_once": lambda start, steps, ids: any(step.after.grabbed == ids[0] for step in steps),
    "on": lambda start, steps, ids: _between(steps[-1].after, ids) < ON,
    "in": lambda start, steps, ids: all(distance <= ON for distance in _distances(steps, ids)),
    "noton": lambda start, steps, ids: all(distance >= APART for distance in _distances(steps, ids)),
    "swap": _swapped,
}
_OBJECTS = {word: 1 if word.startswith(("agent", "grab")) else 2 for word in _HOLDS if word not in ("in", "noton")}
"""Number of objects of a predicate; `in` and `noton` take any number."""
