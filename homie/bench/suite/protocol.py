"""How a suite is run: what its planner is told, what it can choose from, and what ends an episode."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from homie.kernel.types import Faults, FeedbackPolicy, HistoryPolicy, Limits, SentTo, Telling, ThingsPolicy


class Strict(BaseModel):
    """A part of a suite file: unknown fields are refused, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


View: TypeAlias = Literal["front", "left", "back", "right"]
"""A picture of those that planners get (`homie.kernel.types.VIEWS`)."""


Limit: TypeAlias = Literal["rounds", "steps", "failures", "plan"]
"""A field of a protocol that limits an episode, or the plan of one answer."""


class Protocol(Strict):
    """How a suite is run (defaults: EMMOE, section 5.1). The command line may say other rounds and trials, a
    task other limits.

    feedback, history, history_length, things: what a planner is told (`homie.kernel.types.Telling`). steps, failures,
    plan: what ends an episode besides, and how much of a plan is carried out (`homie.kernel.types.Limits`).
    actions: `numbered` where a planner chooses from a list (`homie.bench.authoring.numbered`). sent_to: whether that
    list sends the robot to things, to furniture alone, or to the points of a graph, move by move. end: `goal` where an
    episode ends by itself as soon as its goal is reached, and the planner cannot end it; `report` where the planner
    ends it with a report on its task, which is true or false (`homie.kernel.types.END_SUCCESS`). views: the cameras
    whose pictures a planner gets, by the views as which it gets them; the robot's own where there are none. faults: of
    which official evaluator the faults are kept (`homie.kernel.types.Telling`).
    """

    rounds: int = Field(default=20, ge=1, le=1000)
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
    faults: Faults = "none"

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what is as in EMMOE: half-played runs from before these fields have the same suite."""
        written: dict[str, Any] = write(self)
        usual = {name: field.default for name, field in type(self).model_fields.items()}
        always = ("rounds", "trials")
        return {name: value for name, value in written.items() if name in always or value != usual[name]}

    @property
    def telling(self) -> Telling:
        """What a planner is told."""
        return Telling(self.feedback, self.history, self.history_length, self.things, self.faults)

    @property
    def limits(self) -> Limits:
        """What ends an episode besides End and the last round."""
        return Limits(steps=self.steps, failures=self.failures, plan=self.plan)
