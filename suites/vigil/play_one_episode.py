"""Plays one episode turn by turn, and records the truth after each turn, which the agent does not get."""

from __future__ import annotations

import time

from suites.published.vigil_episode import Kind
from suites.vigil.actions import Act, Interact, Invalid, Report, read_act
from suites.vigil.agents import HISTORY, Agent, Turn
from suites.vigil.frozen import INVALID_LIMITS
from suites.vigil.record import Record, StepRecord
from suites.vigil.stage import Effect, Stage


def play(stage: Stage, agent: Agent, *, feedback: bool = False, thousandths: bool = False) -> Record:
    """Play the episode of a stage to its end.

    Args:
        stage: set up for the episode.
        agent: the player.
        feedback: whether it gets `too_far` and `path_blocked`.
        thousandths: whether its coordinates go from 0 to 1000.

    Raises:
        PlannerError: the agent had no answer.
    """
    episode, began = stage.episode, time.perf_counter()
    steps: list[StepRecord] = []
    history: list[str] = []
    effect, tokens, cost = Effect(), [0, 0], 0.0
    limit = INVALID_LIMITS[episode.family]
    for number in range(1, episode.family.budget + 1):
        reply = agent.answer(
            Turn(
                number=number,
                instruction=episode.instruction,
                look=lambda: stage.picture,
                history=tuple(history[-HISTORY:]),
                too_far=effect.too_far if feedback else None,
                path_blocked=effect.path_blocked if feedback else None,
            )
        )
        tokens, cost = [tokens[0] + reply.input_tokens, tokens[1] + reply.output_tokens], cost + reply.cost
        history.append(reply.text)
        act = read_act(reply.text, thousandths=thousandths)
        effect = stage.perform(act) if not isinstance(act, (Invalid, Report)) else Effect()
        steps.append(_record_step(stage, act, effect, reply.text))
        if isinstance(act, Report) or sum(step.kind is Kind.INVALID for step in steps) > limit:
            break
    return Record(
        id=episode.id,
        house=episode.house,
        label=episode.label,
        steps=tuple(steps),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost=cost,
        seconds=round(time.perf_counter() - began, 3),
    )


def _record_step(stage: Stage, act: Act | Invalid, effect: Effect, reply: str) -> StepRecord:
    truth = stage.truth()
    kinds = {Invalid: Kind.INVALID, Report: Kind.REPORT}
    call = act.model_dump(exclude_none=True) if isinstance(act, Interact) else {}
    return StepRecord(
        kind=kinds.get(type(act), Kind.ACT),
        skill=_skill(act),
        call=call,
        status=act.status if isinstance(act, Report) else None,
        goal=truth.goal,
        progress=truth.progress,
        too_far=effect.too_far,
        path_blocked=effect.path_blocked,
        note=act.reason if isinstance(act, Invalid) else effect.note,
        said=reply,
    )


def _skill(act: Act | Invalid) -> str:
    names = {"Navigate": "navigate", "Look": "look", "Interact": "interact_pixel", "Report": "report"}
    return names.get(type(act).__name__, "")
