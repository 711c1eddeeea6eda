"""The quirks of EmbodiedBench's evaluators as released in February 2025 (docs/published-benchmarks.md).

EB-ALFRED --> `_Alfred`, EB-Navigation --> `_Navigation`, EB-Manipulation --> `_Manipulation`
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from homie.bench.suite.suite import Suite
from homie.kernel.pose_action import MOVE, NUMBERS
from homie.kernel.types import END, Choice, Quirks, Subtask

_PLAN = "executable_plan"
_ANALYSIS = ("visual_state_description", "reasoning_and_reflection", "language_plan")


class _Alfred(Quirks):
    """Plain JSON or nothing, and an action that is not in the list counts as a step, since its environment raises."""

    name = "eb-alfred@2025-02"
    explains = False
    counts_unlisted = False
    reads = True

    def read(self, text: str, choices: Sequence[Choice]) -> tuple[tuple[Subtask, ...], str]:
        """Parse the JSON of a whole text, without a fence or words around it; cut at the first number beyond the list.

        Numbers are compared with the length of the list and nothing else, so that 1.5 and true are passed on, which its
        environment then refuses: here they are subtasks that are in no list.
        """
        try:
            whole = json.loads(text)
            numbers = [step["action_id"] for step in whole[_PLAN]]
            beyond = next((place for place, number in enumerate(numbers) if not _in_range(number, len(choices))), None)
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError("The answer is not the JSON of a plan by numbers.") from error
        if beyond == 0:
            raise ValueError(f"There is no action {numbers[0]}: the numbers go from 0 to {len(choices) - 1}.")
        subtasks = tuple(
            choices[number].subtask if type(number) is int else Subtask(json.dumps(number))
            for number in numbers[:beyond]
        )
        texts = [value.strip() for key in _ANALYSIS if isinstance(value := whole.get(key), str)]
        return subtasks or (END,), "\n".join(texts)


class _Navigation(Quirks):
    """A random action in place of an unreadable answer, and a number beyond the list ends the task."""

    name = "eb-navigation@2025-02"
    explains = False

    def fallback(self, choices: Sequence[Choice], actions: Sequence[str], rng: random.Random) -> Subtask | None:
        """Return any action of the list."""
        return rng.choice(choices).subtask if choices else None

    def beyond(self, number: int) -> Subtask | None:
        """Return End for a number above the list."""
        return END if number > 0 else None


class _Manipulation(Quirks):
    """A random pose in place of an unreadable answer, and a plan goes on after a failure."""

    name = "eb-manipulation@2025-02"
    explains = False
    continues = True

    def fallback(self, choices: Sequence[Choice], actions: Sequence[str], rng: random.Random) -> Subtask | None:
        """Return any pose with an open gripper."""
        if MOVE not in actions:
            return None
        pose = {name: rng.randint(0, last) for name, last in NUMBERS.items()} | {"gripper": 1}
        return Subtask(MOVE, str(list(pose.values())))


def _in_range(number: float, length: int) -> bool:
    """Check a number as released: only a comparison can exclude it. Raises TypeError for what cannot be compared."""
    return not (number >= length or number < 0)


EB_ALFRED = _Alfred()
EB_NAVIGATION = _Navigation()
EB_MANIPULATION = _Manipulation()


def with_quirks(suite: Suite, name: str, quirks: Quirks, **limits: None) -> Suite:
    """Return the suite under another name, as a published evaluator plays it: episodes end at their goal.

    Args:
        suite: The suite.
        name: The new name.
        quirks: Quirks of the evaluator.
        limits: Limits of the suite that the evaluator does not have.
    """
    protocol = suite.protocol.model_copy(update={"end": "goal", "faults": quirks.name, **limits})
    return suite.model_copy(update={"name": name, "protocol": protocol})
