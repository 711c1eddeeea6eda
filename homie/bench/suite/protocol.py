"""Protocol of a suite: what its planner sees, which actions it can choose, and what ends an episode."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import suggestion
from homie.kernel.registry import load, names
from homie.kernel.support.plain_numbers import PlainNumbers
from homie.kernel.types import FeedbackPolicy, HistoryPolicy, Limits, SentTo, ThingsPolicy, Visibility
from homie.kernel.types.limits import ROUNDS


class Strict(PlainNumbers, BaseModel):
    """Base of the models of a suite file: unknown fields are rejected, and instances are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


View: TypeAlias = Literal["front", "left", "back", "right"]
"""One of the planner's pictures (`homie.kernel.types.VIEWS`)."""


Limit: TypeAlias = Literal["rounds", "steps", "failures", "plan"]
"""Field of a protocol that limits an episode, or the plan of one answer."""


class Protocol(Strict):
    """How a suite is run (defaults: EMMOE, section 5.1). The command line may override rounds and trials, a task the
    limits.

    Attributes:
        feedback, history, history_length, things: Information that a planner receives
            (`homie.kernel.types.Visibility`).
        steps, failures, plan: Further limits of an episode, and the executed length of a plan
            (`homie.kernel.types.Limits`).
        actions: `numbered` if a planner chooses from a list (`homie.bench.authoring.numbered_actions`).
        sent_to: Targets to which that list sends the robot: objects, furniture only, or the points of a graph, move by
            move.
        end: `goal` if an episode ends by itself as soon as its goal is reached, and the planner cannot end it; `report`
            if the planner ends it with a true or false report on its task (`homie.kernel.types.END_SUCCESS`).
        views: Cameras of the planner's pictures, by view; the robot's own views if empty.
        faults: Name of the quirks of a published evaluator (`homie.kernel.types.Quirks`).
    """

    rounds: int = Field(default=ROUNDS, ge=1, le=1000)
    trials: int = Field(default=3, ge=1, le=1000)
    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    history_length: int | None = Field(default=None, ge=1, le=1000)
    things: ThingsPolicy = "named"
    steps: int | None = Field(default=None, ge=1, le=1000)
    failures: int | None = Field(default=None, ge=1, le=1000)
    plan: int | None = Field(default=None, ge=1, le=1000)
    actions: Literal["named", "numbered"] = "named"
    sent_to: SentTo = "things"
    end: Literal["planner", "goal", "report"] = "planner"
    views: dict[View, str] = {}
    faults: str = "none"

    @model_serializer(mode="wrap")
    def _serialize(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit values equal to EMMOE's, so that unfinished runs from before these fields have the same suite."""
        content: dict[str, Any] = write(self)
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        always_kept = ("rounds", "trials")
        return {name: value for name, value in content.items() if name in always_kept or value != defaults[name]}

    @field_validator("faults")
    @classmethod
    def _check_quirks(cls, name: str) -> str:
        if name not in (known := names("quirks")):
            hint = suggestion(name, known, f"choose one of {', '.join(known)}")
            raise ValueError(f"no suite here has the quirks '{name}' ({hint})")
        return name

    def rules(self, rounds: int | None = None) -> EpisodeRules:
        """Return the rules of its episodes, without action list, goal check and endings, which depend on the task.

        Args:
            rounds: Rounds of the command line, None for the protocol's own.
        """
        return EpisodeRules(
            rounds=self.rounds if rounds is None else rounds,
            limits=Limits(steps=self.steps, failures=self.failures, plan=self.plan),
            visibility=Visibility(self.feedback, self.history, self.history_length, self.things),
            views={str(view): camera for view, camera in self.views.items()},
            quirks=load("quirks", self.faults),
        )
