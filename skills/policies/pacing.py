"""Timing of a policy's decisions: the robot stands meanwhile, or executes motions of an earlier answer.

A policy whose answers have several motions can be queried for the next ones while the last are executed:

    number of a motion     0 1 2 3 4 5 6 7
    asked before 0         0 1 2 3            the robot stands until this answer arrives
    asked before 2             2 3 4 5        arrives during motion 2: 2 is late and dropped, 3 is used
    asked before 4                 4 5 6 7

Motions are numbered by their intended time, so a late one is dropped and never executed at another time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Literal, TypeAlias, cast

from skills.policies.motions import Motion
from skills.policies.policy import Named, Policy

Overlap: TypeAlias = Literal["newest", "mean"]
"""Which motion is used where an earlier answer had one for the same time: that of the newest answer, or the mean of
both (the gripper's opening is always the newest)."""


class Pacing(ABC):
    """Queries a policy for the successive motions of an attempt.

    Attributes:
        stands: Whether the robot has to stand while `ask` runs.
        late: Number of motions of this attempt that came after their time.
    """

    stands: bool
    late = 0

    @abstractmethod
    def begin(self, goal: Named) -> None:
        """Reset the policy for an attempt. Raises PolicyFailed."""

    @abstractmethod
    def due(self, number: int) -> bool:
        """Whether the policy should be queried before a motion is carried out. Raises PolicyFailed."""

    @abstractmethod
    def ask(self, number: int, inputs: Named) -> None:
        """Query the policy with the observation before a motion. Raises PolicyFailed."""

    @abstractmethod
    def motion(self, number: int) -> Motion | None:
        """Return the motion of a number, or None if it is not available yet. Raises PolicyFailed."""


class StopAndThink(Pacing):
    """One decision, then its motions; the robot stands until the decision is available.

    Args:
        execute: Number of motions of an answer that are carried out; 0 if an answer is one motion.
    """

    stands = True

    def __init__(self, policy: Policy, execute: int = 0) -> None:
        self._policy, self._execute = policy, execute
        self._queue: list[Motion] = []

    def begin(self, goal: Named) -> None:
        self._policy.reset(goal)
        self._queue = []

    def due(self, number: int) -> bool:
        return not self._queue

    def ask(self, number: int, inputs: Named) -> None:
        answer = self._policy.step(inputs)
        self._queue = Motion.several(answer)[: self._execute] if self._execute else [Motion.of(answer)]

    def motion(self, number: int) -> Motion | None:
        return self._queue.pop(0) if self._queue else None


class ThinkAhead(Pacing):
    """Queries for further motions in a thread of its own while the last ones are carried out.

    `step` of the policy gets `number`, that of the first motion of its answer, and returns `Motion.several`.

    Args:
        policy: Must not be queried by others while an attempt lasts.
        early: Number of motions left from which more are queried.
        overlap: Rule for overlapping answers.
        patience: Wall-clock seconds that `motion` waits for an answer: a control period.
    """

    stands = False

    def __init__(self, policy: Policy, *, early: int, overlap: Overlap, patience: float) -> None:
        self._policy = policy
        self._early, self._overlap, self._patience = early, overlap, patience
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="policy")
        self._asked: tuple[int, Future[Named]] | None = None
        self._motions: dict[int, Motion] = {}

    def begin(self, goal: Named) -> None:
        """Also waits for the pending answer of an attempt that ended before it came."""
        if self._asked is not None:
            self._asked[1].exception()
        self._asked, self._motions, self.late = None, {}, 0
        self._policy.reset(goal)

    def due(self, number: int) -> bool:
        self._collect(number, 0.0)
        return self._asked is None and sum(motion_number >= number for motion_number in self._motions) <= self._early

    def ask(self, number: int, inputs: Named) -> None:
        self._asked = number, self._thread.submit(self._policy.step, {**inputs, "number": number})

    def motion(self, number: int) -> Motion | None:
        self._collect(number, 0.0 if number in self._motions else self._patience)
        return self._motions.pop(number, None)

    def _collect(self, number: int, patience: float) -> None:
        """Queue the motions of the pending answer, if it comes within `patience` seconds: those from `number` on."""
        if self._asked is None:
            return
        first, answer = self._asked
        if not wait([answer], patience).done:
            return
        self._asked = None
        motions = Motion.several(answer.result())
        for place, motion in enumerate(motions, first):
            if place < number:
                self.late += 1
            elif self._overlap == "mean" and place in self._motions:
                self._motions[place] = self._motions[place].mean(motion)
            else:
                self._motions[place] = motion


def pacing(policy: Policy, patience: float) -> Pacing:
    """Return the pacing declared in a policy's facts: `ahead` (motions left at which more are queried; absent: when
    none is left) and `overlap`; or `execute`, the motions of an answer that are carried out (absent: an answer is
    one)."""
    if "ahead" not in policy.facts:
        return StopAndThink(policy, cast(int, policy.facts.get("execute", 0)))
    early, overlap = cast(int, policy.facts["ahead"]), cast(Overlap, policy.facts["overlap"])
    return ThinkAhead(policy, early=early, overlap=overlap, patience=patience)
