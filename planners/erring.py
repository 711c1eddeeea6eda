"""The erring planner: a correct script with random mistakes before its steps, for training data.

Each mistake is one that planners make (EMMOE, section 5.5) and that checks refuse; the correct subtask follows. A
correct step that fails is retried, after going to where it is done. Detours are steps that succeed but do not help; the
script continues from the state after them.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.actions import action_of, entity_words
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.support.documents import bounded_bytes
from homie.kernel.support.files import reading
from homie.kernel.types import END, Decision, ErrorCode, PlannerInput, Subtask
from homie.kernel.types.script_progress import add_places, next_step
from planners.common_sense import is_container, is_furniture, is_surface
from planners.scripted import parse_script

NOWHERE = ("guitar", "umbrella", "teddy bear", "candle", "football", "watering can")
"""Objects that no home here contains (error F2)."""
UNLISTED = {"Go to": "Walk", "Pick": "Fetch", "Put": "Carry", "Open": "Unlock", "Close": "Lock"}
"""Names of actions that no robot lists (error F1)."""


class ErringSettings(BaseModel):
    """Settings of the erring planner."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mistakes: float = Field(0.2, ge=0.0, le=1.0, description="Probability of a mistake before a step.")
    detours: float = Field(0.0, ge=0.0, le=1.0, description="Probability of a useless step before a step.")
    retries: int = Field(3, ge=0, le=20, description="How often a step that has failed is tried again, then End.")


class ErringPlanner(Planner):
    """Plays a script as `scripted` does, with mistakes and recoveries, sampled with the seed of the episode.

    Raises BadInput for a script that cannot be used.
    """

    name = "erring"
    note = "privileged: knows a right script"
    Settings: ClassVar[type[BaseModel] | None] = ErringSettings

    def __init__(self, argument: str = "", settings: ErringSettings | None = None) -> None:
        if not argument:
            raise BadInput("The erring planner needs a script: --planner erring:plan.yaml.")
        path = Path(argument).expanduser()
        with reading(path, "the script"):
            self._text = bounded_bytes(path).decode()
        self._script = [subtask for decision in parse_script(self._text, path) for subtask in decision.subtasks]
        self._settings = settings or ErringSettings.model_validate({})
        self.reset("", seed=0)

    @property
    def _digest(self) -> str:
        return hashlib.sha256(self._text.encode()).hexdigest()

    def describe(self) -> Mapping[str, object]:
        return {"sha256": self._digest, "privileged": True, **self._settings.model_dump(mode="json")}

    def texts(self) -> Mapping[str, str]:
        return {self._digest: self._text}

    def reset(self, task: str, *, seed: int) -> None:
        self._rng = random.Random(seed)
        self._remaining = list(self._script)
        self._skipped_to: Subtask | None = None
        """The latest mistake if it is the step after the current one, which may have succeeded."""
        self._last_step: Subtask | None = None
        """The latest step given from the script."""
        self._failures: Counter[Subtask] = Counter()
        self._made_mistake = False
        self._places: dict[str, str] = {}

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._settings.detours:
            return Decision((self._step_or_detour(planner_input),))
        self._update_script(planner_input)
        step = self._remaining[0] if self._remaining else END
        if self._failures[step] > self._settings.retries:
            return Decision((END,))
        if not self._made_mistake and step != END and self._rng.random() < self._settings.mistakes:
            mistake = self._rng.choice(list(self._mistakes(step, self._remaining[1:], planner_input)))
            self._made_mistake, self._last_step = True, None
            self._skipped_to = mistake if mistake in self._remaining[1:2] else None
            return Decision((mistake,))
        self._made_mistake, self._skipped_to, self._last_step = False, None, step
        return Decision((step,))

    def _step_or_detour(self, planner_input: PlannerInput) -> Subtask:
        """Return the next step of the script from the current state, or a detour or mistake before it."""
        add_places(self._places, planner_input.knowledge.remembered)
        step = next_step(self._script, planner_input.history, self._places) or END
        if self._rng.random() < self._settings.detours:
            return self._rng.choice(list(_detours(planner_input, self._rng)) or [step])
        if step != END and self._rng.random() < self._settings.mistakes:
            return self._rng.choice(list(self._mistakes(step, (), planner_input)))
        return step

    def _update_script(self, planner_input: PlannerInput) -> None:
        """Update the rest of the script by the feedback."""
        if planner_input.feedback is None:
            return
        if self._skipped_to is not None and planner_input.feedback.ok:
            self._remaining = self._remaining[2:]  # it succeeded: the Go to before it was unnecessary
        if self._last_step is None:
            return
        if planner_input.feedback.ok:
            self._remaining = self._remaining[1:]
            return
        step = self._remaining[0]
        self._failures[step] += 1
        words = entity_words(step, action_of(step.action).arguments)
        if planner_input.feedback.code is ErrorCode.E2:
            retry = [Subtask("Go to", step.target), Subtask("Pick", step.target), Subtask("Go to", words), step]
            self._remaining = [*retry, *self._remaining[1:]]
        elif action_of(step.action).near:
            self._remaining = [Subtask("Go to", words), *self._remaining]

    def _mistakes(self, step: Subtask, after: Sequence[Subtask], planner_input: PlannerInput) -> Iterator[Subtask]:
        """Yield possible mistakes before a step, at most one of each kind; none of them changes the world.

        Args:
            step: The correct step.
            after: The steps after it, as far as they are known.
            planner_input: That of `decide`.
        """
        hand_is_full = bool(planner_input.inventory)
        nowhere = self._rng.choice(NOWHERE)
        yield Subtask("Put", step.target, nowhere) if step.action == "Put" else Subtask(step.action, nowhere)
        if step.action in UNLISTED:
            yield Subtask(UNLISTED[step.action], step.target, step.destination)
        if step.action == "Go to" and after and action_of(after[0].action).near:
            yield after[0]  # D1, if the robot is far away
        carried_name = _first(after, "Put") if step.action != "Put" else None
        places = [subtask.destination for subtask in (step, *after) if is_furniture(subtask.destination)]
        if hand_is_full:
            yield Subtask("Pick", planner_input.inventory[-1])  # L1
            doors = _first((step, *after), "Open", "Close")
            if doors is not None:
                yield doors  # L1
        elif carried_name is not None:
            yield carried_name  # L2
        next_pick = _first(after[:1], "Pick")
        if step.action == "Open" and next_pick is not None:
            yield next_pick  # L3
        if not hand_is_full and places:
            yield Subtask("Pick", places[0])  # L4


def _detours(planner_input: PlannerInput, rng: random.Random) -> Iterator[Subtask]:
    """Yield steps that are possible in any task from here, at most one of each kind."""
    names = [remembered.name for remembered in planner_input.knowledge.remembered]
    ways = [item.subtask.target for item in planner_input.history if item.subtask.action == "Go to"]
    last_way = ways[-1] if ways else ""
    if names:
        yield Subtask("Go to", rng.choice(names))
    if last_way:
        yield Subtask("Go to", last_way)
    if planner_input.inventory:
        if is_surface(last_way) or is_container(last_way):
            yield Subtask("Put", planner_input.inventory[-1], last_way)
        return
    if last_way in names and not is_furniture(last_way):
        yield Subtask("Pick", last_way)
    if is_container(last_way):
        yield Subtask(rng.choice(("Open", "Close")), last_way)


def _first(steps: Sequence[Subtask], *actions: str) -> Subtask | None:
    return next((subtask for subtask in steps if subtask.action in actions), None)
