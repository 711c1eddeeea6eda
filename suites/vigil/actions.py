"""The four skills of native control, and the strict parser of an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from homie.kernel.support.documents import parse_json
from homie.kernel.support.validation_sentences import first_problem

STEP = 0.25
"""Length of a step in metres."""
FARTHEST, WIDEST = 20.0, 180.0
"""Maximum steps and degrees of one action."""
WIDTH, HEIGHT = 640, 480
"""Size of a frame in pixels, as published."""
THOUSAND = 1000
"""Side length of a frame in normalized coordinates."""

Intent = Literal["ground", "pick", "drop", "place", "activate", "deactivate", "open_access", "close_access"]
ALIASES = {
    "pick_up": "pick",
    "put": "place",
    "turn_on": "activate",
    "toggle_on": "activate",
    "turn_off": "deactivate",
    "toggle_off": "deactivate",
    "open": "open_access",
    "close": "close_access",
}
"""Synonyms of intents, as the paper allows them."""

Number: TypeAlias = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Navigate(_Strict):
    """Drive a number of steps, or turn by an angle in degrees."""

    mode: Literal["forward", "backward", "turn_left", "turn_right"]
    magnitude: Annotated[Number, Field(gt=0)]


class Look(_Strict):
    """Tilt the head by an angle in degrees."""

    direction: Literal["up", "down"]
    magnitude: Annotated[Number, Field(gt=0, le=WIDEST)]


class Interact(_Strict):
    """Act on the object at a pixel of the current frame.

    Attributes:
        x, y: Pixel coordinates from the top left; not needed for `drop`.
    """

    intent: Intent
    x: Number | None = None
    y: Number | None = None


class Report(_Strict):
    """End the episode.

    Attributes:
        status: Any word; a word that Vigil does not define counts as `invalid`.
    """

    status: str
    summary: str


Act: TypeAlias = Navigate | Look | Interact | Report
SKILLS: dict[str, TypeAdapter[Any]] = {
    "navigate": TypeAdapter(Navigate),
    "look": TypeAdapter(Look),
    "interact_pixel": TypeAdapter(Interact),
    "report": TypeAdapter(Report),
}
REQUIRED, OPTIONAL = {"skill_name", "arguments"}, {"thought", "cognitive_state"}


@dataclass(frozen=True, slots=True)
class Invalid:
    """An answer that is not a valid action, and why. It uses up a step."""

    reason: str


def read_act(text: str, *, thousandths: bool = False) -> Act | Invalid:
    """Parse an answer: one JSON object with `skill_name` and `arguments`, without any other text.

    Args:
        text: the answer.
        thousandths: whether x and y go from 0 to 1000 over the frame, instead of pixels.

    Returns:
        The action, x and y in pixels; or why the answer is invalid.

    Example:
        >>> read_act('{"skill_name": "look", "arguments": {"direction": "down", "magnitude": 20}}')
        Look(direction='down', magnitude=20.0)
        >>> read_act("I look down.")
        Invalid(reason='the answer is no JSON object')
    """
    try:
        answer = parse_json(text, lax=True)
    except ValueError:
        return Invalid("the answer is no JSON object")
    if not isinstance(answer, dict):
        return Invalid("the answer is no JSON object")
    keys = set(answer)
    if not keys >= REQUIRED or keys - REQUIRED - OPTIONAL:
        return Invalid("the keys are skill_name and arguments, and if wanted thought and cognitive_state")
    skill, arguments = answer["skill_name"], answer["arguments"]
    if not isinstance(skill, str) or skill not in SKILLS or not isinstance(arguments, dict):
        return Invalid(f"the skills are {', '.join(SKILLS)}, and arguments is an object")
    if skill == "interact_pixel" and isinstance(arguments.get("intent"), str):
        arguments = {**arguments, "intent": ALIASES.get(arguments["intent"], arguments["intent"])}
    try:
        act: Act = SKILLS[skill].validate_python(arguments)
    except ValidationError as error:
        return Invalid(first_problem(error))
    return _checked(act, thousandths)


def _checked(act: Act, thousandths: bool) -> Act | Invalid:
    if isinstance(act, Navigate):
        most = WIDEST if act.mode.startswith("turn") else FARTHEST
        return act if act.magnitude <= most else Invalid(f"the magnitude of {act.mode} is at most {most:g}")
    if not isinstance(act, Interact) or act.intent == "drop":
        return act
    if act.x is None or act.y is None:
        return Invalid(f"{act.intent} needs x and y")
    x, y = (act.x, act.y) if not thousandths else (act.x * WIDTH / THOUSAND, act.y * HEIGHT / THOUSAND)
    if thousandths:  # 1000 is the edge itself, which has no pixel
        x, y = min(x, WIDTH - 1) if act.x <= THOUSAND else x, min(y, HEIGHT - 1) if act.y <= THOUSAND else y
    if not (0 <= x < WIDTH and 0 <= y < HEIGHT):
        return Invalid("x and y are outside of the frame")
    return Interact(intent=act.intent, x=float(int(x)), y=float(int(y)))


def format_action(skill: str, **arguments: object) -> str:
    """Format an action as an answer."""
    return json.dumps({"skill_name": skill, "arguments": arguments})
