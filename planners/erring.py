"""The erring planner: a script that is right, with mistakes at random before its steps. For training data.

Each mistake is one that planners make (EMMOE, section 5.5) and that checks refuse; the right subtask comes next. What
fails without being a mistake is tried again, from the place where it is done. Detours are steps that succeed and do not
help; the script goes on from where they lead.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.actions import acted_on, action_of
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.support.documents import bounded_bytes
from homie.kernel.support.files import reading
from homie.kernel.types import END, Decision, ErrorCode, PlannerInput, Subtask
from homie.kernel.types.script_progress import add_places, next_step
from planners.common_sense import is_container, is_furniture, is_surface
from planners.scripted import parse_script

NOWHERE = ("guitar", "umbrella", "teddy bear", "candle", "football", "watering can")
"""Things that no home here has (F2)."""
UNLISTED = {"Go to": "Walk", "Pick": "Fetch", "Put": "Carry", "Open": "Unlock", "Close": "Lock"}
"""Names of actions that are in no list (F1)."""


class ErringSettings(BaseModel):
    """Settings of the erring planner."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mistakes: float = Field(0.2, ge=0.0, le=1.0, description="Probability of a mistake before a step.")
    detours: float = Field(0.0, ge=0.0, le=1.0, description="Probability of a useless step before a step.")
    retries: int = Field(3, ge=0, le=20, description="How often a step that has failed is tried again, then End.")


class ErringPlanner(Planner):
    """Plays a script as `scripted` does, with mistakes and recoveries. The seed of the episode decides which.

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
        self._left = list(self._script)
        self._early: Subtask | None = None
        """The mistake that was made last, where it may have succeeded."""
        self._tried: Subtask | None = None
        """The step of the script that was given last."""
        self._failures: Counter[Subtask] = Counter()
        self._erred = False
        self._places: dict[str, str] = {}

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._settings.detours:
            return Decision((self._wandering(planner_input),))
        self._look_back(planner_input)
        step = self._left[0] if self._left else END
        if self._failures[step] > self._settings.retries:
            return Decision((END,))
        if not self._erred and step != END and self._rng.random() < self._settings.mistakes:
            mistake = self._rng.choice(list(self._mistakes(step, self._left[1:], planner_input)))
            self._erred, self._tried = True, None
            self._early = mistake if mistake in self._left[1:2] else None
            return Decision((mistake,))
        self._erred, self._early, self._tried = False, None, step
        return Decision((step,))

    def _wandering(self, planner_input: PlannerInput) -> Subtask:
        """The next step of the script from here, or what keeps it waiting."""
        add_places(self._places, planner_input.knowledge.remembered)
        step = next_step(self._script, planner_input.history, self._places) or END
        if self._rng.random() < self._settings.detours:
            return self._rng.choice(list(_detours(planner_input, self._rng)) or [step])
        if step != END and self._rng.random() < self._settings.mistakes:
            return self._rng.choice(list(self._mistakes(step, (), planner_input)))
        return step

    def _look_back(self, planner_input: PlannerInput) -> None:
        """What the feedback means for the rest of the script."""
        if planner_input.feedback is None:
            return
        if self._early is not None and planner_input.feedback.ok:
            self._left = self._left[2:]  # it stood near enough already: done, and the way there is not needed
        if self._tried is None:
            return
        if planner_input.feedback.ok:
            self._left = self._left[1:]
            return
        step = self._left[0]
        self._failures[step] += 1
        words = acted_on(step, action_of(step.action).arguments)
        if planner_input.feedback.code is ErrorCode.E2:
            retry = [Subtask("Go to", step.target), Subtask("Pick", step.target), Subtask("Go to", words), step]
            self._left = [*retry, *self._left[1:]]
        elif action_of(step.action).near:
            self._left = [Subtask("Go to", words), *self._left]

    def _mistakes(self, step: Subtask, after: Sequence[Subtask], planner_input: PlannerInput) -> Iterator[Subtask]:
        """What a planner may do wrong before a step; one of each kind at most, and none of them changes the world.

        Args:
            step: The right one.
            after: The steps after it, as far as they are known.
            planner_input: As of `decide`.
        """
        hand_is_full = bool(planner_input.inventory)
        nowhere = self._rng.choice(NOWHERE)
        yield Subtask("Put", step.target, nowhere) if step.action == "Put" else Subtask(step.action, nowhere)
        if step.action in UNLISTED:
            yield Subtask(UNLISTED[step.action], step.target, step.destination)
        if step.action == "Go to" and after and action_of(after[0].action).near:
            yield after[0]  # D1, if it is far away
        carried_name = _first(after, "Put") if step.action != "Put" else None
        places = [subtask.destination for subtask in (step, *after) if is_furniture(subtask.destination)]
        if hand_is_full:
            yield Subtask("Pick", planner_input.inventory[-1])  # L1
            doors = _first((step, *after), "Open", "Close")
            if doors is not None:
                yield doors  # L1
        elif carried_name is not None:
            yield carried_name  # L2
        inside = _first(after[:1], "Pick")
        if step.action == "Open" and inside is not None:
            yield inside  # L3
        if not hand_is_full and places:
            yield Subtask("Pick", places[0])  # L4


def _detours(planner_input: PlannerInput, rng: random.Random) -> Iterator[Subtask]:
    """Steps that are possible from here whatever the task, one of each kind at most."""
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
